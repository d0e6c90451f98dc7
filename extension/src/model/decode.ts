/**
 * Columns from bytes, as `gradviz/graph/columns.py` writes them. They may come from a saved notebook of
 * anybody: every number is checked against what it points to before anything else reads it.
 */
import { readAs } from '../check';
import type { GroupView, SpanView } from '../protocol';
import { breakCircles, REQUIREMENTS, ROLES, type Columns, type GroupRow } from './data';

type Numbers = Uint8Array | Uint16Array | Uint32Array;

const MAGIC = 0x31435647; // "GVC1"
const MOST_NODES = 20_000_000;
const TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array } as const;
const KINDS: readonly GroupView['kind'][] = ['scope', 'module', 'function', 'loop', 'iteration', 'cell'];

class Unfit extends Error {}

/** The columns in some bytes; throws where they are none. */
export function decode(given: DataView): Columns {
  // Arrays of several bytes want to stand at multiples of them.
  const bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
  const data = given.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  need(data.byteLength >= 8 && view.getUint32(0, true) === MAGIC, 'no columns');
  const headLength = view.getUint32(4, true);
  need(headLength % 8 === 0 && 8 + headLength <= data.byteLength, 'a header of no sense');
  const header: unknown = JSON.parse(new TextDecoder().decode(data.subarray(8, 8 + headLength)));
  need(isRecord(header), 'a header of no sense');
  const count = whole(header.count, MOST_NODES);
  const edgeCount = whole(header.edges, 8 * MOST_NODES);
  const strings = list(header.strings).map(text => (need(typeof text === 'string', 'a text that is none'), text as string));
  const places = list(header.places).map(place => readAs<SpanView>('SpanView', place));
  const groups = readGroups(list(header.groups));
  const sections = readSections(list(header.sections), data, 8 + headLength);
  const column = (name: string, length: number, end: number): Numbers => {
    const found = sections.get(name);
    need(found !== undefined && found.length === length, `column ${name} of ${found?.length} instead of ${length}`);
    need(allBelow(found!, end), `column ${name} points to nowhere`);
    return found!;
  };
  const text = (name: string): Numbers => column(name, count, strings.length);
  const flags = column('flags', count, 256);
  const { source, target } = edges(column('inputs', count, 2 ** 32), column('back', edgeCount, 2 ** 32), edgeCount);
  const ids = column('id', count, 2 ** 32);
  need(rises(ids), 'ids out of order');
  return {
    count, edgeCount, strings, places, groups, source, target, ids, texts: null,
    op: text('op'), name: text('name'), kind: text('kind'), dtype: text('dtype'), device: text('device'), cut: text('cut'),
    shape: text('shape'), attributes: text('attributes'),
    requirement: part(flags, 0, 3, REQUIREMENTS.length), role: part(flags, 4, 7, ROLES.length),
    isLeaf: part(flags, 2, 1, 2), consumed: part(flags, 3, 1, 2),
    place: shifted(column('place', count, places.length + 1)), group: shifted(column('group', count, groups.length + 1)),
    slot: column('slot', edgeCount, strings.length), tracked: column('tracked', edgeCount, 2)
  };
}

/** The bytes of columns in a message: base 64, compressed. */
export async function inflate(text: string): Promise<DataView> {
  const packed = Uint8Array.from(atob(text), character => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new DataView(await new Response(stream).arrayBuffer());
}

function readSections(told: readonly unknown[], data: Uint8Array, start: number): Map<string, Numbers> {
  const sections = new Map<string, Numbers>();
  let at = start;
  for (const row of told) {
    const [name, type, length] = list(row);
    need(typeof name === 'string' && typeof type === 'string' && type in TYPES, 'a section of no sense');
    const make = TYPES[type as keyof typeof TYPES];
    const entries = whole(length, 8 * MOST_NODES);
    need(at + entries * make.BYTES_PER_ELEMENT <= data.byteLength, 'a section that ends too early');
    sections.set(name as string, new make(data.buffer as ArrayBuffer, data.byteOffset + at, entries));
    at += Math.ceil((entries * make.BYTES_PER_ELEMENT) / 8) * 8;
  }
  return sections;
}

function readGroups(rows: readonly unknown[]): GroupRow[] {
  const at = new Map<string, number>();
  const read = rows.map((row, index) => {
    const [id, label, kind, parent] = list(row);
    need(typeof id === 'string' && typeof label === 'string' && KINDS.includes(kind as GroupView['kind']), 'a group of no sense');
    at.set(id as string, index);
    return { id: id as string, label: label as string, kind: kind as GroupView['kind'], parent };
  });
  const parents = read.map(({ parent }) => (typeof parent === 'string' ? (at.get(parent) ?? -1) : -1));
  breakCircles(parents);
  return read.map((group, index) => ({ ...group, parent: parents[index]! }));
}

function edges(inputs: Numbers, back: Numbers, count: number): { source: Uint32Array; target: Uint32Array } {
  const source = new Uint32Array(count);
  const target = new Uint32Array(count);
  let edge = 0;
  for (let node = 0; node < inputs.length; node++) {
    need(edge + inputs[node]! <= count, 'more inputs than edges');
    for (let end = edge + inputs[node]!; edge < end; edge++) {
      need(back[edge]! > 0 && back[edge]! <= node, 'an edge from nowhere');
      source[edge] = node - back[edge]!;
      target[edge] = node;
    }
  }
  need(edge === count, 'fewer inputs than edges');
  return { source, target };
}

function part(flags: Numbers, shift: number, mask: number, end: number): Uint8Array {
  const found = Uint8Array.from(flags, value => (value >> shift) & mask);
  need(allBelow(found, end), 'flags of no sense');
  return found;
}

/** Positions that are counted from 1, 0 being none. */
function shifted(values: Numbers): Int32Array {
  return Int32Array.from(values, value => value - 1);
}

function allBelow(values: Numbers, end: number): boolean {
  let highest = -1;
  for (let at = 0; at < values.length; at++) {
    highest = Math.max(highest, values[at]!);
  }
  return highest < end;
}

function rises(values: Numbers): boolean {
  for (let at = 1; at < values.length; at++) {
    if (values[at]! <= values[at - 1]!) {
      return false;
    }
  }
  return true;
}

function need(condition: boolean, complaint: string): asserts condition {
  if (!condition) {
    throw new Unfit(complaint);
  }
}

function whole(value: unknown, most: number): number {
  need(typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most, 'a number of no sense');
  return value;
}

function list(value: unknown): readonly unknown[] {
  need(Array.isArray(value), 'no list');
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
