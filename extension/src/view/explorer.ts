/** The explorer: toolbar, picture and pane around one store. */
import type { Channel } from '../channel';
import type { GraphStore, State } from '../store';
import { clip, oneLine } from '../text';
import { Camera } from './camera';
import { h, s } from './dom';
import type { Host } from './host';
import { onKey } from './keys';
import { legendView } from './legend';
import { ChangesTab } from './live/changes';
import { HistoryTab } from './live/history-tab';
import { findAgain, recall, remember, type Snapshot } from './live/memory';
import { Pane } from './pane';
import type { Paint } from './overlay';
import { Scene } from './scene';
import { StepsTab } from './steps/steps-tab';
import { Toolbar } from './toolbar';
import { Inquiry } from './inquiry';
import { GradientTab } from './values/gradient-tab';
import { ValueTab } from './values/value-tab';
import { describe } from './words';

const HINT_MS = 1600;

export class Explorer {
  private readonly svg: SVGSVGElement;
  private readonly scene: Scene;
  private readonly camera: Camera;
  private readonly toolbar: Toolbar;
  private readonly pane: Pane;
  private readonly inquiry: Inquiry;
  private readonly history: HistoryTab | null;
  private readonly spoken = h('div', { class: 'gradviz-spoken', 'aria-live': 'polite' });
  private readonly hint = h('div', { class: 'gradviz-hint', 'aria-hidden': 'true' });
  private readonly stop: () => void;
  private hintTimer = 0;

  constructor(private readonly root: HTMLElement, private readonly store: GraphStore, host: Host, channel: Channel) {
    this.scene = new Scene(store);
    this.svg = s(
      'svg',
      {
        class: 'gradviz-canvas', tabindex: '0', role: 'application', 'aria-roledescription': 'gradient graph',
        'aria-label': `${clip(oneLine(store.graph.title || 'Graph'), 120)}: ${store.nodes.length} nodes, ${store.problems.length} problems. `
          + 'Arrow keys walk along the edges, Enter selects, n and p go through the problems, Escape leaves.'
      },
      this.scene.root
    );
    this.camera = new Camera(this.svg, this.scene.root, this.scene.layout, {
      moved: sight => this.scene.look(sight),
      wheelUnused: () => this.showHint('Ctrl + wheel zooms; or click the graph first')
    });
    this.camera.onFirstSize = () => this.openView();
    const legend = legendView(store);
    legend.hidden = true;
    this.toolbar = new Toolbar(store, {
      zoomIn: () => this.camera.zoomBy(1.25),
      zoomOut: () => this.camera.zoomBy(0.8),
      fit: () => this.camera.fit(),
      legend: () => !(legend.hidden = !legend.hidden),
      showFound: () => this.showFound()
    });
    const paint = (overlay: Paint): void => this.paint(overlay);
    const { extras } = store.graph;
    const before = recall(extras?.place);
    this.history = extras?.history ? new HistoryTab(extras.history, before?.moment ?? null) : null;
    this.pane = new Pane(store, host, id => this.choose(id), [
      new ValueTab(store, channel),
      new GradientTab(store, channel, paint, id => this.choose(id)),
      new StepsTab(store, channel, paint, (id, keepTab) => (keepTab ? store.select(id) : this.choose(id))),
      ...(this.history ? [this.history] : []),
      ...(extras?.difference ? [new ChangesTab(extras.difference, paint, id => this.choose(id))] : [])
    ]);
    this.inquiry = new Inquiry(store, channel);
    this.toolbar.element.append(this.inquiry.element);
    const stage = h('div', { class: 'gradviz-stage' }, legend, this.hint);
    stage.prepend(this.svg);
    root.append(this.toolbar.element, h('div', { class: 'gradviz-body' }, stage, this.pane.element), this.spoken);

    this.svg.addEventListener('click', event => this.onClick(event));
    this.svg.addEventListener('keydown', event => onKey(event, store, this.scene, {
      select: id => this.choose(id),
      zoomBy: factor => this.camera.zoomBy(factor),
      fit: () => this.camera.fit(),
      search: () => this.toolbar.search.focus(),
      leave: () => this.leave()
    }));
    this.svg.addEventListener('focus', () => {
      if (store.state.focused === null) {
        store.focus(store.state.selected ?? [...store.roots][0] ?? store.nodes[0]?.id ?? null);
      }
    });
    this.stop = store.subscribe((state, previous) => this.onChange(state, previous));
    if (!before || !this.resume(before)) {
      this.begin();
    }
  }

