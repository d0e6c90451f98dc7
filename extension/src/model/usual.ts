/** What most of a graph has in common: a picture says it once, in its legend, and names only what differs. */
import type { Model } from './model';

export interface Usual {
  readonly dtype: string;
  /** The kind of most that is tracked, and of most that isn't. */
  readonly tracked: string;
  readonly untracked: string;
}

const known = new WeakMap<Model, Usual>();

export function usualOf(model: Model): Usual {
  let usual = known.get(model);
  if (!usual) {
    const { dtype, kind, requirement, strings } = model.columns;
    const most = (column: ArrayLike<number>, counts: (node: number) => boolean): string =>
      strings[mostCommon(column, model.count, counts)] ?? '';
    usual = {
      dtype: most(dtype, () => true),
      tracked: most(kind, node => requirement[node] !== 0),
      untracked: most(kind, node => requirement[node] === 0)
    };
    known.set(model, usual);
  }
  return usual;
}

/** The entry that comes most often, the first of several; 0 where none counts. */
function mostCommon(column: ArrayLike<number>, length: number, counts: (at: number) => boolean): number {
  const seen = new Map<number, number>();
  let best = 0;
  let most = 0;
  for (let at = 0; at < length; at++) {
    if (counts(at)) {
      const times = (seen.get(column[at]!) ?? 0) + 1;
      seen.set(column[at]!, times);
      if (times > most) {
        most = times;
        best = column[at]!;
      }
    }
  }
  return best;
}
