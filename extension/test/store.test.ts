import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GraphStore } from '../src/store';
import { graph, node, problem } from './make';

const markOf = (store: GraphStore, id: string) => store.mark(store.nodeAt(id));

const FAILS = { ok: false, slug: 'requires-autodiff-tensor', reason: '', fixes: [] };

test('marks: own problems, participation, roots that fail, and nothing on a healthy graph', () => {
  const healthy = new GraphStore(graph([node('a', { verdict: { backward: { ...FAILS, ok: true }, require_grad: FAILS } })], [], { roots: ['a'] }));
  assert.equal(markOf(healthy, 'a'), undefined, 'a computed node refuses require_grad: that is no failure');

  const store = new GraphStore(graph(
    [node('a', { verdict: { backward: FAILS, require_grad: FAILS } }), node('b'), node('c', { problems: [1] })],
    [['b', 'a']],
    { roots: ['a'], problems: [problem(['b', 'c'], { severity: 'warning' }), problem([], { message: 'second' })] }
  ));
  assert.deepEqual(markOf(store, 'a'), { severity: 'error', text: 'backward fails here', main: true, numbers: [] });
  assert.equal(markOf(store, 'b')!.main, true);
  assert.deepEqual(markOf(store, 'c'), { severity: 'error', text: 'second', main: true, numbers: [1, 2] });
  assert.deepEqual(store.problemsOf(store.nodeAt('c')), [0, 1]);
});

test('unknown ids, repeated ids and groups that hold themselves do no harm', () => {
  const store = new GraphStore(graph(
    [node('a', { group: 'g' }), node('a', { op: 'again' })], [['a', 'x'], ['y', 'a'], ['a', 'a']],
    { roots: ['gone'], problems: [problem(['gone'])], groups: [{ id: 'g', label: 'G', kind: 'scope', parent: 'g' }] }
  ));
  assert.equal(store.model.count, 1);
  assert.equal(store.model.edgeCount, 1);
  assert.equal(store.roots.length, 0);
  assert.deepEqual(store.model.groupPath(0).map(group => group.label), ['G']);
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
    const { model } = store;
    return [...(store.matches?.mask ?? [])].flatMap((found, at) => (found ? [model.id(at)] : []));
  };
  assert.deepEqual(found('matmul'), ['1', '2']);
  assert.deepEqual(found('MATMUL hidden'), ['1']);
  assert.deepEqual(found('32x64'), ['1']);
  assert.deepEqual(found('leaf-not-reached'), ['2']);
  assert.deepEqual(found('capture hidden'), []);
  assert.deepEqual(found('  '), []);
  assert.equal(store.matches, null);
});

test('search asks lines of code only where no name, operation or group answers', () => {
  const source = { filename: 'a.py', label: 'a.py', line: 1, col: 0, end_line: 1, end_col: 9, text: 'tanh(scale * alpha)', cell: null };
  const store = new GraphStore(graph([node('1', { op: 'mul', source }), node('2', { op: 'tanh', source }), node('3', { op: 'tensor', name: 'scale' })], []));
  const found = (query: string): string[] => {
    store.search(query);
    return [...(store.matches?.mask ?? [])].flatMap((hit, at) => (hit ? [store.model.id(at)] : []));
  };
  assert.deepEqual(found('tanh'), ['2']);
  assert.deepEqual(found('scale'), ['3']);
  assert.deepEqual(found('alpha'), ['1', '2'], 'only the code says alpha');
  assert.deepEqual(found('tanh alpha'), ['2']);
});

test('the path between two nodes is found whichever is named first, and where there is none nothing changes', () => {
  const store = new GraphStore(graph([node('a'), node('b'), node('c'), node('d'), node('e')], [['a', 'b'], ['b', 'c'], ['a', 'd'], ['c', 'e'], ['d', 'e']]));
  const [a, c, d] = ['a', 'c', 'd'].map(id => store.nodeAt(id)) as [number, number, number];
  store.startPath('c');
  assert.equal(store.state.pathFrom, 'c');
  assert.equal(store.connect(c, a), true);
  assert.deepEqual(store.state.isolation, { kind: 'path', node: a, to: c });
  assert.deepEqual(store.shown.items.map(item => item.key).sort(), ['a', 'b', 'c']);
  assert.equal(store.state.pathFrom, null, 'both ends are chosen');
  assert.equal(store.connect(c, d), false, 'side by side');
  assert.deepEqual(store.state.isolation, { kind: 'path', node: a, to: c });
  assert.equal(store.connect(a, a), false);
  store.startPath('gone');
  assert.equal(store.state.pathFrom, null);
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
  assert.deepEqual([0, 1, 2].map(edge => store.model.isCut(edge)), [true, false, false]);
});
