/** What shapes, signs and lines mean. Only what the graph at hand shows is explained. */
import type { GraphStore } from '../store';
import { clip, oneLine } from '../text';
import { h, icon, s, type Child } from './dom';
import { kindBadge } from './words';

export function legendView(store: GraphStore): HTMLElement {
  const has = (test: (node: GraphStore['nodes'][number]) => boolean): boolean => store.nodes.some(test);
  const kinds = [...new Set(store.nodes.map(node => node.kind))].slice(0, 6);
  const cut = store.edges.some(edge => store.isCut(edge));
  return h(
    'dl',
    { class: 'gradviz-legend' },
    ...entry(has(n => n.requirement === 'grad'), glyph('grad', true), 'tracked leaf: gets a gradient'),
    ...entry(has(n => n.requirement === 'grad_in_backward'), glyph('grad_in_backward', false), 'computed, gradients pass through'),
    ...entry(has(n => n.requirement === 'none'), glyph('none', true), 'not tracked: no gradient'),
    ...entry(store.edges.some(e => e.tracked), line('tracked'), 'a gradient flows back here'),
    ...entry(store.edges.some(e => !e.tracked), line('untracked'), 'no gradient here'),
    ...entry(cut, line('cut'), 'cut: the gradient ends here'),
    ...entry(store.problems.some(p => p.severity === 'error') || has(n => store.mark(n.id)?.severity === 'error'), disc('error'), 'fails when called'),
    ...entry(store.problems.some(p => p.severity === 'warning'), disc('warning'), 'silent failure'),
    ...entry(has(n => n.consumed), h('span', { class: 'gradviz-legend-word' }, 'consumed'), 'used up by a backward pass'),
    ...kinds.flatMap(kind => entry(true, h('span', { class: 'gradviz-legend-badge' }, kindBadge(kind)), clip(oneLine(kind), 40)))
  );
}

function entry(shown: boolean, sign: Child, text: string): HTMLElement[] {
  return shown ? [h('dt', {}, sign), h('dd', {}, text)] : [];
}

function glyph(requirement: string, leaf: boolean): HTMLElement {
  return h('span', { class: `gradviz-req-${requirement}` },
    h('span', { class: `gradviz-glyph ${leaf ? 'gradviz-leaf' : 'gradviz-computed'}` }));
}

function disc(severity: 'error' | 'warning'): HTMLElement {
  return h('span', { class: `gradviz-sev-${severity}` },
    h('span', { class: 'gradviz-disc' }, icon(severity === 'error' ? 'cross' : 'warning')));
}

function line(kind: 'tracked' | 'untracked' | 'cut'): SVGSVGElement {
  return s('svg', { class: `gradviz-legend-line gradviz-link-${kind}`, viewBox: '0 0 34 12', 'aria-hidden': 'true' },
    s('path', { class: 'gradviz-link-path', d: 'M1 6H33' }),
    kind === 'cut' ? s('circle', { class: 'gradviz-cut-sign', cx: 17, cy: 6, r: 4.5 }) : null,
    kind === 'cut' ? s('path', { class: 'gradviz-cut-sign', d: 'M13.8 9.2L20.2 2.8' }) : null);
}
