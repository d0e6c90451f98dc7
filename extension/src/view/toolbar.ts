/** Title, counts, search and the camera's buttons. The buttons are one tab stop; arrows move among them. */
import type { GraphStore } from '../store';
import { clip, oneLine } from '../text';
import { h, icon, type Icon } from './dom';

export interface ToolbarActions {
  zoomIn(): void;
  zoomOut(): void;
  fit(): void;
  legend(): boolean;
  showFound(): void;
}

export class Toolbar {
  readonly element: HTMLElement;
  readonly search: HTMLInputElement;
  private readonly found = h('span', { class: 'gradviz-found-count', role: 'status' });

  constructor(private readonly store: GraphStore, actions: ToolbarActions) {
    this.search = h('input', {
      class: 'gradviz-search', type: 'search', placeholder: 'Search name, op, kind, shape, problem',
      'aria-label': 'Search nodes', spellcheck: 'false', autocomplete: 'off'
    });
    this.search.addEventListener('input', () => store.search(this.search.value));
    this.search.addEventListener('keydown', event => {
      if (event.key === 'Enter') {
        actions.showFound();
      } else if (event.key === 'Escape') {
        this.search.value = '';
        store.search('');
      }
      event.stopPropagation();
    });
    const legend = this.button('legend', 'Legend', () => legend.setAttribute('aria-expanded', String(actions.legend())));
    legend.setAttribute('aria-expanded', 'false');
    const buttons = [
      this.button('minus', 'Zoom out (-)', () => actions.zoomOut()),
      this.button('plus', 'Zoom in (+)', () => actions.zoomIn()),
      this.button('fit', 'Fit the whole graph (0)', () => actions.fit()),
      legend
    ];
    this.element = h(
      'header',
      { class: 'gradviz-toolbar' },
      h(
        'div',
        { class: 'gradviz-heading' },
        h('span', { class: 'gradviz-brand', 'aria-hidden': 'true' }, '\u2207'),
        h('span', { class: 'gradviz-graph-title' }, clip(oneLine(store.graph.title || 'graph'), 80)),
        h('span', { class: 'gradviz-muted gradviz-counts' }, this.counts())
      ),
      h('label', { class: 'gradviz-search-box' }, icon('search'), this.search, this.found),
      roving(h('div', { class: 'gradviz-buttons', role: 'toolbar', 'aria-label': 'View' }, ...buttons), buttons)
    );
  }

  refresh(): void {
    const { matches } = this.store;
    this.found.textContent = matches === null ? '' : `${matches.size} found`;
    this.element.classList.toggle('gradviz-none-found', matches?.size === 0);
  }

  private counts(): string {
    const { nodes, graph } = this.store;
    const shown = nodes.length.toLocaleString('en');
    return graph.total_nodes > nodes.length
      ? `${shown} of ${graph.total_nodes.toLocaleString('en')} nodes`
      : `${shown} node${nodes.length === 1 ? '' : 's'}`;
  }

  private button(sign: Icon, label: string, onclick: () => void): HTMLButtonElement {
    return h('button', { type: 'button', class: 'gradviz-icon-button', title: label, 'aria-label': label, onclick }, icon(sign));
  }
}

/** Makes a row of buttons one tab stop. */
export function roving<E extends HTMLElement>(row: E, items: readonly HTMLElement[]): E {
  items.forEach((item, at) => (item.tabIndex = at === 0 ? 0 : -1));
  row.addEventListener('keydown', event => {
    const at = items.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (at >= 0 && step !== undefined) {
      const next = items[(at + step + items.length) % items.length]!;
      items.forEach(item => (item.tabIndex = item === next ? 0 : -1));
      next.focus();
      event.preventDefault();
      event.stopPropagation();
    }
  });
  return row;
}
