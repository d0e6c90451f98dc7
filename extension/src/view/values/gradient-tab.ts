/** Every leaf with the sizes of its value and gradient, and what flows along the edges. */
import { Refused, type Channel } from '../../channel';
import type { GradientsView, ParameterView } from '../../protocol';
import type { GraphStore } from '../../store';
import { clip, oneLine } from '../../text';
import { h, icon, prose, refill } from '../dom';
import { NOTHING, paintOfFlows, type Health, type Paint } from '../overlay';
import type { PaneTab } from '../tab';
import { shapeText } from '../words';
import { finite, show } from './numbers';
import { asking, quiet } from './value-tab';

const MOST_ROWS = 300;
const FREED = 'What flows along the edges is freed at each step of a loop. Those of its last step are here when it has ended.';
const HEALTH: Readonly<Record<Health, string>> = {
  fine: '', zero: 'all zero', vanishing: 'vanishing', exploding: 'exploding', 'not finite': 'NaN or \u221e', none: 'empty'
};

export class GradientTab implements PaneTab {
  readonly name = 'gradients';
  readonly label = 'Gradients';
  readonly element = h('div', { class: 'gradviz-gradients' });
  private found: GradientsView | null = null;
  private asking = false;

  constructor(
    private readonly store: GraphStore,
    private readonly channel: Channel,
    private readonly paint: (paint: Paint) => void,
    private readonly choose: (id: string) => void,
    /** What was said of the step before: in a loop it stands until the answer about this one is there. */
    private readonly before: GradientsView | null = null,
    /** Whether the edges are coloured while the tab is open. */
    public coloured = true
  ) {}

  /** What was answered last, for the view that takes this one's place. */
  get answer(): GradientsView | null {
    return this.found ?? this.before;
  }

  shown(): void {
    if (this.found) {
      this.colour();
    } else if (!this.asking) {
      void this.ask();
    }
  }

  hidden(): void {}

  refresh(): void {}

  dispose(): void {}

  private async ask(): Promise<void> {
    this.asking = true;
    if (this.before) {
      this.draw(this.before);
    } else {
      refill(this.element, asking(this.channel));
    }
    try {
      this.found = await this.channel.askFor<GradientsView>('GradientsView', 'gradients');
      this.draw(this.found);
      this.colour();
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      if (!this.before) {
        refill(this.element, quiet(error));
      }
    }
    this.asking = false;
  }

  private colour(): void {
    this.paint(this.coloured && this.found ? paintOfFlows(this.found.flows) : NOTHING);
  }

  private draw(found: GradientsView): void {
    const toggle = h('input', { type: 'checkbox', checked: this.coloured });
    toggle.addEventListener('change', () => {
      this.coloured = toggle.checked;
      this.colour();
    });
    const rows = found.parameters.slice(0, MOST_ROWS);
    const norms = rows.flatMap(row => (finite(row.gradient_norm) && row.gradient_norm > 0 ? [Math.log10(row.gradient_norm)] : []));
    const high = Math.max(...norms, -Infinity);
    const low = Math.min(...norms, high - 3);
    refill(
      this.element,
      found.predicted
        ? prose('No backward pass has run yet: this is what it would give. Nothing was consumed.')
        : found.reason ? prose(found.reason) : null,
      found.flows.length > 0
        ? h('label', { class: 'gradviz-toggle' }, toggle, ' Colour the edges by the size of their gradient (logarithmic)')
        : found.flow_reason && found.flow_reason !== found.reason ? prose(this.store.isStep ? FREED : found.flow_reason) : null,
      rows.length === 0 ? h('p', { class: 'gradviz-muted' }, 'There are no leaves that could get a gradient.') : null,
      h(
        'table',
        { class: 'gradviz-leaves', hidden: rows.length === 0 },
        h('caption', {}, `${found.parameters.length} ${found.parameters.length === 1 ? 'leaf' : 'leaves'}; sizes are norms`),
        h('thead', {}, h('tr', {}, ...['leaf', 'value', 'gradient', 'ratio'].map(text => h('th', { scope: 'col' }, text)))),
        h('tbody', {}, ...rows.map(row => this.row(row, found.available, low, high)))
      ),
      found.parameters.length > MOST_ROWS ? h('p', { class: 'gradviz-muted' }, `and ${found.parameters.length - MOST_ROWS} more`) : null
    );
  }

  private row(row: ParameterView, available: boolean, low: number, high: number): HTMLElement {
    const name = h('button', { type: 'button', class: 'gradviz-link-button', onclick: () => this.choose(row.node) }, clip(oneLine(row.name), 60));
    const known = this.store.model.has(row.node);
    const head = h('th', { scope: 'row' }, known ? name : clip(oneLine(row.name), 60), h('span', { class: 'gradviz-muted' }, shapeText(row.shape)));
    if (!available) {
      return h('tr', {}, head, h('td', {}, show(row.value_norm)), h('td', { class: 'gradviz-muted' }, 'not computed'), h('td'));
    }
    if (!row.reached) {
      return h('tr', { class: 'gradviz-unreached' },
          head,
          h('td', {}, show(row.value_norm)),
          h('td', { colspan: 2 },
            h('span', { class: 'gradviz-health' }, icon('cross'), 'no gradient'),
            row.slug ? h('code', { class: 'gradviz-slug' }, clip(oneLine(row.slug), 60)) : null,
            row.reason ? prose(clip(row.reason, 300)) : null));
    }
    const norm = row.gradient_norm;
    const part = finite(norm) && norm > 0 ? (Math.log10(norm) - low) / Math.max(high - low, 1e-9) : 0;
    const said = HEALTH[row.health];
    return h('tr', { class: `gradviz-health-${row.health.replace(' ', '-')}` },
        head,
        h('td', {}, show(row.value_norm)),
        h('td', {},
          show(norm),
          h('span', { class: 'gradviz-size', 'aria-hidden': 'true' }, bar(part)),
          said ? h('span', { class: 'gradviz-health' }, icon('warning'), said) : null),
        h('td', {}, show(row.ratio, 3)));
  }
}

function bar(part: number): HTMLElement {
  const made = h('span', { class: 'gradviz-size-bar' });
  made.style.width = `${(4 + 96 * Math.min(Math.max(part, 0), 1)).toFixed(1)}%`;
  return made;
}
