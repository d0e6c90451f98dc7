/** Draws gradviz outputs in JupyterLab: from the message alone, so also untrusted and without a kernel. */
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { MIME_TYPE } from '../protocol';
import type { Host } from '../view/host';
import { Place } from '../view/place';

export class GradvizOutput extends Widget implements IRenderMime.IRenderer {
  private readonly place: Place;
  private readonly host: Host;
  private shown: unknown;

  constructor(hostOf: (element: HTMLElement) => Host) {
    super();
    this.addClass('gradviz-output');
    this.place = new Place(this.node);
    this.host = hostOf(this.node);
  }

  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const data = model.data[MIME_TYPE];
    // JupyterLab renders again when metadata or trust changes: keep what the person has selected.
    const text = JSON.stringify(data);
    if (text !== this.shown) {
      this.shown = text;
      this.place.show(data, this.host);
    }
    return Promise.resolve();
  }

  override dispose(): void {
    this.place.dispose();
    super.dispose();
  }
}
