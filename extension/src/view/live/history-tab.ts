/** The steps of a followed run: the root's value, the sizes of gradients, and a slider to go back. */
import type { HistoryView } from '../../protocol';
import { clip, oneLine } from '../../text';
import { h, refill } from '../dom';
import type { PaneTab } from '../tab';
import { finite, show, type Num } from '../values/numbers';
import { chart } from './chart';

const MOST_ROWS = 40;

export class HistoryTab implements PaneTab {
  readonly name = 'history';
  readonly label = 'History';
  readonly element = h('div', { class: 'gradviz-history' });
  private readonly said = h('div', { class: 'gradviz-step-count', role: 'status' });
  private readonly body = h('div');
  private readonly slider: HTMLInputElement;
  /** The step looked at; null follows the run. */
  private pinned: number | null;

  constructor(private readonly history: HistoryView, pinned: number | null) {
    // Steps that are let go move the ones that stay: the nearest is meant.
    const at = pinned === null ? -1 : history.steps.findIndex(step => step >= pinned);
    this.pinned = at < 0 ? null : history.steps[at]!;
    this.slider = h('input', {
      type: 'range', class: 'gradviz-scrub', min: 0, max: Math.max(history.steps.length - 1, 0), value: this.at, 'aria-label': 'Step of the run'
    });
    this.slider.addEventListener('input', () => {
      const position = Number(this.slider.value);
      this.pinned = position >= history.steps.length - 1 ? null : history.steps[position]!;
      this.draw();
    });
    const left = history.total > history.steps.length ? `, of which ${history.steps.length} are remembered` : '';
    this.element.append(
      h('p', { class: 'gradviz-muted' }, `${history.total.toLocaleString('en')} step${history.total === 1 ? '' : 's'}${left}.`),
      this.slider, this.said, this.body
    );
    this.draw();
  }

  /** The step that is looked at, for the view that takes this one's place. */
  get moment(): number | null {
    return this.pinned;
  }

  shown(): void {}

  hidden(): void {}

  refresh(): void {}

  dispose(): void {}

  private get at(): number {
    const { steps } = this.history;
    return this.pinned === null ? steps.length - 1 : Math.max(steps.indexOf(this.pinned), 0);
  }

  private draw(): void {
    const { steps, roots, changed, leaves, values, gradients } = this.history;
    const { at } = this;
    const step = steps[at];
    this.slider.setAttribute('aria-valuetext', `step ${step ?? 0}`);
    this.said.textContent = step === undefined
      ? 'No steps yet.'
      : `Step ${step}${roots[at] === null ? '' : `: ${show(roots[at] ?? null, 6)}`}${changed[at] ? '; here the graph changed' : ''}`
        + (this.pinned === null ? ' (latest)' : '');
    const known = roots.some(finite);
    const positive = roots.every(root => root === null || (finite(root) && root > 0));
    const range = (all: readonly (Num | null)[]): HTMLElement => {
      const found = all.filter(finite);
      return h('p', { class: 'gradviz-chart-range' }, found.length > 0 ? `from ${show(Math.min(...found))} to ${show(Math.max(...found))}` : 'no finite number');
    };
    refill(
      this.body,
      known ? h('h4', {}, `Value of the root${positive ? ', logarithmic' : ''}`) : null,
      known ? chart(steps, [{ points: roots, name: 'root', strong: true }], at, positive, 'The root\u2019s value over the steps') : null,
      known ? range(roots) : null,
      leaves.length > 0 ? h('h4', {}, 'Gradients of leaves, logarithmic') : null,
      leaves.length > 0
        ? chart(steps, leaves.map((name, leaf) => ({ points: gradients[leaf] ?? [], name: clip(oneLine(name), 60), strong: false })), at, true, 'Norms of gradients over the steps')
        : null,
      leaves.length > 0 ? range(gradients.flat()) : null,
      h(
        'table',
        { class: 'gradviz-leaves', hidden: leaves.length === 0 },
        h('thead', {}, h('tr', {}, ...['leaf', 'value', 'gradient', 'ratio'].map(text => h('th', { scope: 'col' }, text)))),
        h('tbody', {}, ...leaves.slice(0, MOST_ROWS).map((name, leaf) => {
          const value = values[leaf]?.[at] ?? null;
          const gradient = gradients[leaf]?.[at] ?? null;
          const ratio = finite(value) && finite(gradient) && value > 0 ? gradient / value : null;
          return h('tr', {}, h('th', { scope: 'row' }, clip(oneLine(name), 60)), h('td', {}, show(value)), h('td', {}, show(gradient)), h('td', {}, show(ratio, 3)));
        }))
      )
    );
  }
}
