/**
 * The picture: boxes, links and frames of a layout as SVG, kept to what is in sight.
 *
 * Small graphs are drawn once. Of large ones only the visible part is built, and when too much is in
 * sight to be read anyway, everything becomes a handful of paths.
 */
import { layout, type Box, type Layout, type Link } from '../layout';
import type { GraphStore } from '../store';
import { freshId, s } from './dom';
import { arrows, drawBand, drawLink } from './draw-link';
import { drawNode } from './draw-node';
import { NOTHING, paintEdge, paintNode, type Paint } from './overlay';
import { layoutInput } from './sizes';

/** Elements that are kept without looking whether they are in sight. */
const DRAW_ALL = 350;
/** More boxes than this in sight can't be read: they are drawn as plain shapes. */
const FAR = 600;

export interface Sight {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export class Scene {
  readonly root = s('g', { class: 'gradviz-world' });
  readonly layout: Layout;
  readonly boxesOf: ReadonlyMap<string, readonly number[]>;
  private readonly id = freshId('scene');
  private readonly bandLayer = s('g');
  private readonly linkLayer = s('g');
  private readonly nameLayer = s('g');
  private readonly nodeLayer = s('g');
  private readonly farLayer = s('g', { class: 'gradviz-far' });
  private readonly nodeParts = new Map<number, SVGGElement>();
  private readonly linkParts = new Map<number, SVGGElement>();
  private readonly byTop: readonly number[];
  private readonly tallest: number;
  private far = false;
  private overlay: Paint = NOTHING;

  constructor(readonly store: GraphStore) {
    this.layout = layout(layoutInput(store));
    const boxesOf = new Map<string, number[]>();
    this.layout.boxes.forEach((box, at) => {
      const { id } = store.nodes[box.node]!;
      const list = boxesOf.get(id);
      if (list) {
        list.push(at);
      } else {
        boxesOf.set(id, [at]);
      }
    });
    // The whole drawing of a node before its repetitions.
    for (const list of boxesOf.values()) {
      list.sort((a, b) => this.rankOfForm(a) - this.rankOfForm(b));
    }
    this.boxesOf = boxesOf;
    this.byTop = this.layout.boxes.map((_, at) => at).sort((a, b) => this.box(a).y - this.box(b).y);
    this.tallest = this.layout.boxes.reduce((most, box) => Math.max(most, box.height), 0);
    this.root.append(arrows(this.id), this.bandLayer, this.linkLayer, this.nameLayer, this.nodeLayer, this.farLayer);
    for (const band of this.layout.bands) {
      const { frame, name } = drawBand(store, band);
      this.bandLayer.append(frame);
      this.nameLayer.append(name);
    }
    if (this.layout.boxes.length <= DRAW_ALL) {
      this.layout.links.forEach((_, at) => this.showLink(at));
      this.layout.boxes.forEach((_, at) => this.showNode(at));
    }
    this.restyle();
  }

  /** The box that stands for a node. */
  mainBox(id: string): Box | undefined {
    const at = this.boxesOf.get(id)?.[0];
    return at === undefined ? undefined : this.box(at);
  }

  /** DOM id of the drawing that stands for a node, for `aria-activedescendant`. */
  domId(id: string): string | null {
    const at = this.boxesOf.get(id)?.[0];
    return at === undefined || !this.nodeParts.has(at) ? null : `${this.id}-${at}`;
  }

  /** Builds what came into sight and drops what left it. */
  look(sight: Sight): void {
    if (this.layout.boxes.length <= DRAW_ALL) {
      return;
    }
    const seen = this.inSight(sight);
    const far = seen.length > FAR;
    if (far !== this.far) {
      this.far = far;
      this.root.classList.toggle('gradviz-is-far', far);
      if (far && !this.farLayer.hasChildNodes()) {
        this.drawFar();
      }
    }
    if (far) {
      return;
    }
    const wanted = new Set(seen);
    drop(this.nodeParts, at => wanted.has(at));
    seen.forEach(at => this.showNode(at));
    const inView = (link: Link): boolean => link.bottom >= sight.top && link.top <= sight.bottom;
    drop(this.linkParts, at => inView(this.layout.links[at]!));
    this.layout.links.forEach((link, at) => inView(link) && this.showLink(at));
    this.restyle();
  }

