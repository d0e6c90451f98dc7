/** The graph as a list, in the order of computation: the same selection, for screen readers and for reading. */
import type { NodeView } from '../protocol';
import type { GraphStore } from '../store';
import { clip, oneLine } from '../text';
import { h, icon } from './dom';
import { describe, SEVERITY_ICONS, SEVERITY_WORDS, shapeText } from './words';

const MOST = 500;

export class Outline {
  readonly element = h('ul', { class: 'gradviz-outline', role: 'tree', 'aria-label': 'Nodes of the graph' });
  private readonly items = new Map<string, HTMLLIElement>();

  constructor(private readonly store: GraphStore, private readonly choose: (id: string) => void) {
    this.element.addEventListener('keydown', this.onKey);
    this.element.addEventListener('click', event => {
      const id = this.idOf(event.target);
      if (id !== null) {
        this.choose(id);
      }
    });
    this.rebuild();
  }

  /** Fits the list to search and selection. */
  refresh(): void {
    const wanted = this.wanted();
    if (wanted.length !== this.items.size || wanted.some(node => !this.items.has(node.id))) {
      this.rebuild();
      return;
    }
    this.mark();
  }

  private wanted(): NodeView[] {
    const { matches } = this.store;
    const nodes = matches ? this.store.nodes.filter(node => matches.has(node.id)) : [...this.store.nodes];
    return nodes.slice(0, MOST);
  }

  private rebuild(): void {
    this.items.clear();
    this.element.replaceChildren();
    let group: string | null = null;
    for (const node of this.wanted()) {
      const path = this.store.groupPath(node.group).map(part => clip(oneLine(part.label), 40)).join(' \u203a ');
      if (path !== (group ?? '')) {
        group = path;
        if (path) {
          this.element.append(h('li', { class: 'gradviz-outline-group', role: 'presentation' }, path));
        }
      }
      const item = this.item(node);
      this.items.set(node.id, item);
      this.element.append(item);
    }
    const hidden = (this.store.matches?.size ?? this.store.nodes.length) - this.items.size;
    if (hidden > 0) {
      this.element.append(h('li', { class: 'gradviz-muted', role: 'presentation' }, `${hidden} more: search to narrow down`));
    }
    if (this.items.size === 0) {
      this.element.append(h('li', { class: 'gradviz-muted', role: 'presentation' }, 'Nothing matches.'));
    }
    this.mark();
  }

  private item(node: NodeView): HTMLLIElement {
    const mark = this.store.mark(node.id);
    return h(
      'li',
      {
        role: 'treeitem', tabindex: '-1', class: `gradviz-outline-item gradviz-req-${node.requirement}`,
        'aria-label': describe(this.store, node.id), 'aria-selected': 'false'
      },
      h('span', { class: `gradviz-glyph ${node.is_leaf ? 'gradviz-leaf' : 'gradviz-computed'}`, 'aria-hidden': 'true' }),
      h('span', { class: 'gradviz-outline-name' }, clip(oneLine(node.name ?? node.op), 28)),
      node.name !== null ? h('span', { class: 'gradviz-muted' }, clip(oneLine(node.op), 16)) : null,
      h('span', { class: 'gradviz-outline-shape' }, clip(shapeText(node.shape), 24)),
      mark
        ? h('span', { class: `gradviz-disc gradviz-sev-${mark.severity}`, title: SEVERITY_WORDS[mark.severity] }, icon(SEVERITY_ICONS[mark.severity]))
        : null
    );
  }

  private mark(): void {
    const { selected, focused } = this.store.state;
    const stop = [selected, focused, ...this.items.keys()].find(id => id !== null && this.items.has(id)) ?? null;
    for (const [id, item] of this.items) {
      item.setAttribute('aria-selected', String(id === selected));
      item.tabIndex = id === stop ? 0 : -1;
    }
  }

  private idOf(target: EventTarget | null): string | null {
    for (const [id, item] of this.items) {
      if (target instanceof Node && item.contains(target)) {
        return id;
      }
    }
    return null;
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    const ids = [...this.items.keys()];
    const at = ids.indexOf(this.idOf(event.target) ?? '');
    const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: ids.length - 1 }[event.key];
    if (step !== undefined) {
      const item = this.items.get(ids[Math.max(0, Math.min(ids.length - 1, step))] ?? '');
      this.items.forEach(other => (other.tabIndex = other === item ? 0 : -1));
      item?.focus();
    } else if ((event.key === 'Enter' || event.key === ' ') && at >= 0) {
      this.choose(ids[at]!);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
}
