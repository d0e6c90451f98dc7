/** The sign of gradviz in JupyterLab: a node whose gradient flows back. */
import { LabIcon } from '@jupyterlab/ui-components';

export const gradvizIcon = new LabIcon({
  name: 'gradviz:graph',
  svgstr: '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">'
    + '<g class="jp-icon3 jp-icon-selectable" fill="#616161">'
    + '<path d="M1.6 2h12.8L8 14.2zm2.5 1.5L8 11l3.9-7.5z" fill-rule="evenodd"/></g></svg>'
});
