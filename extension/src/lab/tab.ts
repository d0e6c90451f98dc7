/** One output of a notebook in a tab of its own, at full size. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Widget } from '@lumino/widgets';
import { clip, oneLine } from '../text';
import type { Place } from '../view/host';
import { Display } from './display';
import { Watch, type Entry } from './entries';
import { gradvizIcon } from './icon';

export class GraphTab extends Widget {
  private readonly display: Display;
  private readonly watch: Watch;

  constructor(notebook: NotebookPanel, readonly key: string, private readonly places: readonly Place[]) {
    super();
    this.id = tabId(notebook, key);
    this.addClass('gradviz-tab-view');
    this.node.tabIndex = -1;
    this.title.icon = gradvizIcon;
    this.title.closable = true;
    this.display = new Display(this.node);
    this.watch = new Watch(notebook, entries => this.refresh(entries));
  }

  private refresh(entries: readonly Entry[]): void {
    // While its cell runs there is no output: what was there stays until another one comes.
    const entry = entries.find(candidate => candidate.key === this.key);
    if (entry) {
      this.title.label = clip(oneLine(entry.title), 30);
      this.title.caption = `${clip(oneLine(entry.title), 120)} in ${this.watch.notebook.title.label}`;
      this.display.show(entry, this.watch.notebook, null, this.places);
    }
  }

  protected override onAfterShow(): void {
    this.watch.start();
  }

  protected override onAfterAttach(): void {
    if (this.isVisible) {
      this.watch.start();
    }
  }

  protected override onBeforeHide(): void {
    this.watch.stop();
  }

  protected override onBeforeDetach(): void {
    this.watch.stop();
  }

  protected override onActivateRequest(): void {
    this.node.focus({ preventScroll: true });
  }

  protected override onCloseRequest(): void {
    this.dispose();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.watch.stop();
      this.display.dispose();
      super.dispose();
    }
  }
}

export function tabId(notebook: NotebookPanel, key: string): string {
  return `gradviz-tab-${notebook.id}-${key}`.replace(/\W+/g, '-');
}
