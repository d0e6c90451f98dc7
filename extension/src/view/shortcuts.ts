/** Shortcuts of the program around: what has the focus in a view keeps its plain keys, not those with Control, Alt or Command. */

/** Keys with which text is edited and copied; they stay with what has the focus. */
const EDITING = ['a', 'c', 'v', 'x', 'y', 'z'];

/** Tells what is around a view of shortcuts that its own elements don't answer to; returns how to stop. */
export function passOnShortcuts(view: HTMLElement): () => void {
  const passOn = (event: KeyboardEvent): void => {
    const { target, key } = event;
    if (!(event.ctrlKey || event.metaKey || event.altKey) || event.defaultPrevented || !(target instanceof Element)) {
      return;
    }
    const heard = target.closest('[data-lm-suppress-shortcuts]') === null;
    const writes = target.matches('input, textarea, select') && key.toLowerCase() !== 's';
    if (heard || writes || EDITING.includes(key.toLowerCase())) {
      return;
    }
    const { code, ctrlKey, metaKey, altKey, shiftKey, keyCode } = event;
    const again = new KeyboardEvent('keydown', { key, code, ctrlKey, metaKey, altKey, shiftKey, bubbles: true, cancelable: true });
    // Lumino still reads it, and no constructor sets it.
    Object.defineProperty(again, 'keyCode', { value: keyCode });
    if (view.parentElement?.dispatchEvent(again) === false) {
      event.preventDefault();
    }
  };
  // Before fields that keep their keys to themselves.
  view.addEventListener('keydown', passOn, true);
  return () => view.removeEventListener('keydown', passOn, true);
}
