/** Opens a graph of any size: spelled out in its message, as columns in it, or as columns from the kernel. */
import type { Channel } from '../channel';
import { decode, inflate } from '../model/decode';
import { Model } from '../model/model';
import type { GraphView } from '../protocol';
import { GraphStore } from '../store';
import { h } from './dom';
import { Explorer } from './explorer';
import type { Host } from './host';
import { recall } from './live/memory';

export interface Opened {
  repaint(): void;
  dispose(): void;
}

export function openGraph(root: HTMLElement, graph: GraphView, host: Host, channel: Channel, columns?: DataView): Opened {
  let explorer: Explorer | undefined;
  let ended = false;
  // What another view of the same graph remembers until this one is there is not where somebody was in it.
  let before = recall(graph.extras?.place);
  const show = (store: GraphStore): void => {
    if (explorer) {
      explorer.dispose();
      before = recall(graph.extras?.place);
    }
    root.replaceChildren();
    explorer = new Explorer(root, store, host, channel, before);
  };
  const showWhole = (bytes: DataView): void => {
    if (!ended) {
      show(new GraphStore(graph, new Model(decode(bytes), graph.nodes)));
    }
  };
  const showPart = (): void => {
    if (!ended) {
      show(new GraphStore(graph));
    }
  };
  if (columns) {
    try {
      showWhole(columns);
    } catch {
      showPart();
    }
  } else if (graph.columns !== null) {
    const count = graph.total_nodes.toLocaleString('en');
    root.append(h('p', { class: 'gradviz-opening gradviz-muted', role: 'status' }, `Opening ${count} nodes`));
    inflate(graph.columns).then(showWhole).catch(showPart);
  } else {
    showPart();
    if (graph.total_nodes > graph.nodes.length && channel.hasKernel) {
      // Where nobody answers, what is here stays, and the counts say that it is a part.
      channel.ask('columns').then(({ buffers: [bytes] }) => bytes && showWhole(bytes)).catch(() => undefined);
    }
  }
  return {
    repaint: () => explorer?.repaint(),
    dispose: () => {
      ended = true;
      explorer?.dispose();
    }
  };
}
