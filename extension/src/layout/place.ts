/** Coordinates of rows, lanes and the chips beside them. */
import type { Grid } from './ranks';
import { SPACE, type Box, type Form, type LayoutInput, type Size } from './types';

/** A node beside the operation that uses it (`owner`); `edge` is the use. */
export interface SideBox {
  readonly box: Box;
  readonly edge: number;
  readonly owner: number;
}

export interface Placement {
  /** The box of a node that stands in a row, by node. */
  readonly rowBox: readonly (Box | undefined)[];
  readonly sides: readonly SideBox[];
  readonly laneCenter: ReadonlyMap<number, number>;
  /** Where the lane's own boxes end; edges that skip rows run beyond it. */
  readonly laneRight: ReadonlyMap<number, number>;
  readonly rowTop: Float64Array;
  readonly rowBottom: Float64Array;
  readonly width: number;
  readonly height: number;
}

interface Side {
  readonly node: number;
  readonly edge: number;
  readonly form: Form;
  readonly size: Size;
  dx: number;
  dy: number;
}

/** Extra room above and below rows, asked for by group bands. */
export interface RowRoom {
  readonly before: Float64Array;
  readonly after: Float64Array;
  /** Room on both sides of every lane. */
  readonly beside: number;
}

export function place(
  input: LayoutInput,
  grid: Grid,
  gutters: ReadonlyMap<number, number>,
  room: RowRoom
): Placement {
  const sides = sidesOf(input, grid);
  const extents = sides.map((list, node) => (list ? stack(list, input.sideRoom[node]!) : { width: 0, height: 0 }));
  const sizes: (Size | undefined)[] = Array.from({ length: input.count }, (_, node) =>
    grid.rank[node]! >= 0 ? input.size(node, 'row') : undefined
  );
  const { rowTop, rowBottom, height } = rows(input, grid, sizes, extents, room);
  const { laneCenter, laneRight, width } = lanes(input, grid, sizes, extents, gutters, room.beside);

  const rowBox: (Box | undefined)[] = [];
  const sideBoxes: SideBox[] = [];
  for (let node = 0; node < input.count; node++) {
    const size = sizes[node];
    if (!size) {
      rowBox.push(undefined);
      continue;
    }
    const rank = grid.rank[node]!;
    const middle = (rowTop[rank]! + rowBottom[rank]!) / 2;
    const x = laneCenter.get(grid.lane[node]!)! - size.width / 2;
    rowBox.push({ node, form: 'row', x, y: middle - size.height / 2, rank, ...size });
    for (const side of sides[node] ?? []) {
      const box = {
        node: side.node,
        form: side.form,
        x: x - SPACE.chipToNode - input.sideRoom[node]! - side.dx - side.size.width,
        y: middle - extents[node]!.height / 2 + side.dy,
        rank,
        ...side.size
      };
      sideBoxes.push({ box, edge: side.edge, owner: node });
    }
  }
  return { rowBox, sides: sideBoxes, laneCenter, laneRight, rowTop, rowBottom, width, height };
}

/** What stands beside each row node: its inputs that have no row, whole at one use, as an alias at the others. */
function sidesOf(input: LayoutInput, grid: Grid): (Side[] | undefined)[] {
  const home = homeUses(input, grid);
  const sides: (Side[] | undefined)[] = Array.from({ length: input.count });
  for (let node = 0; node < input.count; node++) {
    if (grid.rank[node]! < 0) {
      continue;
    }
    for (const edge of grid.into[node]!) {
      const { source } = input.edges[edge]!;
      // A node that opens a lane stands right above its first use; at farther ones it is repeated.
      const opens = grid.opens[source] === 1;
      if (grid.rank[source]! >= 0 && !(opens && grid.rank[node]! !== grid.rank[source]! + 1)) {
        continue;
      }
      const form: Form = opens || home[source] !== edge ? 'alias' : 'side';
      (sides[node] ??= []).push({ node: source, edge, form, size: input.size(source, form), dx: 0, dy: 0 });
    }
  }
  return sides;
}

