/** An element in which one message takes the place of another, without a jump and without taking the focus away. */
import { readPayload, type Payload } from '../check';
import { inflate } from '../model/decode';
import { keepFocus } from './focus';
import { Hold } from './hold';
import type { Host } from './host';
import { mount } from './mount';
import { passOnShortcuts } from './shortcuts';

/** A message that is to be drawn, with the columns of its graph once they are unpacked. */
interface Coming {
  readonly turn: number;
  readonly payload: Payload;
  readonly host: Host;
  readonly columns?: DataView;
}

export class Place {
  private unmount: (() => void) | undefined;
  private turn = 0;
  /** The turn of what is drawn; what was sent before it comes too late. */
  private drawn = 0;
  private unpacking = false;
  /** What is unpacked next; of several, the newest. */
  private packed: Coming | null = null;
  private waiting: Coming | null = null;
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

  /** Draws a message. Until it can be drawn in one go, what is there stays. */
  show(data: unknown, host: Host): void {
    const coming = { turn: ++this.turn, payload: readPayload(data), host };
    if (this.unmount && packedIn(coming.payload) !== null) {
      this.packed = coming;
      void this.unpack();
    } else {
      this.draw(coming);
    }
  }

  private async unpack(): Promise<void> {
    if (this.unpacking) {
      return;
    }
    this.unpacking = true;
    try {
      for (let next = this.packed; next; next = this.packed) {
        this.packed = null;
        const columns = await inflate(packedIn(next.payload) ?? '').catch(() => undefined);
        this.draw(columns ? { ...next, columns } : next);
      }
    } finally {
      this.unpacking = false;
    }
  }

  /** Draws it, unless something newer is there. While somebody is in the middle of something here, what is there stays. */
  private draw(coming: Coming): void {
    if (coming.turn < Math.max(this.drawn, this.waiting?.turn ?? 0)) {
      return;
    }
    if (this.unmount && this.hold.held) {
      this.waiting = coming;
      return;
    }
    const { element } = this;
    const giveFocus = keepFocus(element);
    const height = this.unmount ? `${element.offsetHeight}px` : '';
    this.takeAway();
    element.style.minHeight = height;
    this.drawn = coming.turn;
    this.unmount = mount(element, coming.payload, { ...coming.host, hold: (reason, on) => this.hold.set(reason, on) }, coming.columns);
    giveFocus();
    requestAnimationFrame(() => (element.style.minHeight = ''));
  }

  /** Takes away what is drawn. */
  clear(): void {
    this.packed = null;
    this.drawn = ++this.turn;
    this.takeAway();
  }

  private takeAway(): void {
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
      setTimeout(() => this.waiting === waiting && this.draw(waiting));
    }
  }
}

/** The columns of a graph as they stand in its message; null where there are none. */
function packedIn(payload: Payload): string | null {
  return payload.kind === 'graph' ? payload.graph.columns : null;
}
