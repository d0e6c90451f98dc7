/** Pan and zoom of the picture. The page keeps its scrolling until the picture has the focus. */
import type { Size } from '../layout';
import type { Stand } from './canvas';
import { wantsStillness } from './motion';
import type { Sight } from './sights';

const CLOSEST = 2.5;
/** The picture opens no smaller than this: its small print has eight pixels then. */
const READABLE = 0.72;
const CLICK = 4;
const GLIDE_MS = 180;

export interface CameraEvents {
  /** The view changed. */
  moved(sight: Sight, stand: Stand): void;
  /** The wheel was turned while the page owns it. */
  wheelUnused(): void;
}

export class Camera {
  private x = 0;
  private y = 0;
  private zoom = 1;
  private glide = 0;
  private drag: { pointer: number; x: number; y: number; moved: boolean } | null = null;
  private fitted = false;
  private readonly watcher: ResizeObserver;

  constructor(
    private readonly svg: SVGSVGElement,
    private readonly world: SVGGElement,
    private content: Size,
    private readonly events: CameraEvents
  ) {
    svg.addEventListener('pointerdown', this.onDown);
    svg.addEventListener('pointermove', this.onMove);
    svg.addEventListener('pointerup', this.onUp);
    svg.addEventListener('pointercancel', this.onUp);
    svg.addEventListener('wheel', this.onWheel, { passive: false });
    // The output has no size before the notebook shows it, and none while it is scrolled out of the page.
    this.watcher = new ResizeObserver(() => {
      if (this.size().width > 0 && !this.fitted) {
        this.fitted = true;
        this.onFirstSize();
      }
      this.show();
    });
    this.watcher.observe(svg);
  }

  /** Another picture, drawn so that what stood at `from` stands at `to` now; it stays where it is on the screen. */
  replace(content: Size, from: { x: number; y: number }, to: { x: number; y: number }): void {
    cancelAnimationFrame(this.glide);
    this.content = content;
    this.set(this.x + (from.x - to.x) * this.zoom, this.y + (from.y - to.y) * this.zoom, this.zoom);
  }

  /** Another picture, looked at afresh. */
  renew(content: Size): void {
    cancelAnimationFrame(this.glide);
    this.content = content;
    if (this.fitted) {
      this.onFirstSize();
    }
  }

  /** Puts a place of the picture into the middle. */
  lookAt(x: number, y: number): void {
    const { width, height } = this.size();
    this.move(width / 2 - x * this.zoom, height / 2 - y * this.zoom, this.zoom, false);
  }

  /** What to look at first; replaced by the owner. */
  onFirstSize: () => void = () => this.fit(false);

  /** Where it looks; set before the first size is known, it stays there. */
  get sight(): { readonly x: number; readonly y: number; readonly zoom: number } {
    return { x: this.x, y: this.y, zoom: this.zoom };
  }

  set sight({ x, y, zoom }) {
    cancelAnimationFrame(this.glide); // a way to elsewhere that was begun before
    [this.x, this.y, this.zoom, this.fitted] = [x, y, zoom, true];
    this.show();
  }

  dispose(): void {
    this.watcher.disconnect();
    cancelAnimationFrame(this.glide);
  }

  /** Whether the press that ends now moved the picture (and so is no click). */
  get dragged(): boolean {
    return this.wasDrag;
  }
  private wasDrag = false;

  fit(smooth = true): void {
    const { width, height } = this.size();
    const zoom = Math.min(1, width / this.content.width, height / this.content.height);
    this.move(
      (width - this.content.width * zoom) / 2,
      (height - this.content.height * zoom) / 2,
      zoom,
      smooth
    );
  }

  /** Fits the width and starts at a place, at a size that can be read. */
  open(box: { x: number; y: number; width: number; height: number }): void {
    const { width, height } = this.size();
    const all = Math.min(width / this.content.width, height / this.content.height);
    if (all >= READABLE) {
      this.fit(false);
      return;
    }
    const zoom = Math.max(READABLE, Math.min(1, width / this.content.width));
    // Around the box, but nothing beyond the ends of the picture while there is something of it to see instead.
    const along = (middle: number, room: number, whole: number): number => Math.min(0, Math.max(room / 2 - middle * zoom, room - whole * zoom));
    const x = this.content.width * zoom <= width
      ? (width - this.content.width * zoom) / 2
      : along(box.x + box.width / 2, width, this.content.width);
    this.move(x, along(box.y + box.height / 2, height, this.content.height), zoom, false);
  }

  zoomBy(factor: number): void {
    const { width, height } = this.size();
    this.zoomAt(width / 2, height / 2, factor, true);
  }

  panBy(dx: number, dy: number): void {
    this.move(this.x + dx, this.y + dy, this.zoom, false);
  }

