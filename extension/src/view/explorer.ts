/** The explorer: toolbar, picture and pane around one store. */
import type { Channel } from '../channel';
import { branchKey } from '../fold/shown';
import type { Layout } from '../layout';
import type { GraphStore, State } from '../store';
import { clip, oneLine } from '../text';
import { Camera } from './camera';
import { h, s } from './dom';
import { Crumbs } from './crumbs';
import { savesOf } from './export/saves';
import type { Host } from './host';
import { Hint } from './hint';
import { Inquiry } from './inquiry';
import { onKey } from './keys';
import { Legend } from './legend';
import { ChangesTab } from './live/changes';
import { HistoryTab } from './live/history-tab';
import { findAgain, lasting, narrowAgain, narrowing, remember, type Snapshot } from './live/memory';
import { NOTHING, type Paint } from './overlay';
import { Pane } from './pane';
import { placesView } from './places';
import { Stage } from './stage';
import { StepsTab } from './steps/steps-tab';
import { Toolbar, zoomButtons } from './toolbar';
import { GradientTab } from './values/gradient-tab';
import { ValueTab } from './values/value-tab';
import { noPath } from './view-actions';
import { describe } from './words';

export class Explorer {
  private readonly svg: SVGSVGElement;
  private readonly stage: Stage;
  private readonly camera: Camera;
  private readonly toolbar: Toolbar;
  private readonly pane: Pane;
  private readonly crumbs: Crumbs;
  private readonly inquiry: Inquiry;
  private readonly history: HistoryTab | null;
  private readonly gradients: GradientTab;
  private readonly values: ValueTab;
  private readonly legend: Legend;
  private resumed = false;
  private readonly spoken = h('div', { class: 'gradviz-spoken', 'aria-live': 'polite' });
  private readonly hint = new Hint();
  private readonly stop: () => void;
  /** The tab that a search took the place of. */
  private tabBefore = 'details';
  private ground = NOTHING;
  /** Where a fold was asked for by pointer. */
  private pointing = false;
  private pointed: { readonly branch: number; readonly x: number; readonly y: number } | null = null;

  /** `before` is where somebody was in the view that this one takes the place of. */
  constructor(
    private readonly root: HTMLElement,
    private readonly store: GraphStore,
    host: Host,
    channel: Channel,
    before?: Snapshot
  ) {
    this.svg = s('svg', {
      class: 'gradviz-canvas', tabindex: '0', role: 'application', 'aria-roledescription': 'gradient graph',
      'aria-label': `${clip(oneLine(store.graph.title || 'Graph'), 120)}: ${store.model.count} nodes, ${store.problems.length} problems. `
        + 'Arrow keys walk along the edges, Enter selects, Space folds and unfolds, n and p go through the problems, '
        + 'question mark lists all keys, Escape leaves.'
    });
    this.stage = new Stage(this.svg, store, {
      arranged: (layout, renewed) => this.arranged(layout, renewed),
      lookAt: (x, y) => this.camera.lookAt(x, y)
    });
    this.camera = new Camera(this.svg, this.stage.scene.root, this.stage.scene.layout, {
      moved: (sight, stand) => this.stage.look(sight, stand, this.camera?.size()),
      wheelUnused: () => this.hint.show('Ctrl + wheel zooms; or click the graph first')
    });
    this.camera.onFirstSize = () => this.openView();
    this.legend = new Legend(store);
    const hold = host.hold ?? ((): void => undefined);
    this.crumbs = new Crumbs(store, branch => this.toggle(branch));
    this.toolbar = new Toolbar(store, this.crumbs.element, {
      legend: () => this.legend.toggle(),
      showFound: () => this.showFound(),
      openAll: () => store.openAll(),
      openFirst: () => store.openFirst(),
      saves: savesOf(root, store, this.stage.scene, channel),
      failed: reason => this.hint.show(reason),
      menu: open => hold('menu', open)
    });
    const paint = (overlay: Paint): void => this.paint(overlay);
    const { extras } = store.graph;
    this.history = extras?.history ? new HistoryTab(extras.history, before?.moment ?? null) : null;
    const last = this.history ? before : undefined;
    this.values = new ValueTab(store, channel, last?.values, last?.slices);
    this.gradients = new GradientTab(store, channel, paint, id => this.choose(id), last?.gradients, before?.coloured);
    this.pane = new Pane(store, host, key => this.choose(key), branch => this.toggle(branch), [
      this.values,
      this.gradients,
      // What runs through a whole graph must not unfold all of it.
      new StepsTab(store, channel, paint, (id, keepTab) => (keepTab ? store.point(id) : this.choose(id)), on => hold('steps', on)),
      ...(this.history ? [this.history] : []),
      ...(extras?.difference ? [new ChangesTab(extras.difference, paint, id => this.choose(id))] : [])
    ]);
    this.inquiry = new Inquiry(store, channel);
    this.toolbar.element.append(this.inquiry.element, ...placesView(host.places));
    const zoom = zoomButtons(this.svg, factor => this.camera.zoomBy(factor), () => this.camera.fit());
    this.stage.element.append(zoom, this.legend.element, this.hint.element);
    root.append(
      this.toolbar.element,
      h('div', { class: 'gradviz-body' }, h('div', { class: 'gradviz-main' }, this.stage.element), this.pane.element),
      this.spoken
    );
    this.svg.addEventListener('click', event => this.onClick(event));
    this.svg.addEventListener('keydown', event => onKey(event, store, this.stage.scene, {
      select: key => this.choose(key),
      toggle: branch => this.toggle(branch),
      zoomBy: factor => this.camera.zoomBy(factor),
      fit: () => this.camera.fit(),
      search: () => this.toolbar.search.focus(),
      help: () => this.toolbar.setLegend(this.legend.toggle(true)),
      say: text => this.say(text),
      leave: () => this.leave()
    }));
    this.svg.addEventListener('focus', () => {
      if (store.state.focused === null) {
        store.focus(store.state.selected ?? this.startKey());
      }
    });
    this.stop = store.subscribe((state, previous) => this.onChange(state, previous));
    const { choice } = host;
    const first = choice?.first ?? null;
    const chosenAnew = first !== null && !choice?.again;
    if (chosenAnew || !before || !this.resume(before)) {
      this.begin(first ?? 0);
    }
    choice?.onChange(problem => this.showProblem(problem));
    this.stage.arrange(true);
  }

