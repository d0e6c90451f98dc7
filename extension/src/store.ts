/** One graph with what the person looking at it has chosen. Views read it and subscribe; only its methods change it. */
import { openAround, openAtFirst, ROOM } from './fold/open';
import { BRANCH_KEY, branchKey, shownOf, type Shown } from './fold/shown';
import { buildTree, isGivenOnly, isRepeated, ROOT, type Branch, type Tree } from './fold/tree';
import { importantOf, mainFirst, marksOf, problemsAt, worst, type Mark } from './model/marks';
import { Model } from './model/model';
import { narrowed, path, reached, type Isolation, type Mask } from './model/paths';
import { search, slugsOf, type Found, type Slugs } from './model/search';
import type { GraphView, NodeView, ProblemView } from './protocol';

export type { Mark, Severity } from './model/marks';
export type { Isolation } from './model/paths';

/** Items that are shown at most; what would show more stays folded. */
export const MOST_ITEMS = 12_000;

export interface State {
  /** A node's id, or the key of a folded branch. */
  readonly selected: string | null;
  readonly focused: string | null;
  readonly problem: number | null;
  readonly query: string;
  readonly isolation: Isolation | null;
  /** The node a path was asked for from; its other end is still to be chosen. */
  readonly pathFrom: string | null;
  /** Counts what was learnt of nodes after the message came. */
  readonly learnt: number;
}

export class GraphStore {
  readonly model: Model;
  readonly tree: Tree;
  readonly problems: readonly ProblemView[];
  /** Positions of the roots that are here, tracked ones first. */
  readonly roots: readonly number[];
  private readonly rootSet: ReadonlySet<number>;
  private readonly problemsAt: ReadonlyMap<number, readonly number[]>;
  private readonly marks: ReadonlyMap<number, Mark>;
  private readonly important: Mask;
  private readonly listeners = new Set<(state: State, previous: State) => void>();
  private open: Uint8Array;
  private mask: Mask | null = null;
  /** Nodes that are shown even where what uses them is folded. */
  private special: Mask;
  private view: Shown;
  private found: Found | null = null;
  private slugs: Slugs | null = null;
  private reachedMask: Mask | null = null;
  private current: State = { selected: null, focused: null, problem: null, query: '', isolation: null, pathFrom: null, learnt: 0 };

  constructor(readonly graph: GraphView, model = Model.of(graph)) {
    this.model = model;
    this.problems = graph.problems;
    const { requirement } = model.columns;
    const roots = [...new Set(graph.roots.map(id => model.indexOf(id)).filter(at => at >= 0))].sort(
      (a, b) => Number(requirement[a] === 0) - Number(requirement[b] === 0)
    );
    // Parameters of a module that was asked about together with what it computed are no ends of the picture.
    const ends = roots.filter(at => model.isComputed(at) || model.edgesFrom(at).length === 0);
    // Where nothing was computed, no one of them is what the picture leads to.
    this.roots = isGivenOnly(model) && roots.length > 1 ? [] : ends.length > 0 ? ends : roots;
    this.rootSet = new Set(this.roots);
    this.problemsAt = problemsAt(model, graph);
    this.marks = marksOf(model, graph, this.problemsAt, this.roots);
    this.important = importantOf(model, [...this.roots, ...mainFirst(this.marks)]);
    this.special = this.important;
    this.tree = buildTree(model, new Map([
      ...[...this.marks].map(([node, mark]) => [node, `marked ${mark.numbers.join(' ')}`] as const),
      ...this.roots.map(node => [node, `root ${node}`] as const)
    ]));
    this.open = openAtFirst(model, this.tree, this.important, null, this.room);
    this.view = this.look();
  }

  /** Items to begin with: of parameters alone, the tree of modules says more than they do. */
  private get room(): number {
    return isGivenOnly(this.model) ? ROOM / 2 : ROOM;
  }

  get state(): State {
    return this.current;
  }

  /** What is in sight; a new object after each fold. */
  get shown(): Shown {
    return this.view;
  }

