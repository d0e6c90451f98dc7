/** Title, counts, search, and what is done to the whole view. The buttons are one tab stop; arrows move among them. */
import type { GraphStore } from '../store';
import { fileName, saveMenu, type MenuListener, type Saved } from './export/menu';
import { SEVERITIES } from '../model/marks';
import { usualOf } from '../model/usual';
import { h, icon, type Icon } from './dom';
import { SEVERITY_ICONS } from './words';

export interface ToolbarActions extends MenuListener {
  legend(): boolean;
  showFound(): void;
  openAll(): void;
  openFirst(): void;
  /** What the view can be saved as. */
  readonly saves: readonly Saved[];
}

export class Toolbar {
  readonly element: HTMLElement;
  readonly search: HTMLInputElement;
  private readonly legend: HTMLButtonElement;
  private readonly found = h('span', { class: 'gradviz-found-count', role: 'status' });

  constructor(private readonly store: GraphStore, crumbs: HTMLElement, actions: ToolbarActions) {
    this.search = h('input', {
      class: 'gradviz-search', type: 'search', placeholder: 'Search name, op, kind, shape, problem', maxlength: '200',
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
    const legend = iconButton('legend', 'Legend', () => this.setLegend(actions.legend()));
    this.legend = legend;
    this.setLegend(false);
    const { button: save, menu } = saveMenu(fileName(store.graph.title || 'graph'), actions.saves, actions);
    const buttons = [
      iconButton('unfold', 'Unfold everything (*)', () => actions.openAll()),
      iconButton('fold', 'Fold as at first (h)', () => actions.openFirst()),
      legend,
      save
    ];
    this.element = h(
      'header',
      { class: 'gradviz-toolbar' },
      h(
        'div',
        { class: 'gradviz-heading' },
        h('span', { class: 'gradviz-brand', 'aria-hidden': 'true' }, '\u2207'),
        crumbs,
        h('span', { class: 'gradviz-muted gradviz-counts' }, this.counts())
      ),
      this.problems(),
      h('label', { class: 'gradviz-search-box' }, icon('search'), this.search, this.found),
      roving(h('div', { class: 'gradviz-buttons', role: 'toolbar', 'aria-label': 'View' }, ...buttons), buttons),
      menu
    );
  }

  setLegend(shown: boolean): void {
    this.legend.setAttribute('aria-expanded', String(shown));
  }

  refresh(): void {
    const { matches } = this.store;
    this.found.textContent = matches === null ? '' : `${matches.count.toLocaleString('en')} found`;
    this.element.classList.toggle('gradviz-none-found', matches?.count === 0);
    this.element.querySelector('.gradviz-counts')!.textContent = this.counts();
  }

  /** How many problems of each severity, and the way from one to the next. */
  private problems(): HTMLElement | null {
    const { store } = this;
    const { problems } = store;
    if (problems.length === 0) {
      return null;
    }
    const counts = SEVERITIES.map(severity => [severity, problems.filter(problem => problem.severity === severity).length] as const);
    const step = (sign: Icon, label: string, by: 1 | -1): HTMLButtonElement =>
      iconButton(sign, label, () => store.stepProblem(by));
    const items = problems.length > 1 ? [step('previous', 'Previous problem (p)', -1), step('next', 'Next problem (n)', 1)] : [];
    const shown = counts.filter(([, count]) => count > 0).map(([severity, count]) =>
      h('span', { class: `gradviz-tally gradviz-sev-${severity}`, title: `${count} ${severity}${count === 1 ? '' : 's'}` },
        h('span', { class: 'gradviz-disc', 'aria-hidden': 'true' }, icon(SEVERITY_ICONS[severity])),
        h('span', { 'aria-hidden': 'true' }, String(count)),
        h('span', { class: 'gradviz-spoken' }, `${count} ${severity}${count === 1 ? '' : 's'}`)));
    return roving(h('div', { class: 'gradviz-tallies', role: 'group', 'aria-label': 'Problems' }, ...shown, ...items), items);
  }

  private counts(): string {
    const { model, graph, shown } = this.store;
    const all = Math.max(model.count, graph.total_nodes);
    const nodes = `${all.toLocaleString('en')} node${all === 1 ? '' : 's'}`;
    const partly = graph.total_nodes > model.count ? `${model.count.toLocaleString('en')} of ${nodes}` : nodes;
    const folded = shown.items.some(item => item.branch >= 0) || this.store.state.isolation;
    const state = usualOf(model).consumed ? ', consumed by a backward pass' : '';
    return `${folded ? `${partly}, ${shown.items.length.toLocaleString('en')} in view` : partly}${state}`;
  }

}

export function iconButton(sign: Icon, label: string, onclick: () => void): HTMLButtonElement {
  return h('button', { type: 'button', class: 'gradviz-icon-button', title: label, 'aria-label': label, onclick }, icon(sign));
}

/** The camera's buttons, in a corner of the picture they move: the wheel over them is meant for it. */
export function zoomButtons(picture: SVGElement, zoomBy: (factor: number) => void, fit: () => void): HTMLElement {
  const buttons = [
    iconButton('minus', 'Zoom out (-)', () => zoomBy(0.8)),
    iconButton('plus', 'Zoom in (+)', () => zoomBy(1.25)),
    iconButton('fit', 'Fit the whole graph (0)', fit)
  ];
  const row = h('div', { class: 'gradviz-zoom', role: 'toolbar', 'aria-label': 'Zoom' }, ...buttons);
  row.addEventListener('wheel', event => {
    if (!picture.dispatchEvent(new WheelEvent('wheel', event))) {
      event.preventDefault();
    }
  }, { passive: false });
  return roving(row, buttons);
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
