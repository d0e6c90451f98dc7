/** The selected node's value and gradient, asked of the kernel when somebody looks. */
import { Refused, type Channel } from '../../channel';
import type { PreviewView, ValueView } from '../../protocol';
import type { GraphStore, State } from '../../store';
import { clip } from '../../text';
import { h, prose, refill } from '../dom';
import type { PaneTab } from '../tab';
import { titleOf } from '../words';
import { HeatMap, type AskSlice, type Slice, type Slices } from './heatmap';
import { histogramView } from './histogram';
import { originText, statisticsTable } from './statistics';

type What = ValueView['what'];
const WHATS: readonly What[] = ['value', 'gradient'];
const REST_MS = 160;
const MOST_REMEMBERED = 100;
const NO_PICTURE = 'Its picture is not saved in this file, which stays small without it.';
const HEADS = { value: 'Value', gradient: 'Gradient' } as const;

/** Asked about a node of a step that is over. */
const nobody: AskSlice = async () => null;

export class ValueTab implements PaneTab {
  readonly name = 'values';
  readonly label = 'Values';
  readonly element = h('div', { class: 'gradviz-values' });
  private readonly known = new Map<string, ValueView>();
  private readonly chosen: Map<What, Slice>;
  private visible = false;
  private timer = 0;

  constructor(
    private readonly store: GraphStore,
    private readonly channel: Channel,
    /** What was said of the node in the step before: in a loop it stands until the answers about this one are there. */
    private before: readonly ValueView[] = [],
    slices: Slices = new Map()
  ) {
    this.chosen = new Map(slices);
  }

  /** The slices that are looked at. */
  get slices(): Slices {
    return this.chosen;
  }

  /** What was answered last of the selected node, for the view that takes this one's place. */
  get answer(): readonly ValueView[] {
    const { selected } = this.store.state;
    return WHATS.flatMap(what => this.known.get(`${what} ${selected}`) ?? this.before.find(value => value.what === what) ?? []);
  }

  shown(): void {
    this.visible = true;
    this.look();
  }

  hidden(): void {
    this.visible = false;
    clearTimeout(this.timer);
  }

  refresh(state: State, previous: State): void {
    if (this.visible && state.selected !== previous.selected) {
      clearTimeout(this.timer);
      this.before = [];
      this.chosen.clear();
      this.timer = window.setTimeout(() => this.look(), REST_MS);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private look(): void {
    clearTimeout(this.timer); // what was to be looked at is looked at now
    const { selected } = this.store.state;
    const node = this.store.node(selected);
    if (!node) {
      refill(this.element, h('p', { class: 'gradviz-muted' }, 'Select a node to see the numbers it holds.'));
      return;
    }
    const parts = WHATS.map(what => ({ what, element: h('section', { 'aria-label': HEADS[what], 'aria-busy': 'true' }) }));
    refill(this.element, h('h3', {}, clip(titleOf(node), 80)), ...parts.map(part => part.element));
    for (const { what, element } of parts) {
      void this.fill(node.id, what, element);
    }
  }

  private async fill(id: string, what: What, element: HTMLElement): Promise<void> {
    const key = `${what} ${id}`;
    const before = this.before.find(value => value.what === what);
    refill(element, h('h4', {}, HEADS[what]), ...(before ? this.view(before, nobody) : []));
    try {
      const value = this.known.get(key) ?? (await this.channel.askFor<ValueView>('ValueView', 'value', { node: id, what }));
      this.remember(key, value);
      refill(element, h('h4', {}, HEADS[what]), ...this.view(value, this.asker(value)));
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      if (!before) {
        element.append(quiet(error));
      }
    }
    element.removeAttribute('aria-busy');
  }

  private asker({ node, what }: ValueView): AskSlice {
    return async (axes, index, colours) => this.channel.askFor<PreviewView>('PreviewView', 'preview', { node, what, axes, index, colours });
  }

  private view(value: ValueView, ask: AskSlice): (HTMLElement | string)[] {
    const { statistics, preview } = value;
    if (!statistics) {
      return [prose(value.reason)];
    }
    const isDark = (): boolean => this.element.closest('.gradviz')?.getAttribute('data-gradviz-theme') === 'dark';
    const spread = statistics.count > 1 ? histogramView(statistics) : null;
    return [
      h('p', { class: 'gradviz-muted' }, originText(value)),
      statisticsTable(statistics),
      ...(spread ? [spread] : []),
      ...(preview && statistics.count > 1 ? [new HeatMap(preview, statistics, ask, isDark, this.chosen.get(value.what), slice => this.chosen.set(value.what, slice)).element] : []),
      // Only files leave it out, to stay small.
      ...(!preview && statistics.count > 1 ? [h('p', { class: 'gradviz-muted gradviz-not-here' }, NO_PICTURE)] : [])
    ];
  }

  private remember(key: string, value: ValueView): void {
    this.known.delete(key);
    this.known.set(key, value);
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_REMEMBERED && oldest !== undefined) {
      this.known.delete(oldest);
    }
  }
}

/** Said while a kernel is asked; what is in the file comes at once. */
export function asking(channel: Channel): HTMLElement | null {
  return channel.hasKernel ? h('p', { class: 'gradviz-muted', role: 'status' }, 'Asking the kernel\u2026') : null;
}

/** Said where nothing was answered: calmly, for it is no failure of the person who looks. */
export function quiet(error: Refused): HTMLElement {
  const offline = error.code === 'offline' || error.code === 'gone';
  const said = prose(offline ? 'Numbers are computed in the kernel, which no longer has this graph. Run the cell again to see them.' : error.message);
  said.classList.add('gradviz-muted', 'gradviz-not-here');
  return said;
}
