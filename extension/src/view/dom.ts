/** The only way this view makes elements: text goes in as text. */
import { CODE } from '../text';

export type Child = Node | string | null | undefined | false;
type Value = string | number | boolean | null | undefined | ((event: never) => void);
type Attributes = Readonly<Record<string, Value>>;

const SVG = 'http://www.w3.org/2000/svg';

/** An HTML element; attributes that are functions are event listeners (`onclick`). */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag) as SVGElementTagNameMap[K], attributes, children);
}

function fill<E extends Element>(element: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value as (event: Event) => void);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  if (element.hasAttribute('tabindex') || element.matches('button, input, textarea')) {
    // The notebook's own shortcuts ("a" inserts a cell) would match the focused element itself.
    element.setAttribute('data-lm-suppress-shortcuts', 'true');
  }
  element.append(...children.filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/** Small drawn signs, so that no icon font is needed. Each is a path in a 16 by 16 box. */
const ICONS = {
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9M10.3 10.3L14 14',
  previous: 'M10 3L5 8l5 5',
  next: 'M6 3l5 5-5 5',
  check: 'M3 8.5L6.5 12L13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  warning: 'M8 4.2v5M8 11.4v.6',
  note: 'M8 7v5M8 4v.6',
  copy: 'M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  legend: 'M3 4h1M3 8h1M3 12h1M6.5 4H13M6.5 8H13M6.5 12H13',
  down: 'M3 6l5 5 5-5',
  unfold: 'M8 1.5v4.2M5.8 3.6L8 1.4l2.2 2.2M8 14.5v-4.2M5.8 12.4L8 14.6l2.2-2.2M2.5 8h11',
  fold: 'M8 1.2v4.6M5.8 3.8L8 6l2.2-2.2M8 14.8v-4.6M5.8 12.2L8 10l2.2 2.2M2.5 8h11',
  path: 'M8 1.5a1.6 1.6 0 1 0 .01 0M8 4.7v2.2M8 9v2.3M8 11.3a1.6 1.6 0 1 0 .01 0M6 6.9h4M6 9h4',
  ancestors: 'M3 2.5l5 5 5-5M8 7.5v6',
  descendants: 'M3 13.5l5-5 5 5M8 8.5v-6',
  aside: 'M2 3h12v10H2zM9.5 3v10',
  window: 'M2 3h12v10H2zM2 6h12',
  save: 'M8 2v7.5M4.8 6.5L8 9.7l3.2-3.2M2.5 11v2.5h11V11',
  undo: 'M5.5 3L2.5 6l3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H6',
  run: 'M4.5 3v10l8-5z',
  pause: 'M5.5 3v10M10.5 3v10',
  first: 'M4 3v10M12 3L7 8l5 5',
  last: 'M12 3v10M4 3l5 5-5 5'
} as const;
export type Icon = keyof typeof ICONS;

export function icon(name: Icon, className = ''): SVGSVGElement {
  return s(
    'svg',
    { class: `gradviz-icon ${className}`, viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false' },
    s('path', { d: ICONS[name] })
  );
}

/** The same sign inside another drawing, its centre at (x, y). */
export function iconAt(name: Icon, x: number, y: number, size: number): SVGPathElement {
  return s('path', {
    class: 'gradviz-icon-path',
    d: ICONS[name],
    transform: `translate(${x - size / 2} ${y - size / 2}) scale(${size / 16})`
  });
}

let serial = 0;
/** An id that is used nowhere else on the page. */
export function freshId(stem: string): string {
  serial += 1;
  return `gradviz-${stem}-${serial}-${Math.random().toString(36).slice(2, 8)}`;
}

/** Text in which words between backticks are code. */
export function rich(text: string): (string | HTMLElement)[] {
  return text.split(CODE).map((part, at) => (at % 2 === 1 ? h('code', {}, part) : part));
}

/** A paragraph of such text. */
export function prose(text: string, ...before: Child[]): HTMLParagraphElement {
  return h('p', { class: 'gradviz-prose' }, ...before, ...rich(text));
}

/** Replaces what an element holds. */
export function refill(element: Element, ...children: Child[]): void {
  element.replaceChildren(
    ...children.filter(child => child !== null && child !== undefined && child !== false)
  );
}
