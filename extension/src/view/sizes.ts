/** How large items are drawn, and what of their texts fits: known before drawing, so that layout needs no DOM. */
import type { Form, LayoutInput, Size } from '../layout';
import type { Item } from '../fold/shown';
import { ROOT } from '../fold/tree';
import type { NodeView } from '../protocol';
import type { GraphStore } from '../store';
import { oneLine } from '../text';
import { branchFacts, branchTitle, timesText } from './branch-words';
import { FACES, fitText, textWidth } from './meter';
import { attributesText, kindBadge, placeText, shapeText, titleOf } from './words';

/** Height of the line that names a problem. */
export const STRIP = 20;

export interface NodeTexts {
  readonly title: string;
  readonly aside: string;
  readonly facts: string;
  readonly badge: string;
  readonly state: string;
}

export function nodeTexts(store: GraphStore, node: NodeView): NodeTexts {
  const attributes = attributesText(node);
  const op = node.name === null ? '' : oneLine(node.op);
  return {
    title: fitText(titleOf(node), FACES.title, 150),
    aside: fitText([op, attributes].filter(Boolean).join(' '), FACES.aside, 120),
    facts: fitText(`${shapeText(node.shape)} \u00b7 ${oneLine(node.dtype)}`, FACES.small, 170),
    badge: kindBadge(node.kind),
    state: node.consumed ? 'consumed' : store.isRoot(store.model.indexOf(node.id)) ? 'root' : ''
  };
}

export function branchTexts(store: GraphStore, at: number): NodeTexts {
  const { branch } = store.shown.items[at]!;
  const summary = store.shown.summaries.get(at);
  return {
    title: fitText(branchTitle(store, branch), FACES.title, 170),
    aside: '',
    facts: fitText(branchFacts(store, branch, summary), FACES.small, 190),
    badge: timesText(store, branch),
    state: summary && summary.consumed > 0 ? (summary.consumed === summary.operations ? 'consumed' : 'partly consumed') : ''
  };
}

export function aliasText(node: NodeView): string {
  return fitText(titleOf(node), FACES.small, 90);
}

export function sideTexts(node: NodeView): { title: string; facts: string } {
  if (isChip(node)) {
    const title = fitText(titleOf(node), FACES.small, 100);
    const facts = fitText(node.value !== null && node.shape.length === 0 ? oneLine(node.value) : shapeText(node.shape), FACES.small, 90);
    return { title, facts: facts === title ? '' : facts };
  }
  return { title: fitText(titleOf(node), FACES.title, 130), facts: fitText(shapeText(node.shape), FACES.small, 130) };
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
    const second = textWidth(facts, FACES.small) + (state ? textWidth(state, FACES.state) + 12 : 0);
    return { width: Math.ceil(Math.max(first + 38, second + 40, 150, strip ? 196 : 0)), height: 44 + strip };
  }
  const node = store.model.node(item.node);
  if (form === 'alias') {
    return { width: Math.ceil(textWidth(aliasText(node), FACES.small) + 46), height: 22 };
  }
  if (form === 'side') {
    const { title, facts } = sideTexts(node);
    if (isChip(node)) {
      const both = textWidth(title, FACES.small) + (facts ? textWidth(facts, FACES.small) + 6 : 0);
      return { width: Math.ceil(both + 24), height: 22 };
    }
    const state = node.consumed ? textWidth('consumed', FACES.state) + 10 : 0;
    const text = Math.max(textWidth(title, FACES.title), textWidth(facts, FACES.small) + state);
    return { width: Math.ceil(Math.max(text + 46, 84, strip ? 180 : 0)), height: 36 + strip };
  }
  const { title, aside, facts, badge, state } = nodeTexts(store, node);
  const ends = node.is_leaf ? 42 : 34;
  const first =
    textWidth(title, FACES.title) + (aside ? textWidth(aside, FACES.aside) + 6 : 0) + textWidth(badge, FACES.badge) + 22;
  // Room for the state, or for the lock that shows instead.
  const second = textWidth(facts, FACES.small) + (state ? textWidth(state, FACES.state) + 10 : 18);
  return { width: Math.ceil(Math.max(first + ends, second + ends, 140, strip ? 196 : 0)), height: 44 + strip };
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