  /** Moves the picture as little as possible, so that a place of the screen lies on a box; `upright` leaves its columns where they are. */
  hold(x: number, y: number, box: { x: number; y: number; width: number; height: number }, upright: boolean): void {
    const beyond = (at: number, start: number, size: number): number => Math.min(0, at - start - 4) + Math.max(0, at - start - size + 4);
    const dx = upright ? 0 : beyond(x, box.x * this.zoom + this.x, box.width * this.zoom);
    const dy = beyond(y, box.y * this.zoom + this.y, box.height * this.zoom);
    if (dx !== 0 || dy !== 0) {
      this.panBy(dx, dy);
    }
  }

  /** Brings a box into sight with the least movement. */
  reveal(box: { x: number; y: number; width: number; height: number }): void {
    const { width, height } = this.size();
    if (width === 0) {
      return;
    }
    const zoom = this.zoom < 0.45 ? Math.min(0.8, CLOSEST) : this.zoom;
    const margin = Math.min(40, width / 8);
    let x = this.x;
    let y = this.y;
    if (zoom !== this.zoom) {
      x = width / 2 - (box.x + box.width / 2) * zoom;
      y = height / 2 - (box.y + box.height / 2) * zoom;
    }
    const left = box.x * zoom + x;
    const top = box.y * zoom + y;
    x += Math.max(0, margin - left) - Math.max(0, left + box.width * zoom - (width - margin));
    y += Math.max(0, margin - top) - Math.max(0, top + box.height * zoom - (height - margin));
    this.move(x, y, zoom, true);
  }

  size(): Size {
    return { width: this.svg.clientWidth, height: this.svg.clientHeight };
  }

  private zoomAt(px: number, py: number, factor: number, smooth: boolean): void {
    const { width, height } = this.size();
    const farthest = Math.min(0.5, width / this.content.width, height / this.content.height) * 0.8;
    const zoom = Math.max(farthest, Math.min(CLOSEST, this.zoom * factor));
    const ratio = zoom / this.zoom;
    this.move(px - (px - this.x) * ratio, py - (py - this.y) * ratio, zoom, smooth);
  }

  private move(x: number, y: number, zoom: number, smooth: boolean): void {
    cancelAnimationFrame(this.glide);
    if (!smooth || wantsStillness()) {
      this.set(x, y, zoom);
      return;
    }
    const from = { x: this.x, y: this.y, zoom: this.zoom };
    const start = performance.now();
    const step = (now: number): void => {
      const part = Math.max(0, Math.min(1, (now - start) / GLIDE_MS));
      const eased = 1 - (1 - part) ** 3;
      this.set(
        from.x + (x - from.x) * eased,
        from.y + (y - from.y) * eased,
        from.zoom + (zoom - from.zoom) * eased
      );
      if (part < 1) {
        this.glide = requestAnimationFrame(step);
      }
    };
    this.glide = requestAnimationFrame(step);
  }

  private set(x: number, y: number, zoom: number): void {
    this.x = x;
    this.y = y;
    this.zoom = zoom;
    this.show();
  }

  private show(): void {
    this.world.setAttribute('transform', `translate(${this.x} ${this.y}) scale(${this.zoom})`);
    const { width, height } = this.size();
    this.events.moved(
      {
        left: -this.x / this.zoom,
        top: -this.y / this.zoom,
        right: (width - this.x) / this.zoom,
        bottom: (height - this.y) / this.zoom
      },
      { x: this.x, y: this.y, zoom: this.zoom }
    );
  }

  private readonly onDown = (event: PointerEvent): void => {
    if (event.button === 0) {
      this.wasDrag = false;
      this.drag = { pointer: event.pointerId, x: event.clientX, y: event.clientY, moved: false };
    }
  };

  private readonly onMove = (event: PointerEvent): void => {
    const { drag } = this;
    if (!drag || drag.pointer !== event.pointerId) {
      return;
    }
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < CLICK) {
      return;
    }
    if (!drag.moved) {
      drag.moved = true;
      this.wasDrag = true;
      this.svg.setPointerCapture(event.pointerId);
      this.svg.classList.add('gradviz-panning');
    }
    drag.x = event.clientX;
    drag.y = event.clientY;
    this.panBy(dx, dy);
  };

  private readonly onUp = (): void => {
    this.drag = null;
    this.svg.classList.remove('gradviz-panning');
  };

  private readonly onWheel = (event: WheelEvent): void => {
    const focused = this.svg === document.activeElement || this.svg.contains(document.activeElement);
    if (!event.ctrlKey && !event.metaKey && !focused) {
      this.events.wheelUnused();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const box = this.svg.getBoundingClientRect();
    const turn = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    const factor = Math.exp(-Math.max(-120, Math.min(120, turn)) * (event.ctrlKey ? 0.006 : 0.0022));
    this.zoomAt(event.clientX - box.left, event.clientY - box.top, factor, false);
  };
}
