/** What somebody is in the middle of. While there is any of it, what is drawn stays as it is. */
export type Reason = 'pressed' | 'composing' | 'menu' | 'steps';

export class Hold {
  private readonly reasons = new Set<Reason>();

  /** `free` is called when the last reason has gone. */
  constructor(private readonly free: () => void) {}

  get held(): boolean {
    return this.reasons.size > 0;
  }

  set(reason: Reason, on: boolean): void {
    if (on) {
      this.reasons.add(reason);
    } else if (this.reasons.delete(reason) && !this.held) {
      this.free();
    }
  }

  /** A view goes: whatever was begun in it has ended. The pointer may still be down elsewhere. */
  forget(): void {
    for (const reason of [...this.reasons]) {
      if (reason !== 'pressed') {
        this.reasons.delete(reason);
      }
    }
  }
}
