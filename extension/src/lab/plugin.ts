/** The JupyterLab extension: a renderer for gradviz outputs that can edit the notebook it stands in. */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { MIME_TYPE } from '../protocol';
import type { Host } from '../view/host';
import { KernelWire } from './kernel';
import { LabNotebook } from './notebook';
import { GradvizOutput } from './renderer';

/** Before the widget manager's -10: the drawing from the message outlives the widget's model. */
const RANK = -20;

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gradviz:plugin',
  description: 'Draws the gradient graphs and error cards of gradviz.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, registry: IRenderMimeRegistry, tracker: INotebookTracker | null) => {
    const panelOf = (element: HTMLElement): NotebookPanel | null =>
      tracker?.find(candidate => candidate.node.contains(element)) ?? null;
    const hostOf = (element: HTMLElement): Host => ({
      notebook: () => {
        const panel = panelOf(element);
        return panel ? new LabNotebook(panel) : null;
      },
      wire: new KernelWire(() => panelOf(element))
    });
    registry.addFactory(
      {
        // Nothing of a message is ever run or parsed as markup, so untrusted notebooks may be drawn.
        safe: true,
        mimeTypes: [MIME_TYPE],
        createRenderer: () => new GradvizOutput(hostOf)
      },
      RANK
    );
  }
};

export default plugin;
