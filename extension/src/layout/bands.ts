/** Runs of neighbouring rows in one lane that belong to the same group: drawn as a quiet frame with its name. */
import type { Placement, RowRoom } from './place';
import type { Grid } from './ranks';
import { SPACE, type Band, type LayoutInput } from './types';

export interface Run {
  readonly group: number;
  readonly nodes: readonly number[];
}

export function runs(input: LayoutInput, grid: Grid): Run[] {
  const found: { group: number; nodes: number[] }[] = [];
  const byPlace = Array.from({ length: input.count }, (_, node) => node)
    .filter(node => grid.rank[node]! >= 0)
    .sort((a, b) => grid.lane[a]! - grid.lane[b]! || grid.rank[a]! - grid.rank[b]!);
  let previous = -1;
  for (const node of byPlace) {
    const group = input.groups[node]!;
    const follows =
      previous >= 0 &&
      input.groups[previous] === group &&
      grid.lane[previous] === grid.lane[node] &&
      grid.rank[previous]! + 1 === grid.rank[node];
    if (group >= 0) {
      if (follows) {
        found[found.length - 1]!.nodes.push(node);
      } else {
        found.push({ group, nodes: [node] });
      }
    }
    previous = node;
  }
  return found;
}

/** Rows where a frame begins or ends need room for its name and its edge. */
export function roomFor(grid: Grid, groups: readonly Run[]): RowRoom {
  const before = new Float64Array(grid.rows);
  const after = new Float64Array(grid.rows);
  for (const { nodes } of groups) {
    before[grid.rank[nodes[0]!]!] = SPACE.bandHead + SPACE.bandPad - 6;
    after[grid.rank[nodes[nodes.length - 1]!]!] = SPACE.bandPad;
  }
  return { before, after };
}

export function bands(groups: readonly Run[], placement: Placement): Band[] {
  const leftOf = new Map<number, number>();
  for (const { box, owner } of placement.sides) {
    leftOf.set(owner, Math.min(leftOf.get(owner) ?? Infinity, box.x));
  }
  return groups.map(({ group, nodes }) => {
    let left = Infinity;
    let right = -Infinity;
    for (const node of nodes) {
      const box = placement.rowBox[node]!;
      left = Math.min(left, box.x, leftOf.get(node) ?? Infinity);
      right = Math.max(right, box.x + box.width);
    }
    const first = placement.rowBox[nodes[0]!]!.rank;
    const last = placement.rowBox[nodes[nodes.length - 1]!]!.rank;
    const x = left - SPACE.bandPad;
    const y = placement.rowTop[first]! - SPACE.bandHead;
    return {
      group,
      x,
      y,
      width: right + SPACE.bandPad - x,
      height: placement.rowBottom[last]! + SPACE.bandPad - y
    };
  });
}
