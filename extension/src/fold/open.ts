/** What is open at first, and what must be opened to see something. */
import type { Mask } from '../model/paths';
import type { Model } from '../model/model';
import { maskedSizes } from './shown';
import { isBranch, isRepeated, ROOT, type Tree } from './tree';

/** Items of the first view, roughly: as many as can be read without moving. */
export const ROOM = 26;

/** How willingly each kind is opened: what people named before what was found to repeat. */
const RELUCTANCE: Readonly<Record<string, number>> = { repeat: 2, turn: 1, rest: 8, piece: 6 };

/** Opens branches from the outside in while there is room, those with something to see first. */
export function openAtFirst(model: Model, tree: Tree, important: Mask, mask: Mask | null, room = ROOM): Uint8Array {
  const open = new Uint8Array(tree.branches.length);
  open[ROOT] = 1;
  const sizes = mask ? maskedSizes(tree, mask) : null;
  const troubled = holding(tree, important);
  const leaves = leavesAt(model, tree, mask);
  const costOf = (branch: number): number => {
    let cost = leaves[branch]!;
    for (const entry of tree.branches[branch]!.children) {
      cost += isBranch(entry) ? Number(!sizes || sizes[~entry]! > 0) : Number(!mask || mask[entry]! > 0);
    }
    return cost;
  };
  const rank = (branch: number): number => {
    const { kind, depth } = tree.branches[branch]!;
    return (troubled[branch] ? 0 : 4) + depth + (RELUCTANCE[kind] ?? 0);
  };
  let used = costOf(ROOT);
  const waiting: { branches: number[]; cost: number; rank: number }[] = [];
  const offer = (branch: number): void => {
    const alike = new Map<string, (typeof waiting)[number]>();
    for (const entry of tree.branches[branch]!.children) {
      if (!isBranch(entry) || (sizes && sizes[~entry] === 0) || (room <= ROOM && !isWorthwhile(entry, branch))) {
        continue;
      }
      const { kind, label } = tree.branches[~entry]!;
      // Neighbours of one sort are opened together or not at all; trouble, and a wish to see all, waits for no neighbour.
      const sort = troubled[~entry] || room > ROOM ? `${entry}` : `${kind} ${label.replace(/\d+/g, '#')}`;
      const bundle = alike.get(sort);
      if (bundle) {
        bundle.branches.push(~entry);
        bundle.cost += costOf(~entry);
      } else {
        alike.set(sort, { branches: [~entry], cost: costOf(~entry), rank: rank(~entry) });
      }
    }
    waiting.push(...alike.values());
  };
  /** Of what repeats, the first turn says it all. */
  const isWorthwhile = (entry: number, parent: number): boolean => {
    const { kind, children } = tree.branches[parent]!;
    return kind !== 'rest' && (!isRepeated(tree.branches[parent]!) || entry === children[0]) && tree.branches[~entry]!.kind !== 'rest';
  };
  offer(ROOT);
  // Branches that wait are few: each opened one adds at most `ROOMY`, and opening ends at `room`.
  while (waiting.length > 0) {
    waiting.sort((a, b) => b.rank - a.rank || b.cost - a.cost || b.branches[0]! - a.branches[0]!);
    const { branches, cost } = waiting.pop()!;
    if (used + cost - branches.length <= room) {
      used += cost - branches.length;
      for (const branch of branches) {
        open[branch] = 1;
        offer(branch);
      }
    }
  }
  for (const branch of tree.order) {
    const [first] = tree.branches[branch]!.children;
    if (tree.branches[branch]!.kind === 'repeat' && !troubled[branch] && first !== undefined && isBranch(first) && !open[~first]) {
      open[branch] = 0; // "A and eleven more of it" says less than "twelve times A"
    }
  }
  return open;
}

/** Opens everything around a node, or around a branch. Returns whether anything was closed. */
export function openAround(tree: Tree, open: Uint8Array, owner: number): boolean {
  let changed = false;
  for (let at = owner; at >= 0; at = tree.branches[at]!.parent) {
    changed ||= open[at] === 0;
    open[at] = 1;
  }
  return changed;
}

/** Branches that hold a marked operation, directly or further in. */
function holding(tree: Tree, marked: Mask): Uint8Array {
  const found = new Uint8Array(tree.branches.length);
  for (let at = tree.order.length - 1; at >= 0; at--) {
    const branch = tree.order[at]!;
    for (const entry of tree.branches[branch]!.children) {
      if (isBranch(entry) ? found[~entry] : marked[entry]) {
        found[branch] = 1;
        break;
      }
    }
  }
  return found;
}

/** Leaves that come into sight with the operations of each branch, each counted at its first use. */
function leavesAt(model: Model, tree: Tree, mask: Mask | null): Uint32Array {
  const found = new Uint32Array(tree.branches.length);
  for (let node = 0; node < model.count; node++) {
    if (!model.isComputed(node) && tree.owner[node]! < 0 && (!mask || mask[node])) {
      const [edge] = model.edgesFrom(node);
      const user = edge === undefined ? -1 : model.columns.target[edge]!;
      const branch = user < 0 ? ROOT : tree.owner[user]!;
      if (branch >= 0) {
        found[branch]! += 1;
      }
    }
  }
  return found;
}
