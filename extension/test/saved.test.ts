import assert from 'node:assert/strict';
import zlib from 'node:zlib';
import { test } from 'node:test';
import { Channel, Refused } from '../src/channel';
import { SavedWire } from '../src/page/saved';
import type { SavedAnswerView, StatisticsView, ValueView } from '../src/protocol';

const NUMBERS: StatisticsView = {
  count: 2, finite: 1, zeros: 0, nans: 1, above: 0, below: 0, low: 1, high: 1, mean: 1, std: 0, norm: 1, start: 1, end: 1, bins: [1], whole: true
};
const VALUE: ValueView = {
  node: 'n1', what: 'value', origin: 'tensor', reason: '', shape: [2], dtype: 'float32', changed: false, statistics: NUMBERS, preview: null
};

function entry(more: Partial<SavedAnswerView>): SavedAnswerView {
  return { graph: 'graph', method: 'value', params: { node: 'n1', what: 'value' }, result: VALUE, refusal: null, ...more };
}

function packed(entries: unknown): string {
  return zlib.deflateSync(Buffer.from(JSON.stringify(entries))).toString('base64');
}

const refusal = (code: string, message: RegExp) => (error: unknown): boolean =>
  error instanceof Refused && error.code === code && message.test(error.message);

test('what was saved is answered, whatever the order of its parameters', async () => {
  const channel = new Channel(new SavedWire(packed([entry({})])), 'graph');
  assert.equal(channel.status, 'saved');
  assert.equal(channel.hasKernel, false);
  assert.deepEqual(await channel.askFor('ValueView', 'value', { what: 'value', node: 'n1' }), VALUE);
  assert.equal(channel.status, 'saved', 'an answer makes no kernel of a file');
  channel.dispose();
  assert.equal(channel.status, 'offline');
});

test('what was left out is said in a sentence, at once', async () => {
  const channel = new Channel(new SavedWire(packed([entry({})])), 'graph');
  await assert.rejects(channel.ask('value', { node: 'n2', what: 'value' }), refusal('unsaved', /^These numbers are not saved in this file\.$/));
  await assert.rejects(channel.ask('steps'), refusal('unsaved', /^The steps of backward are not saved/));
  await assert.rejects(channel.ask('preview', { node: 'n1', axes: [1, 0] }), refusal('unsaved', /^This slice is not saved/));
  assert.equal(channel.status, 'saved', 'other questions have answers still');
});

test('a refusal of the kernel is one here', async () => {
  const told = entry({ method: 'steps', params: {}, result: null, refusal: { code: 'refused', message: 'It was consumed.' } });
  const channel = new Channel(new SavedWire(packed([told])), 'graph');
  await assert.rejects(channel.ask('steps'), refusal('refused', /^It was consumed\.$/));
});

test('graphs of one page have answers of their own', async () => {
  const wire = new SavedWire(packed([entry({ graph: 'before' }), entry({ graph: 'after', result: { ...VALUE, shape: [3] } })]));
  const ask = (key: string) => new Channel(wire, key).askFor<ValueView>('ValueView', 'value', { node: 'n1', what: 'value' });
  const [before, after] = await Promise.all([ask('before'), ask('after')]);
  assert.deepEqual([before.shape, after.shape], [[2], [3]]);
});

for (const [name, text] of Object.entries({
  'nothing': '', 'no base 64': '\u2207', 'nothing compressed': btoa('hello'), 'no list': packed({ a: 1 }), 'no answers': packed([{ graph: 7 }]),
  'no JSON': zlib.deflateSync(Buffer.from('{')).toString('base64')
})) {
  test(`a page with ${name} is one without numbers`, async () => {
    const channel = new Channel(new SavedWire(text), 'graph');
    await assert.rejects(channel.ask('value', { node: 'n1', what: 'value' }), refusal('unsaved', /saved without numbers/));
  });
}

test('results are checked like those of a kernel', async () => {
  const channel = new Channel(new SavedWire(packed([entry({ result: { ...VALUE, statistics: 'many' } })])), 'graph');
  await assert.rejects(channel.askFor('ValueView', 'value', { node: 'n1', what: 'value' }), refusal('malformed', /statistics/));
});
