import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GraphStore } from '../src/store';
import { graph, node, problem } from './make';

const FAILS = { ok: false, slug: 'requires-autodiff-tensor', reason: '', fixes: [] };

test('marks: own problems, participation, roots that fail, and nothing on a healthy graph', () => {
  const healthy = new GraphStore(graph([node('a', { verdict: { backward: { ...FAILS, ok: true }, require_grad: FAILS } })], [], { roots: ['a'] }));
  assert.equal(healthy.mark('a'), undefined, 'a computed node refuses require_grad: that is no failure');

  const store = new GraphStore(graph(
    [node('a', { verdict: { backward: FAILS, require_grad: FAILS } }), node('b'), node('c', { problems: [1] })],
    [['b', 'a']],
    { roots: ['a'], problems: [problem(['b', 'c'], { severity: 'warning' }), problem([], { message: 'second' })] }
  ));
  assert.deepEqual(store.mark('a'), { severity: 'error', text: 'backward fails here', main: true, numbers: [] });
  assert.equal(store.mark('b')!.main, true);
  assert.deepEqual(store.mark('c'), { severity: 'error', text: 'second', main: true, numbers: [1, 2] });
  assert.deepEqual(store.problemsOf('c'), [0, 1]);
});

test('unknown ids, repeated ids and groups that hold themselves do no harm', () => {
  const store = new GraphStore(graph(
    [node('a', { group: 'g' }), node('a', { op: 'again' })], [['a', 'x'], ['y', 'a'], ['a', 'a']],
    { roots: ['gone'], problems: [problem(['gone'])], groups: [{ id: 'g', label: 'G', kind: 'scope', parent: 'g' }] }
  ));
  assert.equal(store.nodes.length, 1);
  assert.equal(store.edges.length, 1);
  assert.equal(store.roots.size, 0);
  assert.deepEqual(store.groupPath('g').map(group => group.label), ['G']);
  store.select('gone');
  assert.equal(store.state.selected, null);
  store.showProblem(0);
  assert.equal(store.state.problem, 0);
});

test('search wants every word, in any field', () => {
  const store = new GraphStore(graph([
    node('1', { op: 'matmul', name: 'hidden', shape: [32, 64] }),
    node('2', { op: 'matmul', kind: 'Capture', problems: [0] })
  ], [], { problems: [problem(['2'], { slug: 'leaf-not-reached' })] }));
  const found = (query: string): string[] => {
    store.search(query);
    return [...(store.matches ?? [])];
  };
  assert.deepEqual(found('matmul'), ['1', '2']);
  assert.deepEqual(found('MATMUL hidden'), ['1']);
  assert.deepEqual(found('32x64'), ['1']);
  assert.deepEqual(found('leaf-not-reached'), ['2']);
  assert.deepEqual(found('capture hidden'), []);
  assert.deepEqual(found('  '), []);
  assert.equal(store.matches, null);
});

test('problems are stepped through around the end, and each selects its node', () => {
  const store = new GraphStore(graph([node('a'), node('b')], [], { problems: [problem(['a']), problem(['b'])] }));
  const seen: (string | null)[] = [];
  const stop = store.subscribe(state => seen.push(state.selected));
  store.stepProblem(1);
  store.stepProblem(1);
  store.stepProblem(1);
  store.stepProblem(-1);
  assert.deepEqual(seen, ['a', 'b', 'a', 'b']);
  stop();
  store.select(null);
  assert.equal(seen.length, 4);
});

test('an edge is cut where the gradient ends although its source is tracked', () => {
  const store = new GraphStore(graph(
    [node('w'), node('c', { requirement: 'none' }), node('d', { cut: 'detach', requirement: 'none' })],
    [['w', 'd'], ['c', 'd'], ['w', 'c']]
  ));
  assert.deepEqual(store.edges.map(edge => store.isCut(edge)), [true, false, false]);
});
