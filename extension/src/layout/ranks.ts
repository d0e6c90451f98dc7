/** Rows and columns as integers: rank (row) by longest path, lane (column) by chain. Iterative and linear. */
import { SUPPORTING, type LayoutInput } from './types';

export interface Grid {
  /** Row of each node that stands in a row, -1 for one that stands beside its use. */
  readonly rank: Int32Array;
  readonly lane: Int32Array;
  readonly rows: number;
  /** Whether a node without inputs opens a lane: it stands above its first use, aliases serve the others. */
  readonly opens: Uint8Array;
  /** Edge positions into and out of each node. */
  readonly into: readonly (readonly number[])[];
  readonly outOf: readonly (readonly number[])[];
}

export function grid(input: LayoutInput): Grid {
  const { count } = input;
  const into: number[][] = Array.from({ length: count }, () => []);
  const outOf: number[][] = Array.from({ length: count }, () => []);
  input.edges.forEach((edge, at) => {
    if (edge.source !== edge.target) {
      into[edge.target]!.push(at);
      outOf[edge.source]!.push(at);
    }
  });
  const order = topological(input, into, outOf);
  const computed = Uint8Array.from(into, (edges, node) =>
    edges.length > 0 || outOf[node]!.length === 0 ? 1 : 0
  );
  const { depth, best } = depths(input, into, order, computed);
  const spine = longestChain(depth, best, input.ends);
  const rank = new Int32Array(count).fill(-1);
  for (const node of order) {
    if (computed[node]) {
      rank[node] = depth[node]!;
    }
  }
  sinkFloating(input, into, outOf, order, computed, new Set(spine), rank);
  const lane = new Int32Array(count);
  const opens = new Uint8Array(count);
  const opener = spine.length > 0 ? openingNode(input, into[spine[0]!]!) : -1;
  if (opener >= 0) {
    opens[opener] = 1;
    rank[opener] = rank[spine[0]!]! - 1;
  }
  assignLanes(input, into, outOf, order, computed, spine, rank, lane, opens);
  shelve(into, outOf, rank, lane);
  let rows = 0;
  for (const row of rank) {
    rows = Math.max(rows, row + 1);
  }
  return { rank, lane, rows, opens, into, outOf };
}

/** Fewer nodes than this without any edge may stand side by side. */
const FEW = 4;

/** Nodes without any edge, as the parameters of a model that computed nothing yet: on shelves below the rest. */
function shelve(into: readonly (readonly number[])[], outOf: readonly (readonly number[])[], rank: Int32Array, lane: Int32Array): void {
  const alone: number[] = [];
  let below = 0;
  into.forEach((edges, node) => {
    if (edges.length === 0 && outOf[node]!.length === 0) {
      alone.push(node);
    } else {
      below = Math.max(below, rank[node]! + 1);
    }
  });
  if (alone.length < FEW) {
    return;
  }
  const wide = Math.max(2, Math.min(6, Math.round(Math.sqrt(alone.length / 4))));
  alone.forEach((node, at) => {
    rank[node] = below + Math.floor(at / wide);
    lane[node] = (at % wide) - Math.floor((wide - 1) / 2);
  });
}

/** Every node, producers first. Nodes of a cycle (there should be none) follow in their own order. */
function topological(
  input: LayoutInput,
  into: readonly (readonly number[])[],
  outOf: readonly (readonly number[])[]
): number[] {
  const waiting = Int32Array.from(into, edges => edges.length);
  const order: number[] = [];
  const seen = new Uint8Array(input.count);
  for (let start = 0; start < input.count; start++) {
    if (waiting[start] === 0) {
      order.push(start);
      seen[start] = 1;
    }
  }
  for (let at = 0; at < order.length; at++) {
    for (const edge of outOf[order[at]!]!) {
      const target = input.edges[edge]!.target;
      waiting[target]!--;
      if (waiting[target] === 0 && !seen[target]) {
        seen[target] = 1;
        order.push(target);
      }
    }
  }
  for (let node = 0; node < input.count; node++) {
    if (!seen[node]) {
      order.push(node);
    }
  }
  return order;
}

