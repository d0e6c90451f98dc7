import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { Pace } from '../src/lab/pace';

let now = 0;
let looked: number[] = [];
let cost = 0;

function pass(milliseconds: number): void {
  for (let at = 0; at < milliseconds; at++) {
    now += 1;
    mock.timers.tick(1);
  }
}

function make(): Pace {
  return new Pace(() => {
    looked.push(now);
    now += cost;
  }, () => now);
}

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout'] });
  [now, looked, cost] = [1000, [], 0];
});

afterEach(() => mock.timers.reset());

test('what comes to rest is looked at once', () => {
  const pace = make();
  for (let key = 0; key < 3; key++) {
    pace.changed();
    pass(50);
  }
  pass(1000);
  assert.deepEqual(looked, [1000 + 100 + Pace.REST_MS]);
});

test('what never rests is looked at all the same', () => {
  const pace = make();
  for (let print = 0; print < 150; print++) {
    pace.changed();
    pass(20);
  }
  assert.ok(looked.length >= 8 && looked.length <= 3000 / Pace.PATIENCE_MS, String(looked));
});

test('looking takes a small part of the time, however long it takes', () => {
  const pace = make();
  cost = 200;
  for (let print = 0; print < 600; print++) {
    pace.changed();
    pass(20);
  }
  assert.ok(looked.length >= 5, String(looked));
  assert.ok(looked.length * cost <= (now - 1000) / Pace.SHARE + cost, String(looked));
});

test('nothing is looked at after the end, and at once where that is asked for', () => {
  const pace = make();
  pace.changed();
  pace.stop();
  pass(1000);
  assert.deepEqual(looked, []);
  pace.changed();
  pace.run();
  pass(1000);
  assert.equal(looked.length, 1);
});
