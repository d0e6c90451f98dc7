/** One graph with what the person looking at it has chosen. Views read it and subscribe; only its methods change it. */
import type { EdgeView, GraphView, GroupView, NodeView, ProblemView } from './protocol';

export type Severity = ProblemView['severity'];
const ORDER: Record<Severity, number> = { error: 0, warning: 1, note: 2 };

/** What a node is marked with in the picture. */
export interface Mark {
  readonly severity: Severity;
  readonly text: string;
  /** Whether the problem is this node's own; else the node only takes part in it. */
  readonly main: boolean;
  /** Positions from 1 of the problems, as the list of problems counts them. */
  readonly numbers: readonly number[];
}

export interface State {
  readonly selected: string | null;
  readonly focused: string | null;
  readonly problem: number | null;
  readonly query: string;
  /** Counts what was learnt of nodes after the message came. */
  readonly learnt: number;
}

export class GraphStore {
  readonly graph: GraphView;
  readonly nodes: readonly NodeView[];
  readonly edges: readonly EdgeView[];
  readonly byId: ReadonlyMap<string, NodeView>;
  private readonly known: Map<string, NodeView>;
  readonly problems: readonly ProblemView[];
  readonly inputs: ReadonlyMap<string, readonly EdgeView[]>;
  readonly outputs: ReadonlyMap<string, readonly EdgeView[]>;
  readonly roots: ReadonlySet<string>;
  private readonly groups: ReadonlyMap<string, GroupView>;
  private readonly problemsAt: ReadonlyMap<string, readonly number[]>;
  private readonly marks: ReadonlyMap<string, Mark>;
  private readonly texts = new Map<string, string>();
  private readonly listeners = new Set<(state: State, previous: State) => void>();
  private found: ReadonlySet<string> | null = null;
  private current: State = { selected: null, focused: null, problem: null, query: '', learnt: 0 };

  constructor(graph: GraphView) {
    this.graph = graph;
    const byId = new Map<string, NodeView>();
    for (const node of graph.nodes) {
      if (!byId.has(node.id)) {
        byId.set(node.id, node);
      }
    }
    this.byId = this.known = byId;
    this.nodes = [...byId.values()];
    this.edges = graph.edges.filter(edge => byId.has(edge.source) && byId.has(edge.target));
    this.inputs = groupBy(this.edges, edge => edge.target);
    this.outputs = groupBy(this.edges, edge => edge.source);
    this.roots = new Set(graph.roots.filter(id => byId.has(id)));
    this.groups = new Map(graph.groups.map(group => [group.id, group]));
    this.problems = graph.problems;
    this.problemsAt = this.findProblems();
    this.marks = this.findMarks();
  }

  get state(): State {
    return this.current;
  }

