/**
 * Runs layouts: small ones at once, large ones in a worker, and where a page allows no worker, in steps with
 * pauses between. One at a time; a new one ends the one before.
 */
import { layout, layoutSteps, pack, type Layout, type LayoutInput } from '../layout';
import source from '../worker/layout.ts?worker';

/** Items that are placed before anybody could notice. */
const AT_ONCE = 700;

export interface Course {
  /** How much is done, from 0 to 1. */
  progress(done: number): void;
  ready(layout: Layout): void;
}

export class Arranger {
  private worker: Worker | null = null;
  private ticket = 0;
  private refused = false;

  /** Places items; returns whether it was done at once. */
  arrange(input: LayoutInput, course: Course): boolean {
    this.cancel();
    if (input.count <= AT_ONCE) {
      course.ready(layout(input));
      return true;
    }
    course.progress(0);
    if (this.refused || !this.inWorker(input, course)) {
      void this.inSteps(input, course);
    }
    return false;
  }

  cancel(): void {
    this.ticket += 1;
    this.worker?.terminate();
    this.worker = null;
  }

  private inWorker(input: LayoutInput, course: Course): boolean {
    const ticket = this.ticket;
    const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    try {
      const worker = new Worker(address);
      this.worker = worker;
      worker.onmessage = ({ data }: MessageEvent<{ progress?: number; layout?: Layout }>) => {
        if (ticket !== this.ticket) {
          return;
        }
        if (data.layout) {
          worker.terminate();
          this.worker = null;
          course.ready(data.layout);
        } else {
          course.progress(data.progress ?? 0);
        }
      };
      // A page's security policy may forbid the script: that is told late, as an error.
      worker.onerror = event => {
        event.preventDefault();
        worker.terminate();
        this.refused = true;
        if (ticket === this.ticket) {
          this.worker = null;
          void this.inSteps(input, course);
        }
      };
      worker.postMessage(pack(input));
      return true;
    } catch {
      this.refused = true;
      return false;
    } finally {
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    }
  }

  private async inSteps(input: LayoutInput, course: Course): Promise<void> {
    const ticket = this.ticket;
    const steps = layoutSteps(input);
    for (;;) {
      await new Promise(resolve => setTimeout(resolve, 0));
      if (ticket !== this.ticket) {
        return;
      }
      const step = steps.next();
      if (step.done) {
        course.ready(step.value);
        return;
      }
      course.progress(step.value);
    }
  }
}
