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

  private readonly quiet: () => void;

  constructor(private readonly element: HTMLElement) {
    this.quiet = passOnShortcuts(element);
    element.addEventListener('pointerdown', this.onDown);
    window.addEventListener('pointerup', this.onUp);
    window.addEventListener('pointercancel', this.onUp);
  }

  /** Draws a message. While somebody drags something here, what is there stays. */
  show(data: unknown, host: Host): void {
    if (this.unmount && this.pressed) {
      this.waiting = { data, host };
      return;
    }
    this.waiting = null;
    const { element } = this;
    const focus = KEPT.find(kept => element.querySelector(kept) === document.activeElement && document.activeElement !== null);
    element.style.minHeight = this.unmount ? `${element.offsetHeight}px` : '';
    this.unmount?.();
    this.unmount = mount(element, data, host);
    if (focus !== undefined) {
      element.querySelector<HTMLElement>(focus)?.focus({ preventScroll: true });
    }
    requestAnimationFrame(() => (element.style.minHeight = ''));
  }

  /** Takes away what is drawn. */
  clear(): void {
    this.waiting = null;
    this.unmount?.();
    this.unmount = undefined;
  }

  dispose(): void {
    this.clear();
    this.quiet();
    this.element.removeEventListener('pointerdown', this.onDown);
    window.removeEventListener('pointerup', this.onUp);
    window.removeEventListener('pointercancel', this.onUp);
  }

  private readonly onDown = (): void => {
    this.pressed = true;
  };

  private readonly onUp = (): void => {
    this.pressed = false;
    const { waiting } = this;
    if (waiting) {
      // After the click that this release may become.
      setTimeout(() => this.waiting === waiting && this.show(waiting.data, waiting.host));
    }
  };
}
