/** One item as SVG. Shape, sign and text say what colour says: leaf, requirement, kind, problem, folded. */
import { REQUIREMENTS } from '../model/data';
import type { Mark } from '../model/marks';
import type { Box } from '../layout';
import type { NodeView } from '../protocol';
import type { GraphStore } from '../store';
import { oneLine, unquoted } from '../text';
import { iconAt, s } from './dom';
import { FACES, fitText, textWidth } from './meter';
import { aliasText, branchTexts, isChip, isConsumedApart, nodeTexts, sideTexts, STRIP } from './sizes';
import { describe, SEVERITY_ICONS } from './words';

export function drawItem(store: GraphStore, box: Box, domId: string): SVGGElement {
  const item = store.shown.items[box.node]!;
  const group = s('g', {
    id: domId,
    'data-item': String(box.node),
    transform: `translate(${round(box.x)} ${round(box.y)})`,
    role: 'img',
    'aria-label': describe(store, item.key)
  });
  group.append(s('title', {}, describe(store, item.key)));
  if (item.branch >= 0) {
    drawBranch(group, store, box);
  } else {
    drawNode(group, store, item.node, box);
  }
  return group;
}

function outline(group: SVGGElement, box: Box, corner: number): void {
  group.append(s('rect', { class: 'gradviz-ring', x: -4, y: -4, width: box.width + 8, height: box.height + 8, rx: corner + 4 }));
  group.append(s('rect', { class: 'gradviz-box', width: box.width, height: box.height, rx: corner }));
}

function setClass(group: SVGGElement, classes: readonly (string | false | undefined)[]): void {
  group.setAttribute('class', classes.filter(Boolean).join(' '));
}

function drawNode(group: SVGGElement, store: GraphStore, at: number, box: Box): void {
  const node = store.model.node(at);
  const mark = store.mark(at);
  const chip = isChip(node);
  setClass(group, [
    'gradviz-node', `gradviz-req-${node.requirement}`, node.is_leaf ? 'gradviz-leaf' : 'gradviz-computed',
    `gradviz-form-${box.form}`, chip && 'gradviz-chip', mark && `gradviz-sev-${mark.severity}`,
    node.role === 'parameter' && 'gradviz-parameter',
    // What isn't tracked is called a leaf, also where it was computed.
    node.requirement === 'none' && store.model.isComputed(at) && 'gradviz-untracked',
    isConsumedApart(store, node) && 'gradviz-consumed', store.isRoot(at) && 'gradviz-root-node'
  ]);
  // Leaves are pills, computed tensors are rectangles; a marked leaf keeps its round shoulders.
  outline(group, box, node.is_leaf ? Math.min(box.height / 2, 22) : 5);
  if (box.form === 'alias') {
    drawAlias(group, node, box);
  } else if (box.form === 'side') {
    drawSide(group, store, node, box);
  } else {
    drawRow(group, store, node, box);
  }
  if (mark?.main && box.form !== 'alias') {
    drawMark(group, box, mark, node.is_leaf ? 12 : 1, mark.text);
  } else if (mark) {
    // A node that only takes part carries the number of the problem.
    const text = mark.numbers.slice(0, 3).join(' ');
    const wide = Math.max(16, textWidth(text, FACES.mark) + 9);
    group.append(s('rect', { class: 'gradviz-mark-disc', x: box.width - wide + 4, y: -7, width: wide, height: 16, rx: 8 }));
    group.append(s('text', { class: 'gradviz-mark-number', x: box.width - wide / 2 + 4, y: 4.8 }, text));
  }
}

/** A folded branch: a second sheet behind, a plus that unfolds it, how often it occurs. */
function drawBranch(group: SVGGElement, store: GraphStore, box: Box): void {
  const { branch } = store.shown.items[box.node]!;
  const summary = store.shown.summaries.get(box.node)!;
  const { worst, count } = store.marksIn(box.node);
  const requirement = REQUIREMENTS[summary.requirement]!;
  setClass(group, [
    'gradviz-node gradviz-folded', `gradviz-req-${requirement}`, `gradviz-fold-${store.branch(branch).kind}`, 'gradviz-computed',
    worst && `gradviz-sev-${worst.severity}`, branchTexts(store, box.node).state === 'consumed' && 'gradviz-consumed'
  ]);
  group.append(s('rect', { class: 'gradviz-sheet', x: 4, y: 4, width: box.width, height: box.height, rx: 6 }));
  outline(group, box, 6);
  const { title, facts, badge, state } = branchTexts(store, box.node);
  const opener = s('g', { class: 'gradviz-opener' });
  opener.append(s('rect', { class: 'gradviz-opener-box', x: 9, y: 8, width: 16, height: 16, rx: 4 }));
  opener.append(iconAt('plus', 17, 16, 11));
  group.append(opener);
  group.append(s('text', { class: 'gradviz-title', x: 32, y: 20 }, title));
  group.append(s('text', { class: 'gradviz-facts', x: 32, y: 35.5 }, facts));
  if (badge) {
    group.append(s('text', { class: 'gradviz-times', x: box.width - 11, y: 20 }, badge));
  }
  if (state) {
    group.append(s('text', { class: 'gradviz-state', x: box.width - 10, y: 35.5 }, state));
  }
  if (worst) {
    drawMark(group, box, worst, 1, count > 1 ? `${count} marked inside: ${worst.text}` : worst.text);
  }
  group.append(s('text', { class: 'gradviz-found-inside', x: 4, y: -6 }));
}

