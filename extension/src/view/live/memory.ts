/** Where somebody was in a view, for the view that takes its place when a cell or a loop goes on. */
import type { GradientsView, ValueView } from '../../protocol';
import type { GraphStore } from '../../store';

export interface Sight {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export interface Snapshot {
  readonly tab: string;
  /** The tab that a search took the place of. */
  readonly tabBefore: string;
  /** How far the pane was scrolled. */
  readonly scroll: number;
  readonly problem: number | null;
  readonly query: string;
  /** The selected node by what outlives a run: its place in the graph, operation and name. */
  readonly node: { readonly at: number; readonly op: string; readonly name: string | null } | null;
  readonly count: number;
  readonly camera: Sight;
  readonly moment: number | null;
  /** What the kernel answered last. */
  readonly gradients: GradientsView | null;
  readonly values: readonly ValueView[];
  /** Which branches were unfolded. */
  readonly open: Uint8Array;
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
export function findAgain({ model }: Pick<GraphStore, 'model'>, node: Snapshot['node']): string | null {
  if (!node) {
    return null;
  }
  const same = (at: number): boolean => at < model.count && model.op(at) === node.op && (model.name(at) || null) === node.name;
  if (same(node.at)) {
    return model.id(node.at);
  }
  for (let at = 0; at < model.count; at++) {
    if (same(at)) {
      return model.id(at);
    }
  }
  return null;
}
