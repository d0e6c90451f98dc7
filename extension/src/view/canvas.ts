/**
 * Paints what is too much for SVG: every box in sight as a plain shape, with its title where that can be
 * read. It paints more than is in sight and lets the page move the result, so that panning costs nothing.
 */
import type { Layout } from '../layout';
import { REQUIREMENTS } from '../model/data';
import type { GraphStore } from '../store';
import { branchTitle } from './branch-words';
import { h } from './dom';
import { linkKind } from './draw-link';
import { fitText } from './meter';
import type { Sight, Sights } from './sights';
import { titleOf } from './words';

export interface Stand {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** Part of the stage that is painted beyond each of its edges. */
const BEYOND = 0.3;
const REST_MS = 90;
/** Zoom from which titles are painted. */
const READABLE = 0.42;
const MOST_LINKS = 30_000;

const COLOURS = ['--gv-bg', '--gv-text', '--gv-muted', '--gv-flow', '--gv-none', '--gv-leaf', '--gv-error', '--gv-warning', '--gv-note',
  '--gv-band', '--gv-leaf-fill', '--gv-accent', '--gv-bg-soft'] as const;
type Colours = Readonly<Record<(typeof COLOURS)[number], string>>;

export class Painter {
  readonly element = h('canvas', { class: 'gradviz-paint', 'aria-hidden': 'true' });
  private painted: Stand & { width: number; height: number } | null = null;
  private timer = 0;
  private paths: ReadonlyMap<string, Path2D> | null = null;

  constructor(private readonly store: GraphStore) {}

  /** Forgets what was painted: another layout, another theme, another selection. */
  reset(layoutChanged = true): void {
    this.painted = null;
    if (layoutChanged) {
      this.paths = null;
    }
  }

  hide(): void {
    clearTimeout(this.timer);
    this.element.hidden = true;
    this.painted = null;
  }

  show(layout: Layout, sights: Sights, stand: Stand, width: number, height: number): void {
    this.element.hidden = false;
    const { painted } = this;
    clearTimeout(this.timer);
    const paint = (): void => this.paint(layout, sights, stand, width, height);
    if (!painted || painted.width !== width || painted.height !== height) {
      paint();
      return;
    }
    const scale = stand.zoom / painted.zoom;
    const dx = stand.x - painted.x * scale;
    const dy = stand.y - painted.y * scale;
    // The canvas begins this far left of the stage and above it.
    const left = dx - BEYOND * width * scale;
    const top = dy - BEYOND * height * scale;
    const covers = left <= 0 && top <= 0 && left + width * (1 + 2 * BEYOND) * scale >= width && top + height * (1 + 2 * BEYOND) * scale >= height;
    if (!covers || scale > 2.2 || scale < 0.6) {
      paint();
      return;
    }
    this.element.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
    if (dx !== 0 || dy !== 0 || scale !== 1) {
      this.timer = window.setTimeout(paint, REST_MS);
    }
  }

  private paint(layout: Layout, sights: Sights, stand: Stand, width: number, height: number): void {
    const { element } = this;
    const density = Math.min(2, window.devicePixelRatio || 1);
    const wide = Math.round(width * (1 + 2 * BEYOND));
    const high = Math.round(height * (1 + 2 * BEYOND));
    if (element.width !== wide * density || element.height !== high * density) {
      element.width = wide * density;
      element.height = high * density;
      element.style.width = `${wide}px`;
      element.style.height = `${high}px`;
    }
    element.style.transform = `translate(${-BEYOND * width}px, ${-BEYOND * height}px)`;
    this.painted = { ...stand, width, height };
    const brush = element.getContext('2d');
    if (!brush) {
      return;
    }
    const originX = stand.x + BEYOND * width;
    const originY = stand.y + BEYOND * height;
    brush.setTransform(1, 0, 0, 1, 0, 0);
    brush.clearRect(0, 0, element.width, element.height);
    brush.setTransform(density * stand.zoom, 0, 0, density * stand.zoom, density * originX, density * originY);
    const colours = this.colours();
    const sight: Sight = {
      left: -originX / stand.zoom, top: -originY / stand.zoom, right: (wide - originX) / stand.zoom, bottom: (high - originY) / stand.zoom
    };
    this.paintFrames(brush, layout, colours, stand.zoom);
    this.paintLinks(brush, layout, colours, stand.zoom);
    this.paintBoxes(brush, layout, sights.boxes(sight), colours, stand.zoom);
  }

