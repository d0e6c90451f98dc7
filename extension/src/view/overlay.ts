/** What is laid over the picture for a while: gradients along edges, the step of a backward pass. */
import type { EdgeView, FlowView } from '../protocol';

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

export function paintNode(part: Element, paint: Paint, id: string): void {
  repaint(part, paint.nodes.get(id));
}

export function paintEdge(part: SVGElement, paint: Paint, edge: EdgeView): void {
  const found = paint.edges.get(edgeKey(edge));
  repaint(part, found?.name);
  if (found?.level === undefined) {
    part.style.removeProperty('--gv-level');
  } else {
    part.style.setProperty('--gv-level', found.level.toFixed(3));
  }
  const known = part.querySelector(':scope > title');
  if (!found?.text) {
    known?.remove();
  } else if (known) {
    known.textContent = found.text;
  } else {
    const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
    title.textContent = found.text;
    part.prepend(title);
  }
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
