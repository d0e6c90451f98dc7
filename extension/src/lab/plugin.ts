/** The JupyterLab extension: a renderer for gradviz outputs that can edit the notebook it stands in, and the side panel. */
import { ILabShell, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { MIME_TYPE } from '../protocol';
import type { Host } from '../view/host';
import { hostIn } from './display';
import { GradvizOutput } from './renderer';
import { Rooms } from './rooms';

/** Before the widget manager's -10: the drawing from the message outlives the widget's model. */
const RANK = -20;

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gradviz:plugin',
  description: 'Draws the gradient graphs and error cards of gradviz, and lists them beside the notebook.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [INotebookTracker, ICommandPalette, ILabShell],
  activate: (
    app: JupyterFrontEnd,
    registry: IRenderMimeRegistry,
    tracker: INotebookTracker | null,
    palette: ICommandPalette | null,
    shell: ILabShell | null
  ) => {
    const notebookOf = (element: HTMLElement): NotebookPanel | null =>
      tracker?.find(candidate => candidate.node.contains(element)) ?? null;
    // Other shells than JupyterLab's hold one document and have no tabs for more.
    const rooms = tracker && new Rooms(app, tracker, shell !== null, palette);
    const hostOf = (element: HTMLElement): Host => ({
      ...hostIn(() => notebookOf(element)),
      places: rooms?.placesOf(() => notebookOf(element), element) ?? []
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
