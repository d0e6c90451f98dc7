/** The side panel: the graphs and problems of the notebook at hand, and the explorer of one of them. */
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { SplitPanel, Widget } from '@lumino/widgets';
import { h, icon, refill, type Icon } from '../view/dom';
import type { Place } from '../view/host';
import { followTheme, installStyle } from '../view/theme';
import { Display } from './display';
import { Watch, type Entry } from './entries';
import { gradvizIcon } from './icon';
import { fillList, tallies, type Chosen } from './list';
import sideCss from './side.css';

/** Pixels an explorer needs beside a notebook, and the share of the window it takes for that at most. */
const ROOM = 400;
const LARGEST_SHARE = 0.35;

export class SidePanel extends Widget {
  private widened = false;
  private readonly heading = h('h2', { class: 'gradviz-side-name' });
  private readonly counts = h('span', { class: 'gradviz-side-counts', role: 'status' });
  private readonly list = h('ul', { class: 'gradviz-side-list', 'aria-label': 'Graphs of the notebook' });
  private readonly empty = h('div', { class: 'gradviz-empty gradviz-side-empty' });
  private readonly display: Display;
  private readonly steps: HTMLElement;
  private readonly stopTheme: () => void;
  private watch: Watch | null = null;
  private entries: readonly Entry[] = [];
  private chosen: Chosen | null = null;

  constructor(
    private readonly tracker: INotebookTracker,
    /** Other places for what is shown here. */
    private readonly placesOf: (entry: Entry, notebook: NotebookPanel) => readonly Place[]
  ) {
    super();
    this.id = 'gradviz-panel';
    this.addClass('gradviz-side');
    this.title.icon = gradvizIcon;
    this.title.caption = 'Gradviz: graphs and problems';
    this.steps = h('span', { class: 'gradviz-side-steps' },
      this.stepper('previous', 'Previous problem', -1), this.stepper('next', 'Next problem', 1));
    const root = h(
      'div',
      { class: 'gradviz gradviz-side-top' },
      h('style', {}, sideCss),
      h('header', { class: 'gradviz-side-head' }, this.heading, this.counts, this.steps),
      this.empty,
      this.list
    );
    const view = h('div', { class: 'gradviz-side-view' });
    this.display = new Display(view);
    this.node.append(root, view);
    installStyle(root);
    this.stopTheme = followTheme(root);
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', 'Gradviz');
    tracker.currentChanged.connect(this.follow, this);
  }

  /** Once, gives the panel the room an explorer needs; from then on its width is the person's choice. */
  private widen(): void {
    if (this.widened) {
      return;
    }
    for (let inner: Widget = this, outer = this.parent; outer; inner = outer, outer = outer.parent) {
      if (!(outer instanceof SplitPanel) || outer.orientation !== 'horizontal') {
        continue;
      }
      this.widened = true;
      const sizes = outer.relativeSizes();
      const own = outer.widgets.indexOf(inner);
      const wanted = Math.min(ROOM / Math.max(outer.node.clientWidth, 1), LARGEST_SHARE);
      const giver = sizes.indexOf(Math.max(...sizes));
      const missing = wanted - (sizes[own] ?? wanted);
      if (missing > 0 && giver !== own) {
        sizes[own] = wanted;
        sizes[giver]! -= missing;
        outer.setRelativeSizes(sizes);
      }
      return;
    }
  }

  /** Shows an output of the notebook at hand. */
  open(key: string): void {
    this.follow();
    const entry = this.entries.find(candidate => candidate.key === key);
    if (entry) {
      this.choose(entry, null, false);
    }
  }

  /** Goes to the next or previous problem of the whole notebook, around the end. */
  step(by: 1 | -1): void {
    this.follow();
    const all = this.entries.flatMap(entry => entry.problems.map((_, problem) => ({ entry, problem })));
    if (all.length === 0) {
      return;
    }
    const { chosen } = this;
    let at = all.findIndex(({ entry, problem }) => entry.key === chosen?.key && (problem === chosen.problem || chosen.problem === null));
    // A graph without a chosen problem stands before its first one.
    at = at >= 0 && chosen?.problem === null && by > 0 ? at - 1 : at;
    at = at < 0 && by < 0 ? 0 : at;
    const { entry, problem } = all[(at + by + all.length) % all.length]!;
    this.choose(entry, problem, true);
  }

