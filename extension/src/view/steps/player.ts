/** Where a film of steps stands, and how it moves. Time is given from outside, so that it can be tested. */
export interface Clock {
  start(run: () => void, milliseconds: number): number;
  stop(timer: number): void;
}

const CLOCK: Clock = {
  start: (run, milliseconds) => window.setTimeout(run, milliseconds),
  stop: timer => clearTimeout(timer)
};

export const SPEEDS = [0.5, 1, 2, 4] as const;
const STEP_MS = 1200;

export class Player {
  private here = -1;
  private timer: number | null = null;
  private pace = 1;

  /** `at` is -1 before the first step; `changed` is called after every move. */
  constructor(readonly count: number, private readonly changed: () => void, private readonly clock: Clock = CLOCK) {}

  get at(): number {
    return this.here;
  }

  get playing(): boolean {
    return this.timer !== null;
  }

  get speed(): number {
    return this.pace;
  }

  set speed(speed: number) {
    this.pace = speed;
    if (this.playing) {
      this.wait();
    }
  }

  seek(at: number): void {
    this.pause();
    this.move(at);
  }

  step(by: number): void {
    this.seek(this.here + by);
  }

  toggle(): void {
    if (this.playing) {
      this.pause();
      this.changed();
    } else if (this.count > 0) {
      this.play();
    }
  }

  pause(): void {
    if (this.timer !== null) {
      this.clock.stop(this.timer);
      this.timer = null;
    }
  }

  private play(): void {
    this.wait();
    // From the end it begins anew; otherwise the next step comes at once, as an answer to the press.
    this.move(this.here >= this.count - 1 ? 0 : this.here + 1);
  }

  private wait(): void {
    this.pause();
    this.timer = this.clock.start(() => {
      this.timer = null;
      if (this.here < this.count - 1) {
        this.wait();
        this.move(this.here + 1);
      }
      if (this.here >= this.count - 1) {
        this.pause();
        this.changed();
      }
    }, STEP_MS / this.pace);
  }

  private move(at: number): void {
    this.here = Math.min(Math.max(Math.trunc(at), -1), this.count - 1);
    this.changed();
  }
}
