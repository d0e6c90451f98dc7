/** One problem in full: message, place and cause in the user's source, what to do, fixes. Pane and error card share it. */
import type { ProblemView, SpanView } from '../protocol';
import { clip, lines, oneLine } from '../text';
import { h, icon, prose, rich } from './dom';
import { fixView } from './fix';
import type { Host } from './host';
import { placeText, SEVERITY_ICONS, SEVERITY_WORDS } from './words';

export function problemView(
  problem: ProblemView,
  facts: readonly (readonly [string, string])[],
  host: Host
): HTMLElement {
  const { where, cause } = problem;
  const sameLine = where && cause && where.filename === cause.filename && where.line === cause.line && where.col === cause.col;
  return h(
    'article',
    { class: `gradviz-problem gradviz-sev-${problem.severity}` },
    h(
      'header',
      { class: 'gradviz-problem-head' },
      h('span', { class: 'gradviz-disc' }, icon(SEVERITY_ICONS[problem.severity])),
      h(
        'div',
        {},
        h('div', { class: 'gradviz-problem-message' }, ...rich(clip(oneLine(problem.message), 300))),
        h(
          'div',
          { class: 'gradviz-problem-meta' },
          h('span', { class: 'gradviz-severity' }, SEVERITY_WORDS[problem.severity]),
          h('code', { class: 'gradviz-slug' }, clip(oneLine(problem.slug), 80))
        )
      )
    ),
    where ? spanView(where, sameLine || !cause ? 'here' : 'it shows here') : null,
    cause && !sameLine ? spanView(cause, 'it begins here') : null,
    problem.reason ? prose(clip(lines(problem.reason), 2000)) : null,
    // A fix in hand comes before advice in words, so that its button is in sight.
    ...problem.fixes.slice(0, 6).map(fix => fixView(fix, host)),
    problem.advice
      ? prose(clip(lines(problem.advice), 2000), h('strong', {}, 'What to do. '))
      : null,
    // What was found there is looked up, not read.
    facts.length > 0
      ? h('dl', { class: 'gradviz-facts-list' }, ...facts.slice(0, 24).flatMap(([label, value]) => [
          h('dt', {}, clip(oneLine(label), 60)),
          h('dd', {}, clip(oneLine(value), 240))
        ]))
      : null
  );
}

/** A piece of the user's source with where it stands. */
export function spanView(span: SpanView, label = ''): HTMLElement {
  return h(
    'figure',
    { class: 'gradviz-span' },
    h(
      'figcaption',
      {},
      h('span', { class: 'gradviz-place', title: clip(oneLine(span.filename), 300) }, placeText(span)),
      label ? h('span', { class: 'gradviz-span-label' }, label) : null
    ),
    span.text.trim() === '' ? null : h('pre', { class: 'gradviz-source', tabindex: '0' }, h('code', {}, clip(lines(span.text), 600)))
  );
}
