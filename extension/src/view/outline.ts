/**
 * The picture as a tree of lists, in the order of computation: the same items, folding and selection, for
 * screen readers and for reading. While something is searched for it lists what was found.
 */
import type { GraphStore } from '../store';
import { clip, clipStart, oneLine } from '../text';
import { branchFacts, branchTitle, timesText } from './branch-words';
import { h, icon } from './dom';
import { describe, SEVERITY_ICONS, SEVERITY_WORDS, shapeText } from './words';

const MOST = 500;

interface Row {
  readonly key: string;
  readonly level: number;
  /** The branch it stands for, -1 for a node. */
  readonly branch: number;
  readonly node: number;
}

export class Outline {
  readonly element = h('ul', { class: 'gradviz-outline', role: 'tree', 'aria-label': 'Nodes of the graph' });
  private readonly items = new Map<string, HTMLLIElement>();
  private rows: readonly Row[] = [];
  private drawn: unknown = null;
  private drawnMatches: unknown = null;

  constructor(
    private readonly store: GraphStore,
    private readonly choose: (key: string) => void,
    private readonly toggle: (branch: number) => void
  ) {
    this.element.addEventListener('keydown', this.onKey);
    this.element.addEventListener('click', event => {
      const row = this.rowOf(event.target);
      const branch = row?.branch ?? -1;
      if (row && branch >= 0 && (this.store.isOpen(branch) || isOpener(event.target))) {
        this.toggle(branch);
      } else if (row) {
        this.choose(row.key);
      }
    });
  }

  /** Fits the list to folding, search and selection. */
  refresh(): void {
    if (this.drawn !== this.store.shown || this.drawnMatches !== this.store.matches) {
      this.drawn = this.store.shown;
      this.drawnMatches = this.store.matches;
      this.rebuild();
    }
    this.mark();
  }

  private rebuild(): void {
    const hadFocus = this.element.contains(document.activeElement);
    const onto = hadFocus ? this.rowOf(document.activeElement)?.key : undefined;
    const all = this.store.matches ? this.found() : this.folded();
    this.rows = all.slice(0, MOST);
    this.items.clear();
    this.element.replaceChildren();
    for (const row of this.rows) {
      const item = this.item(row);
      this.items.set(row.key, item);
      this.element.append(item);
    }
    const hidden = (this.store.matches?.count ?? all.length) - this.items.size;
    if (hidden > 0) {
      this.element.append(h('li', { class: 'gradviz-muted', role: 'presentation' }, `${hidden.toLocaleString('en')} more: search to narrow down`));
    }
    if (this.items.size === 0) {
      this.element.append(h('li', { class: 'gradviz-muted', role: 'presentation' }, 'Nothing matches.'));
    }
    if (hadFocus) {
      // A row that was opened or closed keeps the focus; one that is gone gives it to what is selected.
      (this.items.get(onto ?? '') ?? this.items.get(this.stop() ?? ''))?.focus();
    }
  }

  private found(): Row[] {
    const { matches, model } = this.store;
    const rows: Row[] = [];
    for (let node = 0; node < model.count && rows.length <= MOST; node++) {
      if (matches!.mask[node]) {
        rows.push({ key: model.id(node), level: 1, branch: -1, node });
      }
    }
    return rows;
  }

  /** Items with the open branches around them; leaves before what uses them first. */
  private folded(): Row[] {
    const { store } = this;
    const { items, inputs, links } = store.shown;
    const rows: Row[] = [];
    const listed = new Uint8Array(items.length);
    let around: readonly number[] = [];
    const list = (at: number): void => {
      if (listed[at] || rows.length > MOST) {
        return;
      }
      listed[at] = 1;
      const { key, node, branch, frame } = items[at]!;
      if (node < 0 || store.model.isComputed(node)) {
        const path = store.around(frame);
        path.forEach((open, level) => {
          if (around[level] !== open || path.slice(0, level).some((other, before) => around[before] !== other)) {
            rows.push({ key: `branch:${open}`, level: level + 1, branch: open, node: -1 });
          }
        });
        around = path;
        for (const link of inputs[at]!) {
          const { source } = links[link]!;
          if (items[source]!.node >= 0 && !store.model.isComputed(items[source]!.node)) {
            list(source);
          }
        }
      }
      rows.push({ key, level: around.length + 1, branch, node });
    };
    items.forEach((_, at) => {
      if (items[at]!.node < 0 || store.model.isComputed(items[at]!.node)) {
        list(at);
      }
    });
    items.forEach((_, at) => list(at));
    return rows;
  }

  private item(row: Row): HTMLLIElement {
    return row.branch >= 0 ? this.branchItem(row) : this.nodeItem(row);
  }

