/** Which element of a view has the focus, in words that find it again in the view that takes this one's place. */

/** What is found by its class; everything else by where it stands. */
const LASTING = ['.gradviz-canvas', '.gradviz-search', '.gradviz-scrub', '.gradviz-step-body', "[role='tab'][aria-selected='true']"];
/** Where to go on where the very element is gone. */
const AROUND = ['.gradviz-pane-body', '.gradviz-toolbar'];

/** Remembers the focus inside a view, and what is marked in a box of text; returns how to give it to the next one. */
export function keepFocus(view: Element): () => void {
  const active = document.activeElement;
  if (!active || active === view || !view.contains(active)) {
    return () => undefined;
  }
  const lasting = LASTING.find(selector => view.querySelector(selector) === active);
  const trail = trailTo(view, active);
  const around = AROUND.find(selector => active.closest(selector));
  const caret = caretOf(active);
  return () => {
    const found = (lasting && view.querySelector(lasting)) ?? follow(view, trail, active);
    const next = found ?? (around === undefined ? null : view.querySelector(around)?.querySelector<HTMLElement>('[tabindex="0"]') ?? view.querySelector(around));
    (next as HTMLElement | null)?.focus({ preventScroll: true });
    if (caret && found instanceof HTMLInputElement) {
      found.setSelectionRange(...caret);
    }
  };
}

function trailTo(view: Element, element: Element): number[] {
  const trail: number[] = [];
  for (let at = element; at !== view && at.parentElement; at = at.parentElement) {
    trail.unshift([...at.parentElement.children].indexOf(at));
  }
  return trail;
}

/** The element at the same place, if it is one of the same sort. */
function follow(view: Element, trail: readonly number[], like: Element): Element | null {
  let at: Element | undefined = view;
  for (const step of trail) {
    at = at?.children[step];
  }
  return at && at.tagName === like.tagName && at.getAttribute('class') === like.getAttribute('class') ? at : null;
}

type Caret = [start: number, end: number, direction: 'forward' | 'backward' | 'none' | undefined];

/** Where somebody writes in a box, and what is marked there; null for what has no text to write. */
function caretOf(element: Element): Caret | null {
  if (!(element instanceof HTMLInputElement) || element.selectionStart === null || element.selectionEnd === null) {
    return null;
  }
  return [element.selectionStart, element.selectionEnd, element.selectionDirection ?? undefined];
}
