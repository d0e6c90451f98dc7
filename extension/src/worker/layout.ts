/** The layout in a worker: one question, one answer; who loses interest ends the worker. */
import { layoutSteps, unpack, type Packed } from '../layout';

interface Scope {
  onmessage: ((event: { data: Packed }) => void) | null;
  postMessage(message: unknown): void;
}

const scope = globalThis as unknown as Scope;

scope.onmessage = ({ data }) => {
  const steps = layoutSteps(unpack(data));
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) {
      scope.postMessage({ layout: step.value });
      return;
    }
    scope.postMessage({ progress: step.value });
  }
};
