/** Walking the graph by keyboard: up to what a tensor was made from, down to what uses it. */
import type { GraphStore } from '../store';
import type { Scene } from './scene';

export interface KeyActions {
  select(id: string): void;
  zoomBy(factor: number): void;
  fit(): void;
  search(): void;
  leave(): void;
}

export function walk(store: GraphStore, scene: Scene, from: string | null, key: string): string | null {
  const start = from ?? [...store.roots][0] ?? store.nodes[0]?.id ?? null;
  if (from === null || start === null) {
    return start;
  }
  switch (key) {
    case 'ArrowUp':
      return closest(scene, start, (store.inputs.get(start) ?? []).map(edge => edge.source));
    case 'ArrowDown':
      return closest(scene, start, (store.outputs.get(start) ?? []).map(edge => edge.target));
    case 'ArrowLeft':
      return beside(store, scene, start, -1);
    case 'ArrowRight':
      return beside(store, scene, start, 1);
    case 'Home':
      return inOrder(store, scene)[0] ?? start;
    case 'End':
      return inOrder(store, scene).at(-1) ?? start;
    default:
      return start;
  }
}

/** Of several ends of edges, the one straight above or below. */
function closest(scene: Scene, from: string, ids: readonly string[]): string {
  const x = centre(scene, from);
  return [...ids].sort((a, b) => Math.abs(centre(scene, a) - x) - Math.abs(centre(scene, b) - x))[0] ?? from;
}

/** The neighbour in the same row of the picture. */
function beside(store: GraphStore, scene: Scene, from: string, step: 1 | -1): string {
  const rank = scene.mainBox(from)?.rank;
  const row = store.nodes
    .map(node => node.id)
    .filter(id => scene.mainBox(id)?.rank === rank)
    .sort((a, b) => centre(scene, a) - centre(scene, b) || top(scene, a) - top(scene, b));
  return row[row.indexOf(from) + step] ?? from;
}

function inOrder(store: GraphStore, scene: Scene): string[] {
  return store.nodes
    .map(node => node.id)
    .sort((a, b) => top(scene, a) - top(scene, b) || centre(scene, a) - centre(scene, b));
}

function centre(scene: Scene, id: string): number {
  const box = scene.mainBox(id);
  return box ? box.x + box.width / 2 : 0;
}

function top(scene: Scene, id: string): number {
  return scene.mainBox(id)?.y ?? 0;
}

export function onKey(event: KeyboardEvent, store: GraphStore, scene: Scene, actions: KeyActions): void {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const { focused, selected } = store.state;
  switch (event.key) {
    case 'ArrowUp': case 'ArrowDown': case 'ArrowLeft': case 'ArrowRight': case 'Home': case 'End':
      store.focus(walk(store, scene, focused, event.key));
      break;
    case 'Enter': case ' ':
      if (focused !== null) {
        actions.select(focused);
      }
      break;
    case '+': case '=':
      actions.zoomBy(1.25);
      break;
    case '-':
      actions.zoomBy(0.8);
      break;
    case '0': case 'f':
      actions.fit();
      break;
    case '/':
      actions.search();
      break;
    case 'n':
      store.stepProblem(1);
      break;
    case 'p':
      store.stepProblem(-1);
      break;
    case 'Escape':
      if (selected === null) {
        actions.leave();
      } else {
        store.select(null);
        store.showProblem(null);
      }
      break;
    default:
      return;
  }
  event.preventDefault();
  event.stopPropagation();
}
