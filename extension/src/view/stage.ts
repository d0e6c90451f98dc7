/** The place of the picture: keeps scene, canvas and small map in step with what the store shows. */
import type { Layout } from '../layout';
import { branchKey, type Item, type Shown } from '../fold/shown';
import { REQUIREMENTS } from '../model/data';
import type { GraphStore } from '../store';
import { Arranger } from './arranger';
import { Painter, type Stand } from './canvas';
import { h } from './dom';
import { button } from './fix';
import { Minimap } from './minimap';
import { keyOf } from './motion';
import { MOST_ELEMENTS, Scene } from './scene';
import type { Sight } from './sights';
import { layoutInput } from './sizes';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface StageEvents {
  /** A layout is drawn; `anchor` tells what was there before and where it is now, null for a picture to be seen afresh. */
  arranged(layout: Layout, anchor: { readonly from: Point; readonly to: Point } | null): void;
  lookAt(x: number, y: number): void;
}

/** More than this is a wait that wants to be seen. */
const PATIENCE_MS = 150;

export class Stage {
  readonly element: HTMLElement;
  readonly scene: Scene;
  private readonly painter: Painter;
  private readonly minimap: Minimap;
  private readonly arranger = new Arranger();
  private readonly wait = h('div', { class: 'gradviz-wait', role: 'status' });
  private drawn: Shown | null = null;
  /** Places of the items that are drawn, by key. */
  private places: ReadonlyMap<string, Point> = new Map();
  private waiting = 0;
  private stand: Stand = { x: 0, y: 0, zoom: 1 };
  private sight: Sight | null = null;
  private paintedAt = 0;

  constructor(private readonly svg: SVGSVGElement, private readonly store: GraphStore, private readonly events: StageEvents) {
    this.scene = new Scene(store);
    this.painter = new Painter(store);
    this.painter.hide();
    this.minimap = new Minimap(events.lookAt, item => this.colourOf(item));
    svg.append(this.scene.root);
    this.wait.hidden = true;
    this.element = h('div', { class: 'gradviz-stage' }, this.painter.element, this.minimap.element, this.wait);
    this.element.prepend(svg);
  }

  dispose(): void {
    this.arranger.cancel();
    clearTimeout(this.waiting);
    this.painter.hide();
  }

  /** Whether everything has its place; large graphs get theirs in another thread. */
  get isPlaced(): boolean {
    return this.element.dataset.state === 'placed';
  }

  /** Draws what the store shows now, where that isn't drawn already. */
  arrange(afresh: boolean): void {
    const { shown } = this.store;
    if (shown === this.drawn) {
      return;
    }
    this.drawn = shown;
    clearTimeout(this.waiting);
    const before = this.places;
    this.scene.freeze();
    this.element.dataset.state = 'placing';
    const done = this.arranger.arrange(layoutInput(this.store), {
      progress: part => this.showProgress(part),
      ready: layout => this.ready(layout, afresh ? null : before)
    });
    if (!done) {
      this.waiting = window.setTimeout(() => {
        this.wait.hidden = false;
      }, PATIENCE_MS);
    }
  }

  look(sight: Sight, stand: Stand, size: { width: number; height: number } | undefined): void {
    this.sight = sight;
    this.stand = stand;
    if (this.scene.isFrozen || !size || size.width === 0) {
      return;
    }
    const { scene } = this;
    // While a painted picture is only moved, nothing has to be counted.
    const moved = !this.painter.element.hidden && stand.zoom === this.paintedAt;
    const painted = !scene.isSmall && (moved || scene.sights.boxes(sight).length > MOST_ELEMENTS);
    this.paintedAt = stand.zoom;
    scene.look(sight, painted);
    if (painted) {
      this.painter.show(scene.layout, scene.sights, stand, size.width, size.height);
    } else {
      this.painter.hide();
    }
    this.minimap.look(sight);
  }

  restyle(): void {
    if (!this.scene.isFrozen) {
      this.scene.restyle();
      this.painter.reset(false);
      if (!this.painter.element.hidden) {
        this.again();
      }
    }
  }

  repaint(): void {
    this.painter.reset();
    this.minimap.repaint();
    this.again();
  }

  /** The item under the pointer. */
  itemAt(event: MouseEvent): Item | undefined {
    const part = event.target instanceof Element ? event.target.closest('.gradviz-node') : null;
    const named = part?.getAttribute('data-item');
    if (named !== null && named !== undefined) {
      return this.store.shown.items[Number(named)];
    }
    if (this.painter.element.hidden || this.scene.isFrozen) {
      return undefined;
    }
    const { left, top } = this.svg.getBoundingClientRect();
    const { x, y, zoom } = this.stand;
    const at = this.scene.sights.at((event.clientX - left - x) / zoom, (event.clientY - top - y) / zoom);
    return at === undefined ? undefined : this.store.shown.items[this.scene.layout.boxes[at]!.node];
  }