  /** Lays something over the picture, or takes it off again. */
  paint(paint: Paint): void {
    this.overlay = paint;
    this.restyle();
  }

  /** Shows selection, focus, search and the current problem on what is drawn. */
  restyle(): void {
    const { selected, focused, problem } = this.store.state;
    const { matches } = this.store;
    const involved = problem === null ? null : new Set(this.store.problems[problem]?.nodes ?? []);
    const near = new Set<string>();
    for (const edge of selected === null ? [] : this.store.inputs.get(selected) ?? []) {
      near.add(edge.source);
    }
    for (const edge of selected === null ? [] : this.store.outputs.get(selected) ?? []) {
      near.add(edge.target);
    }
    for (const [at, part] of this.nodeParts) {
      const { id } = this.store.nodes[this.box(at).node]!;
      part.classList.toggle('gradviz-selected', id === selected);
      part.classList.toggle('gradviz-focused', id === focused);
      part.classList.toggle('gradviz-related', near.has(id));
      part.classList.toggle('gradviz-involved', !!involved?.has(id));
      part.classList.toggle('gradviz-found', !!matches?.has(id));
      part.classList.toggle('gradviz-dim', matches !== null && !matches.has(id));
      paintNode(part, this.overlay, id);
    }
    for (const [at, part] of this.linkParts) {
      const edge = this.store.edges[this.layout.links[at]!.edge]!;
      part.classList.toggle('gradviz-link-on', edge.source === selected || edge.target === selected);
      part.classList.toggle('gradviz-link-problem', !!involved?.has(edge.source) && !!involved.has(edge.target));
      part.classList.toggle('gradviz-dim', matches !== null && !(matches.has(edge.source) && matches.has(edge.target)));
      paintEdge(part, this.overlay, edge);
    }
  }

  private box(at: number): Box {
    return this.layout.boxes[at]!;
  }

  private rankOfForm(at: number): number {
    return this.box(at).form === 'alias' ? 1 : 0;
  }

  private inSight({ left, top, right, bottom }: Sight): number[] {
    let low = 0;
    let high = this.byTop.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.box(this.byTop[middle]!).y < top - this.tallest) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const seen: number[] = [];
    for (let at = low; at < this.byTop.length; at++) {
      const box = this.box(this.byTop[at]!);
      if (box.y > bottom) {
        break;
      }
      if (box.x <= right && box.x + box.width >= left) {
        seen.push(this.byTop[at]!);
      }
    }
    return seen;
  }

  private showNode(at: number): void {
    if (!this.nodeParts.has(at)) {
      const part = drawNode(this.store, this.box(at), `${this.id}-${at}`);
      this.nodeParts.set(at, part);
      this.nodeLayer.append(part);
    }
  }

  private showLink(at: number): void {
    if (!this.linkParts.has(at)) {
      const part = drawLink(this.store, this.layout.links[at]!, this.id);
      this.linkParts.set(at, part);
      this.linkLayer.append(part);
    }
  }

  private drawFar(): void {
    this.farLayer.append(s('path', {
      class: 'gradviz-far-links', d: this.layout.links.map(link => link.path).join('')
    }));
    const shapes = new Map<string, string[]>();
    for (const box of this.layout.boxes) {
      const node = this.store.nodes[box.node]!;
      const mark = this.store.mark(node.id);
      const name = mark ? `sev-${mark.severity}` : `req-${node.requirement}`;
      const list = shapes.get(name) ?? [];
      list.push(`M${Math.round(box.x)} ${Math.round(box.y)}h${box.width}v${box.height}h${-box.width}z`);
      shapes.set(name, list);
    }
    for (const [name, list] of shapes) {
      this.farLayer.append(s('path', { class: `gradviz-far-box gradviz-${name}`, d: list.join('') }));
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
