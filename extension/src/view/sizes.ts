/** How large items are drawn, and what of their texts fits: known before drawing, so that layout needs no DOM. */
import type { Form, LayoutInput, Size } from '../layout';
import type { Item } from '../fold/shown';
import { ROOT } from '../fold/tree';
import { usualOf } from '../model/usual';
import type { NodeView } from '../protocol';
import type { GraphStore } from '../store';
import { oneLine } from '../text';
import { branchFacts, branchTitle, timesText } from './branch-words';
import { FACES, fitName, fitText, textWidth } from './meter';
import { attributeTexts, kindBadge, placeText, shapeText, titleOf } from './words';

/** Height of the line that names a problem. */
export const STRIP = 20;
/** Height of a box with one line, and with two. */
const LINE = 28;
const LINES = 44;

export interface NodeTexts {
  readonly title: string;
  readonly aside: string;
  /** The second line; empty where the box has one. */
  readonly facts: string;
  /** The kind, where it isn't the one that most of the graph has. */
  readonly badge: string;
  readonly state: string;
}

export function nodeTexts(store: GraphStore, at: number): NodeTexts {
  const { frame, node: position } = store.shown.items[at]!;
  const node = store.model.node(position);
  // Of a parameter it says nothing that its sign doesn't.
  const op = node.name === null || node.role === 'parameter' ? '' : oneLine(node.op);
  const state = isConsumedApart(store, node) ? 'consumed' : store.isRoot(position) ? 'root' : '';
  return {
    title: fitName(nameIn(store, frame, titleOf(node)), FACES.title, 150),
    aside: asideText([op, node.is_leaf ? '' : (store.tree.called.get(position) ?? ''), ...attributeTexts(node)], 120),
    facts: shapeLink(store, at) < 0 ? fitText(factsText(store, node), FACES.small, 170) : '',
    badge: badgeText(store, node),
    state
  };
}

export function branchTexts(store: GraphStore, at: number): NodeTexts {
  const { branch } = store.shown.items[at]!;
  const summary = store.shown.summaries.get(at);
  return {
    title: fitText(branchTitle(store, branch), FACES.title, 170),
    aside: '',
    facts: fitText(branchFacts(store, branch, summary), FACES.small, 210),
    badge: timesText(store, branch),
    state: summary && summary.consumed > 0 && !usualOf(store.model).consumed ? (summary.consumed === summary.operations ? 'consumed' : 'partly consumed') : ''
  };
}

export function aliasText(node: NodeView): string {
  return fitName(titleOf(node), FACES.small, 110);
}

export function sideTexts(store: GraphStore, at: number): { title: string; facts: string } {
  const { frame, node: position } = store.shown.items[at]!;
  const node = store.model.node(position);
  if (isChip(node)) {
    const title = fitText(titleOf(node), FACES.small, 100);
    const facts = fitText(node.value !== null && node.shape.length === 0 ? oneLine(node.value) : shapeText(node.shape), FACES.small, 90);
    return { title, facts: facts === title ? '' : facts };
  }
  return {
    title: fitName(nameIn(store, frame, titleOf(node)), FACES.title, 150),
    facts: fitText(factsText(store, node), FACES.small, 150)
  };
}

/**
 * The link on which the shape of an item stands; -1 where its own box says it: of what is given, of what
 * was asked about, and where nothing in sight uses it.
 */
export function shapeLink(store: GraphStore, at: number): number {
  const { items, links, outputs } = store.shown;
  const { node } = items[at]!;
  const { columns } = store.model;
  if (node >= 0 && (!store.model.isComputed(node) || store.isRoot(node) || (columns.consumed[node] === 1 && !usualOf(store.model).consumed)
    || store.model.text(columns.dtype, node) !== usualOf(store.model).dtype)) {
    return -1;
  }
  return outputs[at]!.find(link => links[link]!.cut < 0) ?? -1;
}

/** Whether a box says that it is used up: where all of the graph is, its title says so. */
export function isConsumedApart(store: GraphStore, node: NodeView): boolean {
  return node.consumed && !usualOf(store.model).consumed;
}

/** The shape, and the dtype where it isn't the one of nearly everything here. */
function factsText(store: GraphStore, node: NodeView): string {
  const shape = shapeText(node.shape);
  return node.dtype === usualOf(store.model).dtype ? shape : `${shape} \u00b7 ${oneLine(node.dtype)}`;
}

function badgeText(store: GraphStore, { kind, requirement }: NodeView): string {
  const { tracked, untracked } = usualOf(store.model);
  return kind === (requirement === 'none' ? untracked : tracked) ? '' : kindBadge(kind);
}

/** As many of the words as there is room for, none of them in parts, but the first. */
function asideText(words: readonly string[], room: number): string {
  let text = '';
  for (const word of words.filter(Boolean)) {
    const more = text === '' ? fitText(word, FACES.small, room) : `${text}${text.includes('=') ? ',' : ''} ${word}`;
    if (textWidth(more, FACES.small) > room) {
      break;
    }
    text = more;
  }
  return text;
}

/** A parameter's name without the modules in whose frames it stands. */
export function nameIn(store: GraphStore, frame: number, name: string): string {
  if (!name.includes('.')) {
    return name;
  }
  const labels = store.around(frame).map(at => store.branch(at)).filter(({ kind }) => kind === 'module').map(({ label }) => oneLine(label));
  for (let from = 0; from < labels.length; from++) {
    const modules = `${labels.slice(from).join('.')}.`;
    if (name.startsWith(modules) && name.length > modules.length) {
      return name.slice(modules.length);
    }
  }
  return name;
}

