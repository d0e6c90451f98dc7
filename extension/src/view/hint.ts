/** A few words over the picture that go away by themselves. */
import { h } from './dom';

const SHOWN_MS = 1600;

export class Hint {
  readonly element = h('div', { class: 'gradviz-hint', 'aria-hidden': 'true' });
  private timer = 0;

  show(text: string): void {
    this.element.textContent = text;
    this.element.classList.add('gradviz-shown');
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.element.classList.remove('gradviz-shown'), SHOWN_MS);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}
