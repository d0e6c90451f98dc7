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
    const { isolation, pathFrom } = store.state;
    const signature = JSON.stringify([path, isolation, pathFrom, path.map(at => store.isOpen(at))]);
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
    const chips = [
      ...(isolation ? [this.chip(this.isolationText(), 'Show everything again (Escape)', () => store.isolate(null))] : []),
      ...(pathFrom === null
        ? []
        : [this.chip(`path from ${this.name(store.nodeAt(pathFrom))} to \u2026`, 'Leave it (Escape)', () => store.startPath(null))])
    ];
    refill(
      this.element,
      roving(h('ol', { class: 'gradviz-crumb-list' }, ...buttons.map(button => h('li', {}, button)), ...chips.map(chip => h('li', {}, chip))), [...buttons, ...chips])
    );
    // Where not all has room, the innermost does.
    this.element.scrollLeft = this.element.scrollWidth;
  }

  private isolationText(): string {
    const { isolation } = this.store.state;
    if (!isolation) {
      return '';
    }
    const name = (node: number): string => this.name(node);
    switch (isolation.kind) {
      case 'ancestors':
        return `only what ${name(isolation.node)} is made from`;
      case 'descendants':
        return `only what uses ${name(isolation.node)}`;
      case 'path':
        return `only the path from ${name(isolation.node)} to ${name(isolation.to)}`;
    }
  }

  private name(node: number): string {
    return clip(oneLine(this.store.model.label(node)), 24);
  }

  private chip(text: string, title: string, onclick: () => void): HTMLButtonElement {
    return h('button', { type: 'button', class: 'gradviz-isolation', title, onclick }, h('span', {}, text), icon('cross'));
  }

  private button(text: string, title: string, onclick: () => void, more = ''): HTMLButtonElement {
    return h('button', { type: 'button', class: `gradviz-crumb ${more}`, title, onclick }, text);
  }
}
