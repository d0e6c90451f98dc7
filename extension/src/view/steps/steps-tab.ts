/** Plays a backward pass: the engine's own steps, one by one, in the picture and in words. */
import { Refused, type Channel } from '../../channel';
import type { StepsView } from '../../protocol';
import type { GraphStore } from '../../store';
import { clip } from '../../text';
import { h, icon, prose, refill, type Icon } from '../dom';
import { NOTHING, type Paint } from '../overlay';
import type { PaneTab } from '../tab';
import { roving } from '../toolbar';
import { bytes } from '../values/numbers';
import { asking, quiet } from '../values/value-tab';
import { titleOf } from '../words';
import { paintOfStep } from './paint';
import { Player, SPEEDS } from './player';
import { stepView } from './step-view';

const STAYS = 'While this tab is open, the view stays at this step, also when the run goes on.';
const FREED = 'Each step of a loop frees what it saved for its backward pass. To play one, run it as `steps = gv.trace_backward(loss)` and give it: `view.update(loss, steps=steps)`.';

export class StepsTab implements PaneTab {
  readonly name = 'steps';
  readonly label = 'Steps';
  readonly element = h('div', { class: 'gradviz-steps' });
  private readonly said = h('div', { class: 'gradviz-step-count', role: 'status' });
  private readonly body = h('div', { class: 'gradviz-step-body', tabindex: '0', role: 'group', 'aria-label': 'The step: arrow keys go on and back, space plays' });
  private film: StepsView | null;
  private player: Player | null = null;
  private refreshControls: () => void = () => undefined;
  private asking = false;
  private visible = false;

  constructor(
    private readonly store: GraphStore,
    private readonly channel: Channel,
    private readonly paint: (paint: Paint) => void,
    private readonly choose: (id: string, keepTab: boolean) => void,
    /** Told whether somebody is stepping through this very graph. */
    private readonly hold: (on: boolean) => void
  ) {
    this.film = store.graph.extras?.steps ?? null;
    this.element.addEventListener('keydown', event => this.onKey(event));
  }

  shown(): void {
    this.visible = true;
    if (this.player) {
      this.hold(this.store.isStep);
      this.show();
    } else if (this.film) {
      this.load(this.film);
    } else if (!this.asking) {
      void this.ask();
    }
  }

  hidden(): void {
    this.player?.pause();
    this.refreshControls();
    this.paint(NOTHING);
    this.visible = false;
    this.hold(false);
  }

  refresh(): void {}

  dispose(): void {
    this.player?.pause();
  }

  private async ask(): Promise<void> {
    this.asking = true;
    refill(this.element, this.store.isStep ? prose(FREED) : asking(this.channel));
    try {
      this.load(await this.channel.askFor<StepsView>('StepsView', 'steps'));
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      if (!this.store.isStep) {
        refill(this.element, quiet(error));
      }
    }
    this.asking = false;
  }

  private load(film: StepsView): void {
    this.film = film;
    this.hold(this.visible && this.store.isStep);
    const player = (this.player = new Player(film.steps.length, () => this.show()));
    const more = film.total > film.steps.length ? `, the first ${film.steps.length} are told` : '';
    refill(
      this.element,
      h('p', { class: 'gradviz-muted' },
        `${film.total.toLocaleString('en')} step${film.total === 1 ? '' : 's'}${more}. `
        + (film.retained ? 'The graph was kept, so nothing is freed.' : 'Each step frees what was saved for it.')),
      this.store.isStep && this.channel.hasKernel ? h('p', { class: 'gradviz-muted' }, STAYS) : null,
      this.controls(player, film),
      this.said,
      this.body
    );
    player.seek(0);
  }

