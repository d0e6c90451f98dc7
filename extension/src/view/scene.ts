/**
 * The picture as SVG: boxes, links and frames of a layout, kept to what is in sight.
 *
 * Small pictures are drawn once; of larger ones only the visible part is built. What is too much for SVG
 * is painted by `canvas.ts`, and only what is selected remains here.
 */
import { EMPTY, type Box, type Layout, type Link } from '../layout';
import type { GraphStore } from '../store';
import { freshId, s } from './dom';
import { drawFrame } from './draw-frame';
import { drawItem } from './draw-item';
import { arrows, drawLink, linkText } from './draw-link';
import { linkKey, move, type Course, type Drawn } from './motion';
import { foldPaint, NOTHING, paintEdge, paintNode, type Paint } from './overlay';
import { Sights, touches, type Sight } from './sights';

/** Elements that are kept without looking whether they are in sight. */
const DRAW_ALL = 350;
/** Boxes in sight that are worth being elements. */
export const MOST_ELEMENTS = 500;

export class Scene {
  readonly root = s('g', { class: 'gradviz-world' });
  layout: Layout = EMPTY;
  /** Whether a new layout is on its way: what is drawn is no longer what the store shows. */
  isFrozen = false;
  sights = new Sights(this.layout);
  private boxesOf: (readonly number[] | undefined)[] = [];
  private readonly id = freshId('scene');
  private readonly bandLayer = s('g');
  private readonly linkLayer = s('g');
  private readonly headLayer = s('g');
  private readonly nodeLayer = s('g');
  /** What is on its way out of the picture. */
  private readonly ghostLayer = s('g', { class: 'gradviz-ghosts', 'aria-hidden': 'true' });
  private readonly nodeParts = new Map<number, SVGGElement>();
  private readonly linkParts = new Map<number, SVGGElement>();
  private readonly bandParts = new Map<number, SVGGElement>();
  private readonly headParts = new Map<number, SVGGElement>();
  private overlay: Paint = NOTHING;
  private painted = false;
  private far = false;
  private built = 0;
  /** Names of what is drawn, for the picture after this one. */
  private keys: Pick<Drawn, 'boxKeys' | 'linkKeys' | 'bandKeys'> = { boxKeys: [], linkKeys: [], bandKeys: [] };

  /** `whole` draws everything, however much it is: for a picture that nobody moves. */
  constructor(readonly store: GraphStore, private readonly whole = false) {
    this.root.append(arrows(this.id), this.bandLayer, this.ghostLayer, this.linkLayer, this.headLayer, this.nodeLayer);
  }

  freeze(): void {
    this.isFrozen = true;
  }

  /** What is drawn, before something else is; null where not everything is. */
  get drawn(): Drawn | null {
    return this.isSmall
      ? {
        layout: this.layout, ...this.keys, boxes: new Map(this.nodeParts), links: new Map(this.linkParts),
        bands: new Map(this.bandParts), heads: new Map(this.headParts)
      }
      : null;
  }

  /** Moves what is drawn from where it was, where both pictures are small. */
  moveFrom(before: Drawn | null, course: Omit<Course, 'ghosts'>): void {
    const { drawn } = this;
    if (before && drawn) {
      move(before, drawn, { ...course, ghosts: this.ghostLayer });
    }
  }

  /** Shows another layout, of what the store shows now. */
  show(layout: Layout): void {
    this.layout = layout;
    this.keys = this.keysOf(layout);
    this.isFrozen = false;
    this.sights = new Sights(layout);
    const boxesOf: number[][] = [];
    layout.boxes.forEach((box, at) => (boxesOf[box.node] ??= []).push(at));
    // The whole drawing of a node before its repetitions.
    const rank = (at: number): number => (layout.boxes[at]!.form === 'alias' ? 1 : 0);
    boxesOf.forEach(list => list.sort((a, b) => rank(a) - rank(b)));
    this.boxesOf = boxesOf;
    for (const layer of [this.bandLayer, this.linkLayer, this.headLayer, this.nodeLayer, this.ghostLayer]) {
      layer.replaceChildren();
    }
    for (const parts of [this.nodeParts, this.linkParts, this.bandParts, this.headParts]) {
      parts.clear();
    }
    if (this.isSmall) {
      layout.bands.forEach((_, at) => this.showBand(at));
      layout.links.forEach((_, at) => this.showLink(at));
      layout.boxes.forEach((_, at) => this.showItem(at));
    }
    this.restyle();
  }

