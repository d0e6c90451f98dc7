import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layout, type Box, type LayoutInput } from '../src/layout';

interface Made {
  count: number;
  edges: [number, number][];
  groups?: number[];
  frameParents?: number[];
  prominence?: number[];
  ends?: number[];
}

function input({ count, edges, groups, frameParents, prominence, ends }: Made): LayoutInput {
  return {
    count,
    edges: edges.map(([source, target]) => ({ source, target, tracked: true })),
    groups: groups ?? new Array<number>(count).fill(-1),
    frameParents: frameParents ?? [...new Set(groups ?? [])].filter(group => group >= 0).map(() => -1),
    frameKeys: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    prominence: prominence ?? new Array<number>(count).fill(1),
    headroom: new Array<number>(count).fill(0),
    sideRoom: new Array<number>(count).fill(0),
    ends: ends ?? [],
    size: (_, form) => (form === 'alias' ? { width: 60, height: 22 } : { width: 120, height: 44 })
  };
}

function apart(a: Box, b: Box): boolean {
  return a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
}

function check(made: Made): ReturnType<typeof layout> {
  const result = layout(input(made));
  const whole = new Set(result.boxes.filter(box => box.form !== 'alias').map(box => box.node));
  assert.equal(whole.size, made.count, 'every node is drawn whole once');
  assert.equal(result.boxes.filter(box => box.form !== 'alias').length, made.count);
  for (const box of result.boxes) {
    assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= result.width && box.y + box.height <= result.height, 'inside');
  }
  const linked = new Set(result.links.map(link => link.edge));
  made.edges.forEach(([source, target], at) => assert.ok(source === target || linked.has(at), `edge ${at} is drawn`));
  for (const { path } of result.links) {
    assert.ok(!path.includes('NaN') && !path.includes('undefined'), path);
  }
  return result;
}

function noOverlap(boxes: readonly Box[]): void {
  boxes.forEach((a, at) => boxes.slice(at + 1).forEach(b => assert.ok(apart(a, b), `${a.node} and ${b.node} overlap`)));
}

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test('the empty graph and single nodes', () => {
  assert.deepEqual(layout(input({ count: 0, edges: [] })).boxes, []);
  noOverlap(check({ count: 1, edges: [] }).boxes);
  noOverlap(check({ count: 3, edges: [] }).boxes);
  check({ count: 2, edges: [[0, 1], [0, 1], [1, 1]] });
});

test('the longest chain is one straight line, its leaves beside it', () => {
  const steps = 30;
  const edges: [number, number][] = [];
  for (let at = 0; at < steps; at++) {
    if (at > 0) {
      edges.push([at - 1, at]);
    }
    edges.push([steps + at, at]);
  }
  const result = check({ count: 2 * steps, edges, ends: [steps - 1] });
  const spine = result.boxes.filter(box => box.form === 'row' && box.node < steps);
  assert.equal(new Set(spine.map(box => box.x)).size, 1);
  noOverlap(result.boxes);
});

test('a shared leaf is drawn whole once and as an alias at its other uses', () => {
  const result = check({ count: 5, edges: [[0, 1], [4, 1], [1, 2], [4, 2], [2, 3], [4, 3]], prominence: [2, 1, 1, 1, 0] });
  const shared = result.boxes.filter(box => box.node === 4).map(box => box.form).sort();
  assert.deepEqual(shared, ['alias', 'alias', 'side']);
});

test('an edge that skips rows runs beside the nodes it passes', () => {
  const result = check({ count: 5, edges: [[0, 1], [1, 2], [2, 3], [3, 4], [1, 4]], ends: [4] });
  const skip = result.links.find(link => link.edge === 4)!;
  const spine = result.boxes.find(box => box.node === 2)!;
  assert.ok(skip.mark.x > spine.x + spine.width, 'the bow is outside');
});

test('the spine leads to the node that was asked about', () => {
  const result = check({ count: 6, edges: [[0, 1], [1, 2], [1, 3], [3, 4], [4, 5]], ends: [2] });
  const x = (node: number): number => {
    const box = result.boxes.find(b => b.node === node)!;
    return box.x + box.width / 2;
  };
  assert.equal(x(1), x(2));
  assert.notEqual(x(1), x(3));
});

test('groups become frames around their rows', () => {
  const result = check({ count: 4, edges: [[0, 1], [1, 2], [2, 3]], groups: [-1, 0, 0, -1], ends: [3] });
  assert.equal(result.bands.length, 1);
  const band = result.bands[0]!;
  for (const node of [1, 2]) {
    const box = result.boxes.find(b => b.node === node)!;
    assert.ok(box.x >= band.x && box.y >= band.y && box.y + box.height <= band.y + band.height);
  }
});

test('random graphs: nothing overlaps, everything is drawn, twice the same', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const next = random(seed);
    const count = 2 + Math.floor(next() * 40);
    const edges: [number, number][] = [];
    for (let at = 0; at < count * 1.6; at++) {
      const target = 1 + Math.floor(next() * (count - 1));
      edges.push([Math.floor(next() * target), target]);
    }
    const made = { count, edges, prominence: Array.from({ length: count }, () => Math.floor(next() * 4)) };
    const result = check(made);
    noOverlap(result.boxes);
    assert.deepEqual(layout(input(made)), result);
  }
});

test('a cycle, which no gradient graph has, ends all the same', () => {
  const result = layout(input({ count: 3, edges: [[0, 1], [1, 2], [2, 1]] }));
  assert.equal(new Set(result.boxes.map(box => box.node)).size, 3);
});

test('deep and large graphs cost time only', () => {
  const count = 100_000;
  const edges: [number, number][] = [];
  for (let at = 4; at < count; at++) {
    edges.push([at === 4 ? 0 : at - 1, at], [at % 3 + 1, at]);
    if (at % 10 === 0 && at > 20) {
      edges.push([at - 7, at]);
    }
  }
  const start = performance.now();
  const result = layout(input({ count, edges, ends: [count - 1] }));
  const took = performance.now() - start;
  assert.ok(result.boxes.length > count);
  assert.ok(took < 15_000, `${took} ms`);
  console.log(`100,000 nodes, depth ${count - 4}: ${Math.round(took)} ms`);
});

test('wide layers of scalars stay fast', () => {
  const width = 60;
  const layers = 80;
  const edges: [number, number][] = [];
  for (let layer = 1; layer < layers; layer++) {
    for (let at = 0; at < width; at++) {
      edges.push([(layer - 1) * width + at, layer * width + at], [(layer - 1) * width + ((at * 7 + 3) % width), layer * width + at]);
    }
  }
  const start = performance.now();
  check({ count: width * layers, edges });
  const took = performance.now() - start;
  console.log(`${width * layers} scalars in wide layers: ${Math.round(took)} ms`);
  assert.ok(took < 5_000);
});

test('nodes without edges stand on shelves, in their order', () => {
  const { boxes, width, height } = check({ count: 74, edges: [] });
  noOverlap(boxes);
  assert.ok(width < 1000 && height < 2200, `${width} by ${height}`);
  const places = [...boxes].sort((a, b) => a.node - b.node).map(({ x, y }) => y * 10_000 + x);
  assert.deepEqual(places, [...places].sort((a, b) => a - b));
});

test('shelves stand below what is connected', () => {
  const { boxes } = check({ count: 12, edges: [[0, 1], [1, 2], [3, 2]] });
  noOverlap(boxes);
  const bottom = Math.max(...boxes.filter(({ node }) => node < 4).map(({ y, height }) => y + height));
  assert.ok(boxes.filter(({ node }) => node >= 4).every(({ y }) => y >= bottom));
});
