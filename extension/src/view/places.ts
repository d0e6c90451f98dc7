/** The buttons that open the same view elsewhere: one tab stop, where there is such a place. */
import { h, icon } from './dom';
import type { Place } from './host';
import { roving } from './toolbar';

export function placesView(places: readonly Place[] = []): HTMLElement[] {
  if (places.length === 0) {
    return [];
  }
  const buttons = places.map(({ icon: sign, label, open }) =>
    h('button', { type: 'button', class: 'gradviz-icon-button', title: label, 'aria-label': label, onclick: () => open() }, icon(sign)));
  return [roving(h('div', { class: 'gradviz-buttons gradviz-places', role: 'toolbar', 'aria-label': 'Open elsewhere' }, ...buttons), buttons)];
}
