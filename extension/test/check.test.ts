import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPayload } from '../src/check';
import { graph, node, problem } from './make';

test('a whole graph is read as it is', () => {
  const sent = graph([node('a'), node('b')], [['a', 'b']], { problems: [problem(['b'])] });
  const payload = readPayload(JSON.parse(JSON.stringify(sent)));
  assert.equal(payload.kind, 'graph');
  assert.deepEqual(payload.kind === 'graph' && payload.graph, sent);
});

test('optional fields may be missing and unknown ones are dropped', () => {
  const { problems: _problems, ...bare } = node('a');
  const payload = readPayload({ ...graph([bare as never], []), surprise: 1 });
  assert.ok(payload.kind === 'graph');
  assert.deepEqual(payload.graph.nodes[0]!.problems, []);
  assert.ok(!('surprise' in payload.graph));
});

test('cards are told from graphs', () => {
  const payload = readPayload({ schema: 1, type: 'card', problem: problem([]) });
  assert.ok(payload.kind === 'card');
  assert.deepEqual(payload.card.facts, []);
});

test('what does not fit is named, never thrown', () => {
  for (const [data, expected] of [
    [null, /no gradviz message/],
    ['text', /no gradviz message/],
    [{ schema: 7 }, /newer gradviz/],
    [{}, /graph\.schema is no number/],
    [graph([node('a', { requirement: 'maybe' as never })], []), /nodes\[0\]\.requirement is none of grad/],
    [graph([node('a', { source: 3 as never })], []), /nodes\[0\]\.source is no object/],
    [graph([node('a', { shape: [null] as never })], []), /shape\[0\] is no number/]
  ] as const) {
    const payload = readPayload(data);
    assert.ok(payload.kind === 'unreadable');
    assert.match(payload.reason, expected);
  }
});
