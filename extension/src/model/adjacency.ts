/** Which edges lead into and out of each node, as two flat arrays. */

export interface Adjacency {
  /** Edges of node `n` are `edges[start[n]]` to `edges[start[n + 1] - 1]`. */
  readonly start: Uint32Array;
  readonly edges: Uint32Array;
}

export function adjacency(count: number, ends: ArrayLike<number>): Adjacency {
  const start = new Uint32Array(count + 1);
  for (let edge = 0; edge < ends.length; edge++) {
    start[ends[edge]! + 1]!++;
  }
  for (let node = 0; node < count; node++) {
    start[node + 1]! += start[node]!;
  }
  const next = start.slice(0, count);
  const edges = new Uint32Array(ends.length);
  for (let edge = 0; edge < ends.length; edge++) {
    edges[next[ends[edge]!]!++] = edge;
  }
  return { start, edges };
}

export function edgesOf({ start, edges }: Adjacency, node: number): Uint32Array {
  return edges.subarray(start[node]!, start[node + 1]!);
}
