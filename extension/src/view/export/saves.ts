/** What a view can be saved as. */
import type { GraphStore } from '../../store';
import type { Scene } from '../scene';
import type { Saved } from './menu';
import { MOST_BOXES, pictureOf, pixelsOf, type Picture } from './picture';

export function savesOf(root: HTMLElement, store: GraphStore, scene: Scene): readonly Saved[] {
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
    { label: 'JSON', note: 'the graph, documented and complete', ending: 'json', make: () => new Blob([JSON.stringify(store.graph)], { type: 'application/json' }) }
  ];
}