  /** What lies over the picture while nothing else does. */
  underlay(overlay: Paint): void {
    this.ground = overlay;
    this.paint(NOTHING);
  }

  /** Lays something over the picture, or takes it off again. */
  private paint(overlay: Paint): void {
    this.stage.scene.paint(overlay === NOTHING ? this.ground : overlay);
  }

  /** Selects a node and brings it into sight. */
  show(id: string): void {
    if (this.store.model.has(id)) {
      this.choose(id);
    }
  }

  dispose(): void {
    remember(this.store.graph.extras?.place, this.snapshot());
    this.stop();
    this.stage.dispose();
    this.inquiry.dispose();
    this.pane.dispose();
    this.camera.dispose();
    this.hint.dispose();
  }

  /** The colours around have changed. */
  repaint(): void {
    this.stage.repaint();
  }

  private snapshot(): Snapshot {
    const { store } = this;
    return {
      tab: this.pane.shown, tabBefore: this.tabBefore, scroll: this.pane.scroll, problem: store.state.problem, query: store.state.query,
      node: lasting(store, store.nodeAt(store.state.selected)), count: store.model.count,
      isolation: narrowing(store), pathFrom: lasting(store, store.nodeAt(store.state.pathFrom)),
      camera: this.camera.sight, moment: this.history?.moment ?? null,
      gradients: this.gradients.answer, values: this.values.answer, slices: this.values.slices, coloured: this.gradients.coloured,
      legend: this.legend.open, open: store.opened
    };
  }

  /** Goes on where the view was that this one takes the place of; false where it had nothing. */
  private resume(before: Snapshot): boolean {
    const { store } = this;
    this.legend.open = before.legend;
    this.toolbar.setLegend(before.legend !== 'closed');
    if (before.query !== '') {
      this.toolbar.search.value = before.query;
      store.search(before.query);
    }
    const id = findAgain(store, before.node);
    if (before.node !== null && id === null) {
      return false;
    }
    if (before.problem !== null && before.problem < store.problems.length) {
      store.showProblem(before.problem);
    }
    narrowAgain(store, before.isolation);
    store.opened = before.open;
    store.select(id);
    store.startPath(findAgain(store, before.pathFrom));
    this.tabBefore = before.tabBefore;
    this.pane.show(before.tab);
    this.pane.scroll = before.scroll;
    if (before.count === store.model.count && before.camera.zoom > 0) {
      this.camera.sight = before.camera;
      this.resumed = !this.stage.isPlaced;
    }
    return true;
  }

  /** What to look at first: the worst problem unless another is meant, else the root. */
  private begin(problem: number): void {
    if (this.store.problems.length > 0) {
      this.showProblem(problem);
    } else {
      this.store.select(this.startKey());
    }
  }

  private showProblem(problem: number): void {
    this.store.showProblem(problem);
    this.pane.show('problems');
  }

  private startKey(): string | null {
    const [root] = this.store.roots;
    return root === undefined ? (this.store.shown.items[0]?.key ?? null) : this.store.model.id(root);
  }

  private openView(): void {
    const box = this.stage.scene.mainBox(this.store.state.selected ?? this.store.state.focused ?? this.startKey());
    if (box) {
      this.camera.open(box);
    }
  }