  private controls(player: Player, film: StepsView): HTMLElement {
    const button = (sign: Icon, label: string, run: () => void): HTMLButtonElement =>
      h('button', { type: 'button', class: 'gradviz-icon-button', title: label, 'aria-label': label, onclick: run }, icon(sign));
    const play = button('run', 'Play', () => player.toggle());
    const buttons = [
      button('first', 'To the first step (Home)', () => player.seek(0)),
      button('previous', 'One step back (left arrow)', () => player.step(-1)),
      play,
      button('next', 'One step on (right arrow)', () => player.step(1)),
      button('last', 'To the last step (End)', () => player.seek(player.count - 1))
    ];
    const slider = h('input', { type: 'range', class: 'gradviz-scrub', min: 0, max: Math.max(player.count - 1, 0), 'aria-label': 'Step' });
    slider.addEventListener('input', () => player.seek(Number(slider.value)));
    const speed = h('select', { 'aria-label': 'Speed' }, ...SPEEDS.map(value => h('option', { value, selected: value === 1 }, `${value}\u00d7`)));
    speed.addEventListener('change', () => (player.speed = Number(speed.value)));
    const tape = h('div', { class: 'gradviz-tape-bar' });
    const tapeText = h('span', { class: 'gradviz-muted' });
    this.refreshControls = () => {
      const step = film.steps[player.at];
      slider.value = String(Math.max(player.at, 0));
      slider.setAttribute('aria-valuetext', `step ${player.at + 1} of ${player.count}`);
      const label = player.playing ? 'Pause (space)' : 'Play (space)';
      play.title = label;
      play.setAttribute('aria-label', label);
      play.replaceChildren(icon(player.playing ? 'pause' : 'run'));
      tape.style.width = `${(100 * (step?.tape_bytes ?? 0)) / Math.max(film.tape_bytes, 1)}%`;
      tapeText.textContent = step
        ? `${bytes(step.tape_bytes)} still saved; this step gives ${bytes(step.freed_bytes)} back; ${step.waiting} gradient${step.waiting === 1 ? '' : 's'} waiting`
        : '';
    };
    return h(
      'div',
      { class: 'gradviz-player' },
      h('div', { class: 'gradviz-player-row' },
        roving(h('div', { class: 'gradviz-buttons', role: 'toolbar', 'aria-label': 'Play the backward pass' }, ...buttons), buttons), slider, speed),
      h('div', { class: 'gradviz-tape', title: 'What the forward pass saved and the steps to come still need' },
        h('div', { class: 'gradviz-tape-track', 'aria-hidden': 'true' }, tape), tapeText)
    );
  }

  private show(): void {
    const { film, player } = this;
    if (!film || !player) {
      return;
    }
    this.refreshControls();
    const step = film.steps[player.at];
    this.paint(paintOfStep(film, player.at));
    if (!step) {
      refill(this.body);
      this.said.textContent = '';
      return;
    }
    const nameOf = (id: string): string => {
      const known = this.store.node(id);
      return known ? titleOf(known) : id;
    };
    this.said.textContent = `Step ${player.at + 1} of ${film.total}: ${clip(nameOf(step.node), 60)}`;
    const inside = this.body.contains(document.activeElement);
    refill(this.body, ...stepView(film, step, nameOf, id => this.choose(id, false)));
    if (inside) {
      this.body.focus({ preventScroll: true }); // what had the focus is gone: the keys go on working
    }
    this.choose(step.node, true);
  }

  private onKey(event: KeyboardEvent): void {
    const { player } = this;
    const target = event.target as Element;
    if (!player || target.matches('input, select') || (event.key === ' ' && target.matches('button'))) {
      return;
    }
    const run = {
      ' ': () => player.toggle(), ArrowRight: () => player.step(1), ArrowLeft: () => player.step(-1),
      Home: () => player.seek(0), End: () => player.seek(player.count - 1)
    }[event.key];
    // The row of buttons moves its own focus with the arrows.
    if (run && !(event.key.startsWith('Arrow') && target.closest('.gradviz-buttons'))) {
      run();
      event.preventDefault();
      event.stopPropagation();
    }
  }
}
