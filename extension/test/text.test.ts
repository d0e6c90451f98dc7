import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clip, clipStart, columns, lines, offsetOf, oneLine } from '../src/text';

test('steering and control characters become visible signs', () => {
  assert.equal(oneLine('a\u202eb\x1b[31m\x00c\nd'), 'a\ufffdb\u241b[31m\u2400c\u21b5d');
  assert.equal(lines('a\r\nb\tc\u2066'), 'a\nb\tc\ufffd');
  assert.equal(oneLine('\u05d0\u05d1 caf\u00e9 \u{1f469}\u200d\u{1f52c}'), '\u05d0\u05d1 caf\u00e9 \u{1f469}\u200d\u{1f52c}');
});

test('clipping keeps whole characters and counts wide ones twice', () => {
  assert.equal(clip('short', 10), 'short');
  assert.equal(clip('exactly ten', 11), 'exactly ten');
  assert.ok(columns(clip('n'.repeat(10_000), 20)) <= 20);
  const faces = clip('\u{1f600}'.repeat(300), 7);
  assert.ok(columns(faces) <= 8 && faces.endsWith('\u2026'));
  assert.ok(!/[\ud800-\udbff](?![\udc00-\udfff])/.test(faces), 'no split surrogates');
});

test('offsets count code points in a line, as Python does', () => {
  const text = 'a = 1\n\u{1f600}b = c\nlast';
  assert.equal(offsetOf(text, 1, 4), 4);
  assert.equal(text.slice(offsetOf(text, 2, 1), offsetOf(text, 2, 2)), 'b');
  assert.equal(offsetOf(text, 3, 4), text.length);
  assert.equal(offsetOf(text, 3, 5), undefined, 'past the end of the line');
  assert.equal(offsetOf(text, 2, 7), undefined, 'a column never runs into the next line');
  assert.equal(offsetOf(text, 9, 0), undefined);
});

test('the end of a text is kept whole, wide characters count two', () => {
  assert.equal(clipStart('layers.0', 8), 'layers.0');
  assert.equal(clipStart('encoder.layers.0', 9), '\u2026layers.0');
  assert.equal(clipStart('\u4e2d\u6587\u5b57', 4), '\u2026\u5b57');
  assert.equal(clipStart('a'.repeat(10_000), 5), '\u2026aaaa');
  assert.equal(clipStart('', 5), '');
});
