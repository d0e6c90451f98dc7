import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeats } from '../src/fold/repeats';
import { buildTree, isBranch, ROOMY, type Tree } from '../src/fold/tree';
import { Model } from '../src/model/model';
import type { NodeView } from '../src/protocol';
import { GraphStore } from '../src/store';
import { graph, node, problem, span } from './make';

/** A chain of operations, one for each letter; letters stand for source lines. */
function chain(letters: string, more: (at: number) => Partial<NodeView> = () => ({})) {
  const nodes = [node('x', { op: 'tensor', is_leaf: true, requirement: 'grad', role: 'leaf' })];
  const edges: [string, string][] = [];
  [...letters].forEach((letter, at) => {
    nodes.push(node(`n${at}`, { op: letter, source: span(letter.charCodeAt(0)), ...more(at) }));
    edges.push([at === 0 ? 'x' : `n${at - 1}`, `n${at}`]);
  });
  return graph(nodes, edges, { roots: [`n${letters.length - 1}`] });
}

/** The tree spelled out: repeats as 3(ab), other branches as [ab]. */
function spell(model: Model, tree: Tree, branch = 0): string {
  return [...tree.branches[branch]!.children].map(entry => {
    if (!isBranch(entry)) {
      return model.op(entry);
    }
    const { kind, times } = tree.branches[~entry]!;
    const inside = spell(model, tree, ~entry);
    return kind === 'repeat' ? `${times}(${inside})` : kind === 'turn' ? inside : `[${inside}]`;
  }).join('');
}

function treeOf(letters: string, more?: (at: number) => Partial<NodeView>): { model: Model; tree: Tree } {
  const model = Model.of(chain(letters, more));
  return { model, tree: buildTree(model) };
}

test('repeats are found with their period, nothing else is', () => {
  const find = (text: string) => repeats([...text].map(letter => letter.charCodeAt(0)));
  assert.deepEqual(find('xabcabcabcy'), [{ start: 1, period: 3, times: 3 }]);
  assert.deepEqual(find('aaaa'), [{ start: 0, period: 1, times: 4 }]);
  assert.deepEqual(find('abab'), [], 'twice two is no pattern yet');
  assert.deepEqual(find('abcdefabcdef'), [{ start: 0, period: 6, times: 2 }]);
  assert.deepEqual(find('abcdefgh'), []);
  assert.deepEqual(find(''), []);
});

test('sequences made to be slow end in time', () => {
  const long = Int32Array.from({ length: 200_000 }, (_, at) => (at % 977 === 0 ? at : at & 1));
  const start = performance.now();
  repeats(long);
  assert.ok(performance.now() - start < 5_000);
});