  private keysOf(layout: Layout): typeof this.keys {
    const { items, links } = this.store.shown;
    const counted = new Map<string, number>();
    const nth = (name: string): string => {
      const count = counted.get(name) ?? 0;
      counted.set(name, count + 1);
      return `${name}\n${count}`;
    };
    return {
      // A leaf may stand as a row here and beside its use there: only its repetitions are something else.
      boxKeys: layout.boxes.map(({ node, form }) => `${items[node]!.key}\n${form === 'alias' ? nth(items[node]!.key) : ''}`),
      linkKeys: layout.links.map(({ edge }) => linkKey(items[links[edge]!.source]!.key, items[links[edge]!.target]!.key)),
      bandKeys: layout.bands.map(({ group }) => nth(`frame ${group}`))
    };
  }

  /** Whether everything stays drawn. */
  get isSmall(): boolean {
    return this.whole || this.layout.boxes.length <= DRAW_ALL;
  }

  /** The box that stands for a node or a folded branch; for what is hidden, the box that hides it. */
  mainBox(key: string | null): Box | undefined {
    const at = this.mainAt(key);
    return at === undefined ? undefined : this.layout.boxes[at];
  }

  /** DOM id of the drawing that stands for a node, for `aria-activedescendant`. */
  domId(key: string): string | null {
    const at = this.mainAt(key);
    return at === undefined || !this.nodeParts.has(at) ? null : `${this.id}-${at}`;
  }

  private mainAt(key: string | null): number | undefined {
    const item = key === null || this.isFrozen ? undefined : this.store.shown.byKey.get(key) ?? this.hiding(key);
    return item === undefined ? undefined : this.boxesOf[item]?.[0];
  }

  private hiding(key: string): number | undefined {
    const node = this.store.nodeAt(key);
    const item = node < 0 ? -1 : this.store.shown.itemOf[node]!;
    return item < 0 ? undefined : item;
  }

  /** Builds what came into sight and drops what left it. `painted` says that a canvas shows the rest. */
  look(sight: Sight, painted: boolean): void {
    if (this.isSmall || this.isFrozen) {
      return;
    }
    this.built = 0;
    const seen = painted ? [] : this.sights.boxes(sight);
    if (painted !== this.far) {
      this.far = painted;
      this.root.classList.toggle('gradviz-is-far', painted);
    }
    const wanted = new Set(seen);
    if (painted) {
      // What is selected and focused stays an element, so that it can be styled and announced.
      for (const key of [this.store.state.selected, this.store.state.focused]) {
        const at = this.mainAt(key);
        if (at !== undefined) {
          wanted.add(at);
        }
      }
    }
    drop(this.nodeParts, at => wanted.has(at));
    wanted.forEach(at => this.showItem(at));
    const inSight = (at: number): boolean => !painted && touches(this.layout.bands[at]!, sight);
    drop(this.bandParts, inSight);
    drop(this.headParts, inSight);
    this.layout.bands.forEach((_, at) => inSight(at) && this.showBand(at));
    const links = painted ? [] : this.sights.links(sight);
    const wantedLinks = new Set(links);
    drop(this.linkParts, at => wantedLinks.has(at));
    links.forEach(at => this.showLink(at));
    if (this.built > 0) {
      this.restyle();
    }
  }

  /** What lies over the picture. */
  get paintedOver(): Paint {
    return this.overlay;
  }

  /** Lays something over the picture, or takes it off again. */
  paint(paint: Paint): void {
    this.overlay = paint;
    if (!this.isFrozen) {
      this.restyle();
    }
  }

