/** The layout's question in a form that can be sent to a worker: sizes as numbers instead of a function. */
import type { Form, LayoutInput } from './types';

const FORMS: readonly Form[] = ['row', 'side', 'alias'];

export interface Packed extends Omit<LayoutInput, 'size'> {
  /** Width and height of each form of each node. */
  readonly sizes: Float32Array;
}

export function pack({ size, edges, ...input }: LayoutInput): Packed {
  const sizes = new Float32Array(input.count * 6);
  for (let node = 0; node < input.count; node++) {
    FORMS.forEach((form, at) => {
      const { width, height } = size(node, form);
      sizes[node * 6 + 2 * at] = width;
      sizes[node * 6 + 2 * at + 1] = height;
    });
  }
  return { ...input, edges: edges.map(({ source, target, tracked }) => ({ source, target, tracked })), sizes };
}

export function unpack({ sizes, ...input }: Packed): LayoutInput {
  return {
    ...input,
    size: (node, form) => {
      const at = node * 6 + 2 * FORMS.indexOf(form);
      return { width: sizes[at]!, height: sizes[at + 1]! };
    }
  };
}
