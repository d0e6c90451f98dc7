import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan, type CellText } from '../src/lab/edits';
import type { EditView } from '../src/protocol';

function edit(line: number, col: number, original: string, replacement: string, cell: string | null = null): EditView {
  return { filename: 'f', line, col, end_line: line, end_col: col + [...original].length, original, replacement, cell };
}

function apply(cells: CellText[], edits: EditView[]): string[] {
  const planned = plan(cells, edits);
  assert.ok(planned.fits, planned.fits ? '' : planned.reason);
  const texts = cells.map(cell => cell.source);
  for (const { cell, start, end, text } of planned.replacements) {
    texts[cell] = texts[cell]!.slice(0, start) + text + texts[cell]!.slice(end);
  }
  return texts;
}

const CELLS = [{ id: 'one', source: 'a = 1\nb = a.detach()' }, { id: 'two', source: 'c = 2' }];

test('the cell with the id is edited, at the place, from the end to the beginning', () => {
  const edits = [edit(1, 4, '1', '100', 'one'), edit(2, 5, '.detach()', '', 'one'), edit(2, 4, 'a', 'aa', 'one')];
  assert.deepEqual(apply(CELLS, edits), ['a = 100\nb = aa', 'c = 2']);
});

test('without an id the only cell that fits is taken', () => {
  assert.deepEqual(apply(CELLS, [edit(1, 0, 'c = 2', 'c = 3')]), [CELLS[0]!.source, 'c = 3']);
  assert.deepEqual(apply(CELLS, [edit(1, 0, 'c = 2', 'c = 3', 'id of a deleted cell')])[1], 'c = 3');
});

test('columns count code points', () => {
  const cells = [{ id: 'x', source: '\u{1f600} = f(x).detach()' }];
  assert.deepEqual(apply(cells, [edit(1, 8, '.detach()', '')]), ['\u{1f600} = f(x)']);
});

test('insertions at one place are fine; overlaps, changed, doubled and missing code are refused', () => {
  assert.deepEqual(apply(CELLS, [edit(1, 0, '', 'import x\n', 'one')])[0], `import x\n${CELLS[0]!.source}`);
  const refused = (cells: CellText[], edits: EditView[], reason: RegExp): void => {
    const planned = plan(cells, edits);
    assert.ok(!planned.fits);
    assert.match(planned.reason, reason);
  };
  refused(CELLS, [], /no edit/);
  refused(CELLS, [edit(2, 5, '.clone()', '', 'one')], /has changed since it was run/);
  refused(CELLS, [edit(7, 0, 'x', 'y')], /no cell holds/);
  refused([...CELLS, { id: 'three', source: 'c = 2' }], [edit(1, 0, 'c = 2', 'c = 3')], /2 cells hold/);
  refused(CELLS, [edit(1, 0, 'a = 1', 'x', 'one'), edit(1, 4, '1', '2', 'one')], /overlap/);
  refused(CELLS, [edit(1, 4, '1', '2', 'one'), edit(2, 0, 'zz', 'y', 'one')], /has changed/);
});
