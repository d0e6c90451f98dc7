/** The anywidget module: one trait, `graph`, drawn by the shared view and drawn anew when it changes. */
import type { AnyModel } from '@anywidget/types';
import { mount } from '../view/mount';
import { ModelWire } from './wire';

interface Traits {
  graph: unknown;
}

function render({ model, el }: { model: AnyModel<Traits>; el: HTMLElement }): () => void {
  const host = { wire: new ModelWire(model) };
  let unmount = mount(el, model.get('graph'), host);
  const redraw = (): void => {
    unmount();
    unmount = mount(el, model.get('graph'), host);
  };
  model.on('change:graph', redraw);
  return () => {
    model.off('change:graph', redraw);
    unmount();
  };
}

export default { render };
