/** Where somebody was in a view, for the view that takes its place when a cell or a loop goes on. */
import type { GraphStore } from '../../store';

export interface Sight {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export interface Snapshot {
  readonly tab: string;
  /** The selected node by what outlives a run: its place in the graph, operation and name. */
  readonly node: { readonly at: number; readonly op: string; readonly name: string | null } | null;
  readonly count: number;
  readonly camera: Sight;
  readonly moment: number | null;
}

const MOST = 64;
const known = new Map<string, Snapshot>();

export function remember(place: string | null | undefined, snapshot: Snapshot): void {
  if (!place) {
    return;
  }
  known.delete(place);
  known.set(place, snapshot);
  const [oldest] = known.keys();
  if (known.size > MOST && oldest !== undefined) {
    known.delete(oldest);
  }
}

export function recall(place: string | null | undefined): Snapshot | undefined {
  return place ? known.get(place) : undefined;
}

/** The node of a graph that a snapshot's node has become. */
export function findAgain(store: Pick<GraphStore, 'nodes'>, node: Snapshot['node']): string | null {
  if (!node) {
    return null;
  }
  const same = (at: number): boolean => store.nodes[at]?.op === node.op && store.nodes[at]?.name === node.name;
  if (same(node.at)) {
    return store.nodes[node.at]!.id;
  }
  return store.nodes.find((_, at) => same(at))?.id ?? null;
}
