/** Edges: straight in their lane, curved between neighbouring rows, bowed outside where they skip rows. */
import type { Placement } from './place';
import type { Grid } from './ranks';
import { SPACE, type Box, type LayoutInput, type Link, type Point } from './types';

/** How an edge between two rows runs; `at` is the lane it runs down in or beside. */
export type Way =
  | { readonly kind: 'near' }
  | { readonly kind: 'lane'; readonly at: number }
  | { readonly kind: 'gutter'; readonly at: number; readonly slot: number };

export interface Ways {
  readonly way: ReadonlyMap<number, Way>;
  /** Slots used beside each lane. */
  readonly gutters: ReadonlyMap<number, number>;
}

const MOST_SLOTS = 24;

/** Decides the ways before anything has coordinates, because lanes must leave room for the bows. */
export function ways(input: LayoutInput, grid: Grid): Ways {
  const way = new Map<number, Way>();
  const skips = new Map<number, Map<number, { start: number; end: number; edges: number[] }>>();
  const taken = occupiedRows(grid);
  input.edges.forEach(({ source, target }, edge) => {
    const from = grid.rank[source]!;
    const to = grid.rank[target]!;
    if (from < 0 || to < 0 || source === target || (grid.opens[source] && to !== from + 1)) {
      return;
    }
    const a = grid.lane[source]!;
    const b = grid.lane[target]!;
    if (to <= from + 1) {
      way.set(edge, { kind: 'near' });
    } else if (isFree(taken, b, from + 1, to - 1)) {
      way.set(edge, { kind: 'lane', at: b });
    } else if (isFree(taken, a, from + 1, to - 1)) {
      way.set(edge, { kind: 'lane', at: a });
    } else {
      const lane = b > a ? b - 1 : b;
      const bySource = skips.get(lane) ?? new Map();
      skips.set(lane, bySource);
      const run = bySource.get(source) ?? { start: from, end: to, edges: [] as number[] };
      run.end = Math.max(run.end, to);
      run.edges.push(edge);
      bySource.set(source, run);
    }
  });
  const gutters = new Map<number, number>();
  for (const [lane, bySource] of skips) {
    // Short bows inside, long ones outside: they then don't cross.
    const runs = [...bySource.values()].sort((x, y) => x.end - x.start - (y.end - y.start) || x.start - y.start);
    const slots: { start: number; end: number }[][] = [];
    for (const run of runs) {
      let slot = slots.findIndex(used => used.every(other => other.end <= run.start || other.start >= run.end));
      if (slot < 0 && slots.length < MOST_SLOTS) {
        slot = slots.push([]) - 1;
      }
      slot = slot < 0 ? run.start % MOST_SLOTS : slot;
      if (slots[slot]!.length < 200) {
        slots[slot]!.push(run);
      }
      run.edges.forEach(edge => way.set(edge, { kind: 'gutter', at: lane, slot }));
    }
    gutters.set(lane, slots.length);
  }
  return { way, gutters };
}

function occupiedRows(grid: Grid): Map<number, number[]> {
  const taken = new Map<number, Set<number>>();
  grid.rank.forEach((rank, node) => {
    if (rank >= 0) {
      const lane = grid.lane[node]!;
      taken.set(lane, (taken.get(lane) ?? new Set()).add(rank));
    }
  });
  return new Map([...taken].map(([lane, rows]) => [lane, [...rows].sort((a, b) => a - b)]));
}

function isFree(taken: ReadonlyMap<number, readonly number[]>, lane: number, from: number, to: number): boolean {
  const rows = taken.get(lane) ?? [];
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]! < from) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low === rows.length || rows[low]! > to;
}

