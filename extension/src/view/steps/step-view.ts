/** One step of a backward pass: its rule, what it had, what it got and what it gave. */
import type { FormulaView, GlimpseView, PartView, StepsView, StepView } from '../../protocol';
import { clip, lines, oneLine } from '../../text';
import { h, icon } from '../dom';
import { bytes, nested, show } from '../values/numbers';
import { shapeText } from '../words';
import { mathView } from './math';

export function stepView(film: StepsView, step: StepView, nameOf: (id: string) => string, choose: (id: string) => void): HTMLElement[] {
  return [
    h('div', { class: 'gradviz-step-head' },
      node(step.node, nameOf(step.node), choose),
      step.label === step.op ? null : h('span', { class: 'gradviz-muted' }, clip(oneLine(step.op), 40))),
    h('h4', {}, 'Incoming gradient, complete'),
    glimpse(step.incoming),
    h('h4', {}, step.formulas.length > 1 ? 'Rules' : 'Rule'),
    ...step.formulas.flatMap(at => formula(film.formulas[at])),
    step.formulas.length === 0 ? h('p', { class: 'gradviz-muted' }, 'Nothing of it is tracked.') : null,
    h('h4', {}, 'Saved for it by the forward pass'),
    step.saved.length === 0
      ? h('p', { class: 'gradviz-muted' }, 'Nothing: the rule needs only the gradient.')
      : h('ul', { class: 'gradviz-saved' }, ...step.saved.map(item =>
          h('li', {}, h('code', {}, clip(oneLine(item.name), 40)), ' ',
            item.value ? glimpse(item.value) : h('span', { class: 'gradviz-muted' }, 'not kept: recomputed (checkpointing)')))),
    step.recomputed.length > 0
      ? h('p', { class: 'gradviz-recomputed' }, icon('undo'), `Computed again for this step: ${step.recomputed.slice(0, 12).map(id => clip(nameOf(id), 30)).join(', ')}`)
      : null,
    h('h4', {}, 'Gives'),
    h('ul', { class: 'gradviz-parts' }, ...step.parts.map(part => gives(part, nameOf, choose)))
  ].filter(element => element !== null);
}

function gives(part: PartView, nameOf: (id: string) => string, choose: (id: string) => void): HTMLElement {
  return h(
    'li',
    { class: `gradviz-health-${part.health.replace(' ', '-')}` },
    h('div', {}, h('code', {}, clip(oneLine(part.slot), 40)), ' \u2192 ', node(part.node, nameOf(part.node), choose),
      part.health === 'fine' ? null : h('span', { class: 'gradviz-health' }, icon('warning'), part.health)),
    glimpse(part.part),
    part.joins ? h('div', { class: 'gradviz-join' }, h('span', {}, icon('plus'), 'joins what was there; the sum so far'), glimpse(part.total)) : null
  );
}

function node(id: string, name: string, choose: (id: string) => void): HTMLElement {
  return h('button', { type: 'button', class: 'gradviz-link-button', onclick: () => choose(id) }, clip(name, 60));
}

function formula(view: FormulaView | undefined): HTMLElement[] {
  if (!view) {
    return [];
  }
  const math = mathView(view.math);
  math?.setAttribute('display', 'block');
  return [
    h(
      'figure',
      { class: 'gradviz-formula' },
      math ? h('div', { class: 'gradviz-math', tabindex: '0', role: 'group', 'aria-label': `Gradient of ${clip(oneLine(view.slot), 40)}` }, math) : null,
      h('pre', { class: 'gradviz-source', tabindex: '0' }, `${clip(oneLine(view.slot), 40)}: ${clip(lines(view.text), 2000)}`)
    )
  ];
}

/** Few numbers are shown as they are, many by their sizes. */
export function glimpse(view: GlimpseView): HTMLElement {
  const facts = `${shapeText(view.shape)} ${clip(oneLine(view.dtype), 20)}, ${bytes(view.bytes)}`;
  const alarm = view.bad > 0 ? h('span', { class: 'gradviz-alarm' }, ` ${view.bad.toLocaleString('en')} NaN or \u221e`) : null;
  if (view.numbers) {
    return h('div', { class: 'gradviz-glimpse' },
      h('pre', {}, nested(view.numbers, view.shape)), h('span', { class: 'gradviz-muted' }, facts), alarm);
  }
  return h('div', { class: 'gradviz-glimpse' },
    h('span', {}, `norm ${show(view.norm)}, mean ${show(view.mean)}, from ${show(view.low)} to ${show(view.high)}`),
    h('span', { class: 'gradviz-muted' }, facts), alarm);
}
