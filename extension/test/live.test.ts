import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPayload } from '../src/check';
import type { DifferenceView } from '../src/protocol';
import { GraphStore } from '../src/store';
import { paintOfChanges, summary } from '../src/view/live/changes';
import { findAgain, narrowAgain, narrowing, recall, remember, type Snapshot } from '../src/view/live/memory';
import { graph, node } from './make';

const SNAPSHOT: Snapshot = {
  tab: 'values', tabBefore: 'details', scroll: 0, problem: null, query: '', node: { at: 1, op: 'tanh', name: null }, count: 3, camera: { x: 0, y: 0, zoom: 1 }, moment: null,
  isolation: null, pathFrom: null, gradients: null, values: [], slices: new Map(), coloured: true, legend: 'closed', open: new Uint8Array(1)
};

test('a view remembers by its place, and only a bounded number of them', () => {
  remember(null, SNAPSHOT);
  remember(undefined, SNAPSHOT);
  assert.equal(recall(null), undefined);
  remember('first', SNAPSHOT);
  assert.equal(recall('first')?.tab, 'values');
  for (let at = 0; at < 70; at++) {
    remember(`place ${at}`, SNAPSHOT);
  }
  assert.equal(recall('first'), undefined);
  assert.ok(recall('place 69'));
});

test('a node is found again by place, then by what it is', () => {
  const ids = (...ops: string[]): GraphStore => new GraphStore(graph(ops.map((op, at) => node(`m${at}`, { op })), []));
  assert.equal(findAgain(ids('mul', 'tanh', 'sum'), SNAPSHOT.node), 'm1');
  assert.equal(findAgain(ids('tanh', 'mul', 'sum'), SNAPSHOT.node), 'm0');
  assert.equal(findAgain(ids('mul'), SNAPSHOT.node), null);
  assert.equal(findAgain(ids('mul'), null), null);
});

test('what a view is narrowed to is narrowed again, unless an end of it is gone', () => {
  const chain = (...ops: string[]): GraphStore => new GraphStore(graph(
    ops.map((op, at) => node(`${ops.length}.${at}`, { op })),
    ops.slice(1).map((_, at) => [`${ops.length}.${at}`, `${ops.length}.${at + 1}`])
  ));
  const before = chain('leaf', 'tanh', 'sum');
  assert.equal(narrowing(before), null);
  assert.ok(before.isolate({ kind: 'path', node: 0, to: 1 }));
  const longer = chain('leaf', 'exp', 'tanh', 'sum');
  narrowAgain(longer, narrowing(before));
  assert.deepEqual(longer.state.isolation, { kind: 'path', node: 0, to: 2 });
  const without = chain('leaf', 'exp');
  narrowAgain(without, narrowing(before));
  assert.equal(without.state.isolation, null);
});

const DIFFERENCE: DifferenceView = {
  before: 'a', after: 'b', same: 4, total: 9,
  changes: [
    { kind: 'added', before: null, after: 'n9', label: 'exp', facts: [] },
    { kind: 'removed', before: 'n2', after: null, label: 'log', facts: [] },
    { kind: 'changed', before: 'n3', after: 'n10', label: 'sum', facts: [['shape', '()', '(2,)']] }
  ]
};

test('each side marks what stands on it', () => {
  assert.deepEqual([...paintOfChanges(DIFFERENCE, 'before').nodes], [['n2', 'removed'], ['n3', 'changed']]);
  assert.deepEqual([...paintOfChanges(DIFFERENCE, 'after').nodes], [['n9', 'added'], ['n10', 'changed']]);
  assert.equal(summary(DIFFERENCE), '1 added, 1 removed, 1 changed (the first 3 of 9); 4 the same');
});

test('a pair is read like any message, and one that is none is named', () => {
  const one = graph([node('n1')], []);
  const good = readPayload({ schema: 1, type: 'pair', before: one, after: one, difference: DIFFERENCE });
  assert.equal(good.kind, 'pair');
  const bad = readPayload({ schema: 1, type: 'pair', before: one, after: 3, difference: DIFFERENCE });
  assert.ok(bad.kind === 'unreadable' && /pair\.after is no object/.test(bad.reason));
});
