/** Draws gradviz outputs in JupyterLab: from the message alone, so also untrusted and without a kernel. */
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { MIME_TYPE } from '../protocol';
import type { Host } from '../view/host';
import { mount } from '../view/mount';

export class GradvizOutput extends Widget implements IRenderMime.IRenderer {
  private unmount: (() => void) | undefined;
  private shown: unknown;

  constructor(private readonly hostOf: (element: HTMLElement) => Host) {
    super();
    this.addClass('gradviz-output');
  }

  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const data = model.data[MIME_TYPE];
    // JupyterLab renders again when metadata or trust changes: keep what the person has selected.
    const text = JSON.stringify(data);
    if (text !== this.shown) {
      // What takes the place of a drawing that is followed must not make the page jump.
      this.node.style.minHeight = this.unmount ? `${this.node.offsetHeight}px` : '';
      this.unmount?.();
      this.shown = text;
      this.unmount = mount(this.node, data, this.hostOf(this.node));
      requestAnimationFrame(() => (this.node.style.minHeight = ''));
    }
    return Promise.resolve();
  }

  override dispose(): void {
    this.unmount?.();
    this.unmount = undefined;
    super.dispose();
  }
}
