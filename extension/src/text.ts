/** User text made safe to show: no invisible steering of the line, no endless strings, no split characters. */

/** Words between backticks are code. */
export const CODE = /`([^`\n]{1,200})`/g;

// C0/C1 controls, and the characters that reorder or hide text (bidi controls, zero width, BOM, separators).
// Joiners stay: emoji and several scripts are spelled with them.
const STEERING =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) {
    return String.fromCharCode(0x2400 + code);
  }
  return code === 0x7f ? '\u2421' : '\ufffd';
}

/** One line: every control or steering character is replaced by a visible sign. */
export function oneLine(text: string): string {
  return text.replace(/\r\n?|\n/g, '\u21b5').replace(STEERING, visible);
}

/** Several lines: line ends and tabs stay. */
export function lines(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(STEERING, character => (character === '\n' || character === '\t' ? character : visible(character)));
}

/** The same without the backticks around words that are code. */
export function unquoted(text: string): string {
  return text.replace(CODE, '$1');
}

/** At most `limit` columns (wide characters count two), with an ellipsis where something was left out. */
export function clip(text: string, limit: number): string {
  // No character is more than two units long, so more than this never shows: don't split 10,000 characters.
  const characters = Array.from(text.slice(0, 2 * limit + 2));
  let columns = 0;
  for (let at = 0; at < characters.length; at++) {
    columns += width(characters[at]!);
    if (columns > limit) {
      let kept = at;
      while (kept > 0 && columns > limit - 1) {
        columns -= width(characters[kept--]!);
      }
      return `${characters.slice(0, kept + 1).join('')}\u2026`;
    }
  }
  return text;
}

/** The end of a text that is longer than `limit` columns, with an ellipsis where something was left out. */
export function clipStart(text: string, limit: number): string {
  const characters = Array.from(text.slice(-2 * limit - 2));
  let room = limit - columns(characters.join(''));
  if (room >= 0 && characters.join('').length === text.length) {
    return text;
  }
  while (room < 1 && characters.length > 0) {
    room += width(characters.shift()!);
  }
  return `\u2026${characters.join('')}`;
}

/** Columns a text takes. */
export function columns(text: string): number {
  let total = 0;
  for (const character of text) {
    total += width(character);
  }
  return total;
}

function width(character: string): number {
  const code = character.codePointAt(0)!;
  return code >= 0x1100 &&
    (code <= 0x115f || (code >= 0x2e80 && code <= 0xa4cf) || (code >= 0xac00 && code <= 0xd7a3) ||
      (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe6f) ||
      (code >= 0xff00 && code <= 0xff60) || code >= 0x1f300)
    ? 2
    : 1;
}

/**
 * Offset in a JavaScript string of a Python position: 1-based line, 0-based column in code points.
 * Undefined where the text has no such place.
 */
export function offsetOf(text: string, line: number, column: number): number | undefined {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const end = text.indexOf('\n', start);
    if (end < 0) {
      return undefined;
    }
    start = end + 1;
  }
  let end = text.indexOf('\n', start);
  if (end < 0) {
    end = text.length;
  }
  let offset = start;
  for (let at = 0; at < column; at++) {
    if (offset >= end) {
      return undefined;
    }
    offset += text.codePointAt(offset)! > 0xffff ? 2 : 1;
  }
  return offset;
}
