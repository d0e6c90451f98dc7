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

export type { Band, Box, Form, Layout, LayoutInput, Link, Point, Size } from './types';

export function layout(input: LayoutInput): Layout {
  if (input.count === 0) {
    return { boxes: [], links: [], bands: [], width: 0, height: 0 };
  }
  const rowsAndLanes = grid(input);
  const chosen = ways(input, rowsAndLanes);
  const groups = runs(input, rowsAndLanes);
  const placement = place(input, rowsAndLanes, chosen.gutters, roomFor(rowsAndLanes, groups));
  const boxes: Box[] = [
    ...placement.rowBox.filter(box => box !== undefined),
    ...placement.sides.map(side => side.box)
  ];
  return {
    boxes,
    links: route(input, rowsAndLanes, chosen, placement),
    bands: bands(groups, placement),
    width: placement.width,
    height: placement.height
  };
}
