/** How the elements of an array are spread, as bars; the words beside it say the same. */
import type { StatisticsView } from '../../protocol';
import { h, s } from '../dom';
import { finite, show } from './numbers';

const WIDTH = 240;
const HEIGHT = 54;

export function histogramView(found: StatisticsView): HTMLElement | null {
  const { bins, start, end } = found;
  if (bins.length === 0 || !finite(start) || !finite(end)) {
    return null;
  }
  const most = Math.max(...bins, 1);
  const step = WIDTH / bins.length;
  const bars = bins.map((count, at) => {
    // A single element among millions must still be seen.
    const height = count === 0 ? 0 : Math.max(1.5, (count / most) * HEIGHT);
    const from = start + ((end - start) * at) / bins.length;
    const to = start + ((end - start) * (at + 1)) / bins.length;
    const range = found.whole ? show((from + to) / 2) : `${show(from)} to ${show(to)}`;
    return s(
      'rect',
      { class: 'gradviz-bar', x: (at * step).toFixed(2), y: (HEIGHT - height).toFixed(2), width: Math.max(step - 0.7, 0.5).toFixed(2), height: height.toFixed(2) },
      s('title', {}, `${range}: ${count.toLocaleString('en')}`)
    );
  });
  const zero = start < 0 && end > 0 ? (WIDTH * -start) / (end - start) : null;
  const picture = s(
    'svg',
    {
      class: 'gradviz-histogram', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img',
      'aria-label': `Histogram of ${found.finite.toLocaleString('en')} finite elements from ${show(found.low)} to ${show(found.high)}`
    },
    zero === null ? null : s('line', { class: 'gradviz-zero', x1: zero, x2: zero, y1: 0, y2: HEIGHT }),
    ...bars
  );
  return h(
    'figure',
    { class: 'gradviz-spread' },
    picture,
    h('figcaption', {}, h('span', {}, show(found.low)), h('span', {}, show(found.high)))
  );
}
