/** Asks the kernel for what the message left out of the node at hand, and says when nobody answers. */
import { Refused, type Channel, type Status } from '../channel';
import type { NodeView } from '../protocol';
import type { GraphStore, State } from '../store';
import { h } from './dom';

/** Arrow keys run through nodes faster than anybody reads of them. */
const REST_MS = 160;
/** The next step of a loop takes a view's place before anybody reads of its nodes. */
const REST_IN_LOOP_MS = 1500;

const WORDS: Readonly<Record<Status, readonly [string, string]>> = {
  live: ['', ''],
  saved: ['', ''],
  busy: ['kernel busy', 'The kernel is running a cell. What was asked for comes when it is done; everything else works.'],
  offline: ['offline', 'The kernel that drew this graph is gone. What the output holds is shown; run the cell again for the rest.']
};

export class Inquiry {
  readonly element = h('span', { class: 'gradviz-status', role: 'status' });
  private readonly asked = new Set<string>();
  private readonly stop: () => void;
  private timer = 0;

  constructor(private readonly store: GraphStore, private readonly channel: Channel) {
    this.stop = channel.onStatus(status => this.show(status));
  }

  refresh(state: State, previous: State): void {
    const { selected } = state;
    if (selected === previous.selected || selected === null || this.asked.has(selected)) {
      return;
    }
    clearTimeout(this.timer);
    // A file that knows more says it of nodes its message doesn't spell out.
    const { hasKernel, status } = this.channel;
    if (hasKernel || (status === 'saved' && !this.store.model.isTold(this.store.nodeAt(selected)))) {
      this.timer = window.setTimeout(() => void this.ask(selected), this.store.isStep ? REST_IN_LOOP_MS : REST_MS);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.stop();
  }

  private async ask(id: string): Promise<void> {
    this.asked.add(id);
    try {
      const node = await this.channel.askFor<NodeView>('NodeView', 'node', { node: id });
      if (node.id === id) {
        this.store.learn(node);
      }
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      this.asked.delete(id);
    }
  }

  private show(status: Status): void {
    const [word, explained] = WORDS[status];
    this.element.textContent = word;
    this.element.title = explained;
    this.element.dataset.status = status;
  }
}
