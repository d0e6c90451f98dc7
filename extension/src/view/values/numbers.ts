/** Numbers as people read them. Messages write those that JSON lacks as words. */
export type Num = number | 'nan' | 'inf' | '-inf';

const WORDS = { nan: 'NaN', inf: '\u221e', '-inf': '-\u221e' } as const;

export function show(value: Num | null, digits = 4): string {
  if (value === null) {
    return '\u2013';
  }
  if (typeof value === 'string') {
    return WORDS[value];
  }
  if (value === 0) {
    return '0';
  }
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    return value.toExponential(Math.max(digits - 2, 0)).replace(/\.?0+e/, 'e').replace('e+', 'e');
  }
  return String(Number(value.toPrecision(digits)));
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

export function bytes(count: number): string {
  let value = Math.max(count, 0);
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : Number(value.toPrecision(3))} ${UNITS[unit]}`;
}

export function finite(value: Num | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** A nested list of numbers as text, rows on lines. */
export function nested(numbers: readonly Num[], shape: readonly number[], digits = 4): string {
  if (shape.length === 0) {
    return show(numbers[0] ?? null, digits);
  }
  const [length, ...rest] = shape as [number, ...number[]];
  const size = rest.reduce((product, next) => product * next, 1);
  const parts: string[] = [];
  for (let at = 0; at < Math.min(length, numbers.length); at++) {
    parts.push(nested(numbers.slice(at * size, (at + 1) * size), rest, digits));
  }
  return `[${parts.join(rest.length > 0 ? ',\n ' : ', ')}]`;
}
