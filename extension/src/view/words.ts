/** Every word the view says about a node: pictures, details, tooltips and screen readers share them. */
import { describeBranch } from './branch-words';
import type { NodeView, SpanView } from '../protocol';
import type { GraphStore } from '../store';
import { clip, oneLine, unquoted } from '../text';

/** Sizes in brackets; one that was left open stands as its symbol, which people chose. */
export function shapeText(shape: readonly (number | string)[]): string {
  const sizes = shape.map(size => clip(oneLine(String(size)), 20));
  return sizes.length === 0 ? 'scalar' : sizes.length === 1 ? `(${sizes[0]},)` : `(${sizes.join(', ')})`;
}

/** The word a node is called by in the picture: the user's name, or what made it. */
export function titleOf(node: NodeView): string {
  return oneLine(node.name ?? node.op);
}

/** "∂ Nd" for Autodiff(NdArray): the sign for tracking, then the machinery inside. */
export function kindBadge(kind: string): string {
  const wrapped = /^Autodiff\((.*)\)$/.exec(kind);
  const inner = wrapped?.[1] ?? kind;
  const short = SHORT_KINDS[inner] ?? clip(oneLine(inner), 5);
  return wrapped ? `\u2202 ${short}` : short;
}

const SHORT_KINDS: Record<string, string> = { NdArray: 'Nd', Capture: 'Cap', LibTorch: 'Torch', Remote: 'Rem' };

export function kindExplained(kind: string): string {
  const wrapped = /^Autodiff\((.*)\)$/.exec(kind);
  const inner = wrapped?.[1] ?? kind;
  const holds =
    inner === 'Capture'
      ? 'records operations, holds no values'
      : inner === 'NdArray'
        ? 'values in a NumPy array'
        : clip(oneLine(inner), 60);
  return wrapped ? `gradient tracking around: ${holds}` : `no gradient tracking; ${holds}`;
}

export function leafText(node: NodeView): string {
  return node.is_leaf ? 'leaf' : 'computed';
}

export function requirementText(node: NodeView, reached = true): string {
  switch (node.requirement) {
    case 'grad':
      return reached ? 'tracked leaf: gets a gradient' : 'tracked leaf: no gradient gets here from the root';
    case 'grad_in_backward':
      return 'computed from tracked tensors: gradients pass through';
    case 'none':
      return 'not tracked: no gradient';
  }
}

export function roleText(node: NodeView): string {
  return node.role === 'operation' ? 'result' : node.role;
}

export function placeText(span: SpanView): string {
  return `${oneLine(span.label)}, line ${span.line}`;
}

export const CUT_WORDS: Readonly<Record<string, string>> = {
  detach: 'detached from the graph',
  no_grad: 'made while gradients were off',
  'non-differentiable': 'this operation has no gradient',
  inner: 'inner() left the gradient machinery',
  set_require_grad: 'tracking was switched off',
  'marked-after-use': 'its input was marked after this was computed'
};

export const SEVERITY_WORDS = { error: 'Error', warning: 'Warning', note: 'Note' } as const;
export const SEVERITY_ICONS = { error: 'cross', warning: 'warning', note: 'note' } as const;

/** "dim=1", "keepdim=True": what isn't None, False or empty. */
export function attributeTexts(node: NodeView): string[] {
  return Object.entries(node.attributes)
    .filter(([, value]) => !['None', 'False', ''].includes(value))
    .map(([name, value]) => `${clip(oneLine(name), 20)}=${clip(oneLine(value), 40)}`);
}

export function attributesText(node: NodeView): string {
  return attributeTexts(node).join(', ');
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** One sentence for screen readers and tooltips. */
export function describe(store: GraphStore, key: string): string {
  const branch = store.branchAt(key);
  if (branch >= 0) {
    return describeBranch(store, branch, store.shown.byKey.get(key));
  }
  const at = store.nodeAt(key);
  return at < 0 ? '' : describeNode(store, at);
}

function describeNode(store: GraphStore, at: number): string {
  const node = store.model.node(at);
  const attributes = attributesText(node);
  const parts = [
    node.name === null ? clip(oneLine(node.op), 60) : `${clip(oneLine(node.name), 60)} (${clip(oneLine(node.op), 30)})`,
    leafText(node),
    ...(node.role === 'parameter' ? ['parameter'] : []),
    requirementText(node, store.roots.length === 0 || store.isReached(at)),
    `kind ${clip(oneLine(node.kind), 40)}`,
    node.shape.length === 0 ? 'scalar' : `shape ${node.shape.join(' by ')}`,
    oneLine(node.dtype),
    ...(attributes ? [clip(attributes, 120)] : [])
  ];
  const mark = store.mark(at);
  if (mark) {
    parts.push(`${SEVERITY_WORDS[mark.severity]}: ${clip(unquoted(oneLine(mark.text)), 120)}`);
  }
  if (node.cut) {
    parts.push(`gradient cut: ${cutWords(node.cut)}`);
  }
  if (node.consumed) {
    parts.push('consumed by a backward pass');
  }
  if (store.isRoot(at)) {
    parts.push('root of this graph');
  }
  return parts.join(', ');
}

export function cutWords(cut: string): string {
  return CUT_WORDS[cut] ?? clip(oneLine(cut), 40);
}
