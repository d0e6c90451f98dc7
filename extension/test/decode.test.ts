import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../src/model/decode';
import { Model } from '../src/model/model';

type Section = [string, 'u1' | 'u2' | 'u4', number[]];

const HEADER = {
  count: 3, edges: 2, strings: ['', 'mul', 'tensor', '2,"n"', '{"dim":"1"}', 'w'], groups: [['g', 'block', 'module', null], ['h', '0', 'scope', 'g']],
  places: [{ filename: 'a.py', label: 'a.py', line: 3, col: 0, end_line: 3, end_col: 4, text: 'w*w', cell: null }]
};
const zero = (name: string): Section => [name, 'u1', [0, 0, 0]];
const SECTIONS: Section[] = [
  ['id', 'u4', [4, 7, 70_000]], ['op', 'u1', [2, 1, 1]], ['name', 'u1', [5, 0, 0]], zero('kind'), zero('dtype'), zero('device'), zero('cut'),
  ['shape', 'u1', [0, 3, 0]], ['attributes', 'u1', [0, 4, 0]], ['flags', 'u1', [1 | (1 << 2), 2 | (4 << 4), 2 | (5 << 4)]],
  ['place', 'u1', [0, 1, 0]], ['group', 'u1', [0, 2, 1]], ['inputs', 'u1', [0, 1, 1]], ['back', 'u2', [1, 1]], ['slot', 'u1', [0, 0]], ['tracked', 'u1', [1, 0]]
];

function encode(sections: Section[] = SECTIONS, header: object = HEADER): DataView {
  const told = sections.map(([name, type, values]) => [name, type, values.length]);
  let head = JSON.stringify({ ...header, sections: told });
  head = head.padEnd(Math.ceil((head.length + 8) / 8) * 8 - 8);
  const parts: number[] = [...new TextEncoder().encode('GVC1')];
  const little = (value: number, width: number): void => {
    for (let at = 0; at < width; at++) {
      parts.push((value >>> (8 * at)) & 255);
    }
  };
  little(head.length, 4);
  parts.push(...new TextEncoder().encode(head));
  for (const [, type, values] of sections) {
    values.forEach(value => little(value, Number(type[1])));
    while (parts.length % 8) {
      parts.push(0);
    }
  }
  return new DataView(Uint8Array.from(parts).buffer);
}

function change(name: string, values: number[]): Section[] {
  return SECTIONS.map(section => (section[0] === name ? [name, section[1], values] : section));
}

test('columns are read as they were written, at any offset', () => {
  const bytes = new Uint8Array(encode().buffer as ArrayBuffer);
  const moved = new Uint8Array(bytes.length + 3);
  moved.set(bytes, 3);
  for (const view of [encode(), new DataView(moved.buffer, 3)]) {
    const model = new Model(decode(view));
    const node = model.node(1);
    assert.equal(node.id, 'n7');
    assert.deepEqual([node.op, node.name, node.requirement, node.role, node.is_leaf], ['mul', null, 'grad_in_backward', 'operation', false]);
    assert.deepEqual(node.shape, [2, 'n']);
    assert.deepEqual(node.attributes, { dim: '1' });
    assert.equal(node.source!.text, 'w*w');
    assert.equal(node.group, 'h');
    assert.deepEqual(model.groupPath(1).map(group => group.label), ['block', '0']);
    assert.deepEqual([...model.columns.source as Uint32Array], [0, 1]);
    assert.equal(model.label(0), 'w');
    assert.equal(model.indexOf('n70000'), 2);
    assert.equal(model.indexOf('n5'), -1);
    assert.equal(model.indexOf('x'), -1);
  }
});

test('nothing that points to nowhere is let in', () => {
  const broken: [string, DataView][] = [
    ['nothing', new DataView(new ArrayBuffer(0))],
    ['other bytes', new DataView(new ArrayBuffer(64))],
    ['a text that is not there', encode(change('op', [2, 1, 99]))],
    ['a place that is not there', encode(change('place', [0, 9, 0]))],
    ['a group that is not there', encode(change('group', [0, 9, 0]))],
    ['an edge from before the first node', encode(change('back', [2, 1]))],
    ['an edge to itself', encode(change('back', [0, 1]))],
    ['too many inputs', encode(change('inputs', [0, 9, 1]))],
    ['too few inputs', encode(change('inputs', [0, 1, 0]))],
    ['a role that does not exist', encode(change('flags', [0, 0, 7 << 4]))],
    ['ids out of order', encode(change('id', [7, 4, 9]))],
    ['a column too short', encode(change('op', [2, 1]))],
    ['a column left out', encode(SECTIONS.slice(1))],
    ['no header', encode(SECTIONS, { count: 'many' })],
    ['a count beyond everything', encode(SECTIONS, { ...HEADER, count: 1e12 })],
    ['texts that are none', encode(SECTIONS, { ...HEADER, strings: [1, 2, 3, 4, 5, 6] })],
    ['places that are none', encode(SECTIONS, { ...HEADER, places: [{ line: 'x' }] })]
  ];
  for (const [what, view] of broken) {
    assert.throws(() => decode(view), Error, what);
  }
  const whole = new Uint8Array(encode().buffer as ArrayBuffer);
  for (let length = 0; length < whole.length - 8; length += 7) {
    assert.throws(() => decode(new DataView(whole.slice(0, length).buffer)), Error, `cut at ${length}`);
  }
});

test('groups that hold each other are set apart', () => {
  const { columns } = new Model(decode(encode(SECTIONS, { ...HEADER, groups: [['g', 'a', 'scope', 'h'], ['h', 'b', 'scope', 'g']] })));
  assert.ok(columns.groups.some(group => group.parent === -1));
});