  private nodeItem({ key, level, node: at }: Row): HTMLLIElement {
    const { store } = this;
    const node = store.model.node(at);
    const mark = store.mark(at);
    // What is found stands without the frames around it: their names tell equals apart.
    const place = store.matches ? store.model.groupPath(store.model.columns.group[at]!).slice(1).map(({ label }) => oneLine(label)).join(' \u203a ') : '';
    const aside = [node.name === null ? '' : clip(oneLine(node.op), 16), clipStart(place, 40)].filter(Boolean).join('  ');
    return h(
      'li',
      {
        role: 'treeitem', tabindex: '-1', class: `gradviz-outline-item gradviz-req-${node.requirement}`, 'aria-level': level,
        'aria-selected': 'false', style: `--gv-level: ${level - 1}`
      },
      h('span', { class: `gradviz-glyph ${node.is_leaf ? 'gradviz-leaf' : 'gradviz-computed'}`, 'aria-hidden': 'true' }),
      h('span', { class: 'gradviz-outline-name' }, clip(oneLine(node.name ?? node.op), 28)),
      aside ? h('span', { class: 'gradviz-muted' }, aside) : null,
      h('span', { class: 'gradviz-outline-shape' }, clip(shapeText(node.shape), 24)),
      mark
        ? h('span', { class: `gradviz-disc gradviz-sev-${mark.severity}`, title: SEVERITY_WORDS[mark.severity] }, icon(SEVERITY_ICONS[mark.severity]))
        : null,
      h('span', { class: 'gradviz-spoken' }, describe(store, key))
    );
  }

  private branchItem({ key, level, branch }: Row): HTMLLIElement {
    const { store } = this;
    const open = store.isOpen(branch);
    const item = store.shown.byKey.get(key);
    const { worst } = item === undefined ? { worst: undefined } : store.marksIn(item);
    return h(
      'li',
      {
        role: 'treeitem', tabindex: '-1', class: 'gradviz-outline-item gradviz-outline-branch', 'aria-level': level, 'aria-expanded': String(open),
        'aria-selected': 'false', style: `--gv-level: ${level - 1}`
      },
      h('span', { class: 'gradviz-outline-opener', 'aria-hidden': 'true' }, icon(open ? 'down' : 'next')),
      h('span', { class: 'gradviz-outline-name' }, clip(branchTitle(store, branch), 34)),
      h('span', { class: 'gradviz-times-word' }, timesText(store, branch)),
      h('span', { class: 'gradviz-outline-shape' }, open ? '' : clip(branchFacts(store, branch, item === undefined ? undefined : store.shown.summaries.get(item)), 30)),
      worst
        ? h('span', { class: `gradviz-disc gradviz-sev-${worst.severity}`, title: SEVERITY_WORDS[worst.severity] }, icon(SEVERITY_ICONS[worst.severity]))
        : null,
      h('span', { class: 'gradviz-spoken' }, describe(store, key))
    );
  }

  private stop(): string | null {
    const { selected, focused } = this.store.state;
    return [selected, focused, ...this.items.keys()].find(key => key !== null && this.items.has(key)) ?? null;
  }

  private mark(): void {
    const { selected } = this.store.state;
    const stop = this.stop();
    for (const [key, item] of this.items) {
      item.setAttribute('aria-selected', String(key === selected));
      item.tabIndex = key === stop ? 0 : -1;
    }
  }

  private rowOf(target: EventTarget | null): Row | undefined {
    const item = target instanceof Element ? target.closest('[role=treeitem]') : null;
    return this.rows.find(row => this.items.get(row.key) === item);
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    const row = this.rowOf(event.target);
    const at = row ? this.rows.indexOf(row) : -1;
    const branch = row?.branch ?? -1;
    const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.rows.length - 1 }[event.key];
    if (step !== undefined) {
      this.go(step);
    } else if (row && event.key === 'ArrowRight' && branch >= 0) {
      if (this.store.isOpen(branch)) {
        this.go(at + 1);
      } else {
        this.toggle(branch);
      }
    } else if (row && event.key === 'ArrowLeft') {
      if (branch >= 0 && this.store.isOpen(branch)) {
        this.toggle(branch);
      } else {
        this.go(this.parentOf(at));
      }
    } else if ((event.key === 'Enter' || event.key === ' ') && row) {
      if (branch >= 0) {
        this.toggle(branch);
      } else {
        this.choose(row.key);
      }
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  private parentOf(at: number): number {
    const { level } = this.rows[at]!;
    for (let above = at - 1; above >= 0; above--) {
      if (this.rows[above]!.level < level) {
        return above;
      }
    }
    return at;
  }

  private go(step: number): void {
    const item = this.items.get(this.rows[Math.max(0, Math.min(this.rows.length - 1, step))]?.key ?? '');
    this.items.forEach(other => (other.tabIndex = other === item ? 0 : -1));
    item?.focus();
  }
}

function isOpener(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.gradviz-outline-opener') !== null;
}