test('small graphs stay as they are, loops of large ones are folded once with their number', () => {
  assert.equal(spell(...Object.values(treeOf('abcabcabc')) as [Model, Tree]), 'abcabcabc');
  const { model, tree } = treeOf(`s${'abc'.repeat(30)}e`);
  assert.match(spell(model, tree), /^s30\(abc\[abc/);
  const repeat = tree.branches.find(branch => branch.kind === 'repeat')!;
  assert.equal(repeat.times, 30);
  assert.equal(repeat.size, 90);
});

test('loops in loops are repeats in repeats', () => {
  const { model, tree } = treeOf(`${`${'ab'.repeat(4)}c`.repeat(10)}e`);
  const outer = tree.branches.find(branch => branch.kind === 'repeat' && branch.times === 10);
  const inner = tree.branches.find(branch => branch.kind === 'repeat' && branch.times === 4);
  assert.ok(outer && inner, spell(model, tree));
  assert.equal(outer.size, 90);
});

test('the tree holds every operation once, and no row is longer than fits', () => {
  let state = 7;
  const letters = Array.from({ length: 5000 }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return String.fromCharCode(97 + (state >>> 24) % 26);
  }).join('');
  const { model, tree } = treeOf(letters);
  const seen = new Uint8Array(model.count);
  for (const branch of tree.branches) {
    assert.ok(branch.children.length <= ROOMY, `${branch.kind} ${branch.children.length}`);
    for (const entry of branch.children) {
      if (!isBranch(entry)) {
        seen[entry]! += 1;
      } else {
        assert.equal(tree.branches[tree.branches[~entry]!.parent], branch);
      }
    }
  }
  assert.ok(seen.subarray(1).every(times => times === 1));
  assert.equal(tree.branches[0]!.size, 5000);
});

test('the first view is short, opens where the trouble is, and folds back', () => {
  const letters = 'abcdefg'.repeat(400);
  const view = chain(letters);
  const store = new GraphStore({ ...view, problems: [problem(['n1234'])] });
  assert.ok(store.shown.items.length <= 61, String(store.shown.items.length));
  assert.ok(store.shown.byKey.has(`n${letters.length - 1}`), 'the root is in sight');
  store.showProblem(0);
  assert.ok(store.shown.byKey.has('n1234'), 'what a problem is about is unfolded');
  assert.ok(store.shown.items.length <= 300);
  store.openFirst();
  assert.ok(store.shown.items.length <= 61);
});

test('groups fold and unfold in place; links go to what stands for their ends', () => {
  const groups = [{ id: 'g', label: 'block', kind: 'scope' as const, parent: null }];
  const view = { ...chain('abcdefgh', at => ({ group: at > 1 && at < 6 ? 'g' : null })), groups };
  const store = new GraphStore(view);
  assert.equal(store.shown.items.length, 9, 'everything fits');
  const branch = store.tree.branches.findIndex(item => item.label === 'block');
  assert.ok(store.toggle(branch));
  const { shown } = store;
  assert.equal(shown.items.length, 6);
  const at = shown.byKey.get(`branch:${branch}`)!;
  assert.deepEqual(shown.inputs[at]!.map(link => shown.items[shown.links[link]!.source]!.key), ['n1']);
  assert.deepEqual(shown.outputs[at]!.map(link => shown.items[shown.links[link]!.target]!.key), ['n6']);
  assert.equal(shown.summaries.get(at)!.operations, 4);
  assert.equal(store.state.selected, `branch:${branch}`);
  assert.ok(store.toggle(branch));
  assert.equal(store.shown.items.length, 9);
});

test('a shared leaf that is hidden in two boxes links nothing', () => {
  const groups = [1, 2].map(at => ({ id: `g${at}`, label: `b${at}`, kind: 'scope' as const, parent: null }));
  const w = node('w', { op: 'tensor', is_leaf: true, requirement: 'grad', role: 'parameter' });
  const ops = [node('p', { group: 'g1' }), node('q', { group: 'g2' }), node('r')];
  const store = new GraphStore(graph([w, ...ops], [['w', 'p'], ['w', 'q'], ['q', 'r']], { groups, roots: ['r'] }));
  store.toggle(1);
  store.toggle(2);
  const keys = store.shown.links.map(({ source, target }) => [store.shown.items[source]!.key, store.shown.items[target]!.key]);
  assert.deepEqual(keys, [['branch:2', 'r']]);
});

test('isolation shows ancestors, descendants, paths; the path of a lost gradient holds the cut', () => {
  const nodes = [
    node('w', { is_leaf: true, requirement: 'grad', role: 'leaf' }), node('h'),
    node('d', { cut: 'detach', requirement: 'none' }), node('v', { is_leaf: true, requirement: 'grad', role: 'leaf' }), node('loss'), node('other')
  ];
  const view = graph(nodes, [['w', 'h'], ['h', 'd'], ['d', 'loss'], ['v', 'loss'], ['h', 'other']], { roots: ['loss'] });
  const store = new GraphStore({ ...view, edges: view.edges.map(edge => ({ ...edge, tracked: edge.target !== 'd' && edge.source !== 'd' })) });
  const keys = (): string[] => store.shown.items.map(item => item.key).sort();
  assert.equal(store.isReached(store.nodeAt('w')), false);
  assert.equal(store.isReached(store.nodeAt('v')), true);
  assert.ok(store.explain(store.nodeAt('w')));
  assert.deepEqual(keys(), ['d', 'h', 'loss', 'w']);
  assert.ok(store.shown.links.some(link => link.cut >= 0));
  store.select('other');
  assert.equal(store.state.isolation, null, 'what lies outside ends the isolation');
  store.isolate({ kind: 'ancestors', node: store.nodeAt('d'), to: 0 });
  assert.deepEqual(keys(), ['d', 'h', 'w']);
  store.isolate({ kind: 'descendants', node: store.nodeAt('h'), to: 0 });
  assert.deepEqual(keys(), ['d', 'h', 'loss', 'other']);
  assert.equal(store.explain(store.nodeAt('other')), false);
});

test('a path takes the way that loses the gradient least', () => {
  const nodes = ['x', 'a', 'b', 'c', 'y'].map(id => node(id));
  const view = graph([...nodes, node('cut', { cut: 'detach' })], [['x', 'cut'], ['cut', 'y'], ['x', 'a'], ['a', 'b'], ['b', 'c'], ['c', 'y']], { roots: ['y'] });
  const store = new GraphStore(view);
  store.explain(store.nodeAt('x'));
  assert.deepEqual(store.shown.items.map(item => item.key).sort(), ['a', 'b', 'c', 'x', 'y']);
});

test('search in folded graphs: the next match is unfolded', () => {
  const letters = 'abcdefg'.repeat(300);
  const store = new GraphStore(chain(letters, at => ({ name: at === 777 ? 'needle' : null })));
  store.search('needle');
  assert.equal(store.matches!.count, 1);
  assert.equal(store.shown.byKey.has('n777'), false);
  store.select(store.nextMatch(null)!);
  assert.ok(store.shown.byKey.has('n777'));
  store.search('b (2,3)');
  assert.equal(store.matches!.count, 300);
});