function drawRow(group: SVGGElement, store: GraphStore, node: NodeView, box: Box): void {
  const { title, aside, facts, badge, state } = nodeTexts(store, box.node);
  // A box of one line has it in its middle.
  const line = facts || state ? 19 : 18.5;
  drawSign(group, node, node.is_leaf ? 20 : 16, line - 3.5);
  const left = node.is_leaf ? 32 : 27;
  const heading = s('text', { class: 'gradviz-title', x: left, y: line }, title);
  if (aside) {
    heading.append(s('tspan', { class: 'gradviz-aside', dx: 7 }, aside));
  }
  group.append(heading);
  if (facts) {
    group.append(s('text', { class: 'gradviz-facts', x: left, y: 35 }, facts));
  }
  const right = box.width - (node.is_leaf ? 14 : 9);
  if (badge) {
    const wide = textWidth(badge, FACES.badge) + 9;
    group.append(s('rect', { class: 'gradviz-badge', x: right - wide, y: line - 12, width: wide, height: 15, rx: 4 }));
    group.append(s('text', { class: 'gradviz-badge-text', x: right - wide / 2, y: line - 1 }, badge));
  }
  if (state) {
    group.append(s('text', { class: 'gradviz-state', x: right, y: 35 }, state));
  } else if (!node.verdict.require_grad.ok && !node.is_leaf && !badge) {
    // Normal on every computed tensor: a quiet lock that shows on hover and selection only.
    const lock = s('g', { class: 'gradviz-lock' });
    lock.append(iconAt('lock', right - 4, line - 4.5, 11));
    group.append(lock);
  }
}

function drawSide(group: SVGGElement, store: GraphStore, node: NodeView, box: Box): void {
  const { title, facts } = sideTexts(store, box.node);
  if (isChip(node)) {
    group.append(s('text', { class: 'gradviz-facts', x: 12, y: 15 }, title,
      facts ? s('tspan', { class: 'gradviz-value', dx: 6 }, facts) : null));
    return;
  }
  drawSign(group, node, 19, 20);
  group.append(s('text', { class: 'gradviz-title', x: 31, y: 16.5 }, title));
  group.append(s('text', { class: 'gradviz-facts', x: 31, y: 30.5 }, facts));
  if (isConsumedApart(store, node)) {
    group.append(s('text', { class: 'gradviz-state', x: box.width - 14, y: 30.5 }, 'consumed'));
  }
}

function drawAlias(group: SVGGElement, node: NodeView, box: Box): void {
  drawSign(group, node, 12, 11);
  group.append(s('text', { class: 'gradviz-facts', x: 22, y: 15 }, aliasText(node)));
  group.append(s('text', { class: 'gradviz-again', x: box.width - 10, y: 15 }, '\u21b0'));
}

/** The requirement as a form: full disc, square, empty ring; a parameter's disc stands in a ring of its own. */
function drawSign(group: SVGGElement, node: NodeView, x: number, y: number): void {
  if (node.requirement === 'grad_in_backward') {
    group.append(s('rect', { class: 'gradviz-sign', x: x - 4, y: y - 5, width: 8, height: 8, rx: 1.5 }));
    return;
  }
  const tracked = node.requirement === 'grad';
  const parameter = node.role === 'parameter';
  group.append(s('circle', { class: 'gradviz-sign', cx: x, cy: y - 1, r: parameter ? 2.6 : tracked ? 4.5 : 3.8 }));
  if (parameter) {
    group.append(s('circle', { class: 'gradviz-sign-ring', cx: x, cy: y - 1, r: 5.4 }));
  }
}

function drawMark(group: SVGGElement, box: Box, { severity }: Mark, inset: number, text: string): void {
  const y = box.height - STRIP;
  group.append(s('path', { class: 'gradviz-mark-line', d: `M${inset} ${y}H${box.width - inset}` }));
  group.append(s('circle', { class: 'gradviz-mark-disc', cx: inset + 14, cy: y + 10, r: 7 }));
  group.append(iconAt(SEVERITY_ICONS[severity], inset + 14, y + 10, 9));
  const room = box.width - 2 * inset - 30;
  group.append(s('text', { class: 'gradviz-mark-text', x: inset + 25, y: y + 13.8 }, fitText(unquoted(oneLine(text)), FACES.mark, room)));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
