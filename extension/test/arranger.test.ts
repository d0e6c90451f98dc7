import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Layout, LayoutInput } from '../src/layout';
import { Arranger } from '../src/view/arranger';

function chain(count: number): LayoutInput {
  return {
    count,
    edges: Array.from({ length: count - 1 }, (_, at) => ({ source: at, target: at + 1, tracked: true })),
    groups: new Array<number>(count).fill(-1), frameParents: [], frameKeys: [],
    prominence: new Array<number>(count).fill(1), headroom: new Array<number>(count).fill(0), sideRoom: new Array<number>(count).fill(0),
    ends: [], size: () => ({ width: 120, height: 44 })
  };
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

function course(ready: (layout: Layout) => void) {
  const parts: number[] = [];
  return { parts, progress: (part: number) => void parts.push(part), ready };
}

test('small layouts are there at once', () => {
  let found: Layout | undefined;
  assert.equal(new Arranger().arrange(chain(5), course(layout => (found = layout))), true);
  assert.equal(found?.boxes.length, 5);
});

test('a layout that is cancelled never arrives, and the next one does', async () => {
  const arranger = new Arranger();
  const arrived: string[] = [];
  const first = course(() => arrived.push('first'));
  assert.equal(arranger.arrange(chain(3000), first), false);
  await pause(0);
  arranger.cancel();
  await pause(300);
  assert.equal(arrived.length, 0);
  assert.equal(first.parts[0], 0);
  const second = course(() => arrived.push('second'));
  arranger.arrange(chain(3000), second);
  const third = course(() => arrived.push('third'));
  arranger.arrange(chain(2000), third);
  for (let wait = 0; wait < 100 && arrived.length === 0; wait++) {
    await pause(50);
  }
  await pause(100);
  assert.equal(arrived.join(), 'third', 'a later layout ends the one before');
  assert.ok(third.parts.length > 2 && third.parts.every((part, at) => at === 0 || part >= third.parts[at - 1]!), 'progress grows');
});
