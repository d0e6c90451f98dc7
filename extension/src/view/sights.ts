/** Which boxes and links of a layout are in a rectangle: a grid of cells, filled once. */
import type { Box, Layout } from '../layout';

export interface Sight {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const CELL = 600;

export class Sights {
  private readonly cells = new Map<number, number[]>();
  /** Links by the row band they pass; long ones are kept apart. */
  private readonly linkBands = new Map<number, number[]>();
  private readonly longLinks: number[] = [];
  private readonly columns: number;

  constructor(private readonly layout: Layout) {
    this.columns = Math.ceil(layout.width / CELL) + 1;
    layout.boxes.forEach((box, at) => {
      for (const cell of this.cellsOf({ left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height })) {
        add(this.cells, cell, at);
      }
    });
    layout.links.forEach((link, at) => {
      const first = Math.floor(link.top / CELL);
      const last = Math.floor(link.bottom / CELL);
      if (last - first > 8) {
        this.longLinks.push(at);
        return;
      }
      for (let band = first; band <= last; band++) {
        add(this.linkBands, band, at);
      }
    });
  }

  /** Boxes that touch the rectangle. */
  boxes(sight: Sight): number[] {
    const seen = new Set<number>();
    for (const cell of this.cellsOf(sight)) {
      for (const at of this.cells.get(cell) ?? []) {
        if (touches(this.layout.boxes[at]!, sight)) {
          seen.add(at);
        }
      }
    }
    return [...seen];
  }

  /** Links that pass the rows of the rectangle. */
  links({ top, bottom }: Sight): number[] {
    const seen = new Set<number>();
    const inSight = (at: number): void => {
      const link = this.layout.links[at]!;
      if (link.bottom >= top && link.top <= bottom) {
        seen.add(at);
      }
    };
    this.longLinks.forEach(inSight);
    const last = Math.min(Math.floor(bottom / CELL), Math.floor(this.layout.height / CELL));
    for (let band = Math.max(0, Math.floor(top / CELL)); band <= last; band++) {
      this.linkBands.get(band)?.forEach(inSight);
    }
    return [...seen];
  }

  /** The box at a point. */
  at(x: number, y: number): number | undefined {
    return this.boxes({ left: x, top: y, right: x, bottom: y }).at(-1);
  }

  private *cellsOf({ left, top, right, bottom }: Sight): Iterable<number> {
    const lastColumn = Math.min(Math.floor(right / CELL), this.columns - 1);
    const lastRow = Math.min(Math.floor(bottom / CELL), Math.floor(this.layout.height / CELL));
    for (let row = Math.max(0, Math.floor(top / CELL)); row <= lastRow; row++) {
      for (let column = Math.max(0, Math.floor(left / CELL)); column <= lastColumn; column++) {
        yield row * this.columns + column;
      }
    }
  }
}

/** Whether a box has a part in the rectangle. */
export function touches(box: Pick<Box, 'x' | 'y' | 'width' | 'height'>, { left, top, right, bottom }: Sight): boolean {
  return box.x <= right && box.x + box.width >= left && box.y <= bottom && box.y + box.height >= top;
}

function add(lists: Map<number, number[]>, key: number, value: number): void {
  const list = lists.get(key);
  if (list) {
    list.push(value);
  } else {
    lists.set(key, [value]);
  }
}
