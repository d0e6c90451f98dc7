/** What folded branches are called, in boxes, frames, lists and speech. */
import type { Summary } from '../fold/shown';
import type { SpanView } from '../protocol';
import { isRepeated, type Branch } from '../fold/tree';
import type { GraphStore } from '../store';
import { clip, oneLine } from '../text';
import { placeText, plural, SEVERITY_WORDS } from './words';

const KIND_WORDS: Readonly<Record<string, string>> = {
  module: 'module', scope: 'scope', function: 'function', loop: 'loop', iteration: 'iteration', cell: 'cell', repeat: 'repeated part', turn: 'turn', rest: 'turns', piece: 'part'
};

/** Kinds whose titles mostly begin with them. */
const SAY_THEMSELVES = new Set(['cell', 'iteration', 'repeat', 'rest', 'turn']);

export function kindWord(store: GraphStore, branch: number): string {
  return KIND_WORDS[store.branch(branch).kind] ?? 'group';
}

/** The word for a branch in front of its title, where the title doesn't say it. */
export function kindBefore(store: GraphStore, branch: number): string {
  const says = SAY_THEMSELVES.has(store.branch(branch).kind) && /^(cell|iterations?|turn|the other)\b/.test(branchTitle(store, branch));
  return says ? '' : `${kindWord(store, branch)} `;
}

export function branchTitle(store: GraphStore, branch: number): string {
  const { kind, label, parent, times } = store.branch(branch);
  switch (kind) {
    case 'turn':
      return `turn ${label}`;
    case 'rest':
      return `the other ${times.toLocaleString('en')} ${holdsRounds(store.branch(parent)) ? 'iterations' : 'turns'}`;
    case 'repeat':
      return roundsOf(label, times) ?? rangeOf(label, times, within(store, branch)) ?? oneLine(label);
    default:
      // A bare position ("0" in a Sequential) says nothing without its parent.
      return /^\d*$/.test(label) ? `${within(store, branch)}${label}` : oneLine(label);
  }
}

const ROUND = /^iteration (\d{1,9})$/;

function holdsRounds({ kind, label }: Branch): boolean {
  return kind === 'loop' || ROUND.test(label);
}

/** "iterations 3–12" for ten that are alike, of which the first is "iteration 3". */
function roundsOf(label: string, times: number): string | null {
  const [, first] = ROUND.exec(label) ?? [];
  return first === undefined ? null : `iterations ${first}\u2013${Number(first) + times - 1}`;
}

/** "blocks.0–3" for four of which the first is "0" or "blocks.0"; null for what isn't numbered. */
function rangeOf(label: string, times: number, outer: string): string | null {
  const [, before, first] = /^(.*\.)?(\d{1,9})$/.exec(label) ?? [];
  return first === undefined ? null : `${before === undefined ? outer : oneLine(before)}${first}\u2013${Number(first) + times - 1}`;
}

/** Kinds that give what is in them no name. */
const NAMELESS = new Set(['repeat', 'rest', 'piece', 'turn', 'loop', 'iteration']);

/** "blocks." in front of what is only numbered. */
function within(store: GraphStore, branch: number): string {
  let at = store.branch(branch).parent;
  while (at > 0 && NAMELESS.has(store.branch(at).kind)) {
    at = store.branch(at).parent;
  }
  return at > 0 ? `${oneLine(store.branch(at).label)}.` : '';
}

/** "×100", or nothing where nothing repeats. */
export function timesText(store: GraphStore, branch: number): string {
  const { times } = store.branch(branch);
  return times > 1 && isRepeated(store.branch(branch)) ? `\u00d7${times.toLocaleString('en')}` : '';
}

/** Where the first operation inside was written. */
export function branchPlace(store: GraphStore, branch: number): SpanView | null {
  let [entry] = store.branch(branch).children;
  while (entry !== undefined && entry < 0) {
    [entry] = store.branch(~entry).children;
  }
  return entry === undefined ? null : store.model.place(entry);
}

export function branchFacts(store: GraphStore, branch: number, summary: Summary | undefined): string {
  const { times, size } = store.branch(branch);
  const operations = summary?.operations ?? size;
  const each = times > 1 ? `${plural(Math.round(size / times), 'operation')} each` : plural(operations, 'operation');
  // A module that was asked about without a loss has parameters only.
  const parts = operations > 0 ? [each] : [];
  if (summary?.parameters) {
    parts.push(plural(summary.parameters, 'parameter'));
  }
  if (summary?.leaves) {
    parts.push(plural(summary.leaves, 'input'));
  }
  if (summary?.cuts) {
    parts.push(plural(summary.cuts, 'cut'));
  }
  return parts.join(' \u00b7 ');
}

export function describeBranch(store: GraphStore, branch: number, item: number | undefined): string {
  const summary = item === undefined ? undefined : store.shown.summaries.get(item);
  const times = timesText(store, branch);
  const place = branchPlace(store, branch);
  const title = clip(branchTitle(store, branch), 60);
  const parts = [
    `${kindBefore(store, branch)}${title}${times ? `, ${times.slice(1)} times` : ''}`,
    store.isOpen(branch) ? 'unfolded' : 'folded',
    branchFacts(store, branch, summary)
  ];
  if (place) {
    parts.push(placeText(place));
  }
  if (summary && summary.consumed > 0) {
    parts.push(summary.consumed === summary.operations ? 'consumed by a backward pass' : 'partly consumed by a backward pass');
  }
  const { worst, count } = item === undefined ? { worst: undefined, count: 0 } : store.marksIn(item);
  if (worst) {
    parts.push(`${SEVERITY_WORDS[worst.severity]} inside: ${clip(oneLine(worst.text), 120)}${count > 1 ? `, and ${count - 1} more` : ''}`);
  }
  return parts.join(', ');
}
