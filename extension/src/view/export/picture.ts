/** The picture as a file: everything that is unfolded, in the colours and fonts it has on the page. */
import type { Layout } from '../../layout';
import type { GraphStore } from '../../store';
import { clip, oneLine } from '../../text';
import { s } from '../dom';
import type { Paint } from '../overlay';
import { Scene } from '../scene';

/** Boxes that one picture can hold; more would be a file that nobody can open. */
export const MOST_BOXES = 4000;
const MARGIN = 14;
/** Pixels of a picture for each of the screen, where that many can be drawn. */
const SHARPNESS = 2;
const MOST_PIXELS = 60e6;
const LONGEST_SIDE = 16_000;

/** What a shape looks like, as attributes that stand in the file, each with the value that needs no saying. */
const LOOKS = {
  fill: 'rgb(0, 0, 0)', 'fill-opacity': '1', stroke: 'none', 'stroke-opacity': '1', 'stroke-width': '1px', 'stroke-dasharray': 'none',
  'stroke-linecap': 'butt', 'stroke-linejoin': 'miter', opacity: '1', 'font-size': '', 'font-weight': '400', 'font-style': 'normal',
  'text-anchor': 'start', 'letter-spacing': 'normal', 'paint-order': 'normal'
} as const;
const SHAPES = new Set(['path', 'rect', 'circle', 'line', 'text', 'tspan']);
const KEPT = new Set([
  'd', 'x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'r', 'rx', 'dx', 'width', 'height', 'transform', 'marker-end', 'id', 'viewBox',
  'refX', 'refY', 'markerWidth', 'markerHeight', 'orient', 'markerUnits'
]);

export interface Picture {
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

/** Draws the picture as SVG. `around` is where it would stand on the page, so that it gets the page's looks. */
export function pictureOf(around: HTMLElement, store: GraphStore, layout: Layout, overlay: Paint): Picture {
  const scene = new Scene(store, true);
  const canvas = s('svg', { class: 'gradviz-canvas' }, scene.root);
  const holder = document.createElement('div');
  holder.setAttribute('aria-hidden', 'true');
  holder.style.cssText = 'position:absolute;width:0;height:0;overflow:hidden';
  holder.append(canvas);
  around.append(holder);
  try {
    scene.paint(overlay);
    scene.show(layout);
    for (const part of canvas.querySelectorAll('.gradviz-selected, .gradviz-focused, .gradviz-related, .gradviz-link-on')) {
      part.classList.remove('gradviz-selected', 'gradviz-focused', 'gradviz-related', 'gradviz-link-on');
    }
    const { fontFamily } = getComputedStyle(canvas.querySelector('text') ?? canvas);
    const background = getComputedStyle(around).backgroundColor;
    const looks = [...canvas.querySelectorAll<SVGElement>('g, path, rect, circle, line, text, tspan, marker')].map(look);
    looks.forEach(apply => apply());
    // What is written on edges may stand out of the boxes: what is drawn is measured.
    const drawn = scene.root.getBBox();
    const [x, y] = [Math.floor(drawn.x) - MARGIN, Math.floor(drawn.y) - MARGIN];
    const [width, height] = [Math.ceil(drawn.width) + 2 * MARGIN, Math.ceil(drawn.height) + 2 * MARGIN];
    const picture = s(
      'svg',
      { xmlns: 'http://www.w3.org/2000/svg', viewBox: `${x} ${y} ${width} ${height}`, width, height, 'font-family': fontFamily },
      s('title', {}, clip(oneLine(store.graph.title || 'graph'), 200)),
      s('rect', { x, y, width, height, fill: background }),
      ...scene.root.childNodes
    );
    return { text: new XMLSerializer().serializeToString(picture), width, height };
  } finally {
    holder.remove();
  }
}

/** Reads how an element looks; what is returned writes it down. All is read first: each writing would cost a new reading. */
function look(element: SVGElement): () => void {
  const style = getComputedStyle(element);
  const isShape = SHAPES.has(element.localName);
  const unseen = style.opacity === '0' || style.display === 'none'
    || (isShape && element.localName !== 'tspan' && !paints(style.fill) && !paints(style.stroke));
  const found = Object.entries(LOOKS)
    .filter(([name]) => isShape || name === 'opacity')
    .map(([name, usual]) => [name, style.getPropertyValue(name), usual] as const)
    // A part of a text would take over what is not said of it.
    .filter(([name, value, usual]) => value !== '' && (value !== usual || (element.localName === 'tspan' && name !== 'opacity')))
    .filter(([name]) => element.localName === 'text' || element.localName === 'tspan' || !/^(font|text|letter)-/.test(name));
  return () => {
    if (unseen) {
      element.remove();
      return;
    }
    for (const name of element.getAttributeNames()) {
      if (!KEPT.has(name)) {
        element.removeAttribute(name);
      }
    }
    found.forEach(([name, value]) => element.setAttribute(name, value));
  };
}

function paints(colour: string): boolean {
  return colour !== 'none' && colour !== 'transparent' && colour !== 'rgba(0, 0, 0, 0)';
}

/** The picture in pixels: drawn by the browser, so with every sign that its fonts have. */
export async function pixelsOf({ text, width, height }: Picture): Promise<Blob> {
  const scale = Math.min(SHARPNESS, LONGEST_SIDE / Math.max(width, height), Math.sqrt(MOST_PIXELS / (width * height)));
  const address = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise<Blob>((resolve, reject) =>
      canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('This browser draws no picture of that size.'))), 'image/png'));
  } finally {
    URL.revokeObjectURL(address);
  }
}
