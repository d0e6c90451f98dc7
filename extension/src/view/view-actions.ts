/** The ways to narrow the view to what matters for a node; for a leaf without a gradient, to the reason. */
import type { GraphStore } from '../store';
import { clip, oneLine } from '../text';
import { h } from './dom';
import { button } from './fix';

/** What to say where no path joins two nodes. */
export function noPath(store: GraphStore, one: number, other: number): string {
  const [from, to] = [one, other].map(node => clip(oneLine(store.model.label(node)), 24));
  return `No path leads between ${from} and ${to}: neither was computed from the other.`;
}

export function viewActions(store: GraphStore, node: number): HTMLElement {
  const message = h('span', { class: 'gradviz-muted', role: 'status' });
  const { isolation, pathFrom } = store.state;
  const lost = store.roots.length > 0 && !store.isRoot(node) && !store.isReached(node);
  const parts = [];
  if (store.roots.length > 0 && !store.isRoot(node)) {
    const explain = button('path', lost ? 'Why no gradient?' : 'Path to the root', () => {
      if (!store.explain(node)) {
        message.textContent = 'No computation leads from here to a root: it was made from other tensors.';
      }
    }, 'Shows the path from here to the root, with the place where the gradient is lost (w)');
    explain.classList.toggle('gradviz-primary', lost && store.model.node(node).requirement === 'grad');
    explain.classList.add('gradviz-explain');
    parts.push(explain);
  }
  if (store.model.isComputed(node)) {
    parts.push(button('ancestors', 'Ancestors', () => store.isolate({ kind: 'ancestors', node, to: node }), 'Only what it is made from (a)'));
  }
  if (store.model.edgesFrom(node).length > 0) {
    parts.push(button('descendants', 'Descendants', () => store.isolate({ kind: 'descendants', node, to: node }), 'Only what uses it (d)'));
  }
  const id = store.model.id(node);
  const start = store.nodeAt(pathFrom);
  if (start >= 0 && start !== node) {
    const name = clip(oneLine(store.model.label(start)), 24);
    const connect = button('path', `Path from ${name}`, () => {
      if (!store.connect(start, node)) {
        message.textContent = noPath(store, start, node);
      }
    }, 'Shows only what lies on a path between the two (s)');
    connect.classList.add('gradviz-primary');
    parts.push(connect);
  } else if (store.model.count > 1) {
    const begin = button('path', 'Path from here', () => store.startPath(start === node ? null : id), 'Then select the other end (s)');
    begin.setAttribute('aria-pressed', String(start === node));
    parts.push(begin);
    if (start === node) {
      message.textContent = 'Now select the other end.';
    }
  }
  if (isolation) {
    parts.push(button('cross', 'Show all', () => store.isolate(null), 'Escape'));
  }
  return h('div', { class: 'gradviz-actions' }, ...parts, message);
}
