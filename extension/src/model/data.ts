/** A graph as columns: one entry per node or edge, texts once in a table. A million nodes are 50 MB. */
import type { EdgeView, GraphView, GroupView, NodeView, SpanView } from '../protocol';

export const REQUIREMENTS = ['none', 'grad', 'grad_in_backward'] as const satisfies readonly NodeView['requirement'][];
export const ROLES = ['parameter', 'leaf', 'input', 'constant', 'operation', 'output'] as const satisfies readonly NodeView['role'][];

export const TRACKED_LEAF = 1;
export const ROLE = { parameter: 0, leaf: 1, input: 2, constant: 3, operation: 4, output: 5 } as const;

export interface GroupRow {
  readonly id: string;
  readonly label: string;
  readonly kind: GroupView['kind'];
  /** Position of the group around it, -1 for none. */
  readonly parent: number;
}

/** Columns of whole numbers are positions in `strings` (0 is the empty text) unless told otherwise. */
export interface Columns {
  readonly count: number;
  readonly strings: readonly string[];
  readonly op: ArrayLike<number>;
  readonly name: ArrayLike<number>;
  readonly kind: ArrayLike<number>;
  readonly dtype: ArrayLike<number>;
  readonly device: ArrayLike<number>;
  readonly cut: ArrayLike<number>;
  /** `2,3`; a size that was left open is a JSON text: `"n",3`. */
  readonly shape: ArrayLike<number>;
  /** A JSON object of texts. */
  readonly attributes: ArrayLike<number>;
  readonly requirement: ArrayLike<number>;
  readonly role: ArrayLike<number>;
  readonly isLeaf: ArrayLike<number>;
  readonly consumed: ArrayLike<number>;
  /** Position in `places`, -1 for none. */
  readonly place: ArrayLike<number>;
  /** Position in `groups`, -1 for none. */
  readonly group: ArrayLike<number>;
  readonly edgeCount: number;
  readonly source: ArrayLike<number>;
  readonly target: ArrayLike<number>;
  readonly slot: ArrayLike<number>;
  readonly tracked: ArrayLike<number>;
  readonly places: readonly SpanView[];
  readonly groups: readonly GroupRow[];
  /** The number in a node's id ("n12"); none where ids are texts of their own, in `texts`. */
  readonly ids: ArrayLike<number> | null;
  readonly texts: readonly string[] | null;
}

/** Texts by position, each once. */
export class Interner {
  readonly strings: string[] = [''];
  private readonly known = new Map<string, number>([['', 0]]);

  of(text: string | null): number {
    if (text === null) {
      return 0;
    }
    let at = this.known.get(text);
    if (at === undefined) {
      at = this.strings.push(text) - 1;
      this.known.set(text, at);
    }
    return at;
  }
}

/** The columns of a message that spells its nodes out. Repeated nodes and edges into nowhere are left out. */
export function columnsOf(graph: GraphView): Columns & { readonly nodes: readonly NodeView[] } {
  const position = new Map<string, number>();
  const nodes: NodeView[] = [];
  for (const node of graph.nodes) {
    if (!position.has(node.id)) {
      position.set(node.id, nodes.push(node) - 1);
    }
  }
  const texts = new Interner();
  const groups = groupRows(graph.groups);
  const groupAt = new Map(groups.map((group, at) => [group.id, at]));
  const places: SpanView[] = [];
  const placeAt = new Map<string, number>();
  const placeOf = (span: SpanView | null): number => {
    if (!span) {
      return -1;
    }
    const key = `${span.filename}\n${span.line}\n${span.col}\n${span.end_line}\n${span.end_col}`;
    let at = placeAt.get(key);
    if (at === undefined) {
      at = places.push(span) - 1;
      placeAt.set(key, at);
    }
    return at;
  };
  const edges = graph.edges.filter(edge => position.has(edge.source) && position.has(edge.target));
  const text = (pick: (node: NodeView) => string | null): Uint32Array => Uint32Array.from(nodes, node => texts.of(pick(node)));
  const edgeEnd = (pick: (edge: EdgeView) => string): Int32Array => Int32Array.from(edges, edge => position.get(pick(edge))!);
  return {
    nodes,
    count: nodes.length,
    op: text(node => node.op),
    // A name that is there but empty is no name.
    name: text(node => node.name),
    kind: text(node => node.kind),
    dtype: text(node => node.dtype),
    device: text(node => node.device),
    cut: text(node => node.cut),
    shape: text(node => JSON.stringify(node.shape).slice(1, -1)),
    attributes: text(node => (Object.keys(node.attributes).length > 0 ? JSON.stringify(node.attributes) : null)),
    requirement: Uint8Array.from(nodes, node => REQUIREMENTS.indexOf(node.requirement)),
    role: Uint8Array.from(nodes, node => ROLE[node.role]),
    isLeaf: Uint8Array.from(nodes, node => Number(node.is_leaf)),
    consumed: Uint8Array.from(nodes, node => Number(node.consumed)),
    place: Int32Array.from(nodes, node => placeOf(node.source)),
    group: Int32Array.from(nodes, node => (node.group === null ? -1 : (groupAt.get(node.group) ?? -1))),
    edgeCount: edges.length,
    source: edgeEnd(edge => edge.source),
    target: edgeEnd(edge => edge.target),
    slot: Uint32Array.from(edges, edge => texts.of(edge.slot)),
    tracked: Uint8Array.from(edges, edge => Number(edge.tracked)),
    strings: texts.strings,
    places,
    groups,
    ids: null,
    texts: nodes.map(node => node.id)
  };
}

/** Groups by position; a circle of parents is broken, unknown parents count as none. */
export function groupRows(groups: readonly GroupView[]): GroupRow[] {
  const at = new Map<string, number>();
  const unique = groups.filter(group => !at.has(group.id) && at.set(group.id, at.size));
  const parents = unique.map(group => (group.parent === null ? -1 : (at.get(group.parent) ?? -1)));
  breakCircles(parents);
  return unique.map((group, index) => ({ id: group.id, label: group.label, kind: group.kind, parent: parents[index]! }));
}

export function breakCircles(parents: number[]): void {
  const sound = new Uint8Array(parents.length);
  for (let start = 0; start < parents.length; start++) {
    const path: number[] = [];
    let at = start;
    while (at >= 0 && sound[at] === 0) {
      sound[at] = 2;
      path.push(at);
      at = parents[at]!;
    }
    if (at >= 0 && sound[at] === 2) {
      parents[at] = -1;
    }
    path.forEach(member => (sound[member] = 1));
  }
}
