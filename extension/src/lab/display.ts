/** A place that shows one output of a notebook, and what it becomes when its cell is run again. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Host, Place } from '../view/host';
import { Place as InPlace } from '../view/place';
import type { Entry } from './entries';
import { KernelWire } from './kernel';
import { LabNotebook } from './notebook';

/** What a view can do in a notebook, which is asked for when it is needed. */
export function hostIn(notebookOf: () => NotebookPanel | null): Host {
  return {
    notebook: () => {
      const notebook = notebookOf();
      return notebook && !notebook.isDisposed ? new LabNotebook(notebook) : null;
    },
    wire: new KernelWire(notebookOf)
  };
}

export class Display {
  private entry: Entry | null = null;
  private readonly place: InPlace;
  private showProblem: ((problem: number) => void) | undefined;

  constructor(element: HTMLElement) {
    element.classList.add('gradviz-fill');
    this.place = new InPlace(element);
  }

  get shown(): Entry | null {
    return this.entry;
  }

  /** Draws an entry unless it is what is drawn, and goes to one of its problems where one is given. */
  show(entry: Entry, notebook: NotebookPanel, problem: number | null, places: readonly Place[] = []): void {
    if (this.entry?.output === entry.output) {
      if (problem !== null) {
        this.showProblem?.(problem);
      }
      return;
    }
    const again = this.entry?.key === entry.key;
    this.entry = entry;
    if (!again) {
      this.place.clear(); // another graph was asked for: nothing of this one holds it up
    }
    this.place.show(entry.data, {
      ...hostIn(() => notebook),
      places,
      choice: { first: problem, again, onChange: show => (this.showProblem = show) }
    });
  }

  clear(): void {
    this.place.clear();
    this.showProblem = undefined;
    this.entry = null;
  }

  dispose(): void {
    this.clear();
    this.place.dispose();
  }
}