  /** Lays something over the picture, or takes it off again. */
  paint(overlay: Paint): void {
    this.scene.paint(overlay);
  }

  /** Selects a node and brings it into sight. */
  show(id: string): void {
    if (this.store.byId.has(id)) {
      this.choose(id);
    }
  }

  dispose(): void {
    remember(this.store.graph.extras?.place, this.snapshot());
    this.stop();
    this.inquiry.dispose();
    this.pane.dispose();
    this.camera.dispose();
    clearTimeout(this.hintTimer);
  }

  private snapshot(): Snapshot {
    const { selected } = this.store.state;
    const at = this.store.nodes.findIndex(node => node.id === selected);
    const node = this.store.nodes[at];
    return {
      tab: this.pane.shown, node: node ? { at, op: node.op, name: node.name } : null, count: this.store.nodes.length,
      camera: this.camera.sight, moment: this.history?.moment ?? null
    };
  }

  /** Goes on where the view was that this one takes the place of; false where it had nothing. */
  private resume(before: Snapshot): boolean {
    const id = findAgain(this.store, before.node);
    if (before.node !== null && id === null) {
      return false;
    }
    if (before.count === this.store.nodes.length && before.camera.zoom > 0) {
      this.camera.sight = before.camera;
    }
    this.store.select(id);
    this.pane.show(before.tab);
    return true;
  }

  /** What to look at first: the worst problem, else the root. */
  private begin(): void {
    if (this.store.problems.length > 0) {
      this.store.showProblem(0);
      this.pane.show('problems');
    } else {
      this.store.select([...this.store.roots][0] ?? null);
    }
  }

  private openView(): void {
    const { selected } = this.store.state;
    const start = selected ?? [...this.store.roots][0] ?? this.store.nodes[0]?.id;
    const box = start === undefined ? undefined : this.scene.mainBox(start);
    if (box) {
      this.camera.open(box);
    }
  }

  private choose(id: string): void {
    this.store.select(id);
    // A node that is pointed at is shown in the tab that is open, if that tab is about nodes.
    this.pane.show(['outline', 'values'].includes(this.pane.shown) ? this.pane.shown : 'details');
  }

  private onClick(event: MouseEvent): void {
    this.svg.focus({ preventScroll: true });
    if (this.camera.dragged) {
      return;
    }
    const part = event.target instanceof Element ? event.target.closest('.gradviz-node') : null;
    const at = part?.getAttribute('data-node');
    if (at === null || at === undefined) {
      this.store.select(null);
      return;
    }
    this.choose(this.store.nodes[Number(at)]!.id);
  }

  private onChange(state: State, previous: State): void {
    this.scene.restyle();
    this.toolbar.refresh();
    this.pane.refresh(state, previous);
    this.inquiry.refresh(state, previous);
    if (state.problem !== previous.problem && state.problem !== null && this.pane.shown === 'details') {
      this.pane.show('problems');
    }
    const { focused } = state;
    if (focused !== previous.focused || (state.selected !== previous.selected && state.selected !== null)) {
      const box = focused === null ? undefined : this.scene.mainBox(focused);
      if (box) {
        this.camera.reveal(box);
      }
      const active = focused === null ? null : this.scene.domId(focused);
      if (active === null) {
        this.svg.removeAttribute('aria-activedescendant');
      } else {
        this.svg.setAttribute('aria-activedescendant', active);
      }
      if (document.activeElement === this.svg && focused !== null) {
        this.spoken.textContent = describe(this.store, focused);
      }
    }
    this.root.classList.toggle('gradviz-searching', this.store.matches !== null);
  }

  /** Gives the focus back to what holds this output: in a notebook, its cell. */
  private leave(): void {
    this.svg.blur();
    this.root.parentElement?.closest<HTMLElement>('[tabindex]')?.focus({ preventScroll: true });
  }

  private showFound(): void {
    const { matches } = this.store;
    const found = matches ? this.store.nodes.filter(node => matches.has(node.id)) : [];
    const at = found.findIndex(node => node.id === this.store.state.selected);
    const next = found[(at + 1) % Math.max(1, found.length)];
    if (next) {
      this.choose(next.id);
    }
  }

  private showHint(text: string): void {
    this.hint.textContent = text;
    this.hint.classList.add('gradviz-shown');
    clearTimeout(this.hintTimer);
    this.hintTimer = window.setTimeout(() => this.hint.classList.remove('gradviz-shown'), HINT_MS);
  }
}
