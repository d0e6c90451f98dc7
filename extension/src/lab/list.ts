/** The list of the panel: graphs of a notebook, under each its problems. */
import type { ProblemView } from '../protocol';
import { SEVERITIES } from '../model/marks';
import { clip, oneLine } from '../text';
import { h, icon, refill, rich } from '../view/dom';
import { SEVERITY_ICONS, SEVERITY_WORDS } from '../view/words';
import type { Entry } from './entries';

/** Problems that are listed under one graph; its own view lists all of them. */
const MOST_LISTED = 100;

export interface Chosen {
  readonly key: string;
  readonly problem: number | null;
}

/** Draws the list; the focus stays on the line it was on. */
export function fillList(
  element: HTMLElement,
  entries: readonly Entry[],
  chosen: Chosen | null,
  choose: (entry: Entry, problem: number | null) => void
): void {
  const active = document.activeElement;
  const focused = element.contains(active) ? (active as HTMLElement).dataset.line : undefined;
  refill(element, ...entries.map(entry => group(entry, chosen, choose)));
  if (focused !== undefined) {
    [...element.querySelectorAll<HTMLElement>('[data-line]')].find(line => line.dataset.line === focused)?.focus({ preventScroll: true });
  }
}

function group(entry: Entry, chosen: Chosen | null, choose: (entry: Entry, problem: number | null) => void): HTMLElement {
  const own = chosen?.key === entry.key;
  const { problems } = entry;
  const count = entry.cell.executionCount;
  const lines = problems.slice(0, MOST_LISTED).map((problem, at) => problemLine(entry, problem, at, own && chosen.problem === at, () => choose(entry, at)));
  return h(
    'li',
    { class: 'gradviz-side-entry' },
    h(
      'button',
      {
        type: 'button', class: 'gradviz-side-graph', 'data-line': entry.key, 'aria-current': own && chosen.problem === null ? 'true' : null,
        onclick: () => choose(entry, null)
      },
      h('span', { class: 'gradviz-side-cell' }, `[${count ?? ' '}]`),
      h('span', { class: 'gradviz-side-title' }, clip(oneLine(entry.title), 80)),
      entry.size === null ? null : h('span', { class: 'gradviz-muted' }, `${entry.size.toLocaleString('en')} node${entry.size === 1 ? '' : 's'}`),
      ...tallies(problems)
    ),
    lines.length > 0 ? h('ul', { class: 'gradviz-side-problems' }, ...lines) : null,
    problems.length > MOST_LISTED ? h('p', { class: 'gradviz-muted' }, `and ${(problems.length - MOST_LISTED).toLocaleString('en')} more`) : null
  );
}

function problemLine(entry: Entry, problem: ProblemView, at: number, current: boolean, onclick: () => void): HTMLElement {
  const place = problem.cause ?? problem.where;
  return h('li', {}, h(
    'button',
    {
      type: 'button', class: `gradviz-problem-link gradviz-sev-${problem.severity}`, 'data-line': `${entry.key} ${at}`,
      'aria-current': current ? 'true' : null, onclick
    },
    h('span', { class: 'gradviz-disc', title: SEVERITY_WORDS[problem.severity] }, icon(SEVERITY_ICONS[problem.severity])),
    h('span', {}, ...rich(clip(oneLine(problem.message), 120)), h('span', { class: 'gradviz-spoken' }, `, ${SEVERITY_WORDS[problem.severity]}`)),
    place ? h('span', { class: 'gradviz-muted' }, `line ${place.line}`) : null
  ));
}

/** How many problems of each severity, where there are any. */
export function tallies(problems: readonly ProblemView[]): HTMLElement[] {
  return SEVERITIES.flatMap(severity => {
    const count = problems.filter(problem => problem.severity === severity).length;
    if (count === 0) {
      return [];
    }
    const words = `${count.toLocaleString('en')} ${severity}${count === 1 ? '' : 's'}`;
    return [h('span', { class: `gradviz-tally gradviz-sev-${severity}`, title: words },
      h('span', { class: 'gradviz-disc', 'aria-hidden': 'true' }, icon(SEVERITY_ICONS[severity])),
      h('span', { 'aria-hidden': 'true' }, count.toLocaleString('en')),
      h('span', { class: 'gradviz-spoken' }, words))];
  });
}

