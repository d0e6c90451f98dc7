/** How the picture looks at one step of a backward pass: done, running, waiting, still to come. */
import type { StepsView } from '../../protocol';
import { edgeKey, type EdgePaint, type Paint } from '../overlay';

export function paintOfStep(film: StepsView, at: number): Paint {
  const nodes = new Map<string, string>();
  const edges = new Map<string, EdgePaint>();
  for (const step of film.steps) {
    nodes.set(step.node, 'to-come');
  }
  nodes.set(film.root, 'waiting');
  film.steps.slice(0, at + 1).forEach((step, position) => {
    const now = position === at;
    nodes.set(step.node, now ? 'now' : 'done');
    for (const part of step.parts) {
      edges.set(edgeKey({ source: part.node, target: step.node, slot: part.slot }), { name: now ? 'now' : 'done' });
      if (!['now', 'done'].includes(nodes.get(part.node) ?? '')) {
        nodes.set(part.node, now && part.joins ? 'joins' : 'waiting');
      }
    }
    if (now) {
      step.recomputed.forEach(id => id !== step.node && nodes.set(id, 'again'));
    }
  });
  return { nodes, edges };
}
