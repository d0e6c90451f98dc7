/** An offered fix: what it does, the change line by line, and the button that does it. */
import type { FixView } from '../protocol';
import { clip, lines, oneLine } from '../text';
import { h, icon, prose, refill, rich, type Child, type Icon } from './dom';
import { copyText, type Applied, type Host } from './host';

const LONGEST_DIFF = 200;

export function fixView(fix: FixView, host: Host): HTMLElement {
  const actions = h('div', { class: 'gradviz-fix-actions' });
  const message = h('div', { class: 'gradviz-fix-message', role: 'status' });
  const offer = new FixOffer(fix, host, actions, message);
  offer.start();
  return h(
    'section',
    { class: 'gradviz-fix', 'aria-label': `Fix: ${clip(oneLine(fix.title), 120)}` },
    h(
      'div',
      { class: 'gradviz-fix-head' },
      h('span', { class: 'gradviz-fix-tag' }, 'Fix'),
      h('strong', {}, ...rich(clip(oneLine(fix.title), 160))),
      h(
        'span',
        {
          class: fix.verified ? 'gradviz-verified' : 'gradviz-unverified',
          title: fix.verified
            ? 'The patched code was run in a fresh namespace: the intended leaves get a gradient.'
            : 'Checked on the recorded graph only, not by running the patched code.'
        },
        fix.verified ? icon('check') : icon('note'),
        fix.verified ? 'verified by running it' : 'checked on the graph'
      )
    ),
    fix.explanation ? prose(clip(lines(fix.explanation), 1200)) : null,
    diffView(fix.diff),
    actions,
    message
  );
}

/** A unified diff: signs and colours say what goes and what comes. */
export function diffView(diff: string): HTMLElement {
  const all = lines(diff).split('\n').filter(line => !/^(---|\+\+\+) ?/.test(line));
  const body = h('code', { class: 'gradviz-diff-body' });
  for (const line of all.slice(0, LONGEST_DIFF)) {
    const sign = line[0] ?? ' ';
    if (sign === '@') {
      const start = /^@@ -(\d+)/.exec(line);
      body.append(h('span', { class: 'gradviz-diff-place' }, start ? `line ${start[1]}` : '\u2026'));
      continue;
    }
    const kind = sign === '+' ? 'add' : sign === '-' ? 'remove' : 'keep';
    body.append(
      h(
        'span',
        { class: `gradviz-diff-line gradviz-diff-${kind}` },
        h('span', { class: 'gradviz-diff-sign' }, sign === '+' ? '+' : sign === '-' ? '\u2212' : ' '),
        h('span', { class: 'gradviz-diff-text' }, clip(line.slice(1), 400))
      )
    );
  }
  if (all.length > LONGEST_DIFF) {
    body.append(h('span', { class: 'gradviz-diff-place' }, `\u2026 ${all.length - LONGEST_DIFF} more lines`));
  }
  return h('pre', { class: 'gradviz-diff', tabindex: '0', 'aria-label': 'What the fix changes' }, body);
}

/** The buttons of one fix, and what they lead to. */
class FixOffer {
  constructor(
    private readonly fix: FixView,
    private readonly host: Host,
    private readonly actions: HTMLElement,
    private readonly message: HTMLElement
  ) {}

  start(): void {
    const copy = button('copy', 'Copy patched code', () => void this.copy());
    if (!this.host.notebook) {
      copy.classList.add('gradviz-primary');
      refill(this.actions, copy);
      return;
    }
    const apply = button('check', 'Apply', () => this.apply(), 'Puts this change into the notebook cell');
    apply.classList.add('gradviz-primary', 'gradviz-apply');
    refill(this.actions, apply, copy);
  }

  private apply(): void {
    const notebook = this.host.notebook?.();
    if (!notebook) {
      this.say('bad', 'This output is not inside a notebook: copy the patched code instead.');
      return;
    }
    const result = notebook.apply(this.fix);
    if (!result.done) {
      this.say('bad', `Not applied: ${result.reason} Nothing was changed; you can copy the patched code.`);
      return;
    }
    this.applied(result);
  }

  private applied(result: Extract<Applied, { done: true }>): void {
    this.say('good', `Applied to ${result.where} - run the cell again.`);
    refill(
      this.actions,
      this.runButton('Run cell and below', true),
      this.runButton('Run', false),
      button('undo', 'Undo', () => this.undo(result))
    );
    this.actions.querySelector('button')?.focus();
  }

  private runButton(label: string, below: boolean): HTMLButtonElement {
    const made = button('run', label, () => {
      const notebook = this.host.notebook?.();
      notebook?.run(this.fix, below).catch((error: unknown) => {
        this.say('bad', `Could not run the cell: ${error instanceof Error ? error.message : String(error)}`);
      });
    });
    made.classList.toggle('gradviz-primary', below);
    return made;
  }

  private undo(result: Extract<Applied, { done: true }>): void {
    const undone = result.undo();
    if (undone.done) {
      this.start();
      this.say('good', `Undone: ${undone.where} is as it was.`);
      this.actions.querySelector('button')?.focus();
    } else {
      this.say('bad', undone.reason);
    }
  }

  private async copy(): Promise<void> {
    if (await copyText(this.fix.patched)) {
      this.say('good', 'Copied: paste it over the cell.');
      return;
    }
    const area = h('textarea', {
      class: 'gradviz-copy-area', readonly: true, rows: '6', 'aria-label': 'Patched code'
    });
    area.value = this.fix.patched;
    this.say('good', 'The clipboard is closed here: copy the code from this box.', area);
    area.focus();
    area.select();
  }

  private say(tone: 'good' | 'bad', text: string, ...more: Child[]): void {
    this.message.className = `gradviz-fix-message gradviz-${tone}`;
    refill(this.message, icon(tone === 'good' ? 'check' : 'warning'), h('span', {}, text), ...more);
  }
}

export function button(sign: Icon | null, label: string, onclick: () => void, title = ''): HTMLButtonElement {
  return h(
    'button',
    { type: 'button', class: 'gradviz-button', onclick, title: title || null },
    sign ? icon(sign) : null,
    h('span', {}, label)
  );
}
