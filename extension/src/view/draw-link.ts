/** Edges, group frames and their names as SVG. A cut edge says so by dashes, a sign and a word. */
import type { Band, Link } from '../layout';
import type { GraphStore } from '../store';
import { oneLine } from '../text';
import { s } from './dom';
import { FACES, fitText, textWidth } from './meter';
import { cutText } from './sizes';

export function drawLink(store: GraphStore, link: Link, arrowScope: string): SVGGElement {
  const edge = store.edges[link.edge]!;
  const cut = store.isCut(edge);
  const kind = cut ? 'cut' : edge.tracked ? 'tracked' : 'untracked';
  const group = s('g', { class: `gradviz-link gradviz-link-${kind}` });
  group.append(s('path', { class: 'gradviz-link-path', d: link.path, 'marker-end': `url(#${arrowScope}-${kind})` }));
  if (cut) {
    const word = cutText(store.byId.get(edge.target)!);
    const { x, y } = link.mark;
    const width = textWidth(word, FACES.mark) + 30;
    // On a level edge the label stands in the middle, on one that falls beside it.
    const left = link.bottom - link.top < 12 ? x - width / 2 + 10 : x;
    const label = s('g', { class: 'gradviz-cut', transform: `translate(${left} ${y})` });
    label.append(s('rect', { class: 'gradviz-cut-box', x: -10, y: -9, width, height: 18, rx: 9 }));
    label.append(s('circle', { class: 'gradviz-cut-sign', cx: 0, cy: 0, r: 5 }));
    label.append(s('path', { class: 'gradviz-cut-sign', d: 'M-3.5 3.5L3.5 -3.5' }));
    label.append(s('text', { class: 'gradviz-cut-text', x: 9, y: 3.5 }, word));
    group.append(label);
  }
  return group;
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

export function drawBand(store: GraphStore, band: Band): { frame: SVGRectElement; name: SVGTextElement } {
  const group = store.graph.groups[band.group]!;
  const labels = store.groupPath(group.id).map(part => oneLine(part.label));
  const path = labels.join(' \u203a ');
  // A bare position ("0" in a Sequential) says nothing without its parent.
  const shown = /^\d*$/.test(labels.at(-1)!) ? labels.slice(-2).join('.') : labels.at(-1)!;
  const { x, y, width, height } = band;
  const title = (): SVGTitleElement => s('title', {}, `${group.kind}: ${path}`);
  return {
    frame: s('rect', { class: `gradviz-band-box gradviz-band-${group.kind}`, x, y, width, height, rx: 8 }, title()),
    name: s('text', { class: 'gradviz-band-text', x: x + 10, y: y + 13 },
      title(), fitText(shown, FACES.small, Math.max(30, width - 20)))
  };
}