/** What stands on an edge that is cut: why, and where in the source; where there is no room for both, the line. */
export function cutText(node: NodeView): string {
  const why = oneLine(node.cut ?? '');
  const { source } = node;
  if (!source) {
    return fitText(why, FACES.mark, 170);
  }
  const whole = `${why} \u00b7 ${placeText(source)}`;
  const short = `${why} \u00b7 line ${source.line}`;
  return textWidth(whole, FACES.mark) <= 170 ? whole : fitText(short, FACES.mark, 170);
}

export function isChip(node: NodeView): boolean {
  return node.role === 'constant' && node.requirement === 'none';
}

/** Whether a line in the item's box names its problem. */
export function hasStrip(store: GraphStore, at: number): boolean {
  const item = store.shown.items[at]!;
  return item.branch >= 0 ? store.marksIn(at).count > 0 : store.mark(item.node)?.main === true;
}

function measure(store: GraphStore, at: number, form: Form): Size {
  const item = store.shown.items[at]!;
  const strip = hasStrip(store, at) ? STRIP : 0;
  if (item.branch >= 0) {
    const { title, facts, badge, state } = branchTexts(store, at);
    const first = textWidth(title, FACES.title) + (badge ? textWidth(badge, FACES.times) + 30 : 10);
    const second = textWidth(facts, FACES.small) + (state ? textWidth(state, FACES.small) + 12 : 0);
    return { width: Math.ceil(Math.max(first + 38, second + 44, 150, strip ? 196 : 0)), height: LINES + strip };
  }
  const node = store.model.node(item.node);
  if (form === 'alias') {
    return { width: Math.ceil(textWidth(aliasText(node), FACES.small) + 46), height: 22 };
  }
  if (form === 'side') {
    const { title, facts } = sideTexts(store, at);
    if (isChip(node)) {
      const both = textWidth(title, FACES.small) + (facts ? textWidth(facts, FACES.small) + 6 : 0);
      return { width: Math.ceil(both + 24), height: 22 };
    }
    const state = isConsumedApart(store, node) ? textWidth('consumed', FACES.small) + 10 : 0;
    const text = Math.max(textWidth(title, FACES.title), textWidth(facts, FACES.small) + state);
    return { width: Math.ceil(Math.max(text + 46, 84, strip ? 180 : 0)), height: 38 + strip };
  }
  const { title, aside, facts, badge, state } = nodeTexts(store, at);
  const ends = node.is_leaf ? 46 : 40;
  // Room for the lock that shows on computed nodes, too.
  const first = textWidth(title, FACES.title) + (aside ? textWidth(aside, FACES.small) + 7 : 0)
    + (badge ? textWidth(badge, FACES.badge) + 17 : node.is_leaf ? 0 : 10);
  const second = textWidth(facts, FACES.small) + (state ? textWidth(state, FACES.small) + 12 : 0);
  // What stands on the edge below reaches no farther than the box.
  const beneath = facts ? 0 : 2 * (textWidth(shapeText(node.shape), FACES.small) + 10);
  return { width: Math.ceil(Math.max(first + ends, second + ends, 84, beneath, strip ? 196 : 0)), height: (facts || state ? LINES : LINE) + strip };
}

/** The question put to the layout. */
export function layoutInput(store: GraphStore): LayoutInput {
  const { items, links, byKey } = store.shown;
  const { model } = store;
  const frames = new Map<number, number>();
  const frameParents: number[] = [];
  const frameOf = (branch: number): number => {
    if (branch <= ROOT) {
      return -1;
    }
    let at = frames.get(branch);
    if (at === undefined) {
      const parent = frameOf(store.branch(branch).parent);
      at = frameParents.push(parent) - 1;
      frames.set(branch, at);
    }
    return at;
  };
  const node = (item: Item): NodeView | null => (item.node < 0 ? null : model.node(item.node));
  const cut = new Set(links.filter(link => link.cut >= 0).map(link => link.target));
  const cutWidth = (at: number): number => {
    const view = cut.has(at) ? node(items[at]!) : null;
    return view?.cut ? textWidth(cutText(view), FACES.mark) + 34 : 0;
  };
  const sizes = new Map<string, Size>();
  return {
    count: items.length,
    edges: links,
    groups: items.map(item => frameOf(item.frame)),
    frameParents,
    frameKeys: [...frames.keys()],
    prominence: items.map(item => {
      const view = node(item);
      return view ? PROMINENCE[view.role] + (view.requirement === 'none' ? 1 : 0) : PROMINENCE.operation;
    }),
    headroom: items.map((_, at) => (cut.has(at) ? 26 : 0)),
    sideRoom: items.map((_, at) => cutWidth(at)),
    // The picture's backbone leads to what was asked about, tracked roots first.
    ends: store.roots.map(root => byKey.get(model.id(root)) ?? -1).filter(at => at >= 0),
    size: (at, form) => {
      const key = `${at} ${form}`;
      const known = sizes.get(key) ?? measure(store, at, form);
      sizes.set(key, known);
      return known;
    }
  };
}

const PROMINENCE: Record<NodeView['role'], number> = {
  input: 6, leaf: 4, operation: 4, output: 4, parameter: 2, constant: 0
};
