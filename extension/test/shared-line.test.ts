import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Channel, Refused } from '../src/channel';
import { SharedLine } from '../src/shared-line';
import type { QuestionView } from '../src/protocol';

const turn = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0));
const answer = (id: number, result: unknown) => ({ version: 1, id, result, refusal: null });

function kernel() {
  const sent: QuestionView[] = [];
  let ends = 0;
  const line = new SharedLine({ send: data => void sent.push(data as QuestionView) }, () => void (ends += 1), 0);
  const view = (key: string): Channel => new Channel({ open: (received, closed) => line.join(received, closed) }, key);
  return { sent, line, view, ends: () => ends };
}

test('nothing is sent before the kernel says that the connection is open', async () => {
  const { sent, line, view } = kernel();
  const first = view('a').ask('node');
  const second = view('b').ask('node');
  await turn();
  assert.equal(sent.length, 0, 'a busy kernel opens late, and would drop what came before');
  line.receive({ open: true }, []);
  await turn();
  assert.deepEqual(sent.map(({ id, graph }) => [id, graph]), [[0, 'a'], [1, 'b']], 'numbers are of the connection');
  line.receive(answer(1, 'of b'), []);
  line.receive(answer(0, 'of a'), []);
  line.receive(answer(9, 'of nobody'), []);
  line.receive('nonsense', []);
  assert.deepEqual([(await first).result, (await second).result], ['of a', 'of b']);
});

test('a view that goes takes only its own questions with it', async () => {
  const { sent, line, view } = kernel();
  const [gone, stays] = [view('a'), view('b')];
  const lost = gone.ask('node');
  const kept = stays.ask('node');
  line.receive({ open: true }, []);
  await turn();
  gone.dispose();
  await assert.rejects(lost, Refused);
  line.receive(answer(0, 'too late'), []);
  line.receive(answer(1, 'here'), []);
  assert.equal((await kept).result, 'here');
  assert.equal(sent.length, 2);
});

test('a view that goes before the connection is open asks nothing', async () => {
  const { sent, line, view } = kernel();
  const gone = view('a');
  const lost = gone.ask('node');
  gone.dispose();
  await assert.rejects(lost, Refused);
  line.receive({ open: true }, []);
  await turn();
  assert.equal(sent.length, 0);
});

test('the end of the kernel is told to all, also to who still waits to be connected', async () => {
  const { line, view, ends } = kernel();
  const early = view('a');
  const waiting = early.ask('node');
  line.end();
  await assert.rejects(waiting, Refused);
  assert.equal(early.status, 'offline');
  assert.ok(line.ended);
  const { line: other, view: open } = kernel();
  const views = [open('a'), open('b')];
  const asked = views.map(each => each.ask('node'));
  other.receive({ open: true }, []);
  await turn();
  other.end();
  other.end();
  for (const question of asked) {
    await assert.rejects(question, Refused);
  }
  assert.deepEqual(views.map(each => each.status), ['offline', 'offline']);
  assert.equal(ends(), 1);
});

test('the wait for a busy kernel to open is shown as one', async () => {
  const { line, view } = kernel();
  const channel = view('a');
  const seen: string[] = [];
  channel.onStatus(status => seen.push(status));
  const asked = channel.ask('node');
  await new Promise(resolve => setTimeout(resolve, 800));
  assert.deepEqual(seen, ['busy']);
  line.receive({ open: true }, []);
  await turn();
  line.receive(answer(0, 1), []);
  await asked;
  assert.deepEqual(seen, ['busy', 'live']);
});
