/** The whole picture in small, with what is in sight; dragging moves there. Keys do the same in the picture itself. */
import type { Layout } from '../layout';
import { h } from './dom';
import type { Sight } from './sights';

const WIDTH = 132;
const HEIGHT = 150;
/** Pixels around it. */
const MARGIN = 10;
/** Shown where less than this part of the picture is in sight. */
const MOST_SEEN = 0.72;
/** Milliseconds in which a picture comes to where it is looked at first. */
const SETTLES_MS = 500;
/** What a box with a problem counts for beside others. */
const PROBLEM = 4;

export class Minimap {
  readonly element: HTMLElement;
  private readonly canvas = h('canvas', { class: 'gradviz-minimap-picture' });
  private readonly window = h('div', { class: 'gradviz-minimap-window' });
  private layout: Layout | null = null;
  private scale = 1;
  private drawn = false;
  private settledAt = 0;

  constructor(private readonly lookAt: (x: number, y: number) => void, private readonly kindOf: (item: number) => string) {
    this.element = h('div', { class: 'gradviz-minimap', 'aria-hidden': 'true' }, this.canvas, this.window);
    this.element.hidden = true;
    const move = (event: PointerEvent): void => {
      const box = this.canvas.getBoundingClientRect();
      this.lookAt((event.clientX - box.left) / this.scale, (event.clientY - box.top) / this.scale);
      event.preventDefault();
    };
    this.element.addEventListener('pointerdown', event => {
      this.element.setPointerCapture(event.pointerId);
      move(event);
    });
    this.element.addEventListener('pointermove', event => {
      if (this.element.hasPointerCapture(event.pointerId)) {
        move(event);
      }
    });
  }

  show(layout: Layout): void {
    this.layout = layout;
    this.scale = Math.min(WIDTH / Math.max(1, layout.width), HEIGHT / Math.max(1, layout.height));
    this.drawn = false;
  }

  /** Paints again with the next sight: the theme has changed. */
  repaint(): void {
    this.drawn = false;
  }

  look(sight: Sight): void {
    const { left, top, right, bottom } = sight;
    const { layout, scale } = this;
    if (!layout || layout.width === 0 || right <= left) {
      this.element.hidden = true;
      return;
    }
    const seen =
      (Math.min(right, layout.width) - Math.max(left, 0)) * (Math.min(bottom, layout.height) - Math.max(top, 0)) / (layout.width * layout.height);
    this.element.hidden = seen > MOST_SEEN;
    if (this.element.hidden) {
      return;
    }
    if (!this.drawn) {
      this.paint(layout);
      this.settledAt = performance.now() + SETTLES_MS;
    }
    if (performance.now() < this.settledAt) {
      this.settle(layout, sight);
    }
    const clampX = (x: number): number => Math.max(0, Math.min(layout.width, x)) * scale;
    const clampY = (y: number): number => Math.max(0, Math.min(layout.height, y)) * scale;
    const { style } = this.window;
    style.left = `${clampX(left)}px`;
    style.top = `${clampY(top)}px`;
    style.width = `${Math.max(4, clampX(right) - clampX(left))}px`;
    style.height = `${Math.max(4, clampY(bottom) - clampY(top))}px`;
  }

  /** Takes the corner that hides less; where the picture was looked at first, it stays. */
  private settle(layout: Layout, { left, top, right, bottom }: Sight): void {
    const zoom = (this.element.parentElement?.clientWidth ?? 0) / (right - left) || 1;
    const [width, height] = [(this.element.offsetWidth + 2 * MARGIN) / zoom, (this.element.offsetHeight + 2 * MARGIN) / zoom];
    const hidden = (from: number): number => layout.boxes
      .filter(box => box.x < right && box.x + box.width > right - width && box.y < from + height && box.y + box.height > from)
      .reduce((sum, box) => sum + (['error', 'warning'].includes(this.kindOf(box.node)) ? PROBLEM : 1), 0);
    this.element.classList.toggle('gradviz-minimap-high', hidden(top) < hidden(bottom - height));
  }

  private paint(layout: Layout): void {
    this.drawn = true;
    const density = Math.min(2, window.devicePixelRatio || 1);
    const width = Math.max(8, layout.width * this.scale);
    const height = Math.max(8, layout.height * this.scale);
    this.canvas.width = width * density;
    this.canvas.height = height * density;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const brush = this.canvas.getContext('2d');
    if (!brush) {
      return;
    }
    const style = getComputedStyle(this.canvas);
    const colours = new Map<string, string>();
    brush.setTransform(this.scale * density, 0, 0, this.scale * density, 0, 0);
    const least = 1.5 / this.scale;
    for (const box of layout.boxes) {
      const kind = this.kindOf(box.node);
      let colour = colours.get(kind);
      if (colour === undefined) {
        colour = style.getPropertyValue(`--gv-${kind}`).trim() || '#888';
        colours.set(kind, colour);
      }
      brush.fillStyle = colour;
      brush.fillRect(box.x, box.y, Math.max(least, box.width), Math.max(least, box.height));
    }
  }
}
