/**
 * The tree by which a graph folds: groups as the message tells them, inside each the stretches that repeat,
 * and long rows of entries in handy pieces. Its leaves are the operations in the order they were computed; where
 * nothing was, the parameters, by the modules in their names.
 * Linear and iterative; built once for each graph.
 */
import type { GroupRow } from '../model/data';
import type { Model } from '../model/model';
import { repeats } from './repeats';

/** `repeat`: the same several times; `turn`: one of these times; `rest`: the turns but the first; `piece`: part of a long row. */
export type Kind = 'root' | GroupRow['kind'] | 'repeat' | 'turn' | 'rest' | 'piece';

export interface Branch {
  readonly kind: Kind;
  readonly label: string;
  parent: number;
  depth: number;
  /** Operations are their position in the model, branches the complement of theirs. */
  children: number[] | Int32Array;
  /** Operations in here. */
  size: number;
  /** How often the first turn occurs, 1 where nothing repeats. */
  times: number;
}

export interface Tree {
  readonly branches: readonly Branch[];
  /** The branch each operation stands in, -1 for leaves of the graph beside operations. */
  readonly owner: Int32Array;
  /** Branches with parents before their children. */
  readonly order: Int32Array;
  /** Operations that are all of a module, with its name: a frame around one box would say no more. */
  readonly called: ReadonlyMap<number, string>;
}

export const ROOT = 0;
/** Entries of one branch that need no pieces. */
export const ROOMY = 40;
const PIECE = 24;
/** Turns that are listed one by one. */
const FEW_TURNS = 6;
/** A graph this small is shown as it is. */
const SMALL = 48;
const PASSES = 5;
/** Parts of a dotted name that are modules, at most: names can be anything. */
const DEEPEST = 24;

/** Whether a branch holds the same several times; a loop says itself how often. */
export function isRepeated({ kind, times }: Branch): boolean {
  return kind === 'repeat' || (kind === 'loop' && times > 1);
}

/** Whether nothing was computed: a module that was asked about without a loss. Then the parameters are what folds. */
export function isGivenOnly(model: Model): boolean {
  return model.count > 1 && model.edgeCount === 0;
}

export function isBranch(entry: number): boolean {
  return entry < 0;
}

/**
 * The tree of a graph.
 *
 * `unlike` names operations that are marked or asked about: they look like others only where these have the
 * same name, so that what is special is never one of many turns.
 */
export function buildTree(model: Model, unlike: ReadonlyMap<number, string> = new Map()): Tree {
  return new Builder(model, unlike).build();
}

class Builder {
  private readonly branches: Branch[] = [];
  private readonly signatures = new Map<string, number>();
  /** Signatures of branches, by position. */
  private readonly looks: number[] = [];
  private readonly opLooks: Int32Array;
  private readonly called = new Map<number, string>();

  constructor(private readonly model: Model, private readonly unlike: ReadonlyMap<number, string>) {
    this.opLooks = new Int32Array(model.count);
  }

  build(): Tree {
    const { model, branches } = this;
    this.add('root', '', -1);
    const owner = new Int32Array(model.count).fill(-1);
    const branchOf = new Int32Array(model.columns.groups.length).fill(-1);
    let total = 0;
    const given = isGivenOnly(model);
    const modules = new Map<string, number>([['', ROOT]]);
    for (let node = 0; node < model.count; node++) {
      if (given || model.isComputed(node)) {
        const parent = given ? this.branchOfName(model.name(node), modules) : this.branchOfGroup(model.columns.group[node]!, branchOf);
        (branches[parent]!.children as number[]).push(node);
        total++;
      }
    }
    this.dissolve();
    if (total > SMALL) {
      this.lookAtOperations();
      const groups = branches.length;
      for (let at = groups - 1; at >= 0; at--) {
        this.shorten(at);
      }
    }
    const order = this.order();
    for (let at = order.length - 1; at >= 0; at--) {
      const branch = branches[order[at]!]!;
      for (const entry of branch.children) {
        if (isBranch(entry)) {
          branch.size += branches[~entry]!.size;
        } else {
          owner[entry] = order[at]!;
          branch.size++;
        }
      }
    }
    return { branches, owner, order, called: this.called };
  }

  private add(kind: Kind, label: string, parent: number, children: number[] | Int32Array = [], times = 1): number {
    return this.branches.push({ kind, label, parent, depth: 0, children, size: 0, times }) - 1;
  }