  private colours(): Colours {
    const style = getComputedStyle(this.element);
    return Object.fromEntries(COLOURS.map(name => [name, style.getPropertyValue(name).trim() || '#888'])) as Colours;
  }

  private paintFrames(brush: CanvasRenderingContext2D, layout: Layout, colours: Colours, zoom: number): void {
    brush.strokeStyle = colours['--gv-band'];
    brush.globalAlpha = 0.45;
    brush.lineWidth = Math.max(1, 1 / zoom);
    for (const band of layout.bands) {
      brush.strokeRect(band.x, band.y, band.width, band.height);
    }
    brush.globalAlpha = 1;
  }

  private paintLinks(brush: CanvasRenderingContext2D, layout: Layout, colours: Colours, zoom: number): void {
    if (layout.links.length > MOST_LINKS) {
      return;
    }
    this.paths ??= this.linkPaths(layout);
    const colour: Readonly<Record<string, string>> = {
      tracked: colours['--gv-flow'], untracked: colours['--gv-none'], cut: colours['--gv-error']
    };
    brush.lineWidth = Math.max(1.2, 0.8 / zoom);
    brush.globalAlpha = 0.55;
    for (const [kind, path] of this.paths) {
      brush.strokeStyle = colour[kind]!;
      brush.setLineDash(kind === 'cut' ? [6, 4] : []);
      brush.stroke(path);
    }
    brush.setLineDash([]);
    brush.globalAlpha = 1;
  }

  private linkPaths(layout: Layout): Map<string, Path2D> {
    const { links } = this.store.shown;
    const texts = new Map<string, string[]>();
    for (const link of layout.links) {
      const kind = linkKind(links[link.edge]!);
      const list = texts.get(kind) ?? [];
      list.push(link.path);
      texts.set(kind, list);
    }
    return new Map([...texts].map(([kind, list]) => [kind, new Path2D(list.join(''))]));
  }

  private paintBoxes(brush: CanvasRenderingContext2D, layout: Layout, seen: readonly number[], colours: Colours, zoom: number): void {
    const { shown, model, state } = this.store;
    const plain = zoom < READABLE;
    brush.font = `600 12.5px ${getComputedStyle(this.element).fontFamily}`;
    brush.lineWidth = 1.4;
    const matches = this.store.matches;
    for (const at of seen) {
      const box = layout.boxes[at]!;
      const item = shown.items[box.node]!;
      const mark = item.node >= 0 ? this.store.mark(item.node) : undefined;
      const strength = item.node >= 0 ? model.columns.requirement[item.node]! : shown.summaries.get(box.node)!.requirement;
      const requirement = REQUIREMENTS[strength];
      const colour = mark
        ? colours[`--gv-${mark.severity}`]
        : requirement === 'grad' ? colours['--gv-leaf'] : requirement === 'none' ? colours['--gv-none'] : colours['--gv-flow'];
      brush.globalAlpha = matches && !(item.node >= 0 && matches.mask[item.node]) ? 0.2 : 1;
      if (plain) {
        brush.fillStyle = colour;
        brush.fillRect(box.x, box.y, box.width, box.height);
      } else {
        brush.fillStyle = box.form === 'row' ? colours['--gv-bg'] : colours['--gv-bg-soft'];
        brush.strokeStyle = colour;
        brush.beginPath();
        brush.roundRect(box.x, box.y, box.width, box.height, item.node >= 0 && model.columns.isLeaf[item.node] ? 16 : 5);
        brush.fill();
        brush.stroke();
        brush.fillStyle = colours['--gv-text'];
        const text = item.node >= 0 ? titleOf(model.node(item.node)) : branchTitle(this.store, item.branch);
        brush.fillText(fitText(text, { size: 12.5, weight: 600 }, box.width - 20), box.x + 10, box.y + Math.min(19, box.height - 6));
      }
      if (item.key === state.selected) {
        brush.strokeStyle = colours['--gv-accent'];
        brush.lineWidth = 3 / Math.min(1, zoom);
        brush.strokeRect(box.x - 4, box.y - 4, box.width + 8, box.height + 8);
        brush.lineWidth = 1.4;
      }
    }
    brush.globalAlpha = 1;
  }
}
