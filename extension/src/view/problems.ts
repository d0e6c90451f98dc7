/** The list of problems with the one that is looked at in full. */
import type { GraphStore } from '../store';
import { clip, oneLine } from '../text';
import { h, icon, rich } from './dom';
import { button } from './fix';
import type { Host } from './host';
import { problemView } from './problem';
import { placeText, SEVERITY_ICONS, SEVERITY_WORDS } from './words';

export function problemsView(store: GraphStore, host: Host): HTMLElement {
  const { problems } = store;
  if (problems.length === 0) {
    return h(
      'div',
      { class: 'gradviz-empty gradviz-all-well' },
      icon('check'),
      h('p', {}, 'No problem is predicted in this graph.')
    );
  }
  const at = store.state.problem;
  const shown = at === null ? undefined : problems[at];
  return h(
    'div',
    { class: 'gradviz-problems' },
    problems.length > 1
      ? h(
          'div',
          { class: 'gradviz-problem-bar' },
          stepper(store, -1),
          h('span', { 'aria-live': 'polite' }, at === null ? `${problems.length} problems` : `${at + 1} of ${problems.length}`),
          stepper(store, 1)
        )
      : null,
    shown ? problemView(shown, [], host) : null,
    problems.length > 1 ? h('h4', {}, 'All problems') : null,
    problems.length > 1
      ? h('ol', { class: 'gradviz-problem-list' }, ...problems.slice(0, 200).map((problem, index) =>
          h(
            'li',
            {},
            h(
              'button',
              {
                type: 'button',
                class: `gradviz-problem-link gradviz-sev-${problem.severity}`,
                'aria-current': index === at ? 'true' : null,
                onclick: () => store.showProblem(index)
              },
              h('span', { class: 'gradviz-disc', title: SEVERITY_WORDS[problem.severity] }, icon(SEVERITY_ICONS[problem.severity])),
              h('span', {}, ...rich(clip(oneLine(problem.message), 90))),
              problem.where ? h('span', { class: 'gradviz-muted' }, placeText(problem.where)) : null
            )
          )))
      : null
  );
}

function stepper(store: GraphStore, step: 1 | -1): HTMLButtonElement {
  const label = step > 0 ? 'Next problem' : 'Previous problem';
  const made = button(step > 0 ? 'next' : 'previous', label, () => store.stepProblem(step), `${label} (${step > 0 ? 'n' : 'p'})`);
  made.classList.add(step > 0 ? 'gradviz-next-problem' : 'gradviz-previous-problem');
  return made;
}
