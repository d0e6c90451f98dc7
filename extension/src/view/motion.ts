/**
 * The way from one picture to the next when something folds or unfolds: what stays glides to its new place, what was
 * inside comes out of the box that held it, and goes back into it. Short, and not at all for readers who want no motion.
 */
import type { Layout } from '../layout';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A drawn picture, with names that outlive it. */
export interface Drawn {
  readonly layout: Layout;
  /** Names of boxes, links and frames, by their place in the layout. */
  readonly boxKeys: readonly string[];
  readonly linkKeys: readonly string[];
  readonly bandKeys: readonly string[];
  readonly boxes: ReadonlyMap<number, SVGGElement>;
  readonly links: ReadonlyMap<number, SVGGElement>;
  readonly bands: ReadonlyMap<number, SVGGElement>;
  readonly heads: ReadonlyMap<number, SVGGElement>;
}

export interface Course {
  /** How far the camera went along, in units of the picture: what stood at `p` stands at `p - shift` now. */
  readonly shift: Point;
  /** Middle of the box that something new came out of, in the old picture. */
  origin(box: number): Point | undefined;
  /** Middle of the box that now holds what was drawn before, in the new picture. */
  home(box: number): Point | undefined;
  /** Where to put what is on its way out. */
  readonly ghosts: SVGGElement;
}

const TIMING = { duration: 200, easing: 'cubic-bezier(0.2, 0.7, 0.2, 1)' } as const;
/** Things that are moved at once; more than that is a new picture rather than a change of one. */
const MOST_MOVED = 400;

export function wantsStillness(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

export function move(before: Drawn, after: Drawn, course: Course): void {
  if (wantsStillness() || before.boxes.size + after.boxes.size > MOST_MOVED) {
    return;
  }
  const { shift } = course;
  const places = new Map(before.boxKeys.map((key, at) => [key, at]));
  const offsets = moveBoxes(before, after, course, places);
  const goneBy = new Set(after.boxKeys);
  for (const [at, part] of before.boxes) {
    if (!goneBy.has(before.boxKeys[at]!)) {
      leave(part, before.layout.boxes[at]!, course.home(at), course);
    }
  }
  for (const [at, part] of after.links) {
    const [source, target] = ends(after.linkKeys[at]!).map(key => offsets.get(key));
    if (source && target && near(source, target)) {
      slide(part, source);
    } else {
      part.animate([{ opacity: 0 }, { opacity: 0, offset: 0.4 }, { opacity: 1 }], TIMING);
    }
  }
  const frames = new Map(before.bandKeys.map((key, at) => [key, before.layout.bands[at]!]));
  for (const [at, part] of after.bands) {
    const old = frames.get(after.bandKeys[at]!);
    const now = after.layout.bands[at]!;
    const box = part.querySelector<SVGElement>('.gradviz-band-box');
    const head = after.heads.get(at);
    if (!old || !box) {
      [part, head].forEach(fresh => fresh?.animate([{ opacity: 0 }, { opacity: 1 }], TIMING));
      continue;
    }
    const was = { x: old.x - shift.x, y: old.y - shift.y };
    box.animate([rect({ ...was, width: old.width, height: old.height }), rect(now)], TIMING);
    head?.animate([{ transform: translate({ x: was.x + 4, y: was.y + 3 }) }, { transform: translate({ x: now.x + 4, y: now.y + 3 }) }], TIMING);
  }
}

/** Moves the boxes; returns how far each item comes from where it is now. */
function moveBoxes(before: Drawn, after: Drawn, { shift, origin }: Course, places: ReadonlyMap<string, number>): Map<string, Point> {
  const offsets = new Map<string, Point>();
  for (const [at, part] of after.boxes) {
    const box = after.layout.boxes[at]!;
    const key = after.boxKeys[at]!;
    const known = places.get(key);
    const old = known === undefined ? undefined : before.layout.boxes[known]!;
    const from = old ?? centred(origin(at), box);
    if (!from) {
      part.animate([{ opacity: 0 }, { opacity: 1 }], TIMING);
      continue;
    }
    const start = { x: from.x - shift.x, y: from.y - shift.y };
    const away = { x: start.x - box.x, y: start.y - box.y };
    const item = keyOf(key);
    const other = offsets.get(item);
    // Of a node that is drawn in several places no edge can tell which one it is of, unless all go the same way.
    offsets.set(item, other && !near(other, away) ? { x: NaN, y: NaN } : away);
    if (!old || !near(away, { x: 0, y: 0 })) {
      part.animate([
        { transform: translate(start), ...(old ? {} : { opacity: 0 }) },
        { transform: translate(box), ...(old ? {} : { opacity: 1 }) }
      ], TIMING);
    }
  }
  return offsets;
}

/** Takes a part of the old picture along until it is where it belongs now, and out of sight. */
function leave(part: SVGGElement, box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }, home: Point | undefined, { shift, ghosts }: Course): void {
  const start = { x: box.x - shift.x, y: box.y - shift.y };
  const end = centred(home, box) ?? start;
  part.removeAttribute('id');
  part.removeAttribute('data-item');
  part.classList.remove('gradviz-node');
  ghosts.append(part);
  part.animate([{ transform: translate(start), opacity: 0.9 }, { transform: translate(end), opacity: 0 }], { ...TIMING, fill: 'forwards' })
    .finished.catch(() => undefined)
    .finally(() => part.remove());
}

function centred(middle: Point | undefined, box: { readonly width: number; readonly height: number }): Point | undefined {
  return middle && { x: middle.x - box.width / 2, y: middle.y - box.height / 2 };
}

function slide(part: SVGGElement, from: Point): void {
  if (!near(from, { x: 0, y: 0 })) {
    part.animate([{ transform: translate(from) }, { transform: 'none' }], TIMING);
  }
}

function near(a: Point, b: Point): boolean {
  return Math.abs(a.x - b.x) < 0.5 && Math.abs(a.y - b.y) < 0.5;
}

function translate({ x, y }: Point): string {
  return `translate(${x}px, ${y}px)`;
}

function rect(box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }): Keyframe {
  return { x: `${box.x}px`, y: `${box.y}px`, width: `${box.width}px`, height: `${box.height}px` };
}

/** The item that a box is of. */
export function keyOf(boxKey: string): string {
  return boxKey.slice(0, boxKey.indexOf('\n'));
}

/** A link is named by its two ends. */
export function linkKey(source: string, target: string): string {
  return `${source}\n${target}`;
}

function ends(key: string): string[] {
  return key.split('\n');
}