  protected override onAfterShow(): void {
    this.follow();
    // When the areas around have got their sizes.
    requestAnimationFrame(() => this.isVisible && this.widen());
  }

  protected override onAfterAttach(): void {
    this.follow();
  }

  protected override onBeforeHide(): void {
    this.watch?.stop();
  }

  protected override onBeforeDetach(): void {
    this.watch?.stop();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.tracker.currentChanged.disconnect(this.follow, this);
      this.watch?.stop();
      this.display.dispose();
      this.stopTheme();
      super.dispose();
    }
  }

  /** Turns to the notebook at hand; out of sight, nothing is looked at. */
  private follow(): void {
    if (!this.isVisible) {
      return;
    }
    const notebook = this.tracker.currentWidget;
    if (this.watch?.notebook !== notebook) {
      this.watch?.stop();
      this.watch = null;
      this.chosen = null;
      this.display.clear();
      this.watch = notebook && new Watch(notebook, entries => this.refresh(entries));
    }
    if (this.watch) {
      this.watch.start();
    } else {
      this.refresh([]);
    }
  }

  private refresh(entries: readonly Entry[]): void {
    this.entries = entries;
    const { chosen } = this;
    const entry = entries.find(candidate => candidate.key === chosen?.key);
    const notebook = this.watch?.notebook;
    if (entry && notebook && chosen) {
      // Its cell was run again: the same place, with what stands there now.
      const kept = chosen.problem !== null && chosen.problem < entry.problems.length ? chosen.problem : null;
      this.chosen = { key: entry.key, problem: kept };
      if (entry.output !== this.display.shown?.output) {
        this.display.show(entry, notebook, kept, this.placesOf(entry, notebook));
      }
    } else if (chosen && !this.isAwaited()) {
      this.chosen = null;
      this.display.clear();
    }
    this.draw();
  }

  /** Whether what is shown comes from a cell that is running, so that its next output takes its place. */
  private isAwaited(): boolean {
    const cell = this.display.shown?.cell;
    // Not told by JupyterLab before 4.3; then the drawing stays until another is chosen.
    const { executionState } = (cell ?? {}) as { executionState?: string };
    return cell !== undefined && !cell.isDisposed && executionState !== 'idle';
  }

  private choose(entry: Entry, problem: number | null, scroll: boolean): void {
    const notebook = this.watch?.notebook;
    if (!notebook) {
      return;
    }
    this.chosen = { key: entry.key, problem };
    this.display.show(entry, notebook, problem, this.placesOf(entry, notebook));
    this.draw();
    this.list.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
    if (scroll) {
      scrollTo(notebook, entry);
    }
  }

  private draw(): void {
    const { entries, watch } = this;
    const problems = entries.flatMap(entry => entry.problems);
    this.heading.textContent = watch ? watch.notebook.title.label : 'Gradviz';
    refill(this.counts, ...tallies(problems));
    this.steps.hidden = problems.length === 0;
    this.list.hidden = entries.length === 0;
    this.empty.hidden = entries.length > 0;
    if (entries.length === 0) {
      refill(this.empty,
        h('p', {}, watch ? 'This notebook shows no graph yet.' : 'Open a notebook to see its graphs and problems here.'),
        watch ? h('p', {}, 'A cell that ends with ', h('code', {}, 'gv.explore(loss)'), ' shows one.') : null);
    }
    fillList(this.list, entries, this.chosen, (entry, problem) => this.choose(entry, problem, true));
    this.toggleClass('gradviz-side-open', this.chosen !== null);
  }

  private stepper(sign: Icon, label: string, by: 1 | -1): HTMLButtonElement {
    return h('button', { type: 'button', class: 'gradviz-icon-button', title: label, 'aria-label': label, onclick: () => this.step(by) }, icon(sign));
  }
}

/** Brings an output's cell into sight and makes it the active one. */
export function scrollTo(notebook: NotebookPanel, entry: Entry): void {
  const { content } = notebook;
  const at = content.widgets.findIndex(cell => cell.model === entry.cell);
  if (at >= 0) {
    content.deselectAll();
    content.activeCellIndex = at;
    void content.scrollToItem(at, 'smart').catch(() => undefined);
  }
}
