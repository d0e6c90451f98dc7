/** One connection to a kernel that many views use: questions get numbers of its own, answers find their view again. */
import type { Line } from './channel';

/** What of a comm, or of a widget's model, is used here. */
export interface Comm {
  send(data: unknown, between: undefined, buffers: ArrayBuffer[]): unknown;
}

interface User {
  readonly received: (message: unknown, buffers: readonly DataView[]) => void;
  readonly closed: () => void;
}

export class SharedLine {
  private readonly users = new Set<User>();
  private readonly asked = new Map<number, { readonly user: User; readonly id: number }>();
  private readonly open: Promise<void>;
  private opened: () => void = () => undefined;
  private refused: (error: Error) => void = () => undefined;
  private isEnded = false;

  /**
   * `atEnd` is called once, when the connection is gone. Where a kernel answers to every page that looks at it, each
   * begins to count somewhere else.
   */
  constructor(
    private readonly comm: Comm,
    private readonly atEnd: () => void = () => undefined,
    private serial = Math.floor(Math.random() * 2 ** 40)
  ) {
    this.open = new Promise((resolve, reject) => {
      this.opened = resolve;
      this.refused = reject;
    });
    this.open.catch(() => undefined); // said to whoever joined
  }

  get ended(): boolean {
    return this.isEnded;
  }

  /** A view's own end of the connection, once the kernel has said that it is open. */
  async join(received: User['received'], closed: User['closed']): Promise<Line> {
    await this.open;
    const user: User = { received, closed };
    this.users.add(user);
    return {
      send: (question, buffers) => {
        if (this.isEnded) {
          throw new Error('The kernel is gone.');
        }
        const id = this.serial++;
        this.asked.set(id, { user, id: question.id });
        this.comm.send({ ...question, id, params: { ...question.params } }, undefined, [...buffers]);
      },
      close: () => {
        this.users.delete(user);
        for (const [id, known] of this.asked) {
          if (known.user === user) {
            this.asked.delete(id);
          }
        }
      }
    };
  }

  /** A message of the kernel: that it is open, or an answer. */
  receive(message: unknown, buffers: readonly DataView[]): void {
    this.opened();
    const id = (message as { readonly id?: unknown } | null)?.id;
    const known = typeof id === 'number' ? this.asked.get(id) : undefined;
    if (known) {
      this.asked.delete(id as number);
      known.user.received({ ...(message as object), id: known.id }, buffers);
    }
  }

  end(): void {
    if (this.isEnded) {
      return;
    }
    this.isEnded = true;
    this.refused(new Error('The kernel is gone.'));
    this.asked.clear();
    const users = [...this.users];
    this.users.clear();
    this.atEnd();
    users.forEach(user => user.closed());
  }
}
