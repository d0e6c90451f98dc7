/** Edges and arrow heads as SVG. A cut edge says so by dashes, a sign, a word and the place. */
import type { Link } from '../layout';
import type { ShownLink } from '../fold/shown';
import type { GraphStore } from '../store';
import { clip, oneLine } from '../text';
import { s } from './dom';
import { FACES, textWidth } from './meter';
import { cutText, shapeLink } from './sizes';
import { cutWords, placeText, shapeText } from './words';

export function linkKind(link: ShownLink): 'cut' | 'tracked' | 'untracked' {
  return link.cut >= 0 ? 'cut' : link.tracked ? 'tracked' : 'untracked';
}

export function drawLink(store: GraphStore, at: Link, arrowScope: string): SVGGElement {
  const { shown, model } = store;
  const link = shown.links[at.edge]!;
  const kind = linkKind(link);
  const group = s('g', { class: `gradviz-link gradviz-link-${kind}` });
  group.append(s('title', {}, linkText(store, link)));
  group.append(s('path', { class: 'gradviz-link-reach', d: at.path }));
  group.append(s('path', { class: 'gradviz-link-path', d: at.path, 'marker-end': `url(#${arrowScope}-${kind})` }));
  if (link.cut >= 0) {
    const cutter = model.node(model.columns.target[link.cut]!);
    group.append(cutLabel(cutText(cutter), at));
    return group;
  }
  const text = edgeText(store, link);
  // What stands beside its user says its shape itself, where there is more room for it.
  if (text && !at.beside && at.bottom - at.top > 12) {
    // Said once: what stands in the box or on another edge waits for the pointer.
    const quiet = shapeLink(store, link.source) !== at.edge;
    const level = at.level ? 'gradviz-edge-text-level' : '';
    group.append(s('text', { class: `gradviz-edge-text ${level} ${quiet ? 'gradviz-edge-text-quiet' : ''}`, x: at.mark.x + 7, y: at.mark.y + 3.5 }, text));
  }
  return group;
}

/** What flows along an edge: the shape, and how many edges there are. */
export function edgeText(store: GraphStore, link: ShownLink): string {
  const { model } = store;
  const shape = clip(shapeText(model.shape(model.columns.source[link.edge]!)), 30);
  return link.count > 1 ? `${shape} \u00d7${link.count}` : shape;
}

export function linkText(store: GraphStore, link: ShownLink): string {
  const { model } = store;
  const { source, target, slot, strings } = model.columns;
  const from = source[link.edge]!;
  const to = target[link.edge]!;
  const name = (node: number): string => clip(oneLine(model.label(node)), 40);
  const parts = [
    `${name(from)} ${shapeText(model.shape(from))} ${oneLine(model.text(model.columns.dtype, from))} \u2192 ${name(to)}, ${clip(oneLine(strings[slot[link.edge]!] ?? ''), 30)}`
  ];
  if (link.count > 1) {
    parts.push(`and ${link.count - 1} more`);
  }
  if (link.cut >= 0) {
    const cutter = model.node(target[link.cut]!);
    parts.push(`the gradient is cut: ${cutWords(cutter.cut ?? '')}${cutter.source ? `, at ${placeText(cutter.source)}` : ''}`);
  } else {
    parts.push(link.tracked ? 'a gradient flows back' : 'no gradient flows back');
  }
  return parts.join('; ');
}

function cutLabel(word: string, { mark, top, bottom }: Link): SVGGElement {
  const width = textWidth(word, FACES.mark) + 30;
  // On a level edge the label stands in the middle, on one that falls beside it.
  const left = bottom - top < 12 ? mark.x - width / 2 + 10 : mark.x;
  const label = s('g', { class: 'gradviz-cut', transform: `translate(${left} ${mark.y})` });
  label.append(s('rect', { class: 'gradviz-cut-box', x: -10, y: -9, width, height: 18, rx: 9 }));
  label.append(s('circle', { class: 'gradviz-cut-sign', cx: 0, cy: 0, r: 5 }));
  label.append(s('path', { class: 'gradviz-cut-sign', d: 'M-3.5 3.5L3.5 -3.5' }));
  label.append(s('text', { class: 'gradviz-cut-text', x: 9, y: 3.5 }, word));
  return label;
}

/** Arrow heads are looked up by id in the page, so each scene has its own. */
export function arrows(arrowScope: string): SVGDefsElement {
  const defs = s('defs');
  for (const kind of ['tracked', 'untracked', 'cut']) {
    defs.append(s(
      'marker',
      {
        id: `${arrowScope}-${kind}`, class: `gradviz-arrow gradviz-arrow-${kind}`, viewBox: '0 0 8 8', refX: 7, refY: 4,
        markerWidth: 7, markerHeight: 7, orient: 'auto', markerUnits: 'userSpaceOnUse'
      },
      s('path', { d: 'M0.5 0.8L7.2 4L0.5 7.2Z' })
    ));
  }
  return defs;
}
