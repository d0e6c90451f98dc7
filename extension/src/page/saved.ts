/** Answers that stand in the page: a way to nobody, which knows some of the answers by itself. */
import type { Line, Wire } from '../channel';
import { readAs } from '../check';
import { inflate } from '../model/decode';
import { CHANNEL_VERSION, type AnswerView, type SavedAnswerView } from '../protocol';

const NOTHING = 'This file was saved without numbers.';
const LEFT_OUT: Readonly<Record<string, string>> = {
  preview: 'This slice is not saved in this file.',
  steps: 'The steps of backward are not saved in this file.'
};
const OTHER = 'These numbers are not saved in this file.';

type Asked = Pick<SavedAnswerView, 'graph' | 'method' | 'params'>;

export class SavedWire implements Wire {
  readonly saved = true;
  private known: Promise<ReadonlyMap<string, SavedAnswerView>> | null = null;

  /** `text` is what `gradviz.render.saved` wrote: base 64, compressed; empty where there are no answers. */
  constructor(private readonly text: string) {}

  async open(received: (message: unknown, buffers: readonly DataView[]) => void): Promise<Line> {
    const known = await (this.known ??= read(this.text));
    return {
      send: question => {
        const found = known.get(keyOf(question));
        const refusal = found
          ? found.refusal
          : { code: 'unsaved' as const, message: known.size === 0 ? NOTHING : LEFT_OUT[question.method] ?? OTHER };
        const answer: AnswerView = { version: CHANNEL_VERSION, id: question.id, result: found?.result ?? null, refusal };
        // Whoever asks is not answered before they have asked.
        queueMicrotask(() => received(answer, []));
      },
      close: () => undefined
    };
  }
}

/** The answers by what is asked; of a text that can't be read there are none. */
async function read(text: string): Promise<ReadonlyMap<string, SavedAnswerView>> {
  if (text === '') {
    return new Map();
  }
  try {
    const bytes = await inflate(text);
    const list: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const answers = Array.isArray(list) ? list.map(item => readAs<SavedAnswerView>('SavedAnswerView', item)) : [];
    return new Map(answers.map(answer => [keyOf(answer), answer]));
  } catch {
    return new Map();
  }
}

function keyOf({ graph, method, params }: Asked): string {
  const names = Object.keys(params).sort();
  return JSON.stringify([graph, method, names.map(name => [name, params[name]])]);
}
