/** Where somebody was in a view, for the view that takes its place when a cell or a loop goes on. */
import type { GradientsView, ValueView } from '../../protocol';
import type { GraphStore, Isolation } from '../../store';
import type { Open } from '../legend';
import type { Slices } from '../values/heatmap';

export interface Sight {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** A node by what outlives a run: its place in the graph, operation and name. */
export interface Lasting {
  readonly at: number;
  readonly op: string;
  readonly name: string | null;
}

export interface Narrowing {
  readonly kind: Isolation['kind'];
  readonly node: Lasting;
  readonly to: Lasting;
}

export interface Snapshot {
  readonly tab: string;
  /** The tab that a search took the place of. */
  readonly tabBefore: string;
  /** How far the pane was scrolled. */
  readonly scroll: number;
  readonly problem: number | null;
  readonly query: string;
  /** The selected node. */
  readonly node: Lasting | null;
  /** What the view is narrowed to. */
  readonly isolation: Narrowing | null;
  /** The chosen end of a path whose other end isn't chosen yet. */
  readonly pathFrom: Lasting | null;
  readonly count: number;
  readonly camera: Sight;
  readonly moment: number | null;
  /** What the kernel answered last. */
  readonly gradients: GradientsView | null;
  readonly values: readonly ValueView[];
  /** The axes and cuts that were chosen of arrays of higher rank. */
  readonly slices: Slices;
  /** Whether edges were coloured by their gradients. */
  readonly coloured: boolean;
  readonly legend: Open;
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

/** What outlives a run of a node; null for what is no node. */
export function lasting({ model }: Pick<GraphStore, 'model'>, at: number): Lasting | null {
  return at < 0 || at >= model.count ? null : { at, op: model.op(at), name: model.name(at) || null };
}

/** The node of a graph that a snapshot's node has become. */
export function findAgain({ model }: Pick<GraphStore, 'model'>, node: Lasting | null): string | null {
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

/** What a view is narrowed to, for the view that takes its place. */
export function narrowing(store: GraphStore): Narrowing | null {
  const { isolation } = store.state;
  const node = isolation && lasting(store, isolation.node);
  const to = isolation && lasting(store, isolation.to);
  return node && to ? { kind: isolation.kind, node, to } : null;
}

/** Narrows a view as another was, if both ends are there again. */
export function narrowAgain(store: GraphStore, narrowing: Narrowing | null): void {
  if (narrowing) {
    const [node, to] = [narrowing.node, narrowing.to].map(end => store.nodeAt(findAgain(store, end))) as [number, number];
    if (node >= 0 && to >= 0) {
      store.isolate({ kind: narrowing.kind, node, to });
    }
  }
}
