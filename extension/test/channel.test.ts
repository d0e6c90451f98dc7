import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Channel, Refused, type Wire } from '../src/channel';
import type { QuestionView } from '../src/protocol';

/** A kernel under the test's control. */
class FakeWire implements Wire {
  readonly asked: QuestionView[] = [];
  receive: (message: unknown, buffers?: DataView[]) => void = () => undefined;
  hangUp: () => void = () => undefined;
  opened = 0;
  closed = 0;

  open(received: (message: unknown, buffers: readonly DataView[]) => void, closed: () => void) {
    this.opened += 1;
    this.receive = (message, buffers = []) => received(message, buffers);
    this.hangUp = closed;
    return { send: (question: QuestionView) => void this.asked.push(question), close: () => void (this.closed += 1) };
  }
}

const turn = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0));
const answer = (id: number, result: unknown) => ({ version: 1, id, result, refusal: null });

test('answers find their questions in any order, and buffers come along', async () => {
  const wire = new FakeWire();
  const channel = new Channel(wire, 'key');
  const first = channel.ask('a');
  const second = channel.ask('b', { node: 'n1' });
  await turn();
  assert.deepEqual(wire.asked.map(({ method, graph, params }) => [method, graph, params]), [['a', 'key', {}], ['b', 'key', { node: 'n1' }]]);
  wire.receive('nonsense');
  wire.receive(answer(77, 'nobody asked'));
  wire.receive(answer(1, 'two'), [new DataView(new ArrayBuffer(8))]);
  wire.receive(answer(0, 'one'));
  assert.equal((await first).result, 'one');
  assert.equal((await second).buffers[0]!.byteLength, 8);
  assert.equal(wire.opened, 1, 'one line serves all questions');
  channel.dispose();
});

test('refusals carry their code; a graph the kernel let go makes the view go on alone', async () => {
  const wire = new FakeWire();
  const channel = new Channel(wire, 'key');
  const seen: string[] = [];
  channel.onStatus(status => seen.push(status));
  const asked = channel.ask('a');
  await turn();
  wire.receive({ version: 1, id: 0, result: null, refusal: { code: 'gone', message: 'let go' } });
  await assert.rejects(asked, (error: unknown) => error instanceof Refused && error.code === 'gone');
  assert.deepEqual(seen, ['offline']);
  await assert.rejects(channel.ask('b'), Refused);
  assert.equal(wire.closed, 0 + 1);
});

test('a busy kernel is told from a dead one', async () => {
  const wire = new FakeWire();
  const channel = new Channel(wire, 'key');
  const asked = channel.ask('a');
  await turn();
  await new Promise(resolve => setTimeout(resolve, 800));
  assert.equal(channel.status, 'busy');
  wire.receive(answer(0, 1));
  await asked;
  assert.equal(channel.status, 'live');
  const lost = channel.ask('b');
  await turn();
  wire.hangUp();
  await assert.rejects(lost, /gone/);
  assert.equal(channel.status, 'offline');
});

test('results are checked against the protocol', async () => {
  const wire = new FakeWire();
  const channel = new Channel(wire, 'key');
  const asked = channel.askFor('NodeView', 'node');
  await turn();
  wire.receive(answer(0, { id: 7 }));
  await assert.rejects(asked, (error: unknown) => error instanceof Refused && error.code === 'malformed');
  channel.dispose();
});

test('without a wire or a key nobody is asked', async () => {
  assert.equal(new Channel(null, 'key').status, 'offline');
  const wire = new FakeWire();
  const channel = new Channel(wire, null);
  await assert.rejects(channel.ask('a'), Refused);
  assert.equal(wire.opened, 0);
});

test('a wire that cannot open leaves the view offline', async () => {
  const channel = new Channel({ open: () => { throw new Error('no kernel'); } }, 'key');
  await assert.rejects(channel.ask('a'), /no kernel/);
  assert.equal(channel.status, 'offline');
});
