/** What shapes, signs and lines mean. Only what the graph at hand shows is explained. */
import { ROLE } from '../model/data';
import { usualOf } from '../model/usual';
import type { GraphStore, Severity } from '../store';
import { clip, oneLine } from '../text';
import { h, icon, s, type Child } from './dom';
import { KEYS } from './keys';
import { kindBadge, SEVERITY_ICONS } from './words';

/** What is open of it. */
export type Open = 'closed' | 'open' | 'with keys';

/** The legend over a picture, closed at first. */
export class Legend {
  readonly element: HTMLElement;
  private readonly keys: HTMLDetailsElement;

  constructor(store: GraphStore) {
    ({ element: this.element, keys: this.keys } = legendView(store));
    this.element.hidden = true;
  }

  /** Opens or closes it, and says which; with the keys open where they are asked for. */
  toggle(withKeys = false): boolean {
    this.keys.open ||= withKeys;
    return !(this.element.hidden = !this.element.hidden);
  }

  get open(): Open {
    return this.element.hidden ? 'closed' : this.keys.open ? 'with keys' : 'open';
  }

  set open(open: Open) {
    this.element.hidden = open === 'closed';
    this.keys.open = open === 'with keys';
  }
}

function legendView(store: GraphStore): { element: HTMLElement; keys: HTMLDetailsElement } {
  const { model } = store;
  const { columns } = model;
  const some = (column: ArrayLike<number>, test: (value: number) => boolean): boolean => {
    for (let at = 0; at < column.length; at++) {
      if (test(column[at]!)) {
        return true;
      }
    }
    return false;
  };
  const has = (requirement: number): boolean => some(columns.requirement, value => value === requirement);
  const kinds = new Set<number>();
  some(columns.kind, kind => kinds.add(kind).size > 6);
  const severities = new Set([...store.marked].map(([, mark]) => mark.severity));
  const cut = some(columns.cut, value => value !== 0);
  const { tracked, untracked, consumed } = usualOf(model);
  const unsaid = (kind: string): string =>
    kind === tracked ? ': tracked, unless marked' : kind === untracked ? ': not tracked, unless marked' : '';
  const tree = store.tree.branches.length > 1;
  // Who asks what a line means wants no keyboard yet.
  const keys = h('details', { class: 'gradviz-legend-keys' },
    h('summary', {}, 'Keyboard'),
    h('dl', {}, ...KEYS.flatMap(([names, what]) => [
      h('dt', {}, ...names.split(' ').map(name => h('kbd', {}, name))), h('dd', {}, what)
    ])));
  const element = h(
    'div',
    { class: 'gradviz-legend', tabindex: '-1' },
    h(
      'dl',
      { class: 'gradviz-legend-signs' },
      ...entry(has(1), glyph('grad', true), 'tracked leaf: gets a gradient'),
      ...entry(some(columns.role, value => value === ROLE.parameter), parameterSign(), 'parameter of a module'),
      ...entry(has(2), glyph('grad_in_backward', false), 'computed, gradients pass through'),
      ...entry(has(0), glyph('none', true), 'not tracked: no gradient'),
      ...entry(some(columns.tracked, value => value === 1), line('tracked'), 'a gradient flows back here'),
      ...entry(some(columns.tracked, value => value === 0), line('untracked'), 'no gradient here'),
      ...entry(cut, line('cut'), 'cut: the gradient ends here'),
      ...entry(severities.has('error'), disc('error'), 'fails when called'),
      ...entry(severities.has('warning'), disc('warning'), 'silent failure'),
      ...entry(severities.has('note'), disc('note'), 'worth knowing'),
      ...entry(!consumed && some(columns.consumed, value => value === 1), h('span', { class: 'gradviz-legend-word' }, 'consumed'), 'used up by a backward pass'),
      ...entry(tree, h('span', { class: 'gradviz-legend-fold' }, icon('plus')), 'folded: click the plus to see inside'),
      ...entry(store.tree.branches.some(branch => branch.kind === 'repeat'), h('span', { class: 'gradviz-legend-times' }, '\u00d7N'), 'the same part N times, shown once'),
      ...[...kinds].map(at => columns.strings[at]!).flatMap(kind =>
        entry(true, h('span', { class: 'gradviz-legend-badge' }, kindBadge(kind)), `${clip(oneLine(kind), 40)}${unsaid(kind)}`))
    ),
    keys
  );
  return { element, keys };
}

function parameterSign(): SVGSVGElement {
  return s('svg', { class: 'gradviz-legend-parameter gradviz-req-grad', viewBox: '0 0 16 16', 'aria-hidden': 'true' },
    s('circle', { class: 'gradviz-sign', cx: 8, cy: 8, r: 2.8 }), s('circle', { class: 'gradviz-sign-ring', cx: 8, cy: 8, r: 6 }));
}

function entry(shown: boolean, sign: Child, text: string): HTMLElement[] {
  return shown ? [h('dt', {}, sign), h('dd', {}, text)] : [];
}

function glyph(requirement: string, leaf: boolean): HTMLElement {
  return h('span', { class: `gradviz-req-${requirement}` },
    h('span', { class: `gradviz-glyph ${leaf ? 'gradviz-leaf' : 'gradviz-computed'}` }));
}

function disc(severity: Severity): HTMLElement {
  return h('span', { class: `gradviz-sev-${severity}` },
    h('span', { class: 'gradviz-disc' }, icon(SEVERITY_ICONS[severity])));
}

function line(kind: 'tracked' | 'untracked' | 'cut'): SVGSVGElement {
  return s('svg', { class: `gradviz-legend-line gradviz-link-${kind}`, viewBox: '0 0 34 12', 'aria-hidden': 'true' },
    s('path', { class: 'gradviz-link-path', d: 'M1 6H33' }),
    kind === 'cut' ? s('circle', { class: 'gradviz-cut-sign', cx: 17, cy: 6, r: 4.5 }) : null,
    kind === 'cut' ? s('path', { class: 'gradviz-cut-sign', d: 'M13.8 9.2L20.2 2.8' }) : null);
}
