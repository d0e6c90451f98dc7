import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualOf } from '../src/model/usual';
import { GraphStore } from '../src/store';
import { FACES, fitName } from '../src/view/meter';
import { nameIn, nodeTexts, shapeLink, sideTexts } from '../src/view/sizes';
import { graph, node } from './make';

const leaf = { op: 'parameter', is_leaf: true, requirement: 'grad', role: 'parameter' } as const;
const module = (id: string, label: string, parent: string | null) => ({ id, label, kind: 'module' as const, parent });

/** x -> up (with a weight) -> act -> out, in net/block; the block's linear layer is all of a module of its own. */
function network() {
  const nodes = [
    node('x', { op: 'tensor', is_leaf: true, requirement: 'none', role: 'input', kind: 'NdArray', dtype: 'int64' }),
    node('w', { ...leaf, name: 'block.up.weight' }),
    node('up', { op: 'linear', group: 'up' }), node('act', { op: 'gelu', group: 'block', attributes: { approximate: 'tanh', long: 'y'.repeat(60) } }),
    node('out', { op: 'sum', shape: [] })
  ];
  return graph(nodes, [['x', 'up'], ['w', 'up'], ['up', 'act'], ['act', 'out']], {
    roots: ['out'], groups: [module('net', 'Net', null), module('block', 'block', 'net'), module('up', 'up', 'block')]
  });
}

const at = (store: GraphStore, key: string): number => store.shown.byKey.get(key)!;

test('a module that is one operation is that operation, with its name', () => {
  const store = new GraphStore(network());
  assert.deepEqual(store.tree.branches.filter(({ size }) => size > 0).map(({ label }) => label), ['', 'Net', 'block']);
  assert.equal(store.tree.called.get(store.model.indexOf('up')), 'up');
  assert.equal(nodeTexts(store, at(store, 'up')).aside, 'up');
  assert.equal(store.tree.branches[store.tree.owner[store.model.indexOf('up')]!]!.label, 'block');
});

test('parameters are called by what the frame around them does not say', () => {
  const store = new GraphStore(network());
  assert.equal(sideTexts(store, at(store, 'w')).title, 'up.weight');
  const frame = store.shown.items[at(store, 'act')]!.frame;
  assert.equal(nameIn(store, frame, 'other.up.weight'), 'other.up.weight');
  assert.equal(nameIn(store, frame, 'block.'), 'block.');
  assert.equal(nameIn(store, 0, 'block.up.weight'), 'block.up.weight');
});

test('a long name keeps its end, whole parts of it', () => {
  const name = 'encoder.layers.11.self_attn.in_proj_weight';
  assert.equal(fitName(name, FACES.title, 1000), name);
  assert.equal(fitName(name, FACES.title, 150), '\u2026in_proj_weight');
  assert.match(fitName(`a.${'b'.repeat(300)}`, FACES.title, 100), /^\u2026b+\u2026$/);
  assert.equal(fitName('.'.repeat(5_000), FACES.title, 100).length < 200, true);
});

test('a shape is said once: in the box of what is given and asked about, else on one edge', () => {
  const store = new GraphStore(network());
  for (const key of ['x', 'w', 'out']) {
    assert.equal(shapeLink(store, at(store, key)), -1, key);
  }
  const link = store.shown.links[shapeLink(store, at(store, 'up'))]!;
  assert.equal(store.shown.items[link.target]!.key, 'act');
  assert.equal(nodeTexts(store, at(store, 'up')).facts, '');
  assert.equal(nodeTexts(store, at(store, 'out')).facts, 'scalar');
});

test('kinds and dtypes stand only where they differ from the others', () => {
  const view = network();
  const store = new GraphStore({ ...view, nodes: view.nodes.map(each => (each.id === 'act' ? { ...each, kind: 'Autodiff(LibTorch)', dtype: 'float64' } : each)) });
  assert.equal(nodeTexts(store, at(store, 'up')).badge, '');
  assert.equal(nodeTexts(store, at(store, 'act')).badge, '\u2202 Torch');
  assert.equal(nodeTexts(store, at(store, 'act')).facts, '(2, 3) \u00b7 float64');
  assert.equal(sideTexts(store, at(store, 'w')).facts, '(2, 3)');
});

