/** Colours of a heat map: two hues around zero where both signs occur, one hue otherwise. */
export type Rgb = readonly [number, number, number];

export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly diverging: boolean;
}

export function scaleOf(low: number, high: number): Scale {
  if (low < 0 && high > 0) {
    const reach = Math.max(-low, high);
    return { low: -reach, high: reach, diverging: true };
  }
  return { low, high, diverging: false };
}

/** What is no number: a colour that no scale has. */
export const BAD: Rgb = [214, 0, 147];

const LIGHT = { middle: [247, 247, 247], below: [5, 92, 160], above: [178, 74, 0] } as const;
const DARK = { middle: [36, 39, 46], below: [108, 182, 242], above: [255, 160, 92] } as const;

export function colourOf(value: number, scale: Scale, dark: boolean): Rgb {
  if (!Number.isFinite(value)) {
    return BAD;
  }
  const { middle, below, above } = dark ? DARK : LIGHT;
  const span = scale.high - scale.low || 1;
  const part = Math.min(Math.max((value - scale.low) / span, 0), 1);
  if (scale.diverging) {
    return part < 0.5 ? mix(middle, below, 1 - 2 * part) : mix(middle, above, 2 * part - 1);
  }
  // Negative numbers alone keep the hue they have beside positive ones.
  return scale.high <= 0 && scale.low < 0 ? mix(middle, below, 1 - part) : mix(middle, above, part);
}

/** A red, green or blue part, 0 to 255; images come as 0 to 255, as 0 to 1, or standardised. */
export function channelOf(value: number, [low, high]: readonly [number, number]): number {
  if (!Number.isFinite(value)) {
    return NaN;
  }
  const [from, to] = low < 0 ? [low, high] : high <= 1 ? [0, 1] : high <= 255 ? [0, 255] : [low, high];
  return Math.round((255 * Math.min(Math.max(value - from, 0), to - from)) / (to - from || 1));
}

function mix(from: Rgb, to: Rgb, part: number): Rgb {
  const at = (channel: 0 | 1 | 2): number => Math.round(from[channel] + (to[channel] - from[channel]) * part);
  return [at(0), at(1), at(2)];
}
