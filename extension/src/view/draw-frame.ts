/** The frame of an unfolded branch and its name, which folds it again. */
import type { Band } from '../layout';
import type { GraphStore } from '../store';
import { oneLine } from '../text';
import { branchTitle, kindBefore, timesText } from './branch-words';
import { iconAt, s } from './dom';
import { FACES, fitText, textWidth } from './meter';

/** The frame, and its head where it has one: links run over frames, but behind their names. */
export function drawFrame(store: GraphStore, band: Band): { frame: SVGGElement; head: SVGGElement | null } {
  const { x, y, width, height, group: branch } = band;
  const { kind } = store.branch(branch);
  const path = [...store.around(branch)].map(at => oneLine(branchTitle(store, at))).join(' \u203a ');
  const title = `${kindBefore(store, branch)}${path}`;
  const frame = s('g', {}, s('rect', {
    class: `gradviz-band-box gradviz-band-${kind} gradviz-band-depth-${band.depth % 2}`, x, y, width, height, rx: 8
  }, s('title', {}, title)));
  if (!band.first) {
    return { frame, head: null };
  }
  const times = timesText(store, branch);
  const room = Math.max(24, width - 44 - (times ? textWidth(times, FACES.mark) + 6 : 0));
  const text = fitText(branchTitle(store, branch), FACES.small, room);
  const wide = 26 + textWidth(text, FACES.small) + (times ? textWidth(times, FACES.mark) + 8 : 2);
  const head = s('g', { class: 'gradviz-band-head', 'data-branch': String(branch), transform: `translate(${x + 4} ${y + 3})` });
  head.append(s('title', {}, `${title}: fold`));
  head.append(s('rect', { class: 'gradviz-band-reach', width: wide, height: 18, rx: 5 }));
  head.append(iconAt('minus', 11, 9, 10));
  head.append(s('text', { class: 'gradviz-band-text', x: 21, y: 12.8 }, text,
    times ? s('tspan', { class: 'gradviz-band-times', dx: 6 }, times) : null));
  return { frame, head };
}
