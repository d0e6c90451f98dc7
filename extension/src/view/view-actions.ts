/** The ways to narrow the view to what matters for a node; for a leaf without a gradient, to the reason. */
import type { GraphStore } from '../store';
import { h } from './dom';
import { button } from './fix';

export function viewActions(store: GraphStore, node: number): HTMLElement {
  const message = h('span', { class: 'gradviz-muted', role: 'status' });
  const { isolation } = store.state;
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
  if (isolation) {
    parts.push(button('cross', 'Show all', () => store.isolate(null), 'Escape'));
  }
  return h('div', { class: 'gradviz-actions' }, ...parts, message);
}