/** Longest path in computed nodes to each one (from 1), and the input it came by. */
function depths(
  input: LayoutInput,
  into: readonly (readonly number[])[],
  order: readonly number[],
  computed: Uint8Array
): { depth: Int32Array; best: Int32Array } {
  const depth = new Int32Array(input.count);
  const best = new Int32Array(input.count).fill(-1);
  // Length of the way that counts: of a branch made from parameters alone it is 0.
  const length = new Int32Array(input.count);
  const leads = new Uint8Array(input.count);
  for (const node of order) {
    if (!computed[node]) {
      leads[node] = input.prominence[node]! > SUPPORTING ? 1 : 0;
      continue;
    }
    depth[node] = 1;
    let chosen = -1;
    for (const at of into[node]!) {
      const { source, tracked } = input.edges[at]!;
      leads[node] ||= leads[source]!;
      if (!computed[source]) {
        continue;
      }
      depth[node] = Math.max(depth[node]!, depth[source]! + 1);
      // Equal lengths: follow the gradient, so that the spine is the path that learns.
      const score = 2 * length[source]! + (tracked ? 1 : 0);
      if (score > chosen) {
        chosen = score;
        best[node] = source;
      }
    }
    if (best[node]! >= 0 && !leads[best[node]!] && leads[node]) {
      best[node] = -1;
    }
    length[node] = leads[node] ? (best[node]! >= 0 ? length[best[node]!]! : 0) + 1 : 0;
  }
  if (!leads.includes(1)) {
    return { depth, best: byDepth(input, into, computed, depth) };
  }
  return { depth, best };
}

/** The deepest input of each node: for graphs of parameters alone. */
function byDepth(
  input: LayoutInput,
  into: readonly (readonly number[])[],
  computed: Uint8Array,
  depth: Int32Array
): Int32Array {
  return Int32Array.from(into, edges => {
    let best = -1;
    for (const at of edges) {
      const { source } = input.edges[at]!;
      if (computed[source] && (best < 0 || depth[source]! > depth[best]!)) {
        best = source;
      }
    }
    return best;
  });
}

function longestChain(depth: Int32Array, best: Int32Array, ends: readonly number[]): number[] {
  let end = ends.find(node => depth[node]! > 0) ?? -1;
  if (end < 0) {
    depth.forEach((length, node) => {
      if (length > 0 && (end < 0 || length > depth[end]!)) {
        end = node;
      }
    });
  }
  const chain: number[] = [];
  for (let node = end; node >= 0 && chain.length < depth.length; node = best[node]!) {
    chain.push(node);
  }
  return chain.reverse();
}

/** Branches that start from leaves only move down to where they are used, off the top of the picture. */
function sinkFloating(
  input: LayoutInput,
  into: readonly (readonly number[])[],
  outOf: readonly (readonly number[])[],
  order: readonly number[],
  computed: Uint8Array,
  spine: ReadonlySet<number>,
  rank: Int32Array
): void {
  const floating = new Uint8Array(input.count);
  for (const node of order) {
    const anchored = (at: number): boolean => {
      const { source } = input.edges[at]!;
      return !!computed[source] && !floating[source];
    };
    floating[node] = computed[node] && !spine.has(node) && !into[node]!.some(anchored) ? 1 : 0;
  }
  for (let at = order.length - 1; at >= 0; at--) {
    const node = order[at]!;
    if (!floating[node]) {
      continue;
    }
    let lowest = Infinity;
    for (const edge of outOf[node]!) {
      lowest = Math.min(lowest, rank[input.edges[edge]!.target]! - 1);
    }
    if (lowest !== Infinity && lowest > rank[node]!) {
      rank[node] = lowest;
    }
  }
}

/** The node that opens the spine: the most prominent input of its first operation. */
function openingNode(input: LayoutInput, edges: readonly number[]): number {
  let opening = -1;
  for (const at of edges) {
    const { source } = input.edges[at]!;
    if (opening < 0 || input.prominence[source]! > input.prominence[opening]!) {
      opening = source;
    }
  }
  return opening >= 0 && input.prominence[opening]! > 0 ? opening : -1;
}

