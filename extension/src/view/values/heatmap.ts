/** A slice of an array as a picture that can be read cell by cell, with axes and cuts for higher ranks. */
import { Refused } from '../../channel';
import type { PreviewView, StatisticsView } from '../../protocol';
import { h, s } from '../dom';
import { BAD, channelOf, colourOf, scaleOf, type Scale } from './colours';
import { finite, show, type Num } from './numbers';

export type AskSlice = (axes: readonly number[], index: readonly number[], colours: number) => Promise<PreviewView | null>;

/** Which part of an array is looked at, and what was seen there. */
export interface Slice {
  readonly axes: readonly number[];
  readonly index: readonly number[];
  readonly colours: number;
  readonly seen: PreviewView;
}

/** The slices of a node's value and gradient, for the view that takes this one's place. */
export type Slices = ReadonlyMap<'value' | 'gradient', Slice>;

const MOST_PIXELS = 232;
const NUMERIC: Readonly<Record<string, number>> = { nan: NaN, inf: Infinity, '-inf': -Infinity };

export class HeatMap {
  readonly element = h('figure', { class: 'gradviz-heat' });
  private readonly canvas = h('canvas', { class: 'gradviz-heat-map', tabindex: '0', role: 'img' });
  private readonly readout = h('output', { class: 'gradviz-heat-readout', 'aria-live': 'polite' });
  private readonly scale: Scale;
  private readonly range: readonly [number, number];
  private at: readonly [number, number] | null = null;
  private asked = 0;

  private readonly first: Slice | null;

  constructor(
    private preview: PreviewView,
    found: StatisticsView,
    private readonly ask: AskSlice,
    private readonly isDark: () => boolean,
    /** The slice to begin with, if it is one of such an array. */
    slice: Slice | null = null,
    private readonly chosen: (slice: Slice) => void = () => undefined
  ) {
    this.first = slice && String(slice.seen.shape) === String(preview.shape) ? slice : null;
    this.range = [finite(found.low) ? found.low : 0, finite(found.high) ? found.high : 0];
    this.scale = scaleOf(finite(found.low) ? found.low : 0, finite(found.high) ? found.high : 0);
    this.canvas.addEventListener('pointermove', event => {
      const box = this.canvas.getBoundingClientRect();
      const { rows, columns } = this.preview;
      this.point(
        Math.floor(((event.clientY - box.top) / Math.max(box.height, 1)) * rows),
        Math.floor(((event.clientX - box.left) / Math.max(box.width, 1)) * columns)
      );
    });
    this.canvas.addEventListener('keydown', event => this.onKey(event));
    this.element.append(...this.controls(), this.canvas, this.legend(), this.readout);
    if (this.first) {
      // What was seen there stands until this array's own slice is there.
      this.preview = this.first.seen;
      this.request(this.first.axes, this.first.index, this.first.colours);
    }
    this.draw();
  }

  private draw(): void {
    const { rows, columns, cells, colours } = this.preview;
    const dark = this.isDark();
    this.canvas.width = columns;
    this.canvas.height = rows;
    // Cells are square as far as the pane allows, and never taller than they are many.
    const side = Math.max(1, Math.min(18, MOST_PIXELS / Math.max(rows, columns)));
    this.canvas.style.width = `${Math.max(columns * side, columns > rows * 4 ? MOST_PIXELS : 18)}px`;
    this.canvas.style.height = `${Math.max(rows * side, 18)}px`;
    const context = this.canvas.getContext('2d');
    if (context) {
      const image = context.createImageData(Math.max(columns, 1), Math.max(rows, 1));
      if (colours === null) {
        cells.forEach((cell, at) => image.data.set([...colourOf(valueOf(cell), this.scale, dark), 255], at * 4));
      } else {
        for (let at = 0; at < rows * columns; at++) {
          const parts = [0, 1, 2].map(part => channelOf(valueOf(cells[at * 3 + part] ?? 0), this.range));
          image.data.set(parts.some(Number.isNaN) ? [...BAD, 255] : [...parts, 255], at * 4);
        }
      }
      context.putImageData(image, 0, 0);
    }
    const { steps, sampled } = this.preview;
    const averaged = steps[0] > 1 || steps[1] > 1;
    this.canvas.setAttribute('aria-label', `Heat map, ${rows} rows and ${columns} columns. Arrow keys read single cells.`);
    this.readout.textContent = averaged
      ? `Each cell is the average of ${steps[0]} by ${steps[1]} elements${sampled ? ', of which some were looked at' : ''}.`
      : 'Point at a cell, or use the arrow keys, to read its number.';
  }

  private point(row: number, column: number): void {
    const { rows, columns, cells, steps, axes, index, colours } = this.preview;
    const r = Math.min(Math.max(row, 0), rows - 1);
    const c = Math.min(Math.max(column, 0), columns - 1);
    this.at = [r, c];
    const place = [...index] as (number | string)[];
    const put = (axis: number | undefined, at: number, step: number): void => {
      if (axis !== undefined) {
        place[axis] = step > 1 ? `${at * step}\u2026` : at;
      }
    };
    put(axes.length === 2 ? axes[0] : undefined, r, steps[0]);
    put(axes.at(-1), c, steps[1]);
    const cell = r * columns + c;
    const said = colours === null ? [cells[cell]] : cells.slice(cell * 3, cell * 3 + 3);
    if (colours !== null) {
      place[colours] = '0\u20132';
    }
    this.readout.textContent = `[${place.join(', ')}] = ${said.map(value => show(value ?? null, 5)).join(', ')}`;
  }

