/** The pane beside the graph: details, problems, outline, as tabs. */
import type { GraphStore, State } from '../store';
import { detailsView } from './details';
import { freshId, h, refill } from './dom';
import type { Host } from './host';
import { Outline } from './outline';
import { problemsView } from './problems';
import type { PaneTab } from './tab';
import { TabRow } from './tab-row';

/** A tab of the pane itself, or the name of one that looks after itself. */
export type Tab = 'details' | 'problems' | 'outline' | (string & {});

export class Pane {
  readonly element: HTMLElement;
  private readonly body: HTMLElement;
  private readonly outline: Outline;
  private readonly tabs: Readonly<Record<string, HTMLButtonElement>>;
  private readonly row: TabRow;
  private tab: Tab = 'details';

  constructor(
    private readonly store: GraphStore,
    private readonly host: Host,
    choose: (id: string) => void,
    private readonly toggle: (branch: number) => void,
    private readonly more: readonly PaneTab[] = []
  ) {
    const id = freshId('pane');
    this.body = h('div', { class: 'gradviz-pane-body', role: 'tabpanel', id, tabindex: '-1' });
    this.outline = new Outline(store, choose, toggle);
    const count = store.problems.length;
    const tab = (name: Tab, label: string): HTMLButtonElement =>
      h('button', {
        type: 'button', role: 'tab', class: `gradviz-tab gradviz-tab-${name}`, id: `${id}-${name}`, 'aria-controls': id,
        onclick: () => this.show(name)
      }, label, name === 'problems' && count > 0 ? h('span', { class: `gradviz-count ${this.worst()}` }, String(count)) : null);
    this.tabs = {
      details: tab('details', 'Details'),
      ...Object.fromEntries(more.map(({ name, label }) => [name, tab(name, label)])),
      problems: tab('problems', 'Problems'),
      outline: tab('outline', 'Outline')
    };
    this.row = new TabRow('About the graph', Object.values(this.tabs));
    this.element = h(
      'aside',
      { class: 'gradviz-pane', 'aria-label': 'About the graph' },
      this.row.element,
      this.body
    );
    this.show('details');
  }

  show(wanted: Tab): void {
    const tab = wanted in this.tabs ? wanted : 'details';
    if (tab !== this.tab) {
      this.own?.hidden();
    }
    this.tab = tab;
    for (const [name, button] of Object.entries(this.tabs)) {
      button.setAttribute('aria-selected', String(name === tab));
    }
    this.row.reveal(this.tabs[tab]!);
    this.body.setAttribute('aria-labelledby', this.tabs[tab]!.id);
    this.fill();
  }

  dispose(): void {
    this.row.dispose();
    this.more.forEach(tab => tab.dispose());
  }

  refresh(state: State, previous: State): void {
    this.more.forEach(tab => tab.refresh(state, previous));
    if (this.own) {
      return;
    }
    if (this.tab === 'outline') {
      this.outline.refresh();
    } else if (this.tab === 'details' && (state.isolation !== previous.isolation || state.pathFrom !== previous.pathFrom)) {
      this.fill();
    } else if (this.tab === 'problems' ? state.problem !== previous.problem : state.selected !== previous.selected || state.learnt !== previous.learnt) {
      this.fill();
    }
  }

  get shown(): Tab {
    return this.tab;
  }

  /** How far what is shown is scrolled. */
  get scroll(): number {
    return this.body.scrollTop;
  }

  set scroll(to: number) {
    this.body.scrollTop = to;
  }

  private get own(): PaneTab | undefined {
    return this.more.find(tab => tab.name === this.tab);
  }

  private fill(): void {
    this.body.scrollTop = 0;
    if (this.own) {
      refill(this.body, this.own.element);
      this.own.shown();
      return;
    }
    switch (this.tab) {
      case 'details':
        refill(this.body, detailsView(this.store, this.host, {
          problem: at => {
            this.store.showProblem(at);
            this.show('problems');
          },
          toggle: this.toggle
        }));
        break;
      case 'problems':
        refill(this.body, problemsView(this.store, this.host));
        break;
      case 'outline':
        this.outline.refresh();
        refill(this.body, this.outline.element);
        break;
    }
  }

  private worst(): string {
    const severities = this.store.problems.map(problem => problem.severity);
    return `gradviz-sev-${severities.includes('error') ? 'error' : severities.includes('warning') ? 'warning' : 'note'}`;
  }
}
