import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BAD, channelOf, colourOf, scaleOf } from '../src/view/values/colours';
import { bytes, nested, show } from '../src/view/values/numbers';

test('numbers are short and exact, and those without digits are words', () => {
  assert.equal(show(0.123456), '0.1235');
  assert.equal(show(-1234567), '-1.23e6');
  assert.equal(show(0.00001), '1e-5');
  assert.equal(show(0), '0');
  assert.deepEqual([show('nan'), show('inf'), show('-inf'), show(null)], ['NaN', '\u221e', '-\u221e', '\u2013']);
});

test('bytes have the unit that keeps them short', () => {
  assert.deepEqual([0, 999, 1000, 80_000, 1.5e9, 1e16].map(bytes), ['0 B', '999 B', '1 kB', '80 kB', '1.5 GB', '10000 TB']);
});

test('small arrays are written as nested lists', () => {
  assert.equal(nested([3], []), '3');
  assert.equal(nested([1, 2, 'nan', 4], [2, 2]), '[[1, 2],\n [NaN, 4]]');
  assert.equal(nested([], [0]), '[]');
});

test('both signs meet at zero, one sign has one hue, and what is no number has its own colour', () => {
  assert.deepEqual(scaleOf(-1, 3), { low: -3, high: 3, diverging: true });
  assert.deepEqual(scaleOf(2, 3), { low: 2, high: 3, diverging: false });
  for (const dark of [false, true]) {
    const scale = scaleOf(-1, 1);
    const middle = colourOf(0, scale, dark);
    assert.deepEqual(middle, dark ? [36, 39, 46] : [247, 247, 247]);
    assert.notDeepEqual(colourOf(1, scale, dark), colourOf(-1, scale, dark));
    assert.deepEqual(colourOf(NaN, scale, dark), BAD);
    assert.deepEqual(colourOf(5, scaleOf(5, 5), dark), colourOf(5, scaleOf(5, 6), dark));
  }
});

test('images come in several ranges', () => {
  assert.equal(channelOf(0.5, [0.1, 0.9]), 128);
  assert.equal(channelOf(51, [0, 200]), 51);
  assert.equal(channelOf(0, [-2, 2]), 128);
  assert.equal(channelOf(5, [5, 5]), 5);
  assert.ok(Number.isNaN(channelOf(NaN, [0, 1])));
});
