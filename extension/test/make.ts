/** Small graphs for the unit tests. */
import type { GraphView, NodeView, ProblemView, SpanView } from '../src/protocol';

const OK = { ok: true, slug: null, reason: '', fixes: [] };

export function node(id: string, more: Partial<NodeView> = {}): NodeView {
  return {
    id, op: 'mul', name: null, kind: 'Autodiff(NdArray)', requirement: 'grad_in_backward', is_leaf: false,
    role: 'operation', shape: [2, 3], dtype: 'float32', device: 'ndarray', attributes: {}, group: null, source: null,
    value: null, consumed: false, cut: null, verdict: { backward: OK, require_grad: OK }, problems: [], ...more
  };
}

export function graph(nodes: NodeView[], edges: [string, string][], more: Partial<GraphView> = {}): GraphView {
  return {
    schema: 1, title: 'test', nodes, groups: [], problems: [], roots: [], total_nodes: nodes.length, key: null, extras: null, columns: null,
    edges: edges.map(([source, target]) => ({ source, target, slot: 'x', tracked: true })), ...more
  };
}

export function problem(nodes: string[], more: Partial<ProblemView> = {}): ProblemView {
  return {
    slug: 'untracked-root', severity: 'error', message: 'No tracked tensor feeds this root', reason: '', advice: '',
    where: null, cause: null, nodes, fixes: [], ...more
  };
}

export function span(line: number): SpanView {
  return { filename: 'a.py', label: 'a.py', line, col: 0, end_line: line, end_col: 5, text: `line ${line}`, cell: null };
}
