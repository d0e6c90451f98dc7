/** Everything known of the selected node. */
import type { NodeView, OutcomeView } from '../protocol';
import type { GraphStore } from '../store';
import { clip, lines, oneLine } from '../text';
import { h, icon, prose, rich, type Child } from './dom';
import { fixView } from './fix';
import type { Host } from './host';
import { spanView } from './problem';
import { branchDetails } from './branch-details';
import { viewActions } from './view-actions';
import { cutWords, kindExplained, requirementText, roleText, SEVERITY_ICONS, SEVERITY_WORDS, shapeText } from './words';

export interface DetailActions {
  problem(at: number): void;
  toggle(branch: number): void;
}

export function detailsView(store: GraphStore, host: Host, actions: DetailActions): HTMLElement {
  const { selected } = store.state;
  const branch = store.branchAt(selected);
  if (branch >= 0) {
    return branchDetails(store, branch, actions);
  }
  const at = store.nodeAt(selected);
  if (at < 0) {
    return h(
      'div',
      { class: 'gradviz-empty' },
      h('p', {}, 'Select a node to see what it is, where it was made, and what would happen if you called ',
        h('code', {}, '.backward()'), ' or ', h('code', {}, '.require_grad()'), ' on it.')
    );
  }
  const node = store.model.node(at);
  const onProblem = actions.problem;
  const groups = store.model.groupPath(store.model.columns.group[at]!);
  const marked = store.mark(at)?.main === true;
  return h(
    'div',
    { class: 'gradviz-details' },
    groups.length > 0
      ? h('nav', { class: 'gradviz-groups', 'aria-label': 'Groups' }, groups.map(group => clip(oneLine(group.label), 40)).join(' \u203a '))
      : null,
    h(
      'div',
      { class: `gradviz-details-head gradviz-req-${node.requirement}` },
      h('span', { class: `gradviz-glyph ${node.is_leaf ? 'gradviz-leaf' : 'gradviz-computed'}`, 'aria-hidden': 'true' }),
      h('h3', {}, clip(oneLine(node.name ?? node.op), 80)),
      node.name !== null && node.role !== 'parameter' ? h('span', { class: 'gradviz-muted' }, clip(oneLine(node.op), 40)) : null
    ),
    h(
      'div',
      { class: 'gradviz-tags' },
      tag(node.is_leaf ? 'leaf' : 'computed', node.is_leaf
        ? 'A leaf is not the result of tracked operations: require_grad() can apply to it.'
        : 'Computed from tracked tensors: gradients flow through it to its leaves.'),
      node.role === 'leaf' ? null : tag(roleText(node), 'What it is in this graph'),
      store.isRoot(at) ? tag('root', 'This graph was drawn from this tensor.') : null,
      node.consumed ? tag('consumed', 'A backward pass has used this part of the graph up.') : null,
      node.cut ? tag(`cut: ${clip(oneLine(node.cut), 30)}`, cutWords(node.cut)) : null
    ),
    ...store.problemsOf(at).map(number => problemLink(store, number, onProblem)),
    viewActions(store, at),
    h(
      'dl',
      { class: 'gradviz-table' },
      ...row('Shape', h('code', {}, shapeText(node.shape)), sizeText(node)),
      ...row('Dtype', h('code', {}, clip(oneLine(node.dtype), 40))),
      ...row('Requirement', h('code', {}, node.requirement), requirementText(node, store.roots.length === 0 || store.isReached(at))),
      ...row('Kind', h('code', {}, clip(oneLine(node.kind), 60)), kindExplained(node.kind)),
      ...row('Device', h('code', {}, clip(oneLine(node.device), 80))),
      ...Object.entries(node.attributes).slice(0, 40).flatMap(([name, value]) =>
        row(clip(oneLine(name), 40), h('code', {}, clip(oneLine(value), 300)))),
    ),
    heading('What would happen'),
    h(
      'div',
      { class: 'gradviz-verdicts' },
      outcomeView('backward()', node.verdict.backward, marked, host),
      outcomeView('require_grad()', node.verdict.require_grad, marked, host)
    ),
    heading('Value'),
    node.value === null
      ? h('p', { class: 'gradviz-muted' }, store.model.isTold(at) ? 'No value to read here.' : 'Not in this output.')
      : h('pre', { class: 'gradviz-source', tabindex: '0' }, clip(lines(node.value), 2000)),
    heading('Made here'),
    node.source ? spanView(node.source) : h('p', { class: 'gradviz-muted' }, 'The source is not known.')
  );
}

function heading(text: string): HTMLElement {
  return h('h4', {}, text);
}

function tag(text: string, title: string): HTMLElement {
  return h('span', { class: 'gradviz-tag', title }, text);
}

function row(label: string, value: Child, explained = ''): HTMLElement[] {
  return [
    h('dt', {}, label),
    h('dd', {}, value, ...(explained ? [' ', h('span', { class: 'gradviz-explained' }, explained)] : []))
  ];
}

function sizeText(node: NodeView): string {
  const sizes = node.shape.filter(size => typeof size === 'number');
  if (sizes.length < node.shape.length) {
    return 'as many elements as it is run with';
  }
  const count = sizes.reduce((product, length) => product * length, 1);
  return `${count.toLocaleString('en')} element${count === 1 ? '' : 's'}`;
}

/** One prediction: sign, word, reason, and what would cure it. Only what somebody asked about is loud. */
function outcomeView(call: string, outcome: OutcomeView, loud: boolean, host: Host): HTMLElement {
  return h(
    'div',
    { class: `gradviz-outcome ${outcome.ok ? 'gradviz-ok' : loud ? 'gradviz-not-ok' : 'gradviz-refuses'}`, title: outcome.slug ? clip(oneLine(outcome.slug), 70) : null },
    h(
      'div',
      { class: 'gradviz-outcome-head' },
      icon(outcome.ok ? 'check' : 'cross'),
      h('code', {}, call),
      h('span', {}, outcome.ok ? 'works' : 'fails'),
      !outcome.ok && loud && outcome.slug ? h('code', { class: 'gradviz-slug' }, clip(oneLine(outcome.slug), 70)) : null
    ),
    outcome.reason ? prose(clip(lines(outcome.reason), 1200)) : null,
    ...outcome.fixes.slice(0, 4).map(fix => fixView(fix, host))
  );
}

function problemLink(store: GraphStore, at: number, onProblem: (at: number) => void): HTMLElement {
  const problem = store.problems[at]!;
  return h(
    'button',
    {
      type: 'button',
      class: `gradviz-problem-link gradviz-sev-${problem.severity}`,
      onclick: () => onProblem(at)
    },
    h('span', { class: 'gradviz-disc' }, icon(SEVERITY_ICONS[problem.severity])),
    h('span', {}, `${SEVERITY_WORDS[problem.severity]}: `, ...rich(clip(oneLine(problem.message), 120))),
    icon('next')
  );
}