/** The spine has lane 0; every other chain of operations takes the nearest lane that is free over its rows. */
function assignLanes(
  input: LayoutInput,
  into: readonly (readonly number[])[],
  outOf: readonly (readonly number[])[],
  order: readonly number[],
  computed: Uint8Array,
  spine: readonly number[],
  rank: Int32Array,
  lane: Int32Array,
  opens: Uint8Array
): void {
  const chains = otherChains(input, into, order, computed, spine, rank);
  const placed = new Uint8Array(input.count);
  spine.forEach(node => (placed[node] = 1));
  const intervals = chains.map(nodes => {
    const first = nodes[0]!;
    const last = nodes[nodes.length - 1]!;
    // The lane stays reserved down to the first use, so that the edge can run straight in it.
    let use = Infinity;
    for (const at of outOf[last]!) {
      use = Math.min(use, rank[input.edges[at]!.target]! - 1);
    }
    const end = use === Infinity ? rank[last]! : Math.max(rank[last]!, use);
    const opener = soleSource(input, into[first]!, outOf, computed);
    if (opener < 0) {
      return { nodes, start: rank[first]!, end };
    }
    // A single leaf above its operation takes less width than beside it.
    opens[opener] = 1;
    rank[opener] = rank[first]! - 1;
    return { nodes: [opener, ...nodes], start: rank[opener]!, end };
  });
  intervals.sort((a, b) => a.start - b.start || b.nodes.length - a.nodes.length);
  const occupied = new Map<number, number>();
  if (spine.length > 0) {
    occupied.set(0, rank[spine[spine.length - 1]!]!);
  }
  let low = 0;
  let high = 0;
  for (const { nodes, start, end } of intervals) {
    let near = 0;
    let known = 0;
    for (const at of [...into[nodes[0]!]!, ...outOf[nodes.at(-1)!]!]) {
      const { source, target } = input.edges[at]!;
      const other = source === nodes.at(-1) ? target : source;
      if (placed[other]) {
        near += lane[other]!;
        known++;
      }
    }
    const wanted = known > 0 ? Math.round(near / known) : 0;
    let chosen = high + 1;
    for (let step = 0; ; step++) {
      const right = wanted + step;
      const left = wanted - step;
      if (right <= high + 1 && (occupied.get(right) ?? -1) < start) {
        chosen = right;
        break;
      }
      if (left >= low - 1 && (occupied.get(left) ?? -1) < start) {
        chosen = left;
        break;
      }
      if (right > high + 1 && left < low - 1) {
        break;
      }
    }
    low = Math.min(low, chosen);
    high = Math.max(high, chosen);
    occupied.set(chosen, end);
    for (const node of nodes) {
      lane[node] = chosen;
      placed[node] = 1;
    }
  }
}

/** The only input of a node, where that has no inputs and no other use itself; else -1. */
function soleSource(
  input: LayoutInput,
  edges: readonly number[],
  outOf: readonly (readonly number[])[],
  computed: Uint8Array
): number {
  const source = edges.length === 1 ? input.edges[edges[0]!]!.source : -1;
  return source >= 0 && !computed[source] && outOf[source]!.length === 1 ? source : -1;
}

/** Splits what is not on the spine into chains: each node continues the deepest input that is still open. */
function otherChains(
  input: LayoutInput,
  into: readonly (readonly number[])[],
  order: readonly number[],
  computed: Uint8Array,
  spine: readonly number[],
  rank: Int32Array
): number[][] {
  const chainOf = new Int32Array(input.count).fill(-1);
  const continued = new Uint8Array(input.count);
  spine.forEach(node => (continued[node] = 1));
  const onSpine = new Set(spine);
  const chains: number[][] = [];
  for (const node of order) {
    if (!computed[node] || onSpine.has(node)) {
      continue;
    }
    let previous = -1;
    for (const at of into[node]!) {
      const { source } = input.edges[at]!;
      if (computed[source] && !continued[source] && (previous < 0 || rank[source]! > rank[previous]!)) {
        previous = source;
      }
    }
    if (previous >= 0 && chainOf[previous]! >= 0) {
      continued[previous] = 1;
      chainOf[node] = chainOf[previous]!;
      chains[chainOf[node]!]!.push(node);
    } else {
      chainOf[node] = chains.length;
      chains.push([node]);
    }
  }
  return chains;
}
