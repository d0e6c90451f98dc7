/** Formulas as MathML, built element by element from a flat list; unknown elements are left out. */
import type { MathView } from '../../protocol';

const SPACE = 'http://www.w3.org/1998/Math/MathML';
const TAGS = new Set('math mrow mi mn mo mtext mfrac msqrt msup msub munder mover mtable mtr mtd'.split(' '));
const MOST = 2000;
const DEEPEST = 60;

export function mathView(list: readonly MathView[]): Element | null {
  if (list.length === 0 || list.length > MOST || list[0]!.tag !== 'math') {
    return null;
  }
  let root: Element | null = null;
  const open: { element: Element; left: number }[] = [];
  for (const view of list) {
    while (open.length > 0 && open.at(-1)!.left === 0) {
      open.pop();
    }
    const above = open.at(-1);
    if ((root !== null && !above) || !TAGS.has(view.tag) || open.length > DEEPEST) {
      return null;
    }
    const element = document.createElementNS(SPACE, view.tag);
    if (view.text) {
      element.textContent = view.text;
    }
    if (above) {
      above.left -= 1;
      above.element.append(element);
    }
    root ??= element;
    open.push({ element, left: Math.max(Math.trunc(view.children), 0) });
  }
  return root;
}
