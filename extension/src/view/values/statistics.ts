/** The numbers of an array: what is finite, where it lies, and what is not a number. */
import type { StatisticsView, ValueView } from '../../protocol';
import { h } from '../dom';
import { shapeText } from '../words';
import { show } from './numbers';

const ORIGINS: Readonly<Record<ValueView['origin'], string>> = {
  tensor: 'held by a tensor of yours',
  saved: 'saved for backward',
  recomputed: 'not kept; computed again for this view',
  constant: 'a constant of the recording',
  gradient: 'given by the backward pass',
  none: ''
};

export function originText(value: ValueView): string {
  const changed = value.changed ? '; it has got another value since this graph used it' : '';
  return `${shapeText(value.shape)} ${value.dtype}, ${ORIGINS[value.origin]}${changed}`;
}

export function statisticsTable(found: StatisticsView): HTMLElement {
  const share = (count: number): string =>
    `${count.toLocaleString('en')}${found.count > 0 && count > 0 ? ` (${show((100 * count) / found.count, 3)} %)` : ''}`;
  const cell = (label: string, value: string, alarm = false): HTMLElement =>
    h('div', { class: alarm ? 'gradviz-alarm' : '' }, h('dt', {}, label), h('dd', {}, value));
  return h(
    'dl',
    { class: 'gradviz-statistics' },
    cell('min', show(found.low)),
    cell('max', show(found.high)),
    cell('mean', show(found.mean)),
    cell('std', show(found.std)),
    cell('norm', show(found.norm)),
    cell('zeros', share(found.zeros)),
    found.nans > 0 ? cell('NaN', share(found.nans), true) : null,
    found.above > 0 ? cell('\u221e', share(found.above), true) : null,
    found.below > 0 ? cell('-\u221e', share(found.below), true) : null
  );
}
