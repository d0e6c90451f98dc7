/** A notebook of JupyterLab as the view sees it: apply a fix to its cells, undo it, run them. */
import type { ICodeCellModel } from '@jupyterlab/cells';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import type { FixView } from '../protocol';
import type { Applied, Notebook } from '../view/host';
import { plan, type Replacement } from './edits';

interface Change {
  readonly model: ICodeCellModel;
  readonly before: string;
  readonly after: string;
}

export class LabNotebook implements Notebook {
  /** Cells a fix was put into, by fix: those are the ones to run. */
  private static readonly touched = new WeakMap<FixView, readonly ICodeCellModel[]>();

  constructor(private readonly panel: NotebookPanel) {}

  apply(fix: FixView): Applied {
    const models = this.codeCells();
    const fitting = plan(models.map(model => ({ id: model.id, source: model.sharedModel.getSource() })), fix.edits);
    if (!fitting.fits) {
      return { done: false, reason: fitting.reason };
    }
    const cells = [...new Set(fitting.replacements.map(replacement => models[replacement.cell]!))];
    if (this.panel.content.model?.readOnly || cells.some(model => model.getMetadata('editable') === false)) {
      return { done: false, reason: 'the cell is read-only.' };
    }
    const changes = cells.map(model => this.change(model, fitting.replacements.filter(r => models[r.cell] === model)));
    LabNotebook.touched.set(fix, cells);
    this.goTo(cells[0]!);
    return { done: true, where: this.name(cells), undo: () => this.undo(changes) };
  }

  async run(fix: FixView, below: boolean): Promise<void> {
    const { content, sessionContext } = this.panel;
    const [first] = LabNotebook.touched.get(fix) ?? [];
    if (!first || !this.goTo(first)) {
      throw new Error('the cell is no longer in the notebook.');
    }
    // Run-all-below starts at the active cell itself.
    await (below ? NotebookActions.runAllBelow(content, sessionContext) : NotebookActions.run(content, sessionContext));
  }

  private change(model: ICodeCellModel, replacements: readonly Replacement[]): Change {
    const { sharedModel } = model;
    const before = sharedModel.getSource();
    // One step of the editor's own history, so that Ctrl+Z takes back exactly this.
    stopCapturing(sharedModel);
    sharedModel.transact(() => {
      for (const { start, end, text } of replacements) {
        sharedModel.updateSource(start, end, text);
      }
    });
    stopCapturing(sharedModel);
    return { model, before, after: sharedModel.getSource() };
  }

  private undo(changes: readonly Change[]): Applied {
    if (changes.some(({ model, after }) => model.isDisposed || model.sharedModel.getSource() !== after)) {
      return { done: false, reason: "Not undone: the cell was edited after the fix. Use the editor's own undo." };
    }
    for (const { model, before, after } of changes) {
      model.sharedModel.undo();
      if (model.sharedModel.getSource() !== before) {
        // The history of the cell is gone or shared with other cells: put the text back by hand.
        model.sharedModel.updateSource(0, after.length, before);
      }
    }
    const models = changes.map(({ model }) => model);
    return { done: true, where: this.name(models), undo: () => ({ done: false, reason: 'Already undone.' }) };
  }

  private codeCells(): ICodeCellModel[] {
    return this.panel.content.widgets
      .map(cell => cell.model)
      .filter((model): model is ICodeCellModel => model.type === 'code');
  }

  private name(models: readonly ICodeCellModel[]): string {
    const labels = models.map(model => {
      const count = model.executionCount;
      return count === null || count === undefined ? 'the cell' : `cell [${count}]`;
    });
    return [...new Set(labels)].join(' and ');
  }

  private goTo(model: ICodeCellModel): boolean {
    const { content } = this.panel;
    const at = content.widgets.findIndex(cell => cell.model === model);
    if (at < 0) {
      return false;
    }
    content.deselectAll();
    content.activeCellIndex = at;
    return true;
  }
}

/** Closes the current step of the cell's history, where its history can be reached. */
function stopCapturing(sharedModel: object): void {
  const { undoManager } = sharedModel as { undoManager?: { stopCapturing?: () => void } | null };
  undoManager?.stopCapturing?.();
}
