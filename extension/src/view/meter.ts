/** Widths of texts in the fonts the picture uses, and texts cut to a width. */
import { clip, columns } from '../text';

export interface Face {
  readonly size: number;
  readonly weight: number;
}

/** The faces of `graph.css`. */
export const FACES = {
  title: { size: 13, weight: 600 },
  small: { size: 11, weight: 400 },
  badge: { size: 10, weight: 400 },
  times: { size: 13, weight: 700 },
  mark: { size: 11, weight: 600 }
} as const satisfies Record<string, Face>;

const MOST_KEPT = 20_000;
const kept = new Map<string, number>();
let brush: CanvasRenderingContext2D | null | undefined;

export function textWidth(text: string, face: Face): number {
  const font = `${face.weight} ${face.size}px ${family()}`;
  const key = `${font}|${text}`;
  let width = kept.get(key);
  if (width === undefined) {
    if (kept.size > MOST_KEPT) {
      kept.clear();
    }
    brush ??= typeof document === 'undefined' ? null : document.createElement('canvas').getContext('2d');
    if (brush) {
      brush.font = font;
      width = brush.measureText(text).width;
    } else {
      width = columns(text) * face.size * 0.62;
    }
    kept.set(key, width);
  }
  return width;
}

/** The text, or as much of it as fits with an ellipsis. */
export function fitText(text: string, face: Face, room: number): string {
  let limit = Math.max(1, Math.ceil((room / face.size) * 3));
  let shown = clip(text, limit);
  while (limit > 1 && textWidth(shown, face) > room) {
    limit = Math.min(limit - 1, Math.floor((limit * room) / textWidth(shown, face)) + 1);
    shown = clip(text, limit);
  }
  return shown;
}

/** A dotted name, without as much of its beginning as has no room: its end tells it from its neighbours. */
export function fitName(name: string, face: Face, room: number): string {
  let shown = name;
  for (let dot = name.indexOf('.'); dot >= 0 && dot < 400 && textWidth(shown, face) > room; dot = name.indexOf('.', dot + 1)) {
    shown = `\u2026${name.slice(dot + 1)}`;
  }
  return fitText(shown, face, room);
}

/** The same choice of font as `theme.css` makes: outputs are measured before they are in the page. */
function family(): string {
  if (typeof document === 'undefined') {
    return 'sans-serif';
  }
  const style = getComputedStyle(document.documentElement);
  return (
    style.getPropertyValue('--jp-ui-font-family').trim() ||
    style.getPropertyValue('--vscode-font-family').trim() ||
    "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
  );
}
