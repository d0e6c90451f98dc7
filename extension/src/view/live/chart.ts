/** A column of numbers over the steps of a run, as a line that has gaps where there is no number. */
import { s } from '../dom';
import { finite, type Num } from '../values/numbers';

const WIDTH = 300;
const HEIGHT = 70;

export interface Line {
  readonly points: readonly (Num | null)[];
  readonly name: string;
  readonly strong: boolean;
}

/** Lines share one scale, logarithmic where asked: sizes differ by orders of magnitude. */
export function chart(steps: readonly number[], lines: readonly Line[], at: number, logarithmic: boolean, label: string): SVGSVGElement {
  const scaled = (value: Num | null): number | null => {
    if (!finite(value)) {
      return null;
    }
    return logarithmic ? (value > 0 ? Math.log10(value) : null) : value;
  };
  const all = lines.flatMap(line => line.points.map(scaled)).filter(value => value !== null);
  const low = Math.min(...all);
  const high = Math.max(...all);
  const first = steps[0] ?? 0;
  const span = Math.max((steps.at(-1) ?? 0) - first, 1);
  const x = (position: number): number => (((steps[position] ?? first) - first) / span) * WIDTH;
  const y = (value: number): number => HEIGHT - 3 - ((value - low) / Math.max(high - low, 1e-12)) * (HEIGHT - 6);
  const paths = lines.map(line => {
    let path = '';
    let drawing = false;
    line.points.forEach((point, position) => {
      const value = scaled(point);
      if (value !== null) {
        path += `${drawing ? 'L' : 'M'}${x(position).toFixed(1)} ${y(value).toFixed(1)}`;
      }
      drawing = value !== null;
    });
    return s('path', { class: `gradviz-chart-line ${line.strong ? 'gradviz-strong' : ''}`, d: path }, s('title', {}, line.name));
  });
  return s(
    'svg',
    { class: 'gradviz-chart', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
    ...paths,
    s('line', { class: 'gradviz-chart-at', x1: x(at), x2: x(at), y1: 0, y2: HEIGHT })
  );
}
