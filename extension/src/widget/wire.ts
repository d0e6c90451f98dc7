/** The way from anywidget views to their model in the kernel: custom messages, told apart by the view that asked. */
import type { AnyModel } from '@anywidget/types';
import type { Line, Wire } from '../channel';
import { SharedLine } from '../shared-line';

const lines = new WeakMap<object, SharedLine>();

export class ModelWire implements Wire {
  constructor(private readonly model: AnyModel) {}

  open(received: (message: unknown, buffers: readonly DataView[]) => void, closed: () => void): Promise<Line> {
    return lineOf(this.model).join(received, closed);
  }
}

/** A model may be shown in several places, and a pair of graphs asks twice: all of them hear every answer. */
function lineOf(model: AnyModel): SharedLine {
  const known = lines.get(model);
  if (known) {
    return known;
  }
  const line = new SharedLine(model as never);
  model.on('msg:custom', (message: unknown, buffers: readonly DataView[]) => line.receive(message, buffers));
  // The kernel opened this way itself, before there was anything to see.
  line.receive(null, []);
  lines.set(model, line);
  return line;
}