  /** Calls back after each change; returns how to stop. */
  subscribe(listener: (state: State, previous: State) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  // --- what is known ------------------------------------------------------------------------
  node(key: string | null): NodeView | undefined {
    const at = this.nodeAt(key);
    return at < 0 ? undefined : this.model.node(at);
  }

  nodeAt(key: string | null): number {
    return key === null || key.startsWith(BRANCH_KEY) ? -1 : this.model.indexOf(key);
  }

  /** The branch that a key names, -1 for none. */
  branchAt(key: string | null): number {
    const at = key?.startsWith(BRANCH_KEY) ? Number(key.slice(BRANCH_KEY.length)) : -1;
    return at > ROOT && at < this.tree.branches.length ? at : -1;
  }

  /** Whether this is a step of a run that is followed. */
  get isStep(): boolean {
    return Boolean(this.graph.extras?.history);
  }

  isRoot(node: number): boolean {
    return this.rootSet.has(node);
  }

  isOpen(branch: number): boolean {
    return this.open[branch] === 1;
  }

  mark(node: number): Mark | undefined {
    return this.marks.get(node);
  }

  get marked(): Iterable<readonly [number, Mark]> {
    return this.marks;
  }

  /** Positions of the problems a node takes part in. */
  problemsOf(node: number): readonly number[] {
    return this.problemsAt.get(node) ?? [];
  }

  /** The worst mark inside an item, and how many marks it holds. */
  marksIn(item: number): { readonly worst: Mark | undefined; readonly count: number } {
    const inside: Mark[] = [];
    for (const [node, mark] of this.marks) {
      if (this.view.itemOf[node] === item) {
        inside.push(mark);
      }
    }
    return { worst: worst(inside), count: inside.length };
  }

  /** Whether a gradient that starts at the roots gets to a node. */
  isReached(node: number): boolean {
    this.reachedMask ??= reached(this.model, this.roots);
    return this.reachedMask[node] === 1;
  }

  /** Nodes that match the search, as marks; null when nothing is searched for. */
  get matches(): Found | null {
    return this.found;
  }

  /** Open branches around an item, outermost first; the root is left out. */
  around(frame: number): number[] {
    const found: number[] = [];
    for (let at = frame; at > ROOT; at = this.tree.branches[at]!.parent) {
      found.push(at);
    }
    return found.reverse();
  }

  branch(at: number): Branch {
    return this.tree.branches[at]!;
  }

  // --- what is chosen -----------------------------------------------------------------------
  /** Makes a node or a folded branch the one that is looked at, and opens what hides it. */
  select(key: string | null): void {
    if (key === null || this.nodeAt(key) >= 0 || this.branchAt(key) >= 0) {
      this.reveal(key);
      this.update({ selected: key, focused: key ?? this.current.focused });
    }
  }

  /** The same without opening anything: what hides the node stands for it. */
  point(key: string): void {
    if (this.nodeAt(key) >= 0) {
      this.update({ selected: key, focused: key });
    }
  }

  focus(key: string | null): void {
    if (key === null || this.nodeAt(key) >= 0 || this.branchAt(key) >= 0) {
      this.update({ focused: key });
    }
  }

  /** Makes a problem the one that is looked at, and selects its first node. */
  showProblem(index: number | null): void {
    const problem = index === null ? undefined : this.problems[index];
    const node = problem?.nodes.find(id => this.model.has(id)) ?? null;
    this.reveal(node);
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
    this.model.tell(node);
    this.update({ learnt: this.current.learnt + 1 });
  }

  search(query: string): void {
    this.slugs ??= slugsOf(this.model, this.graph, this.problemsAt, this.marks.keys());
    this.found = search(this.model, query, this.slugs);
    this.update({ query });
  }

  /** Ids of matches from a node on, around the end. */
  nextMatch(after: string | null): string | null {
    const { found, model } = this;
    if (!found || found.count === 0) {
      return null;
    }
    const start = this.nodeAt(after);
    for (let step = 1; step <= model.count; step++) {
      const at = (start + step) % model.count;
      if (found.mask[at] && (!this.mask || this.mask[at])) {
        return model.id(at);
      }
    }
    return null;
  }

  // --- folding ------------------------------------------------------------------------------
  /** Folds or unfolds a branch; false where too much would come into sight. */
  toggle(branch: number): boolean {
    const opening = !this.open[branch];
    if (opening && this.view.items.length + this.branch(branch).children.length > MOST_ITEMS) {
      return false;
    }
    if (opening) {
      this.open[branch] = 1;
      this.openOnly(branch);
    } else {
      this.close(branch);
    }
    this.refold();
    const key = branchKey(branch);
    const first = this.view.items.find(item => item.frame === branch || this.around(item.frame).includes(branch));
    this.update(opening ? { focused: first?.key ?? null, selected: null } : { focused: key, selected: key });
    return true;
  }

  /** Opens everything, as far as it can be shown. */
  openAll(): void {
    const open = openAtFirst(this.model, this.tree, this.important, this.mask, MOST_ITEMS);
    this.setOpen(open);
  }

  /** The folding of the beginning. */
  openFirst(): void {
    this.setOpen(openAtFirst(this.model, this.tree, this.important, this.mask, this.room));
  }

  /** Narrows the view to what a node is made from, what uses it, or a path; null shows everything again. */
  isolate(isolation: Isolation | null): boolean {
    const mask = isolation && narrowed(this.model, isolation);
    if (isolation && !mask) {
      return false;
    }
    this.mask = mask;
    this.special = mask && isolation?.kind === 'path' ? mask : this.important;
    this.open = openAtFirst(this.model, this.tree, this.special, mask);
    const { selected } = this.current;
    const node = this.nodeAt(selected);
    if (node >= 0) {
      openAround(this.tree, this.open, this.tree.owner[node]!);
    }
    this.view = this.look();
    this.update({ isolation });
    return true;
  }

  /** The path from a node to the root it leads to, whether or not a gradient comes back along it. */
  explain(node: number): boolean {
    const to = this.roots.find(root => root !== node && path(this.model, node, root) !== null);
    return to !== undefined && this.isolate({ kind: 'path', node, to });
  }

  /** Remembers one end of a path; null forgets it. */
  startPath(id: string | null): void {
    if (id === null || this.nodeAt(id) >= 0) {
      this.update({ pathFrom: id });
    }
  }

  /** Narrows the view to a path between two nodes, whichever of them comes first; false where there is none. */
  connect(one: number, other: number): boolean {
    if (one < 0 || other < 0 || one === other) {
      return false;
    }
    const found = this.isolate({ kind: 'path', node: one, to: other }) || this.isolate({ kind: 'path', node: other, to: one });
    if (found) {
      this.update({ pathFrom: null });
    }
    return found;
  }

  /** What is unfolded, for a view of a graph that folds alike; another one is not touched by it. */
  get opened(): Uint8Array {
    return this.open.slice();
  }

  set opened(open: Uint8Array) {
    if (open.length === this.open.length && open[ROOT] === 1) {
      this.setOpen(open.slice());
    }
  }

  /** Opens what hides a node or a branch. What is not in an isolated view ends the isolation. */
  private reveal(key: string | null): void {
    const node = this.nodeAt(key);
    const branch = this.branchAt(key);
    if (node >= 0 && this.mask && !this.mask[node]) {
      this.mask = null;
      this.special = this.important;
      this.current = { ...this.current, isolation: null };
    } else if (node < 0 && branch < 0) {
      return;
    } else if (node >= 0 && this.view.byKey.has(this.model.id(node))) {
      return;
    }
    let owner = branch >= 0 ? this.branch(branch).parent : this.tree.owner[node]!;
    if (owner < 0 && node >= 0) {
      const [edge] = this.model.edgesFrom(node);
      owner = edge === undefined ? ROOT : this.tree.owner[this.model.columns.target[edge]!]!;
    }
    openAround(this.tree, this.open, owner);
    this.view = this.look();
  }

  private close(branch: number): void {
    this.open[branch] = 0;
  }

  /** A branch of one branch would be a box in a box: it opens with it. */
  private openOnly(branch: number): void {
    const { children } = this.branch(branch);
    const [entry] = children;
    if (entry !== undefined && entry < 0 && (children.length === 1 || isRepeated(this.branch(branch)))) {
      if (this.branch(~entry).children.length <= 40) {
        this.open[~entry] = 1;
        this.openOnly(~entry);
      }
    }
  }

  private setOpen(open: Uint8Array): void {
    this.open = open;
    this.refold();
    this.update({});
  }

  private refold(): void {
    this.view = this.look();
  }

  private look(): Shown {
    return shownOf(this.model, this.tree, this.open, this.mask, this.special);
  }

  private update(change: Partial<State>): void {
    const previous = this.current;
    this.current = { ...previous, ...change };
    for (const listener of [...this.listeners]) {
      listener(this.current, previous);
    }
  }
}
