/**
 * The way from the outputs in JupyterLab to the kernel of their notebook: one comm for each kernel, which all views
 * share. JupyterLab hands comm messages to another thread of the kernel, where the kernel can have one: the comm is
 * opened there as well, so that views of a cell that runs for an hour are answered in that hour. Elsewhere it is opened
 * when the running cell is done. What is sent before it is open would be lost: so the kernel says when it is, and
 * nothing is sent before.
 */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Line, Wire } from '../channel';
import { CHANNEL } from '../protocol';
import { SharedLine, type Comm } from '../shared-line';

/** States of a kernel after which nothing it held is there any more. */
const ENDS = new Set(['restarting', 'autorestarting', 'terminating', 'dead']);

type Context = NotebookPanel['sessionContext'];
type Kernel = NonNullable<NonNullable<Context['session']>['kernel']>;

/** How long a second thread of the kernel is waited for. */
const THREAD_MS = 2000;

const lines = new WeakMap<Kernel, SharedLine>();

export class KernelWire implements Wire {
  constructor(private readonly panelOf: () => NotebookPanel | null) {}

  open(received: (message: unknown, buffers: readonly DataView[]) => void, closed: () => void): Promise<Line> {
    const session = this.panelOf()?.sessionContext;
    const kernel = session?.session?.kernel;
    if (!session || !kernel) {
      return Promise.reject(new Error('This output stands in no notebook with a running kernel.'));
    }
    let line = lines.get(kernel);
    if (!line || line.ended) {
      line = openLine(session, kernel);
      lines.set(kernel, line);
    }
    return line.join(received, closed);
  }
}

function openLine(session: Context, kernel: Kernel): SharedLine {
  const comm = kernel.createComm(CHANNEL);
  const line = new SharedLine(comm as unknown as Comm, () => {
    session.statusChanged.disconnect(onStatus);
    session.kernelChanged.disconnect(onChange);
  });
  const onStatus = (_: unknown, status: string): void => {
    if (ENDS.has(status)) {
      line.end();
    }
  };
  const onChange = (): void => line.end();
  session.statusChanged.connect(onStatus);
  session.kernelChanged.connect(onChange);
  // A kernel without gradviz closes at once what it doesn't know.
  comm.onClose = () => line.end();
  comm.onMsg = message => line.receive(message.content.data, (message.buffers ?? []).map(asView));
  void secondThread(kernel, comm).then(() => line.ended || comm.open({}));
  return line;
}

/** Until the thread beside the one that runs cells is there; at once where there will be none. */
async function secondThread(kernel: Kernel, comm: object): Promise<void> {
  await kernel.info;
  // Not known to JupyterLab before 4.4.
  const { subshellStarted, commsOverSubshells } = comm as { subshellStarted?: Promise<void>; commsOverSubshells?: string };
  const { supportsSubshells } = kernel as { supportsSubshells?: boolean };
  if (subshellStarted && supportsSubshells && commsOverSubshells !== 'disabled') {
    const late = new Promise<void>(resolve => setTimeout(resolve, THREAD_MS));
    await Promise.race([subshellStarted.catch(() => undefined), late]);
  }
}

function asView(buffer: ArrayBuffer | ArrayBufferView): DataView {
  return ArrayBuffer.isView(buffer) ? new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength) : new DataView(buffer);
}
