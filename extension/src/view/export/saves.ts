/** What a view can be saved as. */
import type { Channel } from '../../channel';
import type { GraphStore } from '../../store';
import type { Scene } from '../scene';
import type { Saved } from './menu';
import { MOST_BOXES, pictureOf, pixelsOf, type Picture } from './picture';

/** What the kernel writes: it has the whole graph, and fonts and layouts for paper. */
const WRITTEN = [
  { label: 'PDF', note: 'an overview to print', ending: 'pdf', type: 'application/pdf' },
  { label: 'HTML', note: 'this view as a page, offline', ending: 'html', type: 'text/html' },
  { label: 'DOT', note: 'for Graphviz', ending: 'dot', type: 'text/vnd.graphviz' }
];

export function savesOf(root: HTMLElement, store: GraphStore, scene: Scene, channel: Channel): readonly Saved[] {
  const written = async (ending: string, type: string): Promise<Blob> => {
    const { buffers } = await channel.ask('file', { ending });
    const bytes = buffers[0];
    if (bytes === undefined) {
      throw new Error('The kernel sent no file.');
    }
    return new Blob([new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength)], { type });
  };
  const picture = (): Picture => {
    const { layout } = scene;
    if (scene.isFrozen || layout.boxes.length === 0) {
      throw new Error('There is no picture yet.');
    }
    if (layout.boxes.length > MOST_BOXES) {
      throw new Error(`A picture holds at most ${MOST_BOXES.toLocaleString('en')} boxes: fold some of them first.`);
    }
    return pictureOf(root, store, layout, scene.paintedOver);
  };
  return [
    { label: 'PNG', note: 'a picture of what is unfolded', ending: 'png', make: () => pixelsOf(picture()) },
    { label: 'SVG', note: 'the same, to scale and to edit', ending: 'svg', make: () => new Blob([picture().text], { type: 'image/svg+xml' }) },
    { label: 'JSON', note: 'the graph, documented and complete', ending: 'json', make: () => new Blob([JSON.stringify(store.graph)], { type: 'application/json' }) },
    ...(channel.hasKernel ? WRITTEN : []).map(({ label, note, ending, type }) => ({ label, note, ending, make: () => written(ending, type) }))
  ];
}
