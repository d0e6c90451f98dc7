/** The door to the view: a message and a place to draw it. */
import { Channel } from '../channel';
import type { Payload } from '../check';
import { h, icon } from './dom';
import type { Host } from './host';
import { mountPair } from './live/pair';
import { openGraph, type Opened } from './open';
import { problemView } from './problem';
import { followTheme, installStyle } from './theme';

/** Draws any gradviz message into an element, with a graph's columns where they are unpacked; returns how to take it away. */
export function mount(element: HTMLElement, payload: Payload, host: Host = {}, columns?: DataView): () => void {
  const root = h('div', { class: 'gradviz' });
  element.append(root);
  installStyle(root);
  let explorer: Opened | undefined;
  const stopTheme = followTheme(root, () => explorer?.repaint());
  let channel: Channel | undefined;
  let unpair: (() => void) | undefined;
  switch (payload.kind) {
    case 'graph':
      channel = new Channel(host.wire ?? null, payload.graph.key);
      explorer = openGraph(root, payload.graph, host, channel, columns);
      break;
    case 'pair':
      unpair = mountPair(root, payload.pair, host);
      break;
    case 'card':
      root.classList.add('gradviz-card');
      root.append(problemView(payload.card.problem, payload.card.facts, host));
      break;
    case 'unreadable':
      root.classList.add('gradviz-card');
      root.append(h('p', { class: 'gradviz-unreadable', role: 'status' }, icon('note'), payload.reason));
      break;
  }
  return () => {
    explorer?.dispose();
    unpair?.();
    channel?.dispose();
    stopTheme();
    root.remove();
  };
}