  /** The branch of a group, entered into the groups around it where it is met first. */
  private branchOfGroup(group: number, branchOf: Int32Array): number {
    const { groups } = this.model.columns;
    const missing: number[] = [];
    let at = group;
    while (at >= 0 && branchOf[at]! < 0) {
      missing.push(at);
      at = groups[at]!.parent;
    }
    let parent = at < 0 ? ROOT : branchOf[at]!;
    for (const next of missing.reverse()) {
      const made = this.add(groups[next]!.kind, groups[next]!.label, parent);
      (this.branches[parent]!.children as number[]).push(~made);
      branchOf[next] = made;
      parent = made;
    }
    return parent;
  }

  /** The branch of the module that a parameter's name says it belongs to: "block.up" of "block.up.weight". */
  private branchOfName(name: string, modules: Map<string, number>): number {
    const path = name.split('.', DEEPEST).slice(0, -1);
    let parent = ROOT;
    let whole = '';
    for (const label of path) {
      whole += `${label}.`;
      let at = modules.get(whole);
      if (at === undefined) {
        at = this.add('module', label, parent);
        (this.branches[parent]!.children as number[]).push(~at);
        modules.set(whole, at);
      }
      parent = at;
    }
    return parent;
  }

  /** Puts the operation of a module that holds nothing else where the module stands. */
  private dissolve(): void {
    const { branches } = this;
    // Later groups stand inside earlier ones or beside them: backwards, what is inside is done first.
    for (let at = branches.length - 1; at >= ROOT; at--) {
      branches[at]!.children = (branches[at]!.children as number[]).map(entry => {
        const inner = isBranch(entry) ? branches[~entry]! : null;
        const only = inner?.kind === 'module' && inner.children.length === 1 ? inner.children[0]! : entry;
        if (!inner || isBranch(only)) {
          return entry;
        }
        inner.children = [];
        // The number of a layer says nothing without the layers around it.
        if (!this.called.has(only) && !/^\d*$/.test(inner.label)) {
          this.called.set(only, inner.label);
        }
        return only;
      });
    }
  }

  /** Operations look the same that do the same in as many dimensions; sizes and source lines may differ from layer to layer. */
  private lookAtOperations(): void {
    const { columns, count } = this.model;
    const seen = new Map<number, number>();
    const ranks = columns.strings.map(text => (text === '' ? 0 : Math.min(9, text.slice(0, 200).split(',').length)));
    for (let node = 0; node < count; node++) {
      const key = (columns.op[node]! * 10 + ranks[columns.shape[node]!]!) * 4 + columns.requirement[node]!;
      let look = seen.get(key);
      if (look === undefined) {
        look = this.signature(`op ${key}`);
        seen.set(key, look);
      }
      this.opLooks[node] = look;
    }
    for (const [node, name] of this.called) {
      this.opLooks[node] = this.signature(`${this.opLooks[node]} in ${name.replace(/\d+/g, '#')}`);
    }
    for (const [node, name] of this.unlike) {
      this.opLooks[node] = this.signature(`${this.opLooks[node]} ${name}`);
    }
  }

  private signature(text: string): number {
    let known = this.signatures.get(text);
    if (known === undefined) {
      known = this.signatures.size;
      this.signatures.set(text, known);
    }
    return known;
  }

  private lookOf(entry: number): number {
    return isBranch(entry) ? this.looks[~entry]! : this.opLooks[entry]!;
  }

  /** Puts what repeats in a branch into branches of their own, then cuts what is still long into pieces. */
  private shorten(at: number): void {
    const branch = this.branches[at]!;
    const entries = this.compress(at, branch.children as number[]);
    const stem = branch.label.replace(/\d+/g, '#');
    this.looks[at] = this.signature(`${branch.kind} ${stem} ${this.digest(entries)}`);
    const only = entries.length === 1 && isBranch(entries[0]!) ? this.branches[~entries[0]!]! : null;
    if (branch.kind === 'loop' && only?.kind === 'repeat') {
      // All of a loop's rounds are alike: the loop is what repeats, without a box in a box.
      branch.times = only.times;
      branch.children = this.adopt(at, Array.from(only.children));
      return;
    }
    branch.children = this.cut(at, entries, 'operations', 1);
  }

  /** Inner loops become entries of outer ones, which then repeat in their turn. */
  private compress(at: number, given: number[]): number[] {
    let entries = given;
    for (let pass = 0; pass < PASSES && entries.length > 2; pass++) {
      const shorter = this.fold(at, entries);
      if (shorter === entries) {
        break;
      }
      entries = shorter;
    }
    return entries;
  }