test('attributes are shown whole or not at all', () => {
  const store = new GraphStore(network());
  assert.equal(nodeTexts(store, at(store, 'act')).aside, 'approximate=tanh');
});

test('neighbours of one sort are opened together or not at all, and a repeat only with its first turn', () => {
  const groups = [module('net', 'Net', null)];
  const nodes = [node('x', { op: 'tensor', is_leaf: true, requirement: 'grad', role: 'leaf' })];
  const edges: [string, string][] = [];
  let last = 'x';
  const add = (id: string, op: string, group: string): void => {
    nodes.push(node(id, { op, group }));
    edges.push([last, id]);
    last = id;
  };
  for (let block = 0; block < 3; block++) {
    groups.push(module(`b${block}`, `stage.${block}`, 'net'));
    for (let step = 0; step < 10 + block; step++) {
      add(`n${block}-${step}`, `op${block}${step}`, `b${block}`);
    }
  }
  for (let layer = 0; layer < 8; layer++) {
    groups.push(module(`l${layer}`, `layers.${layer}`, 'net'));
    for (let step = 0; step < 25; step++) {
      add(`m${layer}-${step}`, `part${step}`, `l${layer}`);
    }
  }
  const store = new GraphStore(graph(nodes, edges, { groups, roots: [last] }));
  const stages = store.shown.items.filter(({ branch }) => branch >= 0 && store.branch(branch).label.startsWith('stage.'));
  assert.equal(stages.length, 3);
  const repeat = store.tree.branches.findIndex(({ kind }) => kind === 'repeat');
  assert.ok(repeat > 0);
  assert.ok(store.shown.items.length <= 26);
});

test('a module without a loss is its tree of modules, folded, and no parameter is a root', () => {
  const names = Array.from({ length: 12 }, (_, layer) => ['attn.q.weight', 'attn.q.bias', 'attn.out', 'norm.weight'].map(name => `layers.${layer}.${name}`)).flat();
  const all = [...names, 'embed.weight', 'head'];
  const store = new GraphStore(graph(all.map((name, at) => node(`n${at}`, { ...leaf, name })), [], { roots: all.map((_, at) => `n${at}`) }));
  assert.deepEqual(store.roots, []);
  assert.ok(store.shown.items.length <= 8, String(store.shown.items.length));
  assert.ok(store.tree.branches.some(({ kind, times }) => kind === 'repeat' && times === 12));
  const rest = store.shown.items.find(({ branch }) => branch >= 0 && store.branch(branch).kind === 'rest')!;
  const summary = store.shown.summaries.get(store.shown.byKey.get(rest.key)!)!;
  assert.deepEqual([summary.operations, summary.parameters], [0, 44]);
  store.select('n0');
  const seen = at(store, 'n0');
  assert.equal(nodeTexts(store, seen).title, 'weight');
  assert.equal(nodeTexts(store, seen).state, '');
  assert.equal(nodeTexts(store, at(store, `n${names.length}`)).title, 'embed.weight');
});

test('names with more dots than modules make no endless tree, and one tensor alone stays what was asked about', () => {
  const store = new GraphStore(graph([node('a', { ...leaf, name: '.'.repeat(5_000) }), node('b', { ...leaf, name: null })], [], { roots: ['a', 'b'] }));
  assert.ok(store.tree.branches.length < 30);
  assert.equal(new GraphStore(graph([node('a', leaf)], [], { roots: ['a'] })).isRoot(0), true);
});

test('what a whole graph is, no box of it says: consumed', () => {
  const used = (ids: string[]) => {
    const view = network();
    return new GraphStore({ ...view, nodes: view.nodes.map(each => ({ ...each, consumed: ids.includes(each.id) })) });
  };
  const all = used(['up', 'act', 'out']);
  assert.equal(usualOf(all.model).consumed, true);
  assert.equal(nodeTexts(all, at(all, 'act')).state, '');
  assert.equal(nodeTexts(all, at(all, 'out')).state, 'root');
  const some = used(['up', 'act']);
  assert.equal(usualOf(some.model).consumed, false);
  assert.equal(nodeTexts(some, at(some, 'act')).state, 'consumed');
});
