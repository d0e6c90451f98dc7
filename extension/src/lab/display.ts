/** A place that shows one output of a notebook, and what it becomes when its cell is run again. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Host, Place } from '../view/host';
import { mount } from '../view/mount';
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
  private unmount: (() => void) | undefined;
  private showProblem: ((problem: number) => void) | undefined;

  constructor(private readonly element: HTMLElement) {
    element.classList.add('gradviz-fill');
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
    this.clear();
    this.entry = entry;
    this.unmount = mount(this.element, entry.data, {
      ...hostIn(() => notebook),
      places,
      choice: { first: problem, onChange: show => (this.showProblem = show) }
    });
  }

  clear(): void {
    this.unmount?.();
    this.unmount = this.showProblem = undefined;
    this.entry = null;
  }
}
