/** What the layout is given and what it gives back: numbers only, no graph types, no DOM. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * How a node stands in the picture: `row` on a row of its own, `side` beside the operation that uses
 * it, `alias` as a small repetition of a node that already stands elsewhere.
 */
export type Form = 'row' | 'side' | 'alias';

export interface LayoutInput {
  readonly count: number;
  readonly edges: readonly { readonly source: number; readonly target: number; readonly tracked: boolean }[];
  /** Innermost group of each node, -1 for none. */
  readonly groups: readonly number[];
  /**
   * How much a node without inputs wants to open the picture: the data before the parameters. Branches
   * that hold nothing above `SUPPORTING` never become the spine while another way is there.
   */
  readonly prominence: readonly number[];
  /** Room a node wants above its row, for what is written on the edges into it. */
  readonly headroom: readonly number[];
  /** Room a node wants between itself and what stands beside it, for what is written on those edges. */
  readonly sideRoom: readonly number[];
  /** Nodes the picture leads to: the spine ends at the first that is computed. */
  readonly ends: readonly number[];
  readonly size: (node: number, form: Form) => Size;
}

export interface Box extends Size {
  readonly node: number;
  readonly form: Form;
  /** Left top corner. */
  readonly x: number;
  readonly y: number;
  readonly rank: number;
}

export interface Link {
  readonly edge: number;
  /** An SVG path. */
  readonly path: string;
  /** Where a mark on the edge stands. */
  readonly mark: Point;
  readonly top: number;
  readonly bottom: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A run of rows that belong to one group. */
export interface Band extends Size {
  readonly group: number;
  readonly x: number;
  readonly y: number;
}

export interface Layout extends Size {
  readonly boxes: readonly Box[];
  readonly links: readonly Link[];
  readonly bands: readonly Band[];
}

/** Prominence of parameters and constants, at most. */
export const SUPPORTING = 3;

/** Distances of the picture, in its own units. */
export const SPACE = {
  row: 30,
  lane: 44,
  chip: 8,
  chipToNode: 26,
  gutter: 12,
  margin: 24,
  bandPad: 10,
  bandHead: 18
} as const;
