/** What changed between two graphs: a list to walk, and marks in the picture. */
import type { ChangeView, DifferenceView } from '../../protocol';
import { clip, oneLine } from '../../text';
import { h } from '../dom';
import { NOTHING, type Paint } from '../overlay';
import type { PaneTab } from '../tab';

export type Side = 'before' | 'after';
const SIGNS = { added: '+', removed: '\u2212', changed: '~' } as const;
const MOST_FACTS = 8;

/** Only what stands on that side can be marked there. */
export function paintOfChanges(difference: DifferenceView, side: Side): Paint {
  const nodes = new Map<string, string>();
  for (const change of difference.changes) {
    const id = change[side];
    if (id !== null) {
      nodes.set(id, change.kind);
    }
  }
  return { ...NOTHING, nodes };
}

export function summary(difference: DifferenceView): string {
  const count = (kind: ChangeView['kind']): number => difference.changes.filter(change => change.kind === kind).length;
  const parts = (['added', 'removed', 'changed'] as const).flatMap(kind => (count(kind) > 0 ? [`${count(kind)} ${kind}`] : []));
  const cut = difference.total > difference.changes.length ? ` (the first ${difference.changes.length} of ${difference.total})` : '';
  return `${parts.length > 0 ? parts.join(', ') : 'no difference'}${cut}; ${difference.same} the same`;
}

export function changesList(difference: DifferenceView, choose: (change: ChangeView) => void): HTMLElement {
  return h('ul', { class: 'gradviz-changes' }, ...difference.changes.map(change =>
    h(
      'li',
      { class: `gradviz-change gradviz-change-${change.kind}` },
      h('button', { type: 'button', class: 'gradviz-link-button', onclick: () => choose(change) },
        h('span', { class: 'gradviz-change-sign', 'aria-hidden': 'true' }, SIGNS[change.kind]), clip(oneLine(change.label), 60)),
      h('span', { class: 'gradviz-muted' }, ` ${change.kind}`),
      change.facts.length === 0 ? null : h('dl', {}, ...change.facts.slice(0, MOST_FACTS).flatMap(([name, before, after]) => [
        h('dt', {}, clip(oneLine(name), 30)),
        h('dd', {}, h('del', {}, clip(oneLine(before) || 'none', 80)), ' \u2192 ', h('ins', {}, clip(oneLine(after) || 'none', 80)))
      ]))
    )));
}

/** The tab of a cell that ran again: what is different from the last time. */
export class ChangesTab implements PaneTab {
  readonly name = 'changes';
  readonly label = 'Changes';
  readonly element: HTMLElement;

  constructor(private readonly difference: DifferenceView, private readonly paint: (paint: Paint) => void, choose: (id: string) => void) {
    this.element = h(
      'div',
      { class: 'gradviz-changes-tab' },
      h('p', {}, `Since the last run: ${summary(difference)}.`),
      changesList(difference, change => change.after !== null && choose(change.after))
    );
  }

  shown(): void {
    this.paint(paintOfChanges(this.difference, 'after'));
  }

  hidden(): void {
    this.paint(NOTHING);
  }

  refresh(): void {}

  dispose(): void {}
}
