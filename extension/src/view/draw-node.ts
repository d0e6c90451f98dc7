/** One node as SVG. Shape, sign and text say what colour says: leaf, requirement, kind, problem. */
import type { Box } from '../layout';
import type { NodeView } from '../protocol';
import type { GraphStore, Mark } from '../store';
import { oneLine } from '../text';
import { iconAt, s } from './dom';
import { FACES, fitText, textWidth } from './meter';
import { aliasText, isChip, nodeTexts, sideTexts, STRIP } from './sizes';
import { describe, SEVERITY_ICONS } from './words';

export function drawNode(store: GraphStore, box: Box, domId: string): SVGGElement {
  const node = store.nodes[box.node]!;
  const mark = store.mark(node.id);
  const classes = [
    'gradviz-node', `gradviz-req-${node.requirement}`, node.is_leaf ? 'gradviz-leaf' : 'gradviz-computed',
    `gradviz-form-${box.form}`, isChip(node) && 'gradviz-chip', mark && `gradviz-sev-${mark.severity}`,
    node.consumed && 'gradviz-consumed', store.roots.has(node.id) && 'gradviz-root-node'
  ].filter(Boolean).join(' ');
  const group = s('g', {
    class: classes,
    id: domId,
    'data-node': String(box.node),
    transform: `translate(${round(box.x)} ${round(box.y)})`,
    role: 'img',
    'aria-label': describe(store, node.id)
  });
  group.append(s('title', {}, describe(store, node.id)));
  group.append(s('rect', {
    class: 'gradviz-ring', x: -4, y: -4, width: box.width + 8, height: box.height + 8, rx: radius(node, box) + 4
  }));
  group.append(s('rect', { class: 'gradviz-box', width: box.width, height: box.height, rx: radius(node, box) }));
  if (box.form === 'alias') {
    drawAlias(group, node, box);
  } else if (box.form === 'side') {
    drawSide(group, node, box);
  } else {
    drawRow(group, store, node, box);
  }
  if (mark?.main && box.form !== 'alias') {
    drawMark(group, box, mark);
  } else if (mark) {
    // A node that only takes part carries the number of the problem.
    const text = mark.numbers.slice(0, 3).join(' ');
    const wide = Math.max(16, textWidth(text, FACES.mark) + 9);
    group.append(s('rect', { class: 'gradviz-mark-disc', x: box.width - wide + 4, y: -7, width: wide, height: 16, rx: 8 }));
    group.append(s('text', { class: 'gradviz-mark-number', x: box.width - wide / 2 + 4, y: 4.8 }, text));
  }
  return group;
}

/** Leaves are pills, computed tensors are rectangles; a marked leaf keeps its round shoulders. */
function radius(node: NodeView, box: Box): number {
  if (!node.is_leaf) {
    return 5;
  }
  return Math.min(box.height / 2, 22);
}

function drawRow(group: SVGGElement, store: GraphStore, node: NodeView, box: Box): void {
  const { title, aside, facts, badge, state } = nodeTexts(store, node);
  drawSign(group, node, node.is_leaf ? 19 : 16, 16);
  const left = node.is_leaf ? 30 : 27;
  const heading = s('text', { class: 'gradviz-title', x: left, y: 19 }, title);
  if (aside) {
    heading.append(s('tspan', { class: 'gradviz-aside', dx: 6 }, aside));
  }
  group.append(heading);
  group.append(s('text', { class: 'gradviz-facts', x: left, y: 35 }, facts));
  const badgeWidth = textWidth(badge, FACES.badge) + 9;
  const right = box.width - (node.is_leaf ? 12 : 7);
  group.append(s('rect', {
    class: 'gradviz-badge', x: right - badgeWidth, y: 7, width: badgeWidth, height: 14, rx: 3
  }));
  group.append(s('text', { class: 'gradviz-badge-text', x: right - badgeWidth / 2, y: 17 }, badge));
  if (state) {
    group.append(s('text', { class: 'gradviz-state', x: right, y: 35 }, state));
  } else if (!node.verdict.require_grad.ok && !node.is_leaf) {
    // Normal on every computed tensor: a quiet lock that shows on hover and selection only.
    const lock = s('g', { class: 'gradviz-lock' });
    lock.append(iconAt('lock', right - 5, 31, 11));
    group.append(lock);
  }
}

function drawSide(group: SVGGElement, node: NodeView, box: Box): void {
  const { title, facts } = sideTexts(node);
  if (isChip(node)) {
    group.append(s('text', { class: 'gradviz-facts', x: 12, y: 15 }, title,
      facts ? s('tspan', { class: 'gradviz-value', dx: 6 }, facts) : null));
    return;
  }
  drawSign(group, node, 18, 18);
  group.append(s('text', { class: 'gradviz-title', x: 29, y: 16 }, title));
  group.append(s('text', { class: 'gradviz-facts', x: 29, y: 29 }, facts));
  if (node.consumed) {
    group.append(s('text', { class: 'gradviz-state', x: box.width - 12, y: 29 }, 'consumed'));
  }
}

function drawAlias(group: SVGGElement, node: NodeView, box: Box): void {
  drawSign(group, node, 12, 11);
  group.append(s('text', { class: 'gradviz-facts', x: 20, y: 15 }, aliasText(node)));
  group.append(s('text', { class: 'gradviz-again', x: box.width - 10, y: 15 }, '\u21b0'));
}

/** The requirement as a form: full disc, half-filled square, empty ring. */
function drawSign(group: SVGGElement, node: NodeView, x: number, y: number): void {
  if (node.requirement === 'grad') {
    group.append(s('circle', { class: 'gradviz-sign', cx: x, cy: y - 1, r: 4.5 }));
  } else if (node.requirement === 'grad_in_backward') {
    group.append(s('rect', { class: 'gradviz-sign', x: x - 4, y: y - 5, width: 8, height: 8, rx: 1.5 }));
  } else {
    group.append(s('circle', { class: 'gradviz-sign', cx: x, cy: y - 1, r: 3.8 }));
  }
}

function drawMark(group: SVGGElement, box: Box, { severity, text }: Mark): void {
  const y = box.height - STRIP;
  const inset = group.classList.contains('gradviz-leaf') ? 12 : 1;
  group.append(s('path', {
    class: 'gradviz-mark-line', d: `M${inset} ${y}H${box.width - inset}`
  }));
  group.append(s('circle', { class: 'gradviz-mark-disc', cx: inset + 14, cy: y + 10, r: 7 }));
  group.append(iconAt(SEVERITY_ICONS[severity], inset + 14, y + 10, 9));
  const room = box.width - 2 * inset - 30;
  group.append(s('text', { class: 'gradviz-mark-text', x: inset + 25, y: y + 13.8 }, fitText(oneLine(text), FACES.mark, room)));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