  private fold(parent: number, entries: number[]): number[] {
    const found = repeats(Int32Array.from(entries, entry => this.lookOf(entry)));
    // One repeat that is everything would only put a box into a box.
    if (found.length === 0 || (found.length === 1 && found[0]!.times * found[0]!.period === entries.length && this.isRepeat(parent))) {
      return entries;
    }
    const result: number[] = [];
    let done = 0;
    for (const { start, period, times } of found) {
      for (; done < start; done++) {
        result.push(entries[done]!);
      }
      result.push(~this.repeat(parent, entries.slice(start, start + period * times), period, times));
      done = start + period * times;
    }
    for (; done < entries.length; done++) {
      result.push(entries[done]!);
    }
    return result;
  }

  private isRepeat(branch: number): boolean {
    return ['repeat', 'turn', 'rest'].includes(this.branches[branch]!.kind);
  }

  private repeat(parent: number, entries: number[], period: number, times: number): number {
    const label = this.nameOf(entries.slice(0, period));
    const made = this.add('repeat', label, parent, [], times);
    this.looks[made] = this.signature(`repeat ${times} ${this.digest(entries.slice(0, period))}`);
    const turns: number[] = [];
    for (let turn = 0; turn < times; turn++) {
      const own = entries.slice(turn * period, (turn + 1) * period);
      if (period === 1) {
        // A turn of one entry is that entry.
        if (isBranch(own[0]!)) {
          this.branches[~own[0]!]!.parent = made;
        }
        turns.push(own[0]!);
        continue;
      }
      const branch = this.add('turn', `${turn + 1}`, made);
      this.looks[branch] = this.looks[made]!;
      this.branches[branch]!.children = this.cut(branch, period > 5 ? this.compress(branch, own) : own, 'operations', 1);
      turns.push(~branch);
    }
    if (times > FEW_TURNS) {
      const rest = this.add('rest', `2\u2013${times}`, made, [], times - 1);
      this.looks[rest] = this.looks[made]!;
      this.branches[rest]!.children = this.cut(rest, turns.slice(1), period === 1 ? 'operations' : 'turns', 2);
      this.branches[made]!.children = this.adopt(made, [turns[0]!, ~rest]);
    } else {
      this.branches[made]!.children = this.adopt(made, turns);
    }
    return made;
  }

  /** At most `ROOMY` entries: more are put into pieces, and these into larger ones. */
  private cut(parent: number, entries: number[], word: string, first: number): number[] | Int32Array {
    let row = entries;
    let width = 1;
    while (row.length > ROOMY) {
      const pieces: number[] = [];
      for (let at = 0; at < row.length; at += PIECE) {
        const own = row.slice(at, at + PIECE);
        const from = at * width + first;
        const to = Math.min((at + own.length) * width, entries.length) + first - 1;
        const piece = this.add('piece', `${word} ${from.toLocaleString('en')}\u2013${to.toLocaleString('en')}`, parent);
        this.looks[piece] = -1;
        this.branches[piece]!.children = this.adopt(piece, own);
        pieces.push(~piece);
      }
      row = pieces;
      width *= PIECE;
    }
    return this.adopt(parent, row);
  }

  private adopt(parent: number, entries: number[]): number[] | Int32Array {
    for (const entry of entries) {
      if (isBranch(entry)) {
        this.branches[~entry]!.parent = parent;
      }
    }
    // Short arrays are smaller as they are.
    return entries.length > 64 ? Int32Array.from(entries) : entries;
  }

  private digest(entries: readonly number[]): string {
    if (entries.length <= 64) {
      return entries.map(entry => this.lookOf(entry)).join(' ');
    }
    let a = 17;
    let b = 29;
    for (const entry of entries) {
      const look = this.lookOf(entry);
      a = (Math.imul(a, 31) + look) | 0;
      b = (Math.imul(b, 1000003) ^ look) | 0;
    }
    return `${entries.length} ${a} ${b}`;
  }

  /** What a repeated stretch is called: the module it is, or the operations it begins with. */
  private nameOf(entries: readonly number[]): string {
    const names = entries.slice(0, 4).map(entry => {
      if (!isBranch(entry)) {
        return this.model.op(entry);
      }
      const { label } = this.branches[~entry]!;
      return isRepeated(this.branches[~entry]!) ? `${label} \u00d7${this.branches[~entry]!.times}` : label;
    });
    return entries.length > 3 ? `${names.slice(0, 3).join(', ')}, \u2026` : names.join(', ');
  }

  private order(): Int32Array {
    const { branches } = this;
    const order = new Int32Array(branches.length);
    let filled = 1;
    for (let at = 0; at < filled; at++) {
      const branch = branches[order[at]!]!;
      for (const entry of branch.children) {
        if (isBranch(entry)) {
          branches[~entry]!.depth = branch.depth + 1;
          order[filled++] = ~entry;
        }
      }
    }
    return order.subarray(0, filled);
  }
}
