/** Where explorers can be besides their outputs: the side panel and tabs; and the commands that lead there. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';
import type { Place } from '../view/host';
import { entryKey } from './entries';
import { SidePanel } from './panel';
import { GraphTab, tabId } from './tab';

const CATEGORY = 'Gradviz';
const RANK = 620;

export class Rooms {
  private readonly panel: SidePanel;
  private readonly tabs = new Map<string, Widget>();

  constructor(
    private readonly app: JupyterFrontEnd,
    tracker: INotebookTracker,
    private readonly hasTabs: boolean,
    palette: ICommandPalette | null
  ) {
    this.panel = new SidePanel(tracker, (entry, notebook) => this.tabPlace(() => this.openTab(notebook, entry.key)));
    app.shell.add(this.panel, 'right', { rank: RANK });
    this.addCommands(palette);
  }

  /** The places for the output that is drawn in an element. */
  placesOf(notebookOf: () => NotebookPanel | null, element: HTMLElement): readonly Place[] {
    const go = (open: (notebook: NotebookPanel, key: string) => void) => (): void => {
      const notebook = notebookOf();
      const key = notebook && keyOf(notebook, element);
      if (notebook && key !== null) {
        open(notebook, key);
      }
    };
    return [
      { icon: 'aside', label: 'Open in the side panel', open: go((_, key) => this.openAside(key)) },
      ...this.tabPlace(go((notebook, key) => this.openTab(notebook, key)))
    ];
  }

  private tabPlace(open: () => void): readonly Place[] {
    return this.hasTabs ? [{ icon: 'window', label: 'Open in a tab', open }] : [];
  }

  private openAside(key: string): void {
    this.show();
    this.panel.open(key);
  }

  private openTab(notebook: NotebookPanel, key: string): void {
    const id = tabId(notebook, key);
    let tab = this.tabs.get(id);
    if (!tab || tab.isDisposed) {
      const aside: Place = { icon: 'aside', label: 'Open in the side panel', open: () => {
        this.app.shell.activateById(notebook.id);
        this.openAside(key);
      } };
      tab = new GraphTab(notebook, key, [aside]);
      this.tabs.set(id, tab);
      tab.disposed.connect(() => this.tabs.delete(id));
      this.app.shell.add(tab, 'main', { ref: notebook.id, mode: 'tab-after' });
    }
    this.app.shell.activateById(id);
  }

  private show(): void {
    this.app.shell.activateById(this.panel.id);
  }

  private addCommands(palette: ICommandPalette | null): void {
    const commands = [
      ['gradviz:show-panel', 'Show panel', () => this.show()],
      ['gradviz:next-problem', 'Next problem', () => this.step(1)],
      ['gradviz:previous-problem', 'Previous problem', () => this.step(-1)]
    ] as const;
    for (const [command, label, execute] of commands) {
      this.app.commands.addCommand(command, { label: `${CATEGORY}: ${label}`, execute });
      palette?.addItem({ command, category: CATEGORY });
    }
  }

  private step(by: 1 | -1): void {
    this.show();
    this.panel.step(by);
  }
}

/** Which of the cell's outputs an element draws; null for one that stands in no cell. */
function keyOf(notebook: NotebookPanel, element: HTMLElement): string | null {
  const cell = notebook.content.widgets.find(candidate => candidate.node.contains(element));
  const at = cell ? [...cell.node.querySelectorAll('.gradviz-output')].indexOf(element) : -1;
  return cell && at >= 0 ? entryKey(cell.model.id, at) : null;
}
