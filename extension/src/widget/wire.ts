/** The way from an anywidget view to its model in the kernel: custom messages of the widget. */
import type { AnyModel } from '@anywidget/types';
import type { Line, Wire } from '../channel';

export class ModelWire implements Wire {
  constructor(private readonly model: AnyModel) {}

  open(received: (message: unknown, buffers: readonly DataView[]) => void): Line {
    const hear = (message: unknown, buffers: readonly DataView[]): void => received(message, buffers);
    this.model.on('msg:custom', hear);
    return {
      send: (question, buffers) => this.model.send(question, undefined, [...buffers]),
      close: () => this.model.off('msg:custom', hear)
    };
  }
}
