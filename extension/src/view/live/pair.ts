/** Two graphs side by side, with what differs marked in both; a change in the list shows both its ends. */
import { Channel } from '../../channel';
import type { GraphView, PairView } from '../../protocol';
import { GraphStore } from '../../store';
import { clip, oneLine } from '../../text';
import { h } from '../dom';
import { Explorer } from '../explorer';
import type { Host } from '../host';
import { followTheme } from '../theme';
import { changesList, paintOfChanges, summary, type Side } from './changes';

export function mountPair(root: HTMLElement, pair: PairView, host: Host): () => void {
  const { difference } = pair;
  const ends: (() => void)[] = [];
  const open = (side: Side, graph: GraphView): { explorer: Explorer; element: HTMLElement } => {
    const frame = h('div', { class: 'gradviz', role: 'group', 'aria-label': `${side}: ${clip(oneLine(graph.title), 80)}` });
    const element = h('div', { class: 'gradviz-pair-side' }, h('h4', {}, side === 'before' ? 'Before' : 'After'), frame);
    const channel = new Channel(host.wire ?? null, graph.key);
    const explorer = new Explorer(frame, new GraphStore(graph), host, channel);
    explorer.underlay(paintOfChanges(difference, side));
    const stop = followTheme(frame, () => explorer.repaint());
    ends.push(() => {
      explorer.dispose();
      channel.dispose();
      stop();
    });
    return { explorer, element };
  };
  const before = open('before', pair.before);
  const after = open('after', pair.after);
  const list = changesList(difference, change => {
    if (change.before !== null) {
      before.explorer.show(change.before);
    }
    if (change.after !== null) {
      after.explorer.show(change.after);
    }
  });
  root.classList.add('gradviz-pair');
  root.append(
    h('div', { class: 'gradviz-pair-head' }, h('h3', {}, 'What changed'), h('p', { class: 'gradviz-muted' }, summary(difference)), list),
    h('div', { class: 'gradviz-pair-graphs' }, before.element, after.element)
  );
  return () => ends.forEach(end => end());
}
