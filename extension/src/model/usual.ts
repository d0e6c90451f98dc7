/** What most of a graph has in common: a picture says it once, in its legend, and names only what differs. */
import { REQUIREMENTS } from './data';
import type { Model } from './model';

const COMPUTED = REQUIREMENTS.indexOf('grad_in_backward');

export interface Usual {
  readonly dtype: string;
  /** The kind of most that is tracked, and of most that isn't. */
  readonly tracked: string;
  readonly untracked: string;
  /** Whether a backward pass has used up all that it can: after each step of training. */
  readonly consumed: boolean;
}

const known = new WeakMap<Model, Usual>();

export function usualOf(model: Model): Usual {
  let usual = known.get(model);
  if (!usual) {
    const { consumed, dtype, kind, requirement, strings } = model.columns;
    const most = (column: ArrayLike<number>, counts: (node: number) => boolean): string =>
      strings[mostCommon(column, model.count, counts)] ?? '';
    usual = {
      dtype: most(dtype, () => true),
      tracked: most(kind, node => requirement[node] !== 0),
      untracked: most(kind, node => requirement[node] === 0),
      consumed: isAll(model.count, node => requirement[node] === COMPUTED, node => consumed[node] === 1)
    };
    known.set(model, usual);
  }
  return usual;
}

/** Whether something counts, and all that counts is so. */
function isAll(length: number, counts: (at: number) => boolean, is: (at: number) => boolean): boolean {
  let some = false;
  for (let at = 0; at < length; at++) {
    if (counts(at)) {
      if (!is(at)) {
        return false;
      }
      some = true;
    }
  }
  return some;
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
