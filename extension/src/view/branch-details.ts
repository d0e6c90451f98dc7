/** What is known of a folded branch: how much it holds, how often it occurs, where it was written. */
import { isRepeated } from '../fold/tree';
import type { GraphStore } from '../store';
import { clip, oneLine } from '../text';
import { branchFacts, branchPlace, branchTitle, kindWord } from './branch-words';
import type { DetailActions } from './details';
import { h } from './dom';
import { button } from './fix';
import { spanView } from './problem';
import { plural } from './words';

const MOST_OPS = 12;

export function branchDetails(store: GraphStore, branch: number, actions: DetailActions): HTMLElement {
  const item = store.shown.byKey.get(store.state.selected ?? '');
  const summary = item === undefined ? undefined : store.shown.summaries.get(item);
  const { times } = store.branch(branch);
  const place = branchPlace(store, branch);
  const path = store.around(store.branch(branch).parent).map(at => clip(oneLine(branchTitle(store, at)), 40));
  return h(
    'div',
    { class: 'gradviz-details' },
    path.length > 0 ? h('nav', { class: 'gradviz-groups', 'aria-label': 'Groups' }, path.join(' \u203a ')) : null,
    h('div', { class: 'gradviz-details-head' },
      h('h3', {}, clip(branchTitle(store, branch), 80)),
      h('span', { class: 'gradviz-muted' }, kindWord(store, branch))),
    h('div', { class: 'gradviz-actions' },
      button(store.isOpen(branch) ? 'fold' : 'unfold', store.isOpen(branch) ? 'Fold' : 'Unfold', () => actions.toggle(branch), 'Space')),
    h('p', {}, branchFacts(store, branch, summary)),
    isRepeated(store.branch(branch)) ? h('p', {}, `The same part occurs ${plural(times, 'time')} in a row and is shown once.`) : null,
    h('h4', {}, summary?.operations === 0 ? 'Inside' : 'Operations inside'),
    h('dl', { class: 'gradviz-table' }, ...operations(store, branch).flatMap(([op, count]) => [
      h('dt', {}, h('code', {}, clip(oneLine(op), 40))), h('dd', {}, count.toLocaleString('en'))
    ])),
    place ? h('h4', {}, 'It begins here') : null,
    place ? spanView(place) : null
  );
}

/** Operations by how often they occur. */
function operations(store: GraphStore, branch: number): [string, number][] {
  const counts = new Map<number, number>();
  const { op } = store.model.columns;
  const waiting = [branch];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of store.branch(at).children) {
      if (entry < 0) {
        waiting.push(~entry);
      } else {
        counts.set(op[entry]!, (counts.get(op[entry]!) ?? 0) + 1);
      }
    }
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_OPS)
    .map(([text, count]) => [store.model.columns.strings[text]!, count]);
}
