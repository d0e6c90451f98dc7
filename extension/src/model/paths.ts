/** What leads where: ancestors, descendants, the path between two nodes, and which leaves the gradient reaches. */
import type { Model } from './model';

/** Marks of nodes: 1 where a node belongs. */
export type Mask = Uint8Array;

/** What the view is narrowed to. */
export interface Isolation {
  readonly kind: 'ancestors' | 'descendants' | 'path';
  readonly node: number;
  /** Of a path its end. */
  readonly to: number;
}

/** The nodes of what the view is narrowed to; null where there is no such path. */
export function narrowed(model: Model, { kind, node, to }: Isolation): Mask | null {
  if (kind !== 'path') {
    return kind === 'ancestors' ? ancestors(model, [node]) : descendants(model, [node]);
  }
  const nodes = path(model, node, to);
  if (!nodes) {
    return null;
  }
  const mask = new Uint8Array(model.count);
  nodes.forEach(at => (mask[at] = 1));
  return mask;
}

export function ancestors(model: Model, starts: readonly number[]): Mask {
  return spread(model, starts, node => model.edgesInto(node), model.columns.source);
}

export function descendants(model: Model, starts: readonly number[]): Mask {
  return spread(model, starts, node => model.edgesFrom(node), model.columns.target);
}

/** Nodes the gradient gets to when it starts at some nodes and goes back along tracked edges. */
export function reached(model: Model, starts: readonly number[]): Mask {
  const { tracked, requirement } = model.columns;
  return spread(
    model,
    starts.filter(node => requirement[node] !== 0),
    node => model.edgesInto(node),
    model.columns.source,
    edge => tracked[edge] === 1 && !model.isCut(edge)
  );
}

function spread(
  model: Model,
  starts: readonly number[],
  edgesOf: (node: number) => Uint32Array,
  ends: ArrayLike<number>,
  passes: (edge: number) => boolean = () => true
): Mask {
  const seen = new Uint8Array(model.count);
  const queue: number[] = [];
  for (const start of starts) {
    if (!seen[start]) {
      seen[start] = 1;
      queue.push(start);
    }
  }
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const edge of edgesOf(node)) {
      const next = ends[edge]!;
      if (!seen[next] && passes(edge)) {
        seen[next] = 1;
        queue.push(next);
      }
    }
  }
  return seen;
}

/**
 * Nodes of a path from one node down to another, in order; null where there is none. Of all paths one that
 * loses the gradient at the fewest places is taken, of those a short one.
 */
export function path(model: Model, from: number, to: number): number[] | null {
  const { source, tracked, requirement } = model.columns;
  const cost = new Int32Array(model.count).fill(-1);
  const by = new Int32Array(model.count).fill(-1);
  // Losses are few: a queue for each number of losses, each searched breadth first.
  let queue: number[] = [to];
  let later: number[] = [];
  cost[to] = 0;
  const settled = new Uint8Array(model.count);
  for (let losses = 0; queue.length > 0; losses++) {
    for (let at = 0; at < queue.length; at++) {
      const node = queue[at]!;
      if (settled[node] || cost[node] !== losses) {
        continue;
      }
      settled[node] = 1;
      if (node === from) {
        return trace(by, from, to);
      }
      for (const edge of model.edgesInto(node)) {
        const next = source[edge]!;
        const loses = requirement[next] !== 0 && (tracked[edge] === 0 || model.isCut(edge));
        const price = losses + (loses ? 1 : 0);
        if (!settled[next] && (cost[next] === -1 || cost[next]! > price)) {
          cost[next] = price;
          by[next] = node;
          (loses ? later : queue).push(next);
        }
      }
    }
    queue = later;
    later = [];
  }
  return null;
}

function trace(by: Int32Array, from: number, to: number): number[] {
  const found = [from];
  for (let node = from; node !== to; ) {
    node = by[node]!;
    found.push(node);
  }
  return found;
}
