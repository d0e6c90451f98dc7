/** What is in sight of a folded graph: items, the links between them, and the frames of what is open. */
import type { Mask } from '../model/paths';
import type { Model } from '../model/model';
import { ROLE } from '../model/data';
import { isBranch, ROOT, type Tree } from './tree';

export interface Item {
  readonly key: string;
  /** Position in the model, or -1 for a folded branch. */
  readonly node: number;
  /** The folded branch, or -1 for a node. */
  readonly branch: number;
  /** The open branch it stands in. */
  readonly frame: number;
}

/** What a folded branch holds. */
export interface Summary {
  operations: number;
  parameters: number;
  leaves: number;
  consumed: number;
  /** Strongest requirement, as a position in `REQUIREMENTS`. */
  requirement: number;
  cuts: number;
}

export interface ShownLink {
  readonly source: number;
  readonly target: number;
  /** The first of the edges it stands for. */
  edge: number;
  count: number;
  tracked: boolean;
  /** An edge that is cut, -1 where none is. */
  cut: number;
}

export interface Shown {
  readonly items: readonly Item[];
  readonly byKey: ReadonlyMap<string, number>;
  readonly links: readonly ShownLink[];
  /** Of each node of the model its item, -1 where it is hidden. */
  readonly itemOf: Int32Array;
  readonly summaries: ReadonlyMap<number, Summary>;
  /** Links into and out of each item. */
  readonly inputs: readonly (readonly number[])[];
  readonly outputs: readonly (readonly number[])[];
}

export const BRANCH_KEY = 'branch:';

/** Data that is drawn beside one folded box; where there is more, it is counted in the box. */
const MOST_BESIDE = 3;

export function branchKey(branch: number): string {
  return `${BRANCH_KEY}${branch}`;
}

export function shownOf(model: Model, tree: Tree, open: Uint8Array, mask: Mask | null, important: Mask): Shown {
  const items: Item[] = [];
  const itemOf = new Int32Array(model.count).fill(-1);
  const itemOfBranch = placeBranches(model, tree, open, mask, items, itemOf);
  const { owner } = tree;
  for (let node = 0; node < model.count; node++) {
    const at = owner[node]!;
    if (at >= 0 && itemOf[node]! < 0 && (!mask || mask[node])) {
      itemOf[node] = itemOfBranch[at]!;
    }
  }
  const summaries = new Map<number, Summary>();
  items.forEach((item, at) => {
    if (item.branch >= 0) {
      summaries.set(at, { operations: 0, parameters: 0, leaves: 0, consumed: 0, requirement: 0, cuts: 0 });
    }
  });
  placeLeaves(model, mask, important, items, itemOf, summaries);
  summarise(model, tree, itemOf, summaries);
  const links = linksOf(model, items, itemOf);
  const inputs: number[][] = items.map(() => []);
  const outputs: number[][] = items.map(() => []);
  links.forEach((link, at) => {
    inputs[link.target]!.push(at);
    outputs[link.source]!.push(at);
  });
  return { items, byKey: new Map(items.map((item, at) => [item.key, at])), links, itemOf, summaries, inputs, outputs };
}

/** Items of operations and folded branches, in the order of computation; returns the item of each folded branch. */
function placeBranches(
  model: Model, tree: Tree, open: Uint8Array, mask: Mask | null, items: Item[], itemOf: Int32Array
): Int32Array {
  const itemOfBranch = new Int32Array(tree.branches.length).fill(-1);
  const masked = mask ? maskedSizes(tree, mask) : null;
  const path: { branch: number; at: number }[] = [{ branch: ROOT, at: 0 }];
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const { children } = tree.branches[top.branch]!;
    if (top.at >= children.length) {
      path.pop();
      continue;
    }
    const entry = children[top.at++]!;
    if (!isBranch(entry)) {
      if (!mask || mask[entry]) {
        itemOf[entry] = items.push({ key: model.id(entry), node: entry, branch: -1, frame: top.branch }) - 1;
      }
    } else if (masked && masked[~entry] === 0) {
      continue;
    } else if (open[~entry]) {
      path.push({ branch: ~entry, at: 0 });
    } else {
      itemOfBranch[~entry] = items.push({ key: branchKey(~entry), node: -1, branch: ~entry, frame: top.branch }) - 1;
    }
  }
  for (const branch of tree.order) {
    const { parent } = tree.branches[branch]!;
    if (parent >= 0 && itemOfBranch[parent]! >= 0) {
      itemOfBranch[branch] = itemOfBranch[parent]!;
    }
  }
  return itemOfBranch;
}

