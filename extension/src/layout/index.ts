/**
 * The layered layout of a gradient graph. Linear and iterative: depth costs time, never stack.
 *
 * The longest chain of operations is a straight spine; other chains stand in lanes beside it; leaves and
 * constants stand beside the operation that uses them, repeated as a small alias at further uses; edges
 * that skip rows bow outside.
 */
import { bands, roomFor, runs } from './bands';
import { place } from './place';
import { grid } from './ranks';
import { route, ways } from './route';
import type { Box, Layout, LayoutInput } from './types';

export { pack, unpack, type Packed } from './pack';
export type { Band, Box, Form, Layout, LayoutInput, Link, Point, Size } from './types';

export const EMPTY: Layout = { boxes: [], links: [], bands: [], width: 0, height: 0 };

export function layout(input: LayoutInput): Layout {
  const steps = layoutSteps(input);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) {
      return step.value;
    }
  }
}

/** The layout in steps, so that whoever runs it can do something between; yields how much is done, up to 1. */
export function* layoutSteps(input: LayoutInput): Generator<number, Layout, void> {
  if (input.count === 0) {
    return EMPTY;
  }
  const rowsAndLanes = grid(input);
  yield 0.4;
  const chosen = ways(input, rowsAndLanes);
  yield 0.55;
  const groups = runs(input, rowsAndLanes);
  yield 0.65;
  const placement = place(input, rowsAndLanes, chosen.gutters, roomFor(rowsAndLanes, groups));
  yield 0.8;
  const boxes: Box[] = [
    ...placement.rowBox.filter(box => box !== undefined),
    ...placement.sides.map(side => side.box)
  ];
  return {
    boxes,
    links: route(input, rowsAndLanes, chosen, placement),
    bands: bands(input, groups, placement),
    width: placement.width,
    height: placement.height
  };
}