  /** Shows selection, focus, search and the current problem on what is drawn. */
  restyle(): void {
    const { store } = this;
    const { shown } = store;
    const { selected, focused, problem } = store.state;
    const involved = new Set((problem === null ? [] : store.problems[problem]?.nodes ?? []).map(id => shown.itemOf[store.model.indexOf(id)]));
    const found = this.foundIn();
    const chosen = selected === null ? undefined : shown.byKey.get(selected);
    const focus = focused === null ? undefined : shown.byKey.get(focused) ?? this.hiding(focused);
    const painted = foldPaint(store, this.overlay);
    const near = new Set<number>();
    if (chosen !== undefined) {
      shown.inputs[chosen]!.forEach(at => near.add(shown.links[at]!.source));
      shown.outputs[chosen]!.forEach(at => near.add(shown.links[at]!.target));
    }
    for (const [at, part] of this.nodeParts) {
      const item = this.layout.boxes[at]!.node;
      const hits = found?.[item] ?? 0;
      part.classList.toggle('gradviz-selected', item === chosen);
      part.classList.toggle('gradviz-focused', item === focus);
      part.classList.toggle('gradviz-related', near.has(item));
      part.classList.toggle('gradviz-involved', involved.has(item));
      part.classList.toggle('gradviz-found', hits > 0);
      part.classList.toggle('gradviz-dim', found !== null && hits === 0);
      paintNode(part, painted.items.get(item));
      if (shown.items[item]!.branch >= 0) {
        part.querySelector('.gradviz-found-inside')!.textContent = hits > 0 ? `${hits.toLocaleString('en')} found` : '';
      }
    }
    for (const [at, part] of this.linkParts) {
      const { edge } = this.layout.links[at]!;
      const { source, target } = shown.links[edge]!;
      if (this.painted || this.overlay !== NOTHING) {
        paintEdge(part, painted.links.get(edge), linkText(store, shown.links[edge]!));
      }
      part.classList.toggle('gradviz-link-on', source === chosen || target === chosen);
      part.classList.toggle('gradviz-link-problem', involved.has(source) && involved.has(target));
      part.classList.toggle('gradviz-dim', found !== null && !(found[source] && found[target]));
    }
    this.painted = this.overlay !== NOTHING;
  }

  /** Matches in each item; null when nothing is searched for. */
  private foundIn(): Int32Array | null {
    const { matches, shown, model } = this.store;
    if (!matches) {
      return null;
    }
    const found = new Int32Array(shown.items.length);
    for (let node = 0; node < model.count; node++) {
      if (matches.mask[node] && shown.itemOf[node]! >= 0) {
        found[shown.itemOf[node]!]! += 1;
      }
    }
    return found;
  }

  private showBand(at: number): void {
    if (!this.bandParts.has(at)) {
      const { frame, head } = drawFrame(this.store, this.layout.bands[at]!);
      this.bandParts.set(at, frame);
      // Outer frames first: an inner one must not be covered.
      this.bandLayer.append(frame);
      if (head) {
        this.headParts.set(at, head);
        this.headLayer.append(head);
      }
    }
  }

  private showItem(at: number): void {
    if (!this.nodeParts.has(at)) {
      const part = drawItem(this.store, this.layout.boxes[at]!, `${this.id}-${at}`);
      this.nodeParts.set(at, part);
      this.nodeLayer.append(part);
      this.built += 1;
    }
  }

  private showLink(at: number): void {
    if (!this.linkParts.has(at)) {
      const part = drawLink(this.store, this.layout.links[at] as Link, this.id);
      this.linkParts.set(at, part);
      this.linkLayer.append(part);
      this.built += 1;
    }
  }
}

function drop(parts: Map<number, SVGGElement>, keep: (at: number) => boolean): void {
  for (const [at, part] of parts) {
    if (!keep(at)) {
      part.remove();
      parts.delete(at);
    }
  }
}
