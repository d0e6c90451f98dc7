/** The way from an output in JupyterLab to the kernel of its notebook: one comm per view. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Line, Wire } from '../channel';
import { CHANNEL, type QuestionView } from '../protocol';

/** States of a kernel after which nothing it held is there any more. */
const ENDS = new Set(['restarting', 'autorestarting', 'terminating', 'dead']);

export class KernelWire implements Wire {
  constructor(private readonly panelOf: () => NotebookPanel | null) {}

  async open(received: (message: unknown, buffers: readonly DataView[]) => void, closed: () => void): Promise<Line> {
    const session = this.panelOf()?.sessionContext;
    const kernel = session?.session?.kernel;
    if (!session || !kernel) {
      throw new Error('This output stands in no notebook with a running kernel.');
    }
    const comm = kernel.createComm(CHANNEL);
    let open = true;
    const end = (): void => {
      if (open) {
        open = false;
        session.statusChanged.disconnect(onStatus);
        session.kernelChanged.disconnect(end);
        closed();
      }
    };
    const onStatus = (_: unknown, status: string): void => {
      if (ENDS.has(status)) {
        end();
      }
    };
    session.statusChanged.connect(onStatus);
    session.kernelChanged.connect(end);
    // A kernel without gradviz closes at once what it doesn't know.
    comm.onClose = end;
    comm.onMsg = message => {
      const buffers = (message.buffers ?? []).map(asView);
      received(message.content.data, buffers);
    };
    comm.open({});
    return {
      send: (question: QuestionView, buffers) => {
        if (!open) {
          throw new Error('The kernel is gone.');
        }
        comm.send({ ...question, params: { ...question.params } } as never, undefined, [...buffers]);
      },
      close: () => {
        if (open) {
          open = false;
          session.statusChanged.disconnect(onStatus);
          session.kernelChanged.disconnect(end);
          if (!comm.isDisposed) {
            comm.close();
          }
        }
      }
    };
  }
}

function asView(buffer: ArrayBuffer | ArrayBufferView): DataView {
  return ArrayBuffer.isView(buffer) ? new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength) : new DataView(buffer);
}
