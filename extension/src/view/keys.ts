/** The picture by keyboard: up to what a tensor was made from, down to what uses it, and everything else. */
import type { GraphStore } from '../store';
import type { Scene } from './scene';
import { noPath } from './view-actions';

export interface KeyActions {
  select(key: string): void;
  /** Folds or unfolds a branch. */
  toggle(branch: number): void;
  zoomBy(factor: number): void;
  fit(): void;
  search(): void;
  help(): void;
  say(text: string): void;
  leave(): void;
}

/** What the keys do, in the order of the help. */
export const KEYS: readonly (readonly [string, string])[] = [
  ['\u2191 \u2193', 'to what feeds it, to what uses it'],
  ['\u2190 \u2192', 'to its neighbour'],
  ['Home End', 'to the beginning, to the end'],
  ['Enter', 'select; unfold what is folded'],
  ['Space', 'fold or unfold'],
  ['Backspace', 'fold what is around it'],
  ['* h', 'unfold everything; fold as at first'],
  ['n p', 'next, previous problem'],
  ['w', 'the path to the root: why no gradient'],
  ['a d', 'only what it is made from, what uses it'],
  ['s', 'a path starts here; and at its other end: show it'],
  ['+ \u2212 0', 'zoom in, out, fit'],
  ['/', 'search'],
  ['?', 'legend and keys'],
  ['Escape', 'show all, deselect, leave']
];

export function walk(store: GraphStore, scene: Scene, from: string | null, key: string): string | null {
  const { shown } = store;
  const root = store.roots[0];
  const start = from ?? (root === undefined ? shown.items[0]?.key : store.model.id(root)) ?? null;
  const at = start === null ? undefined : shown.byKey.get(start) ?? itemHiding(store, start);
  if (at === undefined) {
    return shown.items[0]?.key ?? null;
  }
  const item = (index: number | undefined): string | null => (index === undefined ? start : shown.items[index]!.key);
  if (from === null) {
    return item(at);
  }
  switch (key) {
    case 'ArrowUp':
      return item(closest(store, scene, at, shown.inputs[at]!.map(link => shown.links[link]!.source)));
    case 'ArrowDown':
      return item(closest(store, scene, at, shown.outputs[at]!.map(link => shown.links[link]!.target)));
    case 'ArrowLeft':
      return item(beside(store, scene, at, -1));
    case 'ArrowRight':
      return item(beside(store, scene, at, 1));
    case 'Home':
      return item(extreme(store, scene, -1));
    case 'End':
      return item(extreme(store, scene, 1));
    default:
      return start;
  }
}

function itemHiding(store: GraphStore, key: string): number | undefined {
  const node = store.nodeAt(key);
  const at = node < 0 ? -1 : store.shown.itemOf[node]!;
  return at < 0 ? undefined : at;
}

/** Of several ends of links, the one straight above or below. */
function closest(store: GraphStore, scene: Scene, from: number, items: readonly number[]): number | undefined {
  const x = centre(store, scene, from);
  return [...items].sort((a, b) => Math.abs(centre(store, scene, a) - x) - Math.abs(centre(store, scene, b) - x))[0];
}

/** The neighbour in the same row of the picture. */
function beside(store: GraphStore, scene: Scene, from: number, step: 1 | -1): number | undefined {
  const rank = box(store, scene, from)?.rank;
  const row = [...store.shown.items.keys()]
    .filter(at => box(store, scene, at)?.rank === rank)
    .sort((a, b) => centre(store, scene, a) - centre(store, scene, b) || top(store, scene, a) - top(store, scene, b));
  return row[row.indexOf(from) + step];
}

/** The highest or the lowest item. */
function extreme(store: GraphStore, scene: Scene, side: 1 | -1): number | undefined {
  let best: number | undefined;
  const before = (a: number, b: number): boolean =>
    (top(store, scene, a) - top(store, scene, b) || centre(store, scene, a) - centre(store, scene, b)) * side > 0;
  for (const at of store.shown.items.keys()) {
    if (best === undefined || before(at, best)) {
      best = at;
    }
  }
  return best;
}

function box(store: GraphStore, scene: Scene, item: number): ReturnType<Scene['mainBox']> {
  return scene.mainBox(store.shown.items[item]!.key);
}

function centre(store: GraphStore, scene: Scene, item: number): number {
  const found = box(store, scene, item);
  return found ? found.x + found.width / 2 : 0;
}

function top(store: GraphStore, scene: Scene, item: number): number {
  return box(store, scene, item)?.y ?? 0;
}

/** Begins a path at a node, or shows the one that was begun elsewhere. */
function pathKey(store: GraphStore, node: number, actions: KeyActions): void {
  const start = store.nodeAt(store.state.pathFrom);
  if (start < 0 || start === node) {
    store.startPath(start === node ? null : store.model.id(node));
    actions.say(start === node ? 'No path any more.' : 'A path starts here: go to its other end and press s again.');
  } else if (!store.connect(start, node)) {
    actions.say(noPath(store, start, node));
  }
}

export function onKey(event: KeyboardEvent, store: GraphStore, scene: Scene, actions: KeyActions): void {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const { focused, selected, isolation } = store.state;
  const node = store.nodeAt(focused);
  const branch = store.branchAt(focused);
  switch (event.key) {
    case 'ArrowUp': case 'ArrowDown': case 'ArrowLeft': case 'ArrowRight': case 'Home': case 'End':
      store.focus(walk(store, scene, focused, event.key));
      break;
    case 'Enter': case ' ':
      if (branch >= 0 && !store.isOpen(branch) && (event.key === ' ' || selected === focused)) {
        actions.toggle(branch);
      } else if (focused !== null) {
        actions.select(focused);
      }
      break;
    case 'Backspace': {
      const item = focused === null ? undefined : store.shown.byKey.get(focused);
      const frame = item === undefined ? 0 : store.shown.items[item]!.frame;
      if (frame > 0) {
        actions.toggle(frame);
      }
      break;
    }
    case '*':
      store.openAll();
      break;
    case 'h':
      store.openFirst();
      break;
    case 'w':
      if (node >= 0 && !store.explain(node)) {
        actions.say('No computation leads from here to a root.');
      }
      break;
    case 'a': case 'd':
      if (node >= 0) {
        store.isolate({ kind: event.key === 'a' ? 'ancestors' : 'descendants', node, to: node });
      }
      break;
    case 's':
      if (node >= 0) {
        pathKey(store, node, actions);
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
    case '?':
      actions.help();
      break;
    case 'n':
      store.stepProblem(1);
      break;
    case 'p':
      store.stepProblem(-1);
      break;
    case 'Escape':
      if (store.state.pathFrom !== null) {
        store.startPath(null);
      } else if (isolation) {
        store.isolate(null);
      } else if (selected === null) {
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