  /** A layout is drawn: what was there already stays where it is on the screen. */
  private arranged(layout: Layout, anchor: { from: { x: number; y: number }; to: { x: number; y: number } } | null): void {
    if (anchor) {
      this.camera.replace(layout, anchor.from, anchor.to);
    } else if (this.resumed) {
      this.camera.replace(layout, { x: 0, y: 0 }, { x: 0, y: 0 });
      this.resumed = false;
      return;
    } else {
      this.camera.renew(layout);
    }
    const { pointed } = this;
    this.pointed = null;
    const frame = pointed && layout.bands.find(({ group, first }) => first && group === pointed.branch);
    const box = pointed && (frame ?? this.stage.scene.mainBox(branchKey(pointed.branch)));
    if (anchor && box) {
      // What was clicked stays under the pointer.
      this.camera.hold(pointed.x, pointed.y, box, frame === undefined);
      this.markFocus();
    } else {
      this.revealFocus();
    }
  }

  private choose(key: string): void {
    this.store.select(key);
    // A node that is pointed at is shown in the tab that is open, if that tab is about nodes.
    this.pane.show(['outline', 'values'].includes(this.pane.shown) ? this.pane.shown : 'details');
  }

  private toggle(branch: number, pointer?: MouseEvent): void {
    const { left, top } = this.svg.getBoundingClientRect();
    this.pointed = pointer ? { branch, x: pointer.clientX - left, y: pointer.clientY - top } : null;
    this.pointing = pointer !== undefined;
    const done = this.store.toggle(branch);
    this.pointing = false;
    if (!done) {
      this.say('Too much to unfold here at once: unfold a part of it, or search.');
      return;
    }
    this.say(describe(this.store, `branch:${branch}`));
  }

  private onClick(event: MouseEvent): void {
    this.svg.focus({ preventScroll: true });
    if (this.camera.dragged) {
      return;
    }
    const target = event.target instanceof Element ? event.target : null;
    const head = target?.closest('.gradviz-band-head')?.getAttribute('data-branch');
    if (head !== null && head !== undefined) {
      this.toggle(Number(head), event);
      return;
    }
    const item = this.stage.itemAt(event);
    if (!item) {
      this.store.select(null);
    } else if (item.branch >= 0 && (target?.closest('.gradviz-opener') || this.isSecond(event, item.key))) {
      this.toggle(item.branch, event);
    } else if (event.shiftKey && this.connect(item.key)) {
      event.preventDefault();
    } else {
      this.choose(item.key);
    }
  }

  /** Shows the path between the selected node and another one; false where they can't have any. */
  private connect(key: string): boolean {
    const { store } = this;
    const [one, other] = [store.nodeAt(store.state.selected), store.nodeAt(key)];
    if (one < 0 || other < 0 || one === other) {
      return false;
    }
    if (!store.connect(one, other)) {
      this.hint.show(noPath(store, one, other));
    }
    return true;
  }

  /** Whether it is the second of two clicks. The first has drawn the item anew, so browsers don't call this a double click. */
  private isSecond(event: MouseEvent, key: string): boolean {
    return event.detail === 2 && this.store.state.selected === key;
  }

  private onChange(state: State, previous: State): void {
    this.stage.arrange(state.isolation !== previous.isolation);
    this.stage.restyle();
    this.toolbar.refresh();
    this.crumbs.refresh();
    this.pane.refresh(state, previous);
    this.inquiry.refresh(state, previous);
    if (state.problem !== previous.problem && state.problem !== null && this.pane.shown === 'details') {
      this.pane.show('problems');
    }
    if ((state.query === '') !== (previous.query === '')) {
      this.listFound(state.query !== '');
    }
    const { focused } = state;
    if (focused !== previous.focused || (state.selected !== previous.selected && state.selected !== null)) {
      if (this.pointing) {
        this.markFocus();
      } else {
        this.revealFocus();
      }
      if (document.activeElement === this.svg && focused !== null) {
        this.say(describe(this.store, focused));
      }
    }
    this.root.classList.toggle('gradviz-searching', this.store.matches !== null);
  }

  /** While something is searched for, the pane lists what is found. */
  private listFound(searching: boolean): void {
    if (searching) {
      this.tabBefore = this.pane.shown;
      this.pane.show('outline');
    } else if (this.pane.shown === 'outline') {
      this.pane.show(this.tabBefore);
    }
  }

  private revealFocus(): void {
    const { focused } = this.store.state;
    const { scene } = this.stage;
    const box = scene.mainBox(focused);
    if (box) {
      this.camera.reveal(box);
    }
    this.markFocus();
  }

  /** Tells assistive technology which element has the focus. */
  private markFocus(): void {
    const { focused } = this.store.state;
    const { scene } = this.stage;
    const active = focused === null ? null : scene.domId(focused);
    if (active === null) {
      this.svg.removeAttribute('aria-activedescendant');
    } else {
      this.svg.setAttribute('aria-activedescendant', active);
    }
  }

  private say(text: string): void {
    this.spoken.textContent = text;
  }

  /** Gives the focus back to what holds this output: in a notebook, its cell. */
  private leave(): void {
    this.svg.blur();
    this.root.parentElement?.closest<HTMLElement>('[tabindex]')?.focus({ preventScroll: true });
  }

  private showFound(): void {
    const { selected } = this.store.state;
    const next = this.store.nextMatch(selected);
    if (next !== null) {
      this.choose(next);
    }
  }
}
