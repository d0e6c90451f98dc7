/**
 * Questions to the kernel that drew a graph. Hosts supply a `Wire`; everything else here is the same in
 * JupyterLab and elsewhere. A view never depends on an answer: where nobody answers it goes on with what
 * its message holds, and says so.
 */
import { readAs } from './check';
import { CHANNEL_VERSION, type AnswerView, type QuestionView } from './protocol';

/** Whether questions are answered: at once, after the running cell, as far as answers were saved, not any more. */
export type Status = 'live' | 'busy' | 'saved' | 'offline';

/** A connection that is open. */
export interface Line {
  send(question: QuestionView, buffers: readonly ArrayBuffer[]): void;
  close(): void;
}

/** What the host knows of the way to its kernel. */
export interface Wire {
  /** There is no kernel: answers are those that were saved. */
  readonly saved?: boolean;
  /** Opens a line, or throws where there is none; `closed` is called at most once, when it is gone. */
  open(received: (message: unknown, buffers: readonly DataView[]) => void, closed: () => void): Line | Promise<Line>;
}

export interface Answer {
  readonly result: unknown;
  readonly buffers: readonly DataView[];
}

export class Refused extends Error {
  constructor(readonly code: string, message: string) {
    super(message);
  }
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Milliseconds after which an unanswered question means that the kernel has other things to do. */
const PATIENCE = 700;

export class Channel {
  private readonly waiting = new Map<number, Waiting>();
  private readonly listeners = new Set<(status: Status) => void>();
  private line: Promise<Line> | null = null;
  private now: Status;
  private serial = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly wire: Wire | null, private readonly key: string | null) {
    this.now = !wire || key === null ? 'offline' : wire.saved ? 'saved' : 'live';
  }

  /** Whether a kernel is there that can do something for the view. */
  get hasKernel(): boolean {
    return this.now === 'live' || this.now === 'busy';
  }

  get status(): Status {
    return this.now;
  }

  /** Calls back when the status changes; returns how to stop. */
  onStatus(listener: (status: Status) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The answer to a question; rejected with `Refused` where there is none. */
  async ask(method: string, params: Readonly<Record<string, unknown>> = {}, buffers: readonly ArrayBuffer[] = []): Promise<Answer> {
    if (this.now === 'offline' || this.key === null) {
      throw new Refused('offline', 'No kernel is there to ask.');
    }
    const graph = this.key;
    const id = this.serial++;
    const answered = new Promise<Answer>((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    // To be connected takes as long as the kernel is busy: that is waiting as well.
    this.expect();
    void this.connect()
      .then(line => {
        if (this.waiting.has(id)) {
          line.send({ version: CHANNEL_VERSION, id, method, graph, params }, buffers);
        }
      })
      .catch((error: unknown) => this.hangUp(error));
    return answered;
  }

  /** The same, with a result that must be a view of the protocol. */
  async askFor<T>(view: string, method: string, params: Readonly<Record<string, unknown>> = {}): Promise<T> {
    const { result } = await this.ask(method, params);
    try {
      return readAs<T>(view, result);
    } catch (error) {
      throw new Refused('malformed', error instanceof Error ? error.message : String(error));
    }
  }

  dispose(): void {
    this.listeners.clear();
    this.hangUp();
  }

  private connect(): Promise<Line> {
    this.line ??= Promise.resolve()
      .then(() => this.wire!.open((message, buffers) => this.receive(message, buffers), () => this.hangUp()));
    return this.line;
  }

  private receive(message: unknown, buffers: readonly DataView[]): void {
    let answer: AnswerView;
    try {
      answer = readAs<AnswerView>('AnswerView', message);
    } catch {
      return; // not of this protocol: nothing here waits for it
    }
    const known = this.waiting.get(answer.id);
    if (!known) {
      return;
    }
    this.waiting.delete(answer.id);
    this.expect();
    this.become('live');
    if (answer.refusal) {
      known.reject(new Refused(answer.refusal.code, answer.refusal.message));
      if (answer.refusal.code === 'gone') {
        this.hangUp();
      }
    } else {
      known.resolve({ result: answer.result, buffers });
    }
  }

  /** Starts to count the time, or stops where nothing is waited for. */
  private expect(): void {
    clearTimeout(this.timer);
    if (this.waiting.size > 0) {
      this.timer = setTimeout(() => this.become('busy'), PATIENCE);
    }
  }

  private hangUp(error: unknown = new Refused('offline', 'The kernel is gone.')): void {
    clearTimeout(this.timer);
    const { line } = this;
    this.line = null;
    void line?.then(open => open.close()).catch(() => undefined);
    const unanswered = [...this.waiting.values()];
    this.waiting.clear();
    this.become('offline');
    unanswered.forEach(({ reject }) => reject(refusal(error)));
  }

  private become(status: Status): void {
    if (status !== this.now && this.now !== 'offline' && (this.now !== 'saved' || status === 'offline')) {
      this.now = status;
      this.listeners.forEach(listener => listener(status));
    }
  }
}

function refusal(error: unknown): Refused {
  return error instanceof Refused ? error : new Refused('offline', error instanceof Error ? error.message : String(error));
}