export function route(input: LayoutInput, grid: Grid, { way }: Ways, placement: Placement): Link[] {
  const links: Link[] = [];
  const ports = entryPorts(input, way, placement);
  for (const { box, edge } of placement.sides) {
    const target = placement.rowBox[input.edges[edge]!.target]!;
    const start = { x: box.x + box.width, y: box.y + box.height / 2 };
    const end = { x: target.x, y: sidePort(start.y, target) };
    const bend = (end.x - start.x) * 0.5;
    const path = `M${p(start)}C${p({ x: start.x + bend, y: start.y })} ${p({ x: end.x - bend, y: end.y })} ${p(end)}`;
    links.push({ ...link(edge, path, between(start, end), start, end), beside: true });
  }
  for (const [edge, how] of way) {
    const { source, target } = input.edges[edge]!;
    const from = placement.rowBox[source]!;
    const to = placement.rowBox[target]!;
    const end = { x: ports.get(edge)!, y: to.y };
    const bottom = { x: from.x + from.width / 2, y: from.y + from.height };
    if (how.kind === 'near') {
      links.push(link(edge, `M${p(bottom)}${curve(bottom, end)}`, between(bottom, end), bottom, end));
      continue;
    }
    const x = how.kind === 'lane'
      ? placement.laneCenter.get(how.at)!
      : (placement.laneRight.get(how.at) ?? from.x) + (how.slot + 1.2) * SPACE.gutter + 4;
    const rankFrom = grid.rank[source]!;
    const rankTo = grid.rank[target]!;
    const beside = how.kind === 'gutter' && how.at === grid.lane[source];
    const start = beside ? { x: from.x + from.width, y: from.y + from.height / 2 } : bottom;
    const turn = { x, y: beside ? from.y + from.height + 8 : placement.rowTop[rankFrom + 1]! };
    const leave = { x, y: Math.max(turn.y, placement.rowBottom[rankTo - 1]! + 4) };
    const first = beside
      ? `C${p({ x: x - 2, y: start.y })} ${p({ x, y: start.y })} ${p(turn)}`
      : curve(start, turn);
    const path = `M${p(start)}${first}L${p(leave)}${curve(leave, end)}`;
    links.push(link(edge, path, between(turn, leave), start, end));
  }
  return links;
}

/** Where edges enter the top of a node: side by side in the order they come from. */
function entryPorts(input: LayoutInput, way: ReadonlyMap<number, Way>, placement: Placement): Map<number, number> {
  const entering = new Map<number, { edge: number; from: number }[]>();
  for (const [edge, how] of way) {
    const { source, target } = input.edges[edge]!;
    const from = how.kind === 'near'
      ? center(placement.rowBox[source]!)
      : how.kind === 'lane'
        ? placement.laneCenter.get(how.at)!
        : (placement.laneRight.get(how.at) ?? 0) + how.slot;
    const list = entering.get(target);
    if (list) {
      list.push({ edge, from });
    } else {
      entering.set(target, [{ edge, from }]);
    }
  }
  const ports = new Map<number, number>();
  for (const [target, list] of entering) {
    const box = placement.rowBox[target]!;
    const middle = center(box);
    list.sort((a, b) => a.from - b.from);
    const straight = list.findIndex(item => Math.abs(item.from - middle) < 1);
    const gap = Math.min(18, (box.width - 24) / Math.max(1, list.length));
    const zero = straight >= 0 ? straight : (list.length - 1) / 2;
    const reach = box.width / 2 - 10;
    list.forEach((item, at) =>
      ports.set(item.edge, middle + Math.max(-reach, Math.min(reach, (at - zero) * gap)))
    );
  }
  return ports;
}

function center(box: Box): number {
  return box.x + box.width / 2;
}

/** Height at which a chip's edge enters its node: its own height, kept off the corners. */
function sidePort(y: number, box: Box): number {
  // Also two that enter a box of one line keep their arrow heads apart.
  const inset = Math.min(12, box.height * 0.27);
  return Math.max(box.y + inset, Math.min(box.y + box.height - inset, y));
}

function curve(from: Point, to: Point): string {
  if (Math.abs(from.x - to.x) < 0.5) {
    return `L${p(to)}`;
  }
  const bend = Math.max(12, Math.min(48, Math.abs(to.y - from.y) * 0.55));
  return `C${p({ x: from.x, y: from.y + bend })} ${p({ x: to.x, y: to.y - bend })} ${p(to)}`;
}

function between(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

function link(edge: number, path: string, mark: Point, from: Point, to: Point): Link {
  return { edge, path, mark, top: Math.min(from.y, to.y), bottom: Math.max(from.y, to.y), beside: false, level: Math.abs(to.x - from.x) > 2 * Math.abs(to.y - from.y) };
}

function p(point: Point): string {
  return `${Math.round(point.x * 10) / 10} ${Math.round(point.y * 10) / 10}`;
}