  /** Calls back after each change; returns how to stop. */
  subscribe(listener: (state: State, previous: State) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  select(id: string | null): void {
    if (id === null || this.byId.has(id)) {
      this.update({ selected: id, focused: id ?? this.current.focused });
    }
  }

  focus(id: string | null): void {
    if (id === null || this.byId.has(id)) {
      this.update({ focused: id });
    }
  }

  /** Makes a problem the one that is looked at, and selects its first node. */
  showProblem(index: number | null): void {
    const problem = index === null ? undefined : this.problems[index];
    const node = problem?.nodes.find(id => this.byId.has(id)) ?? null;
    this.update({
      problem: problem ? index : null,
      ...(node === null ? {} : { selected: node, focused: node })
    });
  }

  /** The next or previous problem, around the end. */
  stepProblem(step: 1 | -1): void {
    const count = this.problems.length;
    if (count > 0) {
      const at = this.current.problem ?? (step > 0 ? -1 : 0);
      this.showProblem((at + step + count) % count);
    }
  }

  /** Takes in what the kernel said of a node. */
  learn(node: NodeView): void {
    if (this.known.has(node.id)) {
      this.known.set(node.id, node);
      this.update({ learnt: this.current.learnt + 1 });
    }
  }

  search(query: string): void {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    this.found =
      words.length === 0
        ? null
        : new Set(
            this.nodes
              .filter(node => words.every(word => this.searchText(node).includes(word)))
              .map(node => node.id)
          );
    this.update({ query });
  }

  /** Ids that match the search; null when nothing is searched for. */
  get matches(): ReadonlySet<string> | null {
    return this.found;
  }

  mark(id: string): Mark | undefined {
    return this.marks.get(id);
  }

  /** Positions of the problems a node takes part in. */
  problemsOf(id: string): readonly number[] {
    return this.problemsAt.get(id) ?? [];
  }

  /** Groups around a node, outermost first. */
  groupPath(id: string | null): GroupView[] {
    const path: GroupView[] = [];
    let group = id === null ? undefined : this.groups.get(id);
    while (group && !path.includes(group)) {
      path.unshift(group);
      group = group.parent === null ? undefined : this.groups.get(group.parent);
    }
    return path;
  }

  /** Whether no gradient passes along the edge although its source is tracked. */
  isCut(edge: EdgeView): boolean {
    const target = this.byId.get(edge.target);
    const source = this.byId.get(edge.source);
    return !!target?.cut && !!source && source.requirement !== 'none';
  }

  private update(change: Partial<State>): void {
    const previous = this.current;
    this.current = { ...previous, ...change };
    for (const listener of [...this.listeners]) {
      listener(this.current, previous);
    }
  }

  private searchText(node: NodeView): string {
    let text = this.texts.get(node.id);
    if (text === undefined) {
      const slugs = this.problemsOf(node.id).map(at => this.problems[at]!.slug);
      const groups = this.groupPath(node.group).map(group => group.label);
      const { backward, require_grad: requireGrad } = node.verdict;
      text = [
        node.id, node.op, node.name ?? '', node.kind, node.dtype, node.role, node.cut ?? '', node.device,
        node.shape.join('\u00d7'), node.shape.join('x'), shapeKey(node.shape), ...slugs, ...groups,
        ...(this.marks.has(node.id) ? [backward.slug ?? '', requireGrad.slug ?? ''] : []),
        node.source?.text ?? ''
      ].join('\n').toLowerCase();
      this.texts.set(node.id, text);
    }
    return text;
  }

  private findProblems(): Map<string, number[]> {
    const found = new Map<string, Set<number>>();
    const add = (id: string, at: number): void => {
      if (this.byId.has(id) && at >= 0 && at < this.problems.length) {
        found.set(id, (found.get(id) ?? new Set()).add(at));
      }
    };
    this.problems.forEach((problem, at) => problem.nodes.forEach(id => add(id, at)));
    this.nodes.forEach(node => node.problems.forEach(at => add(node.id, at)));
    return new Map([...found].map(([id, set]) => [id, [...set].sort((a, b) => a - b)]));
  }

  private findMarks(): Map<string, Mark> {
    const marks = new Map<string, Mark>();
    for (const [id, positions] of this.problemsAt) {
      const isOwn = (at: number): boolean => [id, undefined].includes(this.problems[at]!.nodes[0]);
      const rank = (at: number): number => ORDER[this.problems[at]!.severity] * 2 + (isOwn(at) ? 0 : 1);
      const worst = [...positions].sort((a, b) => rank(a) - rank(b))[0]!;
      marks.set(id, {
        severity: this.problems[worst]!.severity,
        text: this.problems[worst]!.message,
        main: positions.some(isOwn),
        numbers: positions.map(at => at + 1)
      });
    }
    // A root that can't start a backward pass is worth a mark; every other computed tensor refuses
    // `require_grad`, which is normal and stays quiet.
    for (const id of this.roots) {
      const known = marks.get(id);
      if (this.graph.extras?.done.includes(id) && this.byId.get(id)!.verdict.backward.slug === 'graph-consumed') {
        continue; // used up by the very pass whose gradients are shown
      }
      if (!this.byId.get(id)!.verdict.backward.ok && !(known?.severity === 'error' && known.main)) {
        marks.set(id, { severity: 'error', text: 'backward fails here', main: true, numbers: known?.numbers ?? [] });
      }
    }
    return marks;
  }
}

/** A shape as people type it into a search: "(32,64)"; blanks separate words there. */
function shapeKey(shape: readonly (number | string)[]): string {
  return `(${shape.join(',')})`;
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group) {
      group.push(item);
    } else {
      groups.set(name, [item]);
    }
  }
  return groups;
}
