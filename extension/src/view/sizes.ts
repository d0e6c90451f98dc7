/** How large nodes are drawn, and what of their texts fits: known before drawing, so that layout needs no DOM. */
import type { LayoutInput, Size } from '../layout';
import type { NodeView } from '../protocol';
import type { GraphStore } from '../store';
import { oneLine } from '../text';
import { FACES, fitText, textWidth } from './meter';
import { kindBadge, shapeText, titleOf } from './words';

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
  return {
    title: fitText(titleOf(node), FACES.title, 150),
    aside: node.name === null ? '' : fitText(oneLine(node.op), FACES.aside, 90),
    facts: fitText(`${shapeText(node.shape)} \u00b7 ${oneLine(node.dtype)}`, FACES.small, 170),
    badge: kindBadge(node.kind),
    state: node.consumed ? 'consumed' : store.roots.has(node.id) ? 'root' : ''
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

/** What stands on the edges that a node cuts. */
export function cutText(node: NodeView): string {
  return fitText(oneLine(node.cut ?? ''), FACES.mark, 130);
}

export function isChip(node: NodeView): boolean {
  return node.role === 'constant' && node.requirement === 'none';
}

function measure(store: GraphStore, node: NodeView, form: 'row' | 'side' | 'alias'): Size {
  const strip = store.mark(node.id)?.main ? STRIP : 0;
  if (form === 'alias') {
    return { width: Math.ceil(textWidth(aliasText(node), FACES.small) + 44), height: 22 };
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
  const position = new Map(store.nodes.map((node, at) => [node.id, at]));
  const groups = new Map(store.graph.groups.map((group, at) => [group.id, at]));
  return {
    count: store.nodes.length,
    edges: store.edges.map(edge => ({
      source: position.get(edge.source)!,
      target: position.get(edge.target)!,
      tracked: edge.tracked
    })),
    groups: store.nodes.map(node => (node.group === null ? -1 : (groups.get(node.group) ?? -1))),
    prominence: store.nodes.map(node => PROMINENCE[node.role] + (node.requirement === 'none' ? 1 : 0)),
    headroom: store.nodes.map(node => (node.cut === null ? 0 : 26)),
    sideRoom: store.nodes.map(node => (node.cut === null ? 0 : textWidth(cutText(node), FACES.mark) + 34)),
    // The picture's backbone leads to what was asked about, tracked roots first.
    ends: [...store.roots]
      .sort((a, b) => Number(isUntracked(store, a)) - Number(isUntracked(store, b)))
      .map(id => position.get(id)!),
    size: (at, form) => measure(store, store.nodes[at]!, form)
  };
}

function isUntracked(store: GraphStore, id: string): boolean {
  return store.byId.get(id)!.requirement === 'none';
}

const PROMINENCE: Record<NodeView['role'], number> = {
  input: 6, leaf: 4, operation: 4, output: 4, parameter: 2, constant: 0
};
