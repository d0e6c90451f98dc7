/** The graph that is looked at: columns, what leads where, and any single node spelled out. */
import type { GraphView, NodeView, SpanView } from '../protocol';
import { adjacency, edgesOf, type Adjacency } from './adjacency';
import { columnsOf, REQUIREMENTS, ROLES, type Columns, type GroupRow } from './data';

/** Nodes that are kept spelled out. */
const MOST_KEPT = 20_000;

export class Model {
  readonly count: number;
  readonly edgeCount: number;
  readonly inputs: Adjacency;
  readonly outputs: Adjacency;
  private readonly told = new Map<number, NodeView>();
  private readonly spelled = new Map<number, NodeView>();
  private positions: ReadonlyMap<string, number> | null = null;

  constructor(readonly columns: Columns, told: readonly NodeView[] = []) {
    this.count = columns.count;
    this.edgeCount = columns.edgeCount;
    this.inputs = adjacency(this.count, columns.target);
    this.outputs = adjacency(this.count, columns.source);
    for (const node of told) {
      this.tell(node);
    }
  }

  static of(graph: GraphView): Model {
    const columns = columnsOf(graph);
    const model = new Model(columns);
    columns.nodes.forEach((node, at) => model.told.set(at, node));
    return model;
  }

  /** Takes in a node that is known in full. */
  tell(node: NodeView): void {
    const at = this.indexOf(node.id);
    if (at >= 0) {
      this.told.set(at, node);
    }
  }

  /** Whether a node's verdict, value and fixes are known, and not only its column entries. */
  isTold(node: number): boolean {
    return this.told.has(node);
  }

  id(node: number): string {
    return this.columns.texts?.[node] ?? `n${this.columns.ids![node]}`;
  }

  /** Position of a node's id, -1 for none. */
  indexOf(id: string): number {
    const { ids, texts } = this.columns;
    if (ids) {
      const number = /^n\d{1,10}$/.test(id) ? Number(id.slice(1)) : -1;
      return bisect(ids, this.count, number);
    }
    this.positions ??= new Map(texts!.map((text, at) => [text, at]));
    return this.positions.get(id) ?? -1;
  }

  has(id: string): boolean {
    return this.indexOf(id) >= 0;
  }

  text(column: ArrayLike<number>, node: number): string {
    return this.columns.strings[column[node]!] ?? '';
  }

  op(node: number): string {
    return this.text(this.columns.op, node);
  }

  name(node: number): string {
    return this.text(this.columns.name, node);
  }

  label(node: number): string {
    return this.name(node) || this.op(node);
  }

  shape(node: number): (number | string)[] {
    return shapeOf(this.text(this.columns.shape, node));
  }

  place(node: number): SpanView | null {
    return this.columns.places[this.columns.place[node]!] ?? null;
  }

  isComputed(node: number): boolean {
    return this.inputs.start[node + 1]! > this.inputs.start[node]!;
  }

  /** Whether no gradient passes along an edge although its source is tracked. */
  isCut(edge: number): boolean {
    const { cut, requirement, source, target } = this.columns;
    return cut[target[edge]!] !== 0 && requirement[source[edge]!] !== 0;
  }

  edgesInto(node: number): Uint32Array {
    return edgesOf(this.inputs, node);
  }

  edgesFrom(node: number): Uint32Array {
    return edgesOf(this.outputs, node);
  }

  /** Groups around a group, outermost first, itself last. */
  groupPath(group: number): GroupRow[] {
    const path: GroupRow[] = [];
    for (let at = group; at >= 0; at = this.columns.groups[at]!.parent) {
      path.push(this.columns.groups[at]!);
    }
    return path.reverse();
  }

  /** A node spelled out: as the message or the kernel told it, else what the columns say. */
  node(at: number): NodeView {
    const known = this.told.get(at) ?? this.spelled.get(at);
    if (known) {
      return known;
    }
    if (this.spelled.size > MOST_KEPT) {
      this.spelled.clear();
    }
    const node = this.spell(at);
    this.spelled.set(at, node);
    return node;
  }

  private spell(at: number): NodeView {
    const { columns } = this;
    const isLeaf = columns.isLeaf[at] === 1;
    const requirement = REQUIREMENTS[columns.requirement[at]!]!;
    const tracked = requirement !== 'none';
    return {
      id: this.id(at),
      op: this.op(at),
      name: this.name(at) || null,
      kind: this.text(columns.kind, at),
      requirement,
      is_leaf: isLeaf,
      role: ROLES[columns.role[at]!]!,
      shape: this.shape(at),
      dtype: this.text(columns.dtype, at),
      device: this.text(columns.device, at),
      attributes: attributesOf(this.text(columns.attributes, at)),
      group: columns.groups[columns.group[at]!]?.id ?? null,
      source: this.place(at),
      value: null,
      consumed: columns.consumed[at] === 1,
      cut: this.text(columns.cut, at) || null,
      verdict: {
        backward: { ok: tracked, slug: null, reason: tracked ? '' : 'No tracked tensor feeds it.', fixes: [] },
        require_grad: { ok: isLeaf, slug: null, reason: isLeaf ? '' : 'It is computed, no leaf.', fixes: [] }
      },
      problems: []
    };
  }
}

/** A shape as the columns hold it: the inside of a JSON list of sizes and of symbols for open ones. */
export function shapeOf(text: string): (number | string)[] {
  if (text === '') {
    return [];
  }
  try {
    const found: unknown = JSON.parse(`[${text}]`);
    return (found as unknown[]).map(size => (typeof size === 'number' ? size : String(size)));
  } catch {
    return ['?'];
  }
}

function attributesOf(text: string): Record<string, string> {
  if (text === '') {
    return {};
  }
  try {
    const found: unknown = JSON.parse(text);
    return Object.fromEntries(Object.entries(found as object).map(([name, value]) => [name, String(value)]));
  } catch {
    return {};
  }
}

function bisect(sorted: ArrayLike<number>, count: number, wanted: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && sorted[low] === wanted ? low : -1;
}