/** The use at which a node without a row is drawn whole: in its own group, else nearest to the spine and the top. */
function homeUses(input: LayoutInput, grid: Grid): Int32Array {
  const home = new Int32Array(input.count).fill(-1);
  const cost = new Float64Array(input.count).fill(Infinity);
  input.edges.forEach(({ source, target }, edge) => {
    const away = input.groups[source]! >= 0 && input.groups[source] !== input.groups[target] ? 1e12 : 0;
    const price = away + Math.abs(grid.lane[target]!) * 1e7 + grid.rank[target]!;
    if (grid.rank[source]! < 0 && price < cost[source]!) {
      cost[source] = price;
      home[source] = edge;
    }
  });
  return home;
}

/** Piles the chips of one node in columns; returns the room they take. */
function stack(sides: readonly Side[], room: number): Size {
  const perColumn = Math.max(3, Math.ceil(Math.sqrt(sides.length)));
  const heightOf = (column: readonly Side[]): number =>
    column.reduce((sum, side) => sum + side.size.height, 0) + SPACE.chip * (column.length - 1);
  const columns: Side[][] = [];
  for (let at = 0; at < sides.length; at += perColumn) {
    columns.push(sides.slice(at, at + perColumn));
  }
  const height = Math.max(...columns.map(heightOf));
  let offset = 0;
  for (const column of columns) {
    let y = (height - heightOf(column)) / 2;
    let width = 0;
    for (const side of column) {
      side.dx = offset;
      side.dy = y;
      y += side.size.height + SPACE.chip;
      width = Math.max(width, side.size.width);
    }
    offset += width + SPACE.chip;
  }
  return { width: offset - SPACE.chip + SPACE.chipToNode + room, height };
}

function rows(
  input: LayoutInput,
  grid: Grid,
  sizes: readonly (Size | undefined)[],
  extents: readonly Size[],
  room: RowRoom
): { rowTop: Float64Array; rowBottom: Float64Array; height: number } {
  const tall = new Float64Array(grid.rows);
  const head = new Float64Array(grid.rows);
  sizes.forEach((size, node) => {
    if (size) {
      const rank = grid.rank[node]!;
      head[rank] = Math.max(head[rank]!, input.headroom[node]!);
      tall[rank] = Math.max(tall[rank]!, size.height, extents[node]!.height);
    }
  });
  const rowTop = new Float64Array(grid.rows);
  const rowBottom = new Float64Array(grid.rows);
  let y: number = SPACE.margin;
  for (let rank = 0; rank < grid.rows; rank++) {
    if (tall[rank] === 0) {
      // No node stands in this row (the picture has no opening node): it takes no room.
      rowTop[rank] = rowBottom[rank] = y;
      continue;
    }
    y += Math.max(room.before[rank]!, head[rank]!);
    rowTop[rank] = y;
    rowBottom[rank] = y + tall[rank]!;
    y = rowBottom[rank]! + room.after[rank]! + SPACE.row;
  }
  return { rowTop, rowBottom, height: y - SPACE.row + SPACE.margin };
}

function lanes(
  input: LayoutInput,
  grid: Grid,
  sizes: readonly (Size | undefined)[],
  extents: readonly Size[],
  gutters: ReadonlyMap<number, number>,
  beside: number
): { laneCenter: Map<number, number>; laneRight: Map<number, number>; width: number } {
  const left = new Map<number, number>();
  const right = new Map<number, number>();
  sizes.forEach((size, node) => {
    if (size) {
      const lane = grid.lane[node]!;
      left.set(lane, Math.max(left.get(lane) ?? 0, size.width / 2 + extents[node]!.width));
      // What is written on the edges above a node begins in its middle.
      const written = input.headroom[node]! > 0 ? input.sideRoom[node]! : 0;
      right.set(lane, Math.max(right.get(lane) ?? 0, size.width / 2, written));
    }
  });
  const laneCenter = new Map<number, number>();
  const laneRight = new Map<number, number>();
  let x = SPACE.margin + beside;
  for (const lane of [...left.keys()].sort((a, b) => a - b)) {
    const center = x + left.get(lane)!;
    laneCenter.set(lane, center);
    laneRight.set(lane, center + right.get(lane)!);
    x = center + right.get(lane)! + (gutters.get(lane) ?? 0) * SPACE.gutter + SPACE.lane + 2 * beside;
  }
  return { laneCenter, laneRight, width: x - SPACE.lane - beside + SPACE.margin };
}
