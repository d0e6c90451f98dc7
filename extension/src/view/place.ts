/** An element in which one message takes the place of another, without a jump and without taking the focus away. */
import { keepFocus } from './focus';
import { Hold } from './hold';
import type { Host } from './host';
import { mount } from './mount';
import { passOnShortcuts } from './shortcuts';

export class Place {
  private unmount: (() => void) | undefined;
  private waiting: { readonly data: unknown; readonly host: Host } | null = null;
  private readonly hold = new Hold(() => this.showWaiting());
  private readonly quiet: () => void;

  constructor(private readonly element: HTMLElement) {
    this.quiet = passOnShortcuts(element);
    element.addEventListener('pointerdown', this.onDown);
    window.addEventListener('pointerup', this.onUp);
    window.addEventListener('pointercancel', this.onUp);
    element.addEventListener('compositionstart', this.onCompose);
    element.addEventListener('compositionend', this.onComposed);
  }

  /** Draws a message. While somebody is in the middle of something here, what is there stays. */
  show(data: unknown, host: Host): void {
    if (this.unmount && this.hold.held) {
      this.waiting = { data, host };
      return;
    }
    const { element } = this;
    const giveFocus = keepFocus(element);
    const height = this.unmount ? `${element.offsetHeight}px` : '';
    this.clear();
    element.style.minHeight = height;
    this.unmount = mount(element, data, { ...host, hold: (reason, on) => this.hold.set(reason, on) });
    giveFocus();
    requestAnimationFrame(() => (element.style.minHeight = ''));
  }

  /** Takes away what is drawn. */
  clear(): void {
    this.waiting = null;
    this.unmount?.();
    this.unmount = undefined;
    this.hold.forget();
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

  private readonly onDown = (): void => this.hold.set('pressed', true);
  private readonly onUp = (): void => this.hold.set('pressed', false);
  // A word that an input method hasn't finished lives in the box it is written in.
  private readonly onCompose = (): void => this.hold.set('composing', true);
  private readonly onComposed = (): void => this.hold.set('composing', false);

  private showWaiting(): void {
    const { waiting } = this;
    if (waiting) {
      // After the click that this release may become.
      setTimeout(() => this.waiting === waiting && this.show(waiting.data, waiting.host));
    }
  }
}
