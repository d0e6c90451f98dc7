/**
 * When to look again at something that changes: soon after it has come to rest; now and then while it never rests, as
 * beside a loop that prints; and never so often that looking takes much of the page's time.
 */
export class Pace {
  static readonly REST_MS = 120;
  static readonly PATIENCE_MS = 300;
  /** After looking, this many times as long is spent on other things. */
  static readonly SHARE = 5;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** When the first change came that wasn't looked at yet. */
  private since: number | null = null;
  private free = 0;

  constructor(private readonly look: () => void, private readonly now: () => number = () => performance.now()) {}

  /** Something has changed. */
  changed(): void {
    const now = this.now();
    this.since ??= now;
    const due = Math.max(Math.min(now + Pace.REST_MS, this.since + Pace.PATIENCE_MS), this.free);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.run(), due - now);
  }

  /** Looks at once. */
  run(): void {
    this.stop();
    const begun = this.now();
    this.look();
    const ended = this.now();
    this.free = ended + Pace.SHARE * (ended - begun);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.since = null;
  }
}
