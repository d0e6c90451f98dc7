import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBranch, isRepeated, type Branch } from '../src/fold/tree';
import type { GraphView, GroupView } from '../src/protocol';
import { GraphStore } from '../src/store';
import { branchTitle, describeBranch, timesText } from '../src/view/branch-words';
import { graph, node, problem } from './make';

/** A loop with one round for each word, and the root behind it; the letters of a word are its operations. */
function loop(rounds: readonly string[], inner: 'function' | null = null): GraphView {
  const groups: GroupView[] = [{ id: 'loop', label: 'for step in range(n)', kind: 'loop', parent: null }];
  const nodes = [node('x', { op: 'tensor', is_leaf: true, requirement: 'grad', role: 'leaf' })];
  const edges: [string, string][] = [];
  let last = 'x';
  rounds.forEach((word, round) => {
    groups.push({ id: `i${round}`, label: `iteration ${round + 1}`, kind: 'iteration', parent: 'loop' });
    if (inner) {
      groups.push({ id: `f${round}`, label: 'blend()', kind: inner, parent: `i${round}` });
    }
    [...word].forEach((op, at) => {
      const id = `${round}${op}${at}`;
      nodes.push(node(id, { op, group: inner && at < word.length - 1 ? `f${round}` : `i${round}` }));
      edges.push([last, id]);
      last = id;
    });
  });
  nodes.push(node('root', { op: 'mean' }));
  edges.push([last, 'root']);
  return graph(nodes, edges, { groups, roots: ['root'] });
}

function branches(store: GraphStore, parent = 0): [number, Branch][] {
  return [...store.branch(parent).children].filter(isBranch).map(entry => [~entry, store.branch(~entry)]);
}

function titles(store: GraphStore, parent: number): string[] {
  return branches(store, parent).map(([at]) => `${branchTitle(store, at)} ${timesText(store, at)}`.trim());
}

test('a loop whose rounds are alike is one box with their number, and no box in a box', () => {
  const store = new GraphStore(loop(Array.from({ length: 24 }, () => 'abc'), 'function'));
  const [[at, found]] = branches(store) as [[number, Branch]];
  assert.equal(found.kind, 'loop');
  assert.equal(found.times, 24);
  assert.ok(isRepeated(found));
  assert.equal(found.size, 72);
  assert.deepEqual(titles(store, 0), ['for step in range(n) \u00d724']);
  assert.deepEqual(titles(store, at), ['iteration 1', 'the other 23 iterations']);
  const [[first], [rest]] = branches(store, at) as [[number, Branch], [number, Branch]];
  assert.deepEqual(titles(store, first), ['blend()']);
  assert.deepEqual(titles(store, rest).slice(0, 2), ['iteration 2', 'iteration 3']);
  assert.equal(titles(store, rest).at(-1), 'iteration 24');
});

test('a few rounds are listed one by one', () => {
  const store = new GraphStore(loop(Array.from({ length: 5 }, () => 'abcdefghijkl')));
  assert.deepEqual(titles(store, 0), ['for step in range(n) \u00d75']);
  const [[at]] = branches(store) as [[number, Branch]];
  assert.deepEqual(titles(store, at), [1, 2, 3, 4, 5].map(round => `iteration ${round}`));
});

test('a round that differs stands between the others, and the loop has no number', () => {
  const words = [...Array.from({ length: 10 }, () => 'abc'), 'abxc', ...Array.from({ length: 9 }, () => 'abc')];
  const store = new GraphStore(loop(words));
  assert.deepEqual(titles(store, 0), ['for step in range(n)']);
  const [[at, found]] = branches(store) as [[number, Branch]];
  assert.equal(isRepeated(found), false);
  assert.deepEqual(titles(store, at), ['iterations 1\u201310 \u00d710', 'iteration 11', 'iterations 12\u201320 \u00d79']);
});

test('the root in the last round keeps that round apart', () => {
  const view = loop(Array.from({ length: 24 }, () => 'abc'));
  const store = new GraphStore({ ...view, nodes: view.nodes.slice(0, -1), edges: view.edges.slice(0, -1), roots: ['23c2'] });
  const [[at]] = branches(store) as [[number, Branch]];
  assert.deepEqual(titles(store, at), ['iterations 1\u201323 \u00d723', 'iteration 24']);
  const [[many]] = branches(store, at) as [[number, Branch]];
  assert.deepEqual(titles(store, many), ['iteration 1', 'the other 22 iterations']);
});

test('rounds in turns, and loops in loops, are told with both numbers', () => {
  const turns = new GraphStore(loop(Array.from({ length: 20 }, (_, round) => (round % 2 ? 'abc' : 'abd'))));
  const [[, found]] = branches(turns) as [[number, Branch]];
  assert.equal(found.times, 10, 'ten times two rounds');
  const whole = loop(Array.from({ length: 20 }, () => 'abc'));
  const outer = whole.groups.map(group => ({ ...group, parent: group.id === 'loop' ? 'outer' : group.parent }));
  const store = new GraphStore({ ...whole, groups: [{ id: 'outer', label: 'epoch()', kind: 'function', parent: null }, ...outer] });
  const named = store.tree.branches.find(branch => branch.kind === 'loop')!;
  assert.equal(named.times, 20);
});

test('the round with a problem is never one of many', () => {
  const view = loop(Array.from({ length: 24 }, () => 'abc'));
  const store = new GraphStore({ ...view, problems: [problem(['12b1'])] });
  assert.ok(store.shown.byKey.has('12b1'), 'it is in sight from the beginning');
  const [[at, found]] = branches(store) as [[number, Branch]];
  assert.equal(isRepeated(found), false);
  assert.deepEqual(titles(store, at), ['iterations 1\u201312 \u00d712', 'iteration 13', 'iterations 14\u201324 \u00d711']);
});

test('what is found in a later round is unfolded, with everything around it', () => {
  const store = new GraphStore(loop(Array.from({ length: 24 }, () => 'abc'), 'function'));
  const [[at]] = branches(store) as [[number, Branch]];
  store.toggle(at);
  assert.deepEqual(store.shown.items.map(item => item.key), [`branch:${at}`, 'root'], 'folded, the loop is one box');
  store.search('b');
  store.select(store.nextMatch('17a0'));
  const item = store.shown.items[store.shown.byKey.get('17b1')!]!;
  assert.deepEqual(store.around(item.frame).map(branch => branchTitle(store, branch)),
    ['for step in range(n)', 'the other 23 iterations', 'iteration 18', 'blend()']);
});

test('what is spoken says each thing once', () => {
  const store = new GraphStore(loop(Array.from({ length: 24 }, () => 'abc'), 'function'));
  const said = store.tree.branches.map((_, at) => (at === 0 ? '' : describeBranch(store, at, store.shown.byKey.get(`branch:${at}`))));
  assert.ok(said.some(text => text.startsWith('loop for step in range(n), 24 times, ')), said.join('\n'));
  assert.ok(said.some(text => text.startsWith('iteration 1, ')), said.join('\n'));
  assert.ok(said.some(text => text.startsWith("the other 23 iterations, ")), said.join('\n'));
  assert.ok(said.some(text => text.startsWith('function blend(), ')), said.join('\n'));
});
