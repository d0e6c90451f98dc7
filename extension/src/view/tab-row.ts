/**
 * The row of the pane's tabs. It stays one line however many there are: what has no room is scrolled to, by the
 * arrow keys that walk the tabs, by the wheel, or by a button at the end that stands there only while it leads on.
 */
import { h, icon } from './dom';
import { roving } from './toolbar';

export class TabRow {
  readonly element: HTMLElement;
  private readonly list: HTMLElement;
  private readonly back: HTMLButtonElement;
  private readonly on: HTMLButtonElement;
  private readonly watcher: ResizeObserver;

  constructor(label: string, tabs: readonly HTMLButtonElement[]) {
    this.list = roving(h('div', { class: 'gradviz-tabs', role: 'tablist', 'aria-label': label }, ...tabs), tabs);
    this.back = this.button('previous', -1);
    this.on = this.button('next', 1);
    this.element = h('div', { class: 'gradviz-tab-row' }, this.back, this.list, this.on);
    this.list.addEventListener('scroll', () => this.look(), { passive: true });
    this.list.addEventListener('wheel', event => {
      const { scrollLeft } = this.list;
      this.list.scrollLeft += event.deltaX + event.deltaY;
      if (this.list.scrollLeft !== scrollLeft) {
        event.preventDefault(); // the page scrolls on where the row has no more
      }
    }, { passive: false });
    this.list.addEventListener('focusin', event => event.target instanceof HTMLElement && this.reveal(event.target));
    this.watcher = new ResizeObserver(() => {
      const chosen = tabs.find(tab => tab.getAttribute('aria-selected') === 'true');
      if (chosen) {
        this.reveal(chosen);
      }
      this.look();
    });
    this.watcher.observe(this.list);
  }

  /** Brings a tab into sight; only this row moves, not the page around it. */
  reveal(tab: HTMLElement): void {
    const { list } = this;
    const left = tab.offsetLeft - list.offsetLeft;
    if (left < list.scrollLeft) {
      list.scrollLeft = left - 16;
    } else if (left + tab.offsetWidth > list.scrollLeft + list.clientWidth) {
      list.scrollLeft = left + tab.offsetWidth - list.clientWidth + 16;
    }
  }

  dispose(): void {
    this.watcher.disconnect();
  }

  private look(): void {
    const { scrollLeft, scrollWidth, clientWidth } = this.list;
    const over = scrollWidth > clientWidth + 1;
    // Both at once, so that the tabs between them don't jump; what leads nowhere is faint.
    this.element.classList.toggle('gradviz-tabs-over', over);
    this.back.disabled = scrollLeft <= 1;
    this.on.disabled = scrollLeft + clientWidth >= scrollWidth - 1;
  }

  /** For the pointer alone: the keyboard walks the tabs themselves. */
  private button(sign: 'previous' | 'next', step: 1 | -1): HTMLButtonElement {
    const label = step > 0 ? 'More tabs' : 'Earlier tabs';
    return h('button', {
      type: 'button', class: 'gradviz-tab-more', tabindex: '-1', 'aria-hidden': 'true', 'aria-label': label,
      title: label, onclick: () => (this.list.scrollLeft += step * this.list.clientWidth * 0.7)
    }, icon(sign));
  }
}
