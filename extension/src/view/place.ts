/** An element in which one message takes the place of another, without a jump and without taking the focus away. */
import type { Host } from './host';
import { mount } from './mount';
import { passOnShortcuts } from './shortcuts';

/** What can have the focus in a view, and is there again in the next. */
const KEPT = ['.gradviz-canvas', '.gradviz-search', '.gradviz-scrub', '.gradviz-step-body', "[role='tab'][aria-selected='true']"];

export class Place {
  private unmount: (() => void) | undefined;
  private waiting: { readonly data: unknown; readonly host: Host } | null = null;
  private pressed = false;
  /** A word that an input method hasn't finished lives in the box it is written in. */
  private composing = false;

  private readonly quiet: () => void;

  constructor(private readonly element: HTMLElement) {
    this.quiet = passOnShortcuts(element);
    element.addEventListener('pointerdown', this.onDown);
    window.addEventListener('pointerup', this.onUp);
    window.addEventListener('pointercancel', this.onUp);
    element.addEventListener('compositionstart', this.onCompose);
    element.addEventListener('compositionend', this.onComposed);
  }

  /** Draws a message. While somebody drags something or composes a word here, what is there stays. */
  show(data: unknown, host: Host): void {
    if (this.unmount && (this.pressed || this.composing)) {
      this.waiting = { data, host };
      return;
    }
    this.waiting = null;
    const { element } = this;
    const active = document.activeElement;
    const focus = KEPT.find(kept => active !== null && element.querySelector(kept) === active);
    const caret = active && caretOf(active);
    element.style.minHeight = this.unmount ? `${element.offsetHeight}px` : '';
    this.unmount?.();
    this.unmount = mount(element, data, host);
    if (focus !== undefined) {
      const kept = element.querySelector<HTMLElement>(focus);
      kept?.focus({ preventScroll: true });
      if (caret && kept instanceof HTMLInputElement) {
        kept.setSelectionRange(...caret);
      }
    }
    requestAnimationFrame(() => (element.style.minHeight = ''));
  }

  /** Takes away what is drawn. */
  clear(): void {
    this.waiting = null;
    this.composing = false;
    this.unmount?.();
    this.unmount = undefined;
  }

  dispose(): void {
    this.clear();
    this.quiet();
    this.element.removeEventListener('pointerdown', this.onDown);
    window.removeEventListener('pointerup', this.onUp);
    window.removeEventListener('pointercancel', this.onUp);
    this.element.removeEventListener('compositionstart', this.onCompose);
    this.element.removeEventListener('compositionend', this.onComposed);
  }

  private readonly onDown = (): void => {
    this.pressed = true;
  };

  private readonly onUp = (): void => {
    this.pressed = false;
    this.showWaiting();
  };

  private readonly onCompose = (): void => {
    this.composing = true;
  };

  private readonly onComposed = (): void => {
    this.composing = false;
    this.showWaiting();
  };

  private showWaiting(): void {
    const { waiting } = this;
    if (waiting) {
      // After the click that this release may become.
      setTimeout(() => this.waiting === waiting && this.show(waiting.data, waiting.host));
    }
  }
}

type Caret = [start: number, end: number, direction: 'forward' | 'backward' | 'none' | undefined];

/** Where somebody writes in a box, and what is marked there; null for what has no text to write. */
function caretOf(element: Element): Caret | null {
  if (!(element instanceof HTMLInputElement) || element.selectionStart === null || element.selectionEnd === null) {
    return null;
  }
  return [element.selectionStart, element.selectionEnd, element.selectionDirection ?? undefined];
}
