/** Where the edits of a fix belong in a set of cells. Text and numbers only, so that it is tested without JupyterLab. */
import type { EditView } from '../protocol';
import { offsetOf } from '../text';

export interface CellText {
  readonly id: string;
  readonly source: string;
}

export interface Replacement {
  readonly cell: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export type Plan =
  | { readonly fits: true; readonly replacements: readonly Replacement[] }
  | { readonly fits: false; readonly reason: string };

/**
 * Every edit as a replacement in one of the cells, last places first so that earlier ones stay valid;
 * or why that can't be done. An edit fits only where exactly its original text stands.
 */
export function plan(cells: readonly CellText[], edits: readonly EditView[]): Plan {
  if (edits.length === 0) {
    return { fits: false, reason: 'this fix holds no edit.' };
  }
  const home = homeCell(cells, edits);
  if (!home.fits) {
    return home;
  }
  const replacements = edits.map(edit => replacementIn(cells, home.cellOf(edit), edit)!);
  replacements.sort((a, b) => a.cell - b.cell || b.start - a.start || b.end - a.end);
  for (let at = 1; at < replacements.length; at++) {
    const [later, earlier] = [replacements[at - 1]!, replacements[at]!];
    if (later.cell === earlier.cell && earlier.end > later.start) {
      return { fits: false, reason: 'the edits of this fix overlap.' };
    }
  }
  return { fits: true, replacements };
}

type Home =
  | { readonly fits: true; readonly cellOf: (edit: EditView) => number }
  | { readonly fits: false; readonly reason: string };

/** Edits of one source file go to one cell: the one whose id the kernel knew, else the only one they all fit. */
function homeCell(cells: readonly CellText[], edits: readonly EditView[]): Home {
  const chosen = new Map<string, number>();
  for (const file of new Set(edits.map(edit => edit.filename))) {
    const own = edits.filter(edit => edit.filename === file);
    const id = own[0]!.cell;
    const named = id === null ? -1 : cells.findIndex(cell => cell.id === id);
    if (named >= 0) {
      if (!own.every(edit => replacementIn(cells, named, edit))) {
        return { fits: false, reason: 'the cell has changed since it was run. Run it again to get a fix for its present text.' };
      }
      chosen.set(file, named);
      continue;
    }
    const fitting = cells.flatMap((_, at) => (own.every(edit => replacementIn(cells, at, edit)) ? [at] : []));
    if (fitting.length === 0) {
      return { fits: false, reason: 'no cell holds the code this fix was made for: it has changed since it was run, or stands in another file.' };
    }
    if (fitting.length > 1) {
      return { fits: false, reason: `${fitting.length} cells hold this code, and it isn't known which of them was run.` };
    }
    chosen.set(file, fitting[0]!);
  }
  return { fits: true, cellOf: edit => chosen.get(edit.filename)! };
}

function replacementIn(cells: readonly CellText[], cell: number, edit: EditView): Replacement | undefined {
  const { source } = cells[cell]!;
  const start = offsetOf(source, edit.line, edit.col);
  const end = offsetOf(source, edit.end_line, edit.end_col);
  if (start === undefined || end === undefined || end < start || source.slice(start, end) !== edit.original) {
    return undefined;
  }
  return { cell, start, end, text: edit.replacement };
}
