/**
 * Stretches that repeat in a sequence: "a b c a b c a b c" is three times "a b c". Entries are compared by
 * signatures, whole numbers that are equal where what they stand for looks the same.
 */

export interface Repeat {
  readonly start: number;
  readonly period: number;
  readonly times: number;
}

/** Next occurrences that are tried as the period. */
const TRIES = 6;
const LONGEST = 4096;
/** Comparisons for each entry, on average; sequences made to be slow are not searched to the end. */
const BUDGET = 60;

/** Repeats from left to right, without overlap. Short bodies must come more often to count. */
export function repeats(signatures: ArrayLike<number>): Repeat[] {
  const { length } = signatures;
  const next = nextOccurrences(signatures);
  const found: Repeat[] = [];
  let budget = BUDGET * length + 1000;
  let at = 0;
  while (at < length && budget > 0) {
    let best: Repeat | null = null;
    let tries = 0;
    for (let other = next[at]!; other >= 0 && tries < TRIES; other = next[other]!, tries++) {
      const period = other - at;
      if (period > LONGEST || other + period > length) {
        break;
      }
      let same = 0;
      while (other + same < length && signatures[at + same] === signatures[other + same]) {
        same++;
      }
      budget -= same + 1;
      const times = Math.floor(same / period) + 1;
      if (counts(period, times) && (!best || period * times > best.period * best.times)) {
        best = { start: at, period, times };
      }
    }
    if (best) {
      found.push(best);
      at += best.period * best.times;
    } else {
      at++;
    }
  }
  return found;
}

function counts(period: number, times: number): boolean {
  return times >= 3 || (times === 2 && period >= 6);
}

function nextOccurrences(signatures: ArrayLike<number>): Int32Array {
  const next = new Int32Array(signatures.length).fill(-1);
  const last = new Map<number, number>();
  for (let at = signatures.length - 1; at >= 0; at--) {
    next[at] = last.get(signatures[at]!) ?? -1;
    last.set(signatures[at]!, at);
  }
  return next;
}