  private onKey(event: KeyboardEvent): void {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step) {
      const [r, c] = this.at ?? [-step[0]!, -step[1]!];
      this.point(r + step[0]!, c + step[1]!);
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** Which axes are rows and columns, and where the others are cut; nothing for a matrix. */
  private controls(): HTMLElement[] {
    const { shape, axes, index } = this.preview;
    if (shape.length < 3) {
      return [];
    }
    const chosen = [...(this.first?.axes ?? axes)];
    const cut = [...(this.first?.index ?? index)];
    let colours = this.first?.colours ?? -1;
    const sliders = h('div', { class: 'gradviz-cuts' });
    const choose = (which: 0 | 1, label: string): HTMLElement => {
      const select = h(
        'select',
        { 'aria-label': `Axis shown as ${label}` },
        ...shape.map((length, axis) => h('option', { value: axis, selected: axis === chosen[which] }, `${axis} (${length})`))
      );
      select.addEventListener('change', () => {
        const axis = Number(select.value);
        if (axis === chosen[1 - which]) {
          chosen[1 - which] = chosen[which]!;
        }
        chosen[which] = axis;
        selects.forEach(({ select: other, at }) => (other.value = String(chosen[at])));
        fill();
        this.request(chosen, cut, colours);
      });
      selects.push({ select, at: which });
      return h('label', {}, `${label} `, select);
    };
    const selects: { select: HTMLSelectElement; at: 0 | 1 }[] = [];
    const fill = (): void => {
      sliders.replaceChildren(
        ...shape.flatMap((length, axis) => {
          if (chosen.includes(axis) || axis === colours || length < 2) {
            return [];
          }
          const said = h('span', { class: 'gradviz-cut-at' }, String(cut[axis]));
          const range = h('input', { type: 'range', min: 0, max: length - 1, value: cut[axis]!, 'aria-label': `Index along axis ${axis}` });
          range.addEventListener('input', () => {
            cut[axis] = Number(range.value);
            said.textContent = range.value;
            this.request(chosen, cut, colours);
          });
          return [h('label', {}, `axis ${axis} `, range, said)];
        })
      );
    };
    const row = h('div', { class: 'gradviz-axes' }, choose(0, 'rows'), choose(1, 'columns'));
    // Three of something that is neither rows nor columns may be red, green and blue.
    const three = shape.flatMap((length, axis) => (length === 3 ? [axis] : []));
    if (three.length > 0) {
      const toggle = h('input', { type: 'checkbox', checked: colours >= 0 });
      toggle.addEventListener('change', () => {
        const free = shape.map((_, axis) => axis);
        colours = toggle.checked ? three.find(axis => !chosen.includes(axis)) ?? three.at(-1)! : -1;
        if (chosen.includes(colours)) {
          // Channels last: the two axes before them are the picture.
          chosen.splice(0, 2, ...free.filter(axis => axis !== colours).slice(-2));
          selects.forEach(({ select, at }) => (select.value = String(chosen[at])));
        }
        fill();
        this.request(chosen, cut, colours);
      });
      row.append(h('label', {}, toggle, ' as colours'));
    }
    fill();
    return [row, sliders];
  }

  private request(axes: readonly number[], index: readonly number[], colours: number): void {
    const mine = ++this.asked;
    // Where an axis is shown it isn't cut: the same slice is the same question.
    const cut = index.map((at, axis) => (axes.includes(axis) || axis === colours ? 0 : at));
    const remember = (): void => this.chosen({ axes: [...axes], index: [...index], colours, seen: this.preview });
    remember(); // the next step of a loop may come before the answer
    this.ask([...axes], cut, colours).then(
      preview => {
        // Sliders ask faster than the kernel answers: only the last answer counts.
        if (preview && mine === this.asked) {
          this.preview = preview;
          remember();
          this.canvas.classList.remove('gradviz-heat-other');
          this.draw();
          if (this.at) {
            this.point(...this.at);
          }
        }
      },
      (error: unknown) => {
        if (mine === this.asked) {
          // What is still seen is another slice than that asked for.
          this.canvas.classList.add('gradviz-heat-other');
          this.readout.textContent = error instanceof Refused && error.code === 'unsaved' ? error.message : 'The kernel did not answer.';
        }
      }
    );
  }

  private legend(): Element {
    const stops = [0, 0.25, 0.5, 0.75, 1].map(part => {
      const value = this.scale.low + (this.scale.high - this.scale.low) * part;
      const [red, green, blue] = colourOf(value, this.scale, this.isDark());
      return s('rect', { x: part * 80, y: 0, width: 20, height: 8, fill: `rgb(${red} ${green} ${blue})` });
    });
    return h(
      'div',
      { class: 'gradviz-heat-scale', 'aria-hidden': 'true' },
      h('span', {}, show(this.scale.low, 3)),
      s('svg', { viewBox: '0 0 100 8', width: 100, height: 8 }, ...stops),
      h('span', {}, show(this.scale.high, 3))
    );
  }
}

function valueOf(cell: Num): number {
  return typeof cell === 'number' ? cell : NUMERIC[cell]!;
}
