/**
 * Frames around what belongs together. A group whose rows and lanes nobody else stands in gets one frame;
 * one that shares them gets a frame for each of its runs. Frames nest.
 */
import type { Placement, RowRoom } from './place';
import type { Grid } from './ranks';
import { SPACE, type Band, type LayoutInput } from './types';

/** Row nodes that one frame goes around. */
export interface Run {
  readonly frame: number;
  readonly nodes: readonly number[];
  readonly top: number;
  readonly bottom: number;
  readonly first: boolean;
  /** Room that frames inside take above, below and beside. */
  above: number;
  below: number;
  beside: number;
}

/** Frames of one group; where it is more torn than that, its largest parts are framed. */
const MOST_PIECES = 40;

interface Standing {
  /** Ranks of the nodes in each lane, ascending, and these nodes. */
  readonly ranks: ReadonlyMap<number, number[]>;
  readonly nodes: ReadonlyMap<number, number[]>;
}

export function runs(input: LayoutInput, grid: Grid): Run[] {
  const standing = whoStandsWhere(input, grid);
  const members = membersOf(input, grid);
  const found: Run[] = [];
  members.forEach((nodes, frame) => {
    if (nodes.length > 0) {
      found.push(...(isAlone(nodes, grid, standing) ? [run(frame, nodes, grid, true)] : piecesOf(frame, nodes, grid, standing)));
    }
  });
  nest(input, found);
  return found;
}

function whoStandsWhere(input: LayoutInput, grid: Grid): Standing {
  const order = Array.from({ length: input.count }, (_, node) => node)
    .filter(node => grid.rank[node]! >= 0)
    .sort((a, b) => grid.rank[a]! - grid.rank[b]!);
  const ranks = new Map<number, number[]>();
  const nodes = new Map<number, number[]>();
  for (const node of order) {
    const lane = grid.lane[node]!;
    if (!nodes.has(lane)) {
      nodes.set(lane, []);
      ranks.set(lane, []);
    }
    nodes.get(lane)!.push(node);
    ranks.get(lane)!.push(grid.rank[node]!);
  }
  return { ranks, nodes };
}

/** Nodes in rows of each frame, those of frames inside it included. */
function membersOf(input: LayoutInput, grid: Grid): number[][] {
  const members: number[][] = input.frameParents.map(() => []);
  for (let node = 0; node < input.count; node++) {
    if (grid.rank[node]! >= 0) {
      for (let frame = input.groups[node]!; frame >= 0; frame = input.frameParents[frame]!) {
        members[frame]!.push(node);
      }
    }
  }
  return members;
}

/** Whether nobody else stands in the rectangle that some nodes span. */
function isAlone(nodes: readonly number[], grid: Grid, { ranks }: Standing): boolean {
  let [top, bottom, left, right] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const node of nodes) {
    top = Math.min(top, grid.rank[node]!);
    bottom = Math.max(bottom, grid.rank[node]!);
    left = Math.min(left, grid.lane[node]!);
    right = Math.max(right, grid.lane[node]!);
  }
  let inside = 0;
  for (let lane = left; lane <= right; lane++) {
    const rows = ranks.get(lane) ?? [];
    inside += lower(rows, bottom + 1) - lower(rows, top);
  }
  return inside === nodes.length;
}

/** Neighbours in each lane, as far as nobody else stands between them. */
function piecesOf(frame: number, nodes: readonly number[], grid: Grid, standing: Standing): Run[] {
  const own = new Set(nodes);
  const lanes = new Set(nodes.map(node => grid.lane[node]!));
  const pieces: number[][] = [];
  for (const lane of [...lanes].sort((a, b) => a - b)) {
    let piece: number[] = [];
    for (const node of standing.nodes.get(lane)!) {
      if (own.has(node)) {
        if (piece.length === 0) {
          pieces.push(piece);
        }
        piece.push(node);
      } else {
        piece = [];
      }
    }
  }
  pieces.sort((a, b) => b.length - a.length || grid.rank[a[0]!]! - grid.rank[b[0]!]!);
  return pieces.slice(0, MOST_PIECES).map((piece, at) => run(frame, piece, grid, at === 0));
}

function run(frame: number, nodes: readonly number[], grid: Grid, first: boolean): Run {
  let [top, bottom] = [Infinity, -Infinity];
  for (const node of nodes) {
    top = Math.min(top, grid.rank[node]!);
    bottom = Math.max(bottom, grid.rank[node]!);
  }
  return { frame, nodes, top, bottom, first, above: 0, below: 0, beside: 0 };
}

/** Adds up the room of frames in frames. Inner frames come later, so backwards they are done first. */
function nest(input: LayoutInput, found: readonly Run[]): void {
  const byFrame = new Map<number, Run[]>();
  for (const item of found) {
    const list = byFrame.get(item.frame);
    if (list) {
      list.push(item);
    } else {
      byFrame.set(item.frame, [item]);
    }
  }
  for (let at = found.length - 1; at >= 0; at--) {
    const inner = found[at]!;
    for (const outer of byFrame.get(input.frameParents[inner.frame]!) ?? []) {
      if (outer.top <= inner.top && inner.bottom <= outer.bottom) {
        outer.beside = Math.max(outer.beside, inner.beside + SPACE.bandSide);
        if (outer.top === inner.top) {
          outer.above = Math.max(outer.above, inner.above + SPACE.bandHead);
        }
        if (outer.bottom === inner.bottom) {
          outer.below = Math.max(outer.below, inner.below + SPACE.bandPad);
        }
      }
    }
  }
}

/** Rows where frames begin or end need room for their names and edges, lanes for frames beside each other. */
export function roomFor(grid: Grid, found: readonly Run[]): RowRoom {
  const before = new Float64Array(grid.rows);
  const after = new Float64Array(grid.rows);
  let beside = 0;
  for (const { top, bottom, above, below, beside: inner } of found) {
    before[top] = Math.max(before[top]!, above + SPACE.bandHead + 4);
    after[bottom] = Math.max(after[bottom]!, below + SPACE.bandPad);
    beside = Math.max(beside, inner);
  }
  return { before, after, beside };
}

export function bands(input: LayoutInput, found: readonly Run[], placement: Placement): Band[] {
  const leftOf = new Map<number, number>();
  for (const { box, owner } of placement.sides) {
    leftOf.set(owner, Math.min(leftOf.get(owner) ?? Infinity, box.x));
  }
  return found.map(({ frame, nodes, top, bottom, above, below, beside, first }) => {
    let left = Infinity;
    let right = -Infinity;
    for (const node of nodes) {
      const box = placement.rowBox[node]!;
      left = Math.min(left, box.x, leftOf.get(node) ?? Infinity);
      right = Math.max(right, box.x + box.width);
    }
    const pad = SPACE.bandPad + beside;
    const y = placement.rowTop[top]! - above - SPACE.bandHead;
    let depth = 0;
    for (let at = input.frameParents[frame]!; at >= 0; at = input.frameParents[at]!) {
      depth += 1;
    }
    return {
      group: input.frameKeys[frame]!,
      depth,
      first,
      x: left - pad,
      y,
      width: right - left + 2 * pad,
      height: placement.rowBottom[bottom]! + below + SPACE.bandPad - y
    };
  });
}

function lower(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
