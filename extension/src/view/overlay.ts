/** What is laid over the picture for a while: gradients along edges, the step of a backward pass. */
import type { EdgeView, FlowView } from '../protocol';
import type { GraphStore } from '../store';

export type Health = FlowView['health'];

export interface EdgePaint {
  /** A class that says what it is: `flow-fine`, `now`, `done`. */
  readonly name: string;
  /** How strong, from 0 to 1; the line's width follows it. */
  readonly level?: number;
  /** What the line's tooltip says. */
  readonly text?: string;
}

export interface Paint {
  readonly nodes: ReadonlyMap<string, string>;
  readonly edges: ReadonlyMap<string, EdgePaint>;
}

export const NOTHING: Paint = { nodes: new Map(), edges: new Map() };

export function edgeKey(edge: Pick<EdgeView, 'source' | 'target' | 'slot'>): string {
  return `${edge.source}>${edge.target}>${edge.slot}`;
}

const PREFIX = 'gradviz-paint-';

function repaint(part: Element, name: string | undefined): void {
  for (const known of [...part.classList]) {
    if (known.startsWith(PREFIX) && known !== PREFIX + name) {
      part.classList.remove(known);
    }
  }
  if (name !== undefined) {
    part.classList.add(PREFIX + name);
  }
}

export function paintNode(part: Element, name: string | undefined): void {
  repaint(part, name);
}

/** `text` is what the line's tooltip says when nothing lies over it. */
export function paintEdge(part: SVGElement, found: EdgePaint | undefined, text: string): void {
  repaint(part, found?.name);
  if (found?.level === undefined) {
    part.style.removeProperty('--gv-level');
  } else {
    part.style.setProperty('--gv-level', found.level.toFixed(3));
  }
  const title = part.querySelector(':scope > title');
  if (title) {
    title.textContent = found?.text ?? text;
  }
}

/** What lies over items and links of a folded view: of several nodes in one box, the one that matters most. */
export interface FoldedPaint {
  readonly items: ReadonlyMap<number, string>;
  readonly links: ReadonlyMap<number, EdgePaint>;
}

const WEIGHT = ['to-come', 'done', 'waiting', 'again', 'joins', 'now'];

export function foldPaint({ model, shown }: GraphStore, paint: Paint): FoldedPaint {
  const items = new Map<number, string>();
  for (const [id, name] of paint.nodes) {
    const item = shown.itemOf[model.indexOf(id)] ?? -1;
    const known = items.get(item);
    if (item >= 0 && (known === undefined || WEIGHT.indexOf(name) > WEIGHT.indexOf(known))) {
      items.set(item, name);
    }
  }
  const links = new Map<number, EdgePaint>();
  if (paint.edges.size > 0) {
    const { source, target, slot, strings } = model.columns;
    const at = new Map(shown.links.map((link, index) => [link.source * shown.items.length + link.target, index]));
    for (let edge = 0; edge < model.edgeCount; edge++) {
      const from = shown.itemOf[source[edge]!]!;
      const to = shown.itemOf[target[edge]!]!;
      const link = from < 0 || to < 0 || from === to ? undefined : at.get(from * shown.items.length + to);
      const found = link === undefined
        ? undefined
        : paint.edges.get(edgeKey({ source: model.id(source[edge]!), target: model.id(target[edge]!), slot: strings[slot[edge]!]! }));
      const known = links.get(link ?? -1);
      if (found && (!known || weight(found) > weight(known))) {
        links.set(link!, found);
      }
    }
  }
  return { items, links };
}

function weight(paint: EdgePaint): number {
  return WEIGHT.indexOf(paint.name) + (paint.level ?? 0);
}

/** Gradient sizes as strengths on a logarithmic scale: the largest is 1, twelve orders below it 0. */
export function paintOfFlows(flows: readonly FlowView[]): Paint {
  const logs = flows.map(flow => (typeof flow.norm === 'number' && flow.norm > 0 ? Math.log10(flow.norm) : null));
  const known = logs.filter(log => log !== null);
  const high = Math.max(...known, -Infinity);
  const low = Math.min(...known, high - 3);
  const edges = new Map<string, EdgePaint>();
  flows.forEach((flow, at) => {
    const log = logs[at] ?? null;
    edges.set(edgeKey(flow), {
      name: `flow-${flow.health.replace(' ', '-')}`,
      level: log === null ? (flow.health === 'zero' ? 0 : 1) : (log - low) / Math.max(high - low, 1e-9),
      text: `gradient norm ${String(flow.norm)}: ${flow.health}`
    });
  });
  return { nodes: new Map(), edges };
}
