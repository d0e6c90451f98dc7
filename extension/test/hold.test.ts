import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hold } from '../src/view/hold';

test('a hold is free when its last reason has gone, once', () => {
  let freed = 0;
  const hold = new Hold(() => freed++);
  hold.set('menu', false);
  assert.equal(freed, 0);
  hold.set('pressed', true);
  hold.set('menu', true);
  hold.set('pressed', false);
  assert.ok(hold.held);
  assert.equal(freed, 0);
  hold.set('menu', false);
  assert.ok(!hold.held);
  assert.equal(freed, 1);
});

test('what was begun in a view ends with it, a pressed pointer does not', () => {
  const hold = new Hold(() => assert.fail('nobody waits for a view that goes'));
  hold.set('steps', true);
  hold.set('composing', true);
  hold.forget();
  assert.ok(!hold.held);
  hold.set('pressed', true);
  hold.forget();
  assert.ok(hold.held);
});
