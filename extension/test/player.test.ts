import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StepsView } from '../src/protocol';
import { paintOfFlows, edgeKey } from '../src/view/overlay';
import { paintOfStep } from '../src/view/steps/paint';
import { Player, type Clock } from '../src/view/steps/player';

/** A clock that moves when it is told to. */
class Hand implements Clock {
  private due: { run: () => void; wait: number; id: number }[] = [];
  private serial = 0;
  start(run: () => void, wait: number): number {
    this.due.push({ run, wait, id: ++this.serial });
    return this.serial;
  }
  stop(id: number): void {
    this.due = this.due.filter(entry => entry.id !== id);
  }
  tick(): number | undefined {
    const next = this.due.shift();
    next?.run();
    return next?.wait;
  }
  get waiting(): number {
    return this.due.length;
  }
}

function player(count: number): { film: Player; clock: Hand; seen: number[] } {
  const seen: number[] = [];
  const clock = new Hand();
  const film: Player = new Player(count, () => seen.push(film.at), clock);
  return { film, clock, seen };
}

test('plays to the end and stops there', () => {
  const { film, clock, seen } = player(3);
  film.toggle();
  assert.ok(film.playing);
  clock.tick();
  clock.tick();
  assert.equal(film.at, 2);
  assert.ok(!film.playing);
  assert.equal(clock.waiting, 0);
  assert.deepEqual([...new Set(seen)], [0, 1, 2]);
  film.toggle();
  assert.equal(film.at, 0, 'from the end it begins anew');
});

test('a step, a seek or a second press stops it', () => {
  const { film, clock } = player(5);
  for (const stop of [() => film.step(1), () => film.seek(0), () => film.toggle()]) {
    film.toggle();
    assert.ok(film.playing);
    stop();
    assert.ok(!film.playing);
    assert.equal(clock.waiting, 0);
  }
});

test('it never leaves its steps', () => {
  const { film } = player(3);
  film.seek(99);
  assert.equal(film.at, 2);
  film.step(-99);
  assert.equal(film.at, -1);
  const empty = player(0);
  empty.film.toggle();
  empty.film.step(1);
  assert.equal(empty.film.at, -1);
  assert.equal(empty.clock.waiting, 0);
});

test('speed changes the wait', () => {
  const { film, clock } = player(9);
  film.toggle();
  film.speed = 4;
  assert.equal(clock.waiting, 1);
  assert.equal(clock.tick(), 300);
});

const glimpse = { shape: [], dtype: 'float32', bytes: 4, low: 1, high: 1, mean: 1, norm: 1, bad: 0, numbers: [1] };
const part = (node: string, joins = false) => ({ node, label: node, slot: 'x', part: glimpse, total: glimpse, joins, health: 'fine' as const });
const step = (node: string, parts: ReturnType<typeof part>[], recomputed: string[] = []) => ({
  node, label: node, op: node, formulas: [], incoming: glimpse, saved: [], parts, recomputed, tape_bytes: 0, freed_bytes: 0, waiting: 1
});
const FILM: StepsView = {
  root: 'c', total: 3, retained: false, tape_bytes: 0, formulas: [],
  steps: [step('c', [part('b'), part('a')]), step('b', [part('a', true)], ['z', 'b']), step('a', [part('leaf')])]
};

test('the picture tells what is done, runs, waits and joins', () => {
  const at = (position: number): Record<string, string> => Object.fromEntries(paintOfStep(FILM, position).nodes);
  assert.deepEqual(at(-1), { c: 'waiting', b: 'to-come', a: 'to-come' });
  assert.deepEqual(at(0), { c: 'now', b: 'waiting', a: 'waiting' });
  assert.deepEqual(at(1), { c: 'done', b: 'now', a: 'joins', z: 'again' });
  assert.deepEqual(at(2), { c: 'done', b: 'done', a: 'now', leaf: 'waiting' });
  const edges = paintOfStep(FILM, 1).edges;
  assert.equal(edges.get('b>c>x')?.name, 'done');
  assert.equal(edges.get('a>b>x')?.name, 'now');
});

test('gradients are strong by their logarithm, and trouble has a name of its own', () => {
  const flow = (source: string, norm: number | 'nan', health: 'fine' | 'not finite' | 'zero' = 'fine') =>
    ({ source, target: 't', slot: 'x', norm, health });
  const { edges } = paintOfFlows([flow('a', 1), flow('b', 1e-3), flow('c', 1e-6), flow('d', 'nan', 'not finite'), flow('e', 0, 'zero')]);
  const of = (source: string) => edges.get(edgeKey({ source, target: 't', slot: 'x' }))!;
  assert.deepEqual(['a', 'b', 'c', 'e'].map(source => of(source).level), [1, 0.5, 0, 0]);
  assert.deepEqual([of('d').name, of('d').level], ['flow-not-finite', 1]);
  assert.equal(paintOfFlows([]).edges.size, 0);
});
