/**
 * Reads a message that may come from anywhere (a saved notebook, another version) into the types of
 * the protocol. Nothing past this point has to doubt its input.
 */
import { SCHEMA, SCHEMA_VERSION, type CardView, type GraphView, type PairView, type Shape } from './protocol';

export type Payload =
  | { readonly kind: 'graph'; readonly graph: GraphView }
  | { readonly kind: 'card'; readonly card: CardView }
  | { readonly kind: 'pair'; readonly pair: PairView }
  | { readonly kind: 'unreadable'; readonly reason: string };

class Mismatch extends Error {}

export function readPayload(data: unknown): Payload {
  if (!isRecord(data)) {
    return { kind: 'unreadable', reason: 'This output holds no gradviz message.' };
  }
  if (typeof data.schema === 'number' && data.schema > SCHEMA_VERSION) {
    return {
      kind: 'unreadable',
      reason: `This output was made by a newer gradviz (message schema ${data.schema}, known here: ${SCHEMA_VERSION}). Update gradviz-lab to see it.`
    };
  }
  try {
    if (data.type === 'pair') {
      return { kind: 'pair', pair: read({ view: 'PairView' }, data, 'pair') as PairView };
    }
    return data.type === 'card'
      ? { kind: 'card', card: read({ view: 'CardView' }, data, 'card') as CardView }
      : { kind: 'graph', graph: read({ view: 'GraphView' }, data, 'graph') as GraphView };
  } catch (error) {
    if (error instanceof Mismatch) {
      return { kind: 'unreadable', reason: `This gradviz message can't be read: ${error.message}.` };
    }
    throw error;
  }
}

/** A value as one of the protocol's views; an error that names the field where it isn't one. */
export function readAs<T>(view: string, value: unknown): T {
  return read({ view }, value, view) as T;
}

/** The value, with unknown fields left out and missing optional ones filled in. Depth is the schema's. */
function read(shape: Shape, value: unknown, path: string): unknown {
  if (typeof shape === 'string') {
    if (shape === 'unknown' || (shape === 'null' ? value === null : typeof value === shape)) {
      return value;
    }
    throw new Mismatch(`${path} is no ${shape}`);
  }
  if ('view' in shape) {
    return readView(shape.view, value, path);
  }
  if ('oneOf' in shape) {
    if (typeof value === 'string' && shape.oneOf.includes(value)) {
      return value;
    }
    throw new Mismatch(`${path} is none of ${shape.oneOf.join(', ')}`);
  }
  if ('any' in shape) {
    return readAny(shape.any, value, path);
  }
  if ('record' in shape) {
    if (!isRecord(value)) {
      throw new Mismatch(`${path} is no object`);
    }
    const entries = Object.entries(value).map(
      ([key, item]) => [key, read(shape.record, item, `${path}.${key.slice(0, 40)}`)] as const
    );
    return Object.fromEntries(entries);
  }
  if (!Array.isArray(value)) {
    throw new Mismatch(`${path} is no list`);
  }
  if ('tuple' in shape) {
    if (value.length !== shape.tuple.length) {
      throw new Mismatch(`${path} has not ${shape.tuple.length} items`);
    }
    return shape.tuple.map((item, at) => read(item, value[at], `${path}[${at}]`));
  }
  return value.map((item, at) => read(shape.list, item, `${path}[${at}]`));
}

function readView(name: string, value: unknown, path: string): unknown {
  if (!isRecord(value)) {
    throw new Mismatch(`${path} is no object`);
  }
  const result: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(SCHEMA[name]!)) {
    const item = value[key];
    result[key] =
      item === undefined && field.optional ? absent(field.is) : read(field.is, item, `${path}.${key}`);
  }
  return result;
}

function readAny(shapes: readonly Shape[], value: unknown, path: string): unknown {
  if (value === null && shapes.includes('null')) {
    return null;
  }
  let last: Mismatch | undefined;
  for (const shape of shapes) {
    try {
      return read(shape, value, path);
    } catch (error) {
      if (!(error instanceof Mismatch)) {
        throw error;
      }
      // The first alternative is the one that is meant; "is no null" would help nobody.
      last ??= error;
    }
  }
  throw last!;
}

function absent(shape: Shape): unknown {
  if (typeof shape === 'object' && 'record' in shape) {
    return {};
  }
  return typeof shape === 'object' && ('list' in shape || 'tuple' in shape) ? [] : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