/** Operations of each branch that belong to a mask. */
export function maskedSizes(tree: Tree, mask: Mask): Int32Array {
  const sizes = new Int32Array(tree.branches.length);
  for (let at = tree.order.length - 1; at >= 0; at--) {
    const branch = tree.order[at]!;
    for (const entry of tree.branches[branch]!.children) {
      sizes[branch]! += isBranch(entry) ? sizes[~entry]! : mask[entry]!;
    }
  }
  return sizes;
}

/** Leaves stand where an operation in sight uses them; data also beside folded boxes, the rest is counted in these. */
function placeLeaves(
  model: Model, mask: Mask | null, important: Mask, items: Item[], itemOf: Int32Array, summaries: Map<number, Summary>
): void {
  const { role } = model.columns;
  const show = (node: number, user: number): void => {
    itemOf[node] = items.push({ key: model.id(node), node, branch: -1, frame: user < 0 ? ROOT : items[user]!.frame }) - 1;
  };
  const data = new Map<number, number[]>();
  for (let node = 0; node < model.count; node++) {
    if (model.isComputed(node) || itemOf[node]! >= 0 || (mask && !mask[node])) {
      continue;
    }
    const { user, direct } = userOf(model, node, items, itemOf);
    if (direct || important[node] || model.edgesFrom(node).length === 0) {
      show(node, user);
    } else if (user >= 0) {
      itemOf[node] = user;
      if (role[node] === ROLE.input) {
        data.set(user, [...(data.get(user) ?? []).slice(-MOST_BESIDE), node]);
      }
      summaries.get(user)![role[node] === ROLE.parameter ? 'parameters' : 'leaves'] += 1;
    }
  }
  for (const [user, nodes] of data) {
    if (nodes.length <= MOST_BESIDE) {
      nodes.forEach(node => show(node, user));
      summaries.get(user)!.leaves -= nodes.length;
    }
  }
}

/** The item that uses a leaf first; an operation in sight before folded boxes. */
function userOf(model: Model, leaf: number, items: readonly Item[], itemOf: Int32Array): { user: number; direct: boolean } {
  let user = -1;
  for (const edge of model.edgesFrom(leaf)) {
    const item = itemOf[model.columns.target[edge]!]!;
    if (item >= 0 && items[item]!.node >= 0) {
      return { user: item, direct: true };
    }
    user = user < 0 ? item : user;
  }
  return { user, direct: false };
}

function summarise(model: Model, tree: Tree, itemOf: Int32Array, summaries: Map<number, Summary>): void {
  if (summaries.size === 0) {
    return;
  }
  const { requirement, consumed, cut, role } = model.columns;
  for (let node = 0; node < model.count; node++) {
    const summary = tree.owner[node]! >= 0 ? summaries.get(itemOf[node]!) : undefined;
    if (summary && !model.isComputed(node)) {
      summary[role[node] === ROLE.parameter ? 'parameters' : 'leaves'] += 1;
      summary.requirement = Math.max(summary.requirement, requirement[node]!);
    } else if (summary) {
      summary.operations += 1;
      summary.consumed += consumed[node]!;
      summary.requirement = Math.max(summary.requirement, requirement[node]!);
      summary.cuts += cut[node] === 0 ? 0 : 1;
    }
  }
}

function linksOf(model: Model, items: readonly Item[], itemOf: Int32Array): ShownLink[] {
  const { source, target, tracked } = model.columns;
  const known = new Map<number, ShownLink>();
  const links: ShownLink[] = [];
  for (let edge = 0; edge < model.edgeCount; edge++) {
    const from = itemOf[source[edge]!]!;
    const to = itemOf[target[edge]!]!;
    if (from < 0 || to < 0 || from === to || (items[from]!.node !== source[edge] && !model.isComputed(source[edge]!))) {
      continue; // leaves that aren't drawn have no links: where they count is no place of theirs
    }
    const key = from * items.length + to;
    const cut = model.isCut(edge);
    const link = known.get(key);
    if (link) {
      link.count += 1;
      link.tracked ||= tracked[edge] === 1;
      link.cut = link.cut < 0 && cut ? edge : link.cut;
    } else {
      const made = { source: from, target: to, edge, count: 1, tracked: tracked[edge] === 1, cut: cut ? edge : -1 };
      known.set(key, made);
      links.push(made);
    }
  }
  return links;
}
