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
  /** Innermost frame of each node, -1 for none. */
  readonly groups: readonly number[];
  /** The frame around each frame, -1 for none; outer ones first. */
  readonly frameParents: readonly number[];
  /** What the owner calls each frame. */
  readonly frameKeys: readonly number[];
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
  /** Whether it comes from what stands beside its node, so that there is little room to write on it. */
  readonly beside: boolean;
  /** Whether it runs more sideways than down, so that it crosses what is written on it. */
  readonly level: boolean;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The frame of a group, or where others stand between its rows, of one run of them. */
export interface Band extends Size {
  /** One of `frameKeys`. */
  readonly group: number;
  readonly depth: number;
  /** Whether it is the group's first frame, which carries its name. */
  readonly first: boolean;
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
  bandSide: 8,
  bandHead: 24
} as const;