  private again(): void {
    if (this.sight) {
      this.look(this.sight, this.stand, { width: this.svg.clientWidth, height: this.svg.clientHeight });
    }
  }

  private ready(layout: Layout, before: ReadonlyMap<string, Point> | null): void {
    clearTimeout(this.waiting);
    this.wait.hidden = true;
    const { items } = this.store.shown;
    const places = new Map<string, Point>();
    for (const box of layout.boxes) {
      if (box.form !== 'alias') {
        places.set(items[box.node]!.key, { x: box.x + box.width / 2, y: box.y });
      }
    }
    this.places = places;
    const { drawn } = this.scene;
    this.scene.show(layout);
    this.element.dataset.state = 'placed';
    this.painter.reset();
    this.paintedAt = NaN;
    this.minimap.show(layout);
    const anchor = before && this.anchor(before, places);
    const seen = this.sight;
    this.events.arranged(layout, anchor);
    if (anchor && before && seen && this.sight) {
      this.scene.moveFrom(drawn, {
        shift: { x: seen.left - this.sight.left, y: seen.top - this.sight.top },
        origin: box => middle(this.around(items[layout.boxes[box]!.node]!.key, before)),
        home: box => middle(places.get(this.holding(keyOf(drawn?.boxKeys[box] ?? '')) ?? ''))
      });
    }
  }

  /**
   * Of what was drawn before and still is, the item that has to keep its place: the nearest above what was
   * folded or unfolded, else the nearest of all.
   */
  private anchor(before: ReadonlyMap<string, Point>, after: ReadonlyMap<string, Point>): { from: Point; to: Point } | null {
    const { focused } = this.store.state;
    const changed = focused === null ? undefined : before.get(focused) ?? this.around(focused, before) ?? after.get(focused);
    let best: { from: Point; to: Point } | null = null;
    let least = Infinity;
    for (const [key, from] of before) {
      const to = after.get(key);
      if (to) {
        const centre = changed ?? from;
        const distance = Math.abs(from.x - centre.x) + Math.abs(from.y - centre.y) + (from.y > centre.y ? 4000 : 0);
        if (distance < least) {
          least = distance;
          best = { from, to };
        }
      }
    }
    return best;
  }

  /** Where the folded box stood that an item came out of. */
  private around(key: string, before: ReadonlyMap<string, Point>): Point | undefined {
    const item = this.store.shown.byKey.get(key);
    const path = item === undefined ? [] : this.store.around(this.store.shown.items[item]!.frame);
    for (const branch of path.reverse()) {
      const place = before.get(`branch:${branch}`);
      if (place) {
        return place;
      }
    }
    return undefined;
  }

  /** What now stands for something that is no longer drawn itself. */
  private holding(key: string): string | undefined {
    const { shown } = this.store;
    const node = this.store.nodeAt(key);
    if (node >= 0) {
      return shown.items[shown.itemOf[node]!]?.key;
    }
    for (let at = this.store.branchAt(key); at > 0; at = this.store.branch(at).parent) {
      if (shown.byKey.has(branchKey(at))) {
        return branchKey(at);
      }
    }
    return undefined;
  }

  private showProgress(part: number): void {
    const count = this.store.shown.items.length.toLocaleString('en');
    const bar = h('progress', { max: '1', value: String(part), 'aria-label': 'Placing the nodes' });
    this.wait.replaceChildren(
      h('span', {}, `Placing ${count} nodes`), bar, button('cross', 'Cancel', () => this.cancel())
    );
  }

  private cancel(): void {
    this.arranger.cancel();
    this.wait.hidden = true;
    this.store.openFirst();
  }

  private colourOf(item: number): string {
    const { items, summaries } = this.store.shown;
    const { node, branch } = items[item] ?? { node: -1, branch: -1 };
    const mark = node >= 0 ? this.store.mark(node) : branch >= 0 ? this.store.marksIn(item).worst : undefined;
    if (mark) {
      return mark.severity;
    }
    const strength = node >= 0 ? this.store.model.columns.requirement[node]! : (summaries.get(item)?.requirement ?? 0);
    return { grad: 'leaf', grad_in_backward: 'flow', none: 'none' }[REQUIREMENTS[strength] ?? 'none'];
  }
}

/** Folded boxes are about as high as this, and places are of their tops. */
function middle(place: Point | undefined): Point | undefined {
  return place && { x: place.x, y: place.y + 22 };
}
