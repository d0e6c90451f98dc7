/** What a notebook shows of gradviz: its outputs that carry our message, each with its problems. */
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { INotebookModel, NotebookPanel } from '@jupyterlab/notebook';
import type { IOutputModel } from '@jupyterlab/rendermime';
import { readPayload } from '../check';
import { MIME_TYPE, type ProblemView } from '../protocol';
import { Pace } from './pace';

/** What is known of an output from its message alone. */
interface Said {
  readonly data: unknown;
  readonly title: string;
  /** How many nodes its graph has; null for what is no single graph. */
  readonly size: number | null;
  readonly problems: readonly ProblemView[];
}

export interface Entry extends Said {
  /** Stays the same when its cell is run again. */
  readonly key: string;
  /** Another one when its cell was run again. */
  readonly output: IOutputModel;
  readonly cell: ICodeCellModel;
}

export function entryKey(cell: string, at: number): string {
  return `${cell} ${at}`;
}

export function entriesOf(model: INotebookModel): Entry[] {
  const found: Entry[] = [];
  for (let at = 0; at < model.cells.length; at++) {
    const cell = model.cells.get(at);
    if (cell.type !== 'code') {
      continue;
    }
    const code = cell as ICodeCellModel;
    let ours = 0;
    for (let nth = 0; nth < code.outputs.length; nth++) {
      const output = code.outputs.get(nth);
      const said = saidBy(output);
      if (said) {
        found.push({ ...said, key: entryKey(cell.id, ours), output, cell: code });
        ours += 1;
      }
    }
  }
  return found;
}

/** An output's data is a copy each time it is asked for, so it is read once. */
const read = new WeakMap<IOutputModel, Said | null>();

function saidBy(output: IOutputModel): Said | null {
  let said = read.get(output);
  if (said === undefined) {
    const data = output.data[MIME_TYPE];
    said = data === undefined ? null : say(data);
    read.set(output, said);
  }
  return said;
}

function say(data: unknown): Said | null {
  const payload = readPayload(data);
  switch (payload.kind) {
    case 'graph': {
      const { title, problems, total_nodes: size } = payload.graph;
      return { data, title: title || 'graph', size, problems };
    }
    case 'pair': {
      const { before, after } = payload.pair;
      return { data, title: `${before.title} and ${after.title}`, size: null, problems: after.problems };
    }
    case 'card':
      return { data, title: 'Error', size: null, problems: [payload.card.problem] };
    case 'unreadable':
      return null;
  }
}

/** Looks at a notebook's outputs again after they changed: not at every keystroke, but also while a loop goes on. */
export class Watch {
  private readonly pace = new Pace(() => this.look());
  private on = false;

  constructor(readonly notebook: NotebookPanel, private readonly changed: (entries: readonly Entry[]) => void) {}

  start(): void {
    if (!this.on && !this.notebook.isDisposed) {
      this.on = true;
      this.notebook.context.model.contentChanged.connect(this.later, this);
      this.pace.run();
    }
  }

  stop(): void {
    this.pace.stop();
    if (this.on) {
      this.on = false;
      this.notebook.context.model.contentChanged.disconnect(this.later, this);
    }
  }

  private look(): void {
    this.changed(this.notebook.isDisposed ? [] : entriesOf(this.notebook.context.model));
  }

  private later(): void {
    this.pace.changed();
  }
}
