/** The anywidget module: one trait, `graph`, drawn by the shared view and drawn anew when it changes. */
import type { AnyModel } from '@anywidget/types';
import { Place } from '../view/place';
import { ModelWire } from './wire';

interface Traits {
  graph: unknown;
}

function render({ model, el }: { model: AnyModel<Traits>; el: HTMLElement }): () => void {
  const place = new Place(el);
  const host = { wire: new ModelWire(model) };
  const draw = (): void => place.show(model.get('graph'), host);
  draw();
  model.on('change:graph', draw);
  return () => {
    model.off('change:graph', draw);
    place.dispose();
  };
}

export default { render };
