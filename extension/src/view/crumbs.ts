/** The title, and after it where the selected item stands, from the whole graph inwards, and what the view is narrowed to. */
import type { GraphStore } from '../store';
import { clip, oneLine } from '../text';
import { branchTitle, kindWord, timesText } from './branch-words';
import { h, icon, refill } from './dom';
import { roving } from './toolbar';

export class Crumbs {
  readonly element = h('nav', { class: 'gradviz-crumbs', 'aria-label': 'Where you are' });
  private shown = '';

  constructor(private readonly store: GraphStore, private readonly go: (branch: number) => void) {
    this.refresh();
  }

  refresh(): void {
    const { store } = this;
    const key = store.state.selected ?? store.state.focused;
    const item = key === null ? undefined : store.shown.byKey.get(key);
    const path = item === undefined ? [] : store.around(store.shown.items[item]!.frame);
    const { isolation } = store.state;
    const signature = JSON.stringify([path, isolation, path.map(at => store.isOpen(at))]);
    if (signature === this.shown) {
      return;
    }
    this.shown = signature;
    const title = clip(oneLine(store.graph.title || 'graph'), 80);
    const buttons = [
      this.button(title, 'The whole graph, as it was folded at first (h)', () => {
        store.isolate(null);
        store.openFirst();
      }, 'gradviz-graph-title'),
      ...path.map(branch => this.button(
        `${clip(branchTitle(store, branch), 36)} ${timesText(store, branch)}`.trim(), `Fold this ${kindWord(store, branch)}`, () => this.go(branch)
      ))
    ];
    const ended = isolation
      ? h(
          'button',
          { type: 'button', class: 'gradviz-isolation', title: 'Show everything again (Escape)', onclick: () => void store.isolate(null) },
          h('span', {}, this.isolationText()),
          icon('cross')
        )
      : null;
    const all = ended ? [...buttons, ended] : buttons;
    refill(
      this.element,
      roving(h('ol', { class: 'gradviz-crumb-list' }, ...buttons.map(button => h('li', {}, button)), ended ? h('li', {}, ended) : null), all)
    );
    // Where not all has room, the innermost does.
    this.element.scrollLeft = this.element.scrollWidth;
  }

  private isolationText(): string {
    const { isolation } = this.store.state;
    if (!isolation) {
      return '';
    }
    const name = (node: number): string => clip(oneLine(this.store.model.label(node)), 24);
    switch (isolation.kind) {
      case 'ancestors':
        return `only what ${name(isolation.node)} is made from`;
      case 'descendants':
        return `only what uses ${name(isolation.node)}`;
      case 'path':
        return `only the path from ${name(isolation.node)} to ${name(isolation.to)}`;
    }
  }

  private button(text: string, title: string, onclick: () => void, more = ''): HTMLButtonElement {
    return h('button', { type: 'button', class: `gradviz-crumb ${more}`, title, onclick }, text);
  }
}
