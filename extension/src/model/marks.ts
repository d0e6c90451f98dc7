/** Which nodes are marked with a problem, and how. */
import type { GraphView, ProblemView } from '../protocol';
import type { Model } from './model';
import type { Mask } from './paths';

export type Severity = ProblemView['severity'];
export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'note'];

/** What a node is marked with in the picture. */
export interface Mark {
  readonly severity: Severity;
  readonly text: string;
  /** Whether the problem is this node's own; else the node only takes part in it. */
  readonly main: boolean;
  /** Positions from 1 of the problems, as the list of problems counts them. */
  readonly numbers: readonly number[];
}

/** Positions of the problems of each node that takes part in any. */
export function problemsAt(model: Model, graph: GraphView): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, Set<number>>();
  const add = (id: string, at: number): void => {
    const node = model.indexOf(id);
    if (node >= 0 && at >= 0 && at < graph.problems.length) {
      found.set(node, (found.get(node) ?? new Set()).add(at));
    }
  };
  graph.problems.forEach((problem, at) => problem.nodes.forEach(id => add(id, at)));
  graph.nodes.forEach(node => node.problems.forEach(at => add(node.id, at)));
  return new Map([...found].map(([node, set]) => [node, [...set].sort((a, b) => a - b)]));
}

export function marksOf(
  model: Model,
  graph: GraphView,
  positionsAt: ReadonlyMap<number, readonly number[]>,
  roots: Iterable<number>
): ReadonlyMap<number, Mark> {
  const marks = new Map<number, Mark>();
  for (const [node, positions] of positionsAt) {
    const id = model.id(node);
    const isOwn = (at: number): boolean => [id, undefined].includes(graph.problems[at]!.nodes[0]);
    const rank = (at: number): number => SEVERITIES.indexOf(graph.problems[at]!.severity) * 2 + (isOwn(at) ? 0 : 1);
    const worst = [...positions].sort((a, b) => rank(a) - rank(b))[0]!;
    marks.set(node, {
      severity: graph.problems[worst]!.severity,
      text: graph.problems[worst]!.message,
      main: positions.some(isOwn),
      numbers: positions.map(at => at + 1)
    });
  }
  // A root that can't start a backward pass is worth a mark; every other computed tensor refuses
  // `require_grad`, which is normal and stays quiet.
  for (const root of roots) {
    const known = marks.get(root);
    const { verdict, kind } = model.node(root);
    if (kind === 'Capture' || (graph.extras?.done.includes(model.id(root)) && verdict.backward.slug === 'graph-consumed')) {
      continue; // a recording has nothing to go back through; a graph used up by the pass that is shown is no failure
    }
    if (!verdict.backward.ok && !(known?.severity === 'error' && known.main)) {
      marks.set(root, { severity: 'error', text: 'backward fails here', main: true, numbers: known?.numbers ?? [] });
    }
  }
  return marks;
}

export function worst(marks: Iterable<Mark>): Mark | undefined {
  let found: Mark | undefined;
  const rank = (mark: Mark): number => SEVERITIES.indexOf(mark.severity) * 2 + (mark.main ? 0 : 1);
  for (const mark of marks) {
    if (!found || rank(mark) < rank(found)) {
      found = mark;
    }
  }
  return found;
}

/** Leaves that are shown although what uses them is folded. */
const MOST_LEAVES = 12;

/** What wants to be seen at once. Of leaves only so many: a whole model without a gradient is one problem, not hundreds. */
export function importantOf(model: Model, nodes: Iterable<number>): Mask {
  const important = new Uint8Array(model.count);
  let leaves = 0;
  for (const node of nodes) {
    if (important[node] === 0 && (model.isComputed(node) || leaves++ < MOST_LEAVES)) {
      important[node] = 1;
    }
  }
  return important;
}

/** Nodes of problems, those that a problem is about first. */
export function mainFirst(marks: ReadonlyMap<number, Mark>): number[] {
  return [...marks].sort(([, a], [, b]) => Number(b.main) - Number(a.main)).map(([node]) => node);
}
