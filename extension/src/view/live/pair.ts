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
  // The sides stand in the page before they are drawn: what they look like depends on what is around them.
  const sides = h('div', { class: 'gradviz-pair-graphs' });
  const head = h('div', { class: 'gradviz-pair-head' }, h('h3', {}, 'What changed'), h('p', { class: 'gradviz-muted' }, summary(difference)));
  root.classList.add('gradviz-pair');
  root.append(head, sides);
  const open = (side: Side, graph: GraphView): Explorer => {
    const frame = h('div', { class: 'gradviz', role: 'group', 'aria-label': `${side}: ${clip(oneLine(graph.title), 80)}` });
    sides.append(h('div', { class: 'gradviz-pair-side' }, h('h4', {}, side === 'before' ? 'Before' : 'After'), frame));
    const channel = new Channel(host.wire ?? null, graph.key);
    let explorer: Explorer | undefined;
    const stop = followTheme(frame, () => explorer?.repaint());
    explorer = new Explorer(frame, new GraphStore(graph), host, channel);
    explorer.underlay(paintOfChanges(difference, side));
    ends.push(() => {
      explorer.dispose();
      channel.dispose();
      stop();
    });
    return explorer;
  };
  const before = open('before', pair.before);
  const after = open('after', pair.after);
  const list = changesList(difference, change => {
    if (change.before !== null) {
      before.show(change.before);
    }
    if (change.after !== null) {
      after.show(change.after);
    }
  });
  head.append(h('div', { class: 'gradviz-pair-changes' }, list));
  return () => ends.forEach(end => end());
}
