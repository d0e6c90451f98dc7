// Generated from gradviz/graph/model.py by `python -m gradviz.graph.protocol_ts`. Don't edit.


export const SCHEMA_VERSION = 1;

export const MIME_TYPE = 'application/vnd.gradviz.v1+json';

export const CHANNEL = 'gradviz';

export const CHANNEL_VERSION = 1;

/** A source position. `label` is what to show for the file (a cell's `In [3]`, a file name). */
export interface SpanView {
  readonly filename: string;
  readonly label: string;
  readonly line: number;
  readonly col: number;
  readonly end_line: number;
  readonly end_col: number;
  readonly text: string;
  readonly cell: string | null;
}

/** One replacement in the source: see `gradviz.errors.problem.SourceEdit`. */
export interface EditView {
  readonly filename: string;
  readonly line: number;
  readonly col: number;
  readonly end_line: number;
  readonly end_col: number;
  readonly original: string;
  readonly replacement: string;
  readonly cell: string | null;
}

/** An offered fix. `diff` is the preview, `patched` the whole source after it (to copy). */
export interface FixView {
  readonly title: string;
  readonly explanation: string;
  readonly diff: string;
  readonly patched: string;
  readonly verified: boolean;
  readonly edits: readonly EditView[];
}

/** Whether `backward` or `require_grad` would succeed on a node, and why not. */
export interface OutcomeView {
  readonly ok: boolean;
  readonly slug: string | null;
  readonly reason: string;
  readonly fixes: readonly FixView[];
}

/** Both predictions for one node. */
export interface VerdictView {
  readonly backward: OutcomeView;
  readonly require_grad: OutcomeView;
}

/** One tensor (and the operation that made it). */
export interface NodeView {
  readonly id: string;
  readonly op: string;
  readonly name: string | null;
  readonly kind: string;
  readonly requirement: 'grad' | 'grad_in_backward' | 'none';
  readonly is_leaf: boolean;
  readonly role: 'parameter' | 'leaf' | 'input' | 'constant' | 'operation' | 'output';
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly device: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly group: string | null;
  readonly source: SpanView | null;
  readonly value: string | null;
  readonly consumed: boolean;
  readonly cut: string | null;
  readonly verdict: VerdictView;
  readonly problems: readonly number[];
}

/** `source` feeds `target` as its argument `slot`; where `tracked`, gradients flow back. */
export interface EdgeView {
  readonly source: string;
  readonly target: string;
  readonly slot: string;
  readonly tracked: boolean;
}

/** A scope or a module; nested through `parent`. */
export interface GroupView {
  readonly id: string;
  readonly label: string;
  readonly kind: 'scope' | 'module';
  readonly parent: string | null;
}

/** A problem as shown: see `gradviz.errors.problem.Problem`. */
export interface ProblemView {
  readonly slug: string;
  readonly severity: 'error' | 'warning' | 'note';
  readonly message: string;
  readonly reason: string;
  readonly advice: string;
  readonly where: SpanView | null;
  readonly cause: SpanView | null;
  readonly nodes: readonly string[];
  readonly fixes: readonly FixView[];
}

/** The whole message: one per graph, never one per node. */
export interface GraphView {
  readonly schema: number;
  readonly title: string;
  readonly nodes: readonly NodeView[];
  readonly edges: readonly EdgeView[];
  readonly groups: readonly GroupView[];
  readonly problems: readonly ProblemView[];
  readonly roots: readonly string[];
  readonly total_nodes: number;
  readonly key: string | null;
}

/** One problem on its own: what a notebook shows when a cell raises it. */
export interface CardView {
  readonly schema: number;
  readonly type: 'card';
  readonly problem: ProblemView;
  readonly facts: readonly (readonly [string, string])[];
}

/** What a view asks the kernel. Each method says which `params` it takes. */
export interface QuestionView {
  readonly version: number;
  readonly id: number;
  readonly method: string;
  readonly graph: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Why a question has no answer. */
export interface RefusalView {
  readonly code: 'malformed' | 'unknown-method' | 'gone' | 'refused' | 'failed';
  readonly message: string;
}

/** What the kernel says to a question: a result, with binary buffers beside it, or a refusal. */
export interface AnswerView {
  readonly version: number;
  readonly id: number;
  readonly result: unknown;
  readonly refusal: RefusalView | null;
}

/** How a field's value must look; `view` names a row of `SCHEMA`. */
export type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'null'
  | 'unknown'
  | { readonly view: string }
  | { readonly oneOf: readonly string[] }
  | { readonly any: readonly Shape[] }
  | { readonly list: Shape }
  | { readonly tuple: readonly Shape[] }
  | { readonly record: Shape };

export const SCHEMA: Readonly<
  Record<string, Readonly<Record<string, { readonly is: Shape; readonly optional: boolean }>>>
> = {
  SpanView: {
    filename: { is: 'string', optional: false },
    label: { is: 'string', optional: false },
    line: { is: 'number', optional: false },
    col: { is: 'number', optional: false },
    end_line: { is: 'number', optional: false },
    end_col: { is: 'number', optional: false },
    text: { is: 'string', optional: false },
    cell: { is: { any: ['string', 'null'] }, optional: true },
  },
  EditView: {
    filename: { is: 'string', optional: false },
    line: { is: 'number', optional: false },
    col: { is: 'number', optional: false },
    end_line: { is: 'number', optional: false },
    end_col: { is: 'number', optional: false },
    original: { is: 'string', optional: false },
    replacement: { is: 'string', optional: false },
    cell: { is: { any: ['string', 'null'] }, optional: true },
  },
  FixView: {
    title: { is: 'string', optional: false },
    explanation: { is: 'string', optional: false },
    diff: { is: 'string', optional: false },
    patched: { is: 'string', optional: false },
    verified: { is: 'boolean', optional: false },
    edits: { is: { list: { view: 'EditView' } }, optional: false },
  },
  OutcomeView: {
    ok: { is: 'boolean', optional: false },
    slug: { is: { any: ['string', 'null'] }, optional: false },
    reason: { is: 'string', optional: false },
    fixes: { is: { list: { view: 'FixView' } }, optional: true },
  },
  VerdictView: {
    backward: { is: { view: 'OutcomeView' }, optional: false },
    require_grad: { is: { view: 'OutcomeView' }, optional: false },
  },
  NodeView: {
    id: { is: 'string', optional: false },
    op: { is: 'string', optional: false },
    name: { is: { any: ['string', 'null'] }, optional: false },
    kind: { is: 'string', optional: false },
    requirement: { is: { oneOf: ['grad', 'grad_in_backward', 'none'] }, optional: false },
    is_leaf: { is: 'boolean', optional: false },
    role: { is: { oneOf: ['parameter', 'leaf', 'input', 'constant', 'operation', 'output'] }, optional: false },
    shape: { is: { list: 'number' }, optional: false },
    dtype: { is: 'string', optional: false },
    device: { is: 'string', optional: false },
    attributes: { is: { record: 'string' }, optional: false },
    group: { is: { any: ['string', 'null'] }, optional: false },
    source: { is: { any: [{ view: 'SpanView' }, 'null'] }, optional: false },
    value: { is: { any: ['string', 'null'] }, optional: false },
    consumed: { is: 'boolean', optional: false },
    cut: { is: { any: ['string', 'null'] }, optional: false },
    verdict: { is: { view: 'VerdictView' }, optional: false },
    problems: { is: { list: 'number' }, optional: true },
  },
  EdgeView: {
    source: { is: 'string', optional: false },
    target: { is: 'string', optional: false },
    slot: { is: 'string', optional: false },
    tracked: { is: 'boolean', optional: false },
  },
  GroupView: {
    id: { is: 'string', optional: false },
    label: { is: 'string', optional: false },
    kind: { is: { oneOf: ['scope', 'module'] }, optional: false },
    parent: { is: { any: ['string', 'null'] }, optional: false },
  },
  ProblemView: {
    slug: { is: 'string', optional: false },
    severity: { is: { oneOf: ['error', 'warning', 'note'] }, optional: false },
    message: { is: 'string', optional: false },
    reason: { is: 'string', optional: false },
    advice: { is: 'string', optional: false },
    where: { is: { any: [{ view: 'SpanView' }, 'null'] }, optional: false },
    cause: { is: { any: [{ view: 'SpanView' }, 'null'] }, optional: false },
    nodes: { is: { list: 'string' }, optional: false },
    fixes: { is: { list: { view: 'FixView' } }, optional: false },
  },
  GraphView: {
    schema: { is: 'number', optional: false },
    title: { is: 'string', optional: false },
    nodes: { is: { list: { view: 'NodeView' } }, optional: false },
    edges: { is: { list: { view: 'EdgeView' } }, optional: false },
    groups: { is: { list: { view: 'GroupView' } }, optional: false },
    problems: { is: { list: { view: 'ProblemView' } }, optional: false },
    roots: { is: { list: 'string' }, optional: false },
    total_nodes: { is: 'number', optional: false },
    key: { is: { any: ['string', 'null'] }, optional: true },
  },
  CardView: {
    schema: { is: 'number', optional: false },
    type: { is: { oneOf: ['card'] }, optional: false },
    problem: { is: { view: 'ProblemView' }, optional: false },
    facts: { is: { list: { tuple: ['string', 'string'] } }, optional: true },
  },
  QuestionView: {
    version: { is: 'number', optional: false },
    id: { is: 'number', optional: false },
    method: { is: 'string', optional: false },
    graph: { is: 'string', optional: false },
    params: { is: { record: 'unknown' }, optional: false },
  },
  RefusalView: {
    code: { is: { oneOf: ['malformed', 'unknown-method', 'gone', 'refused', 'failed'] }, optional: false },
    message: { is: 'string', optional: false },
  },
  AnswerView: {
    version: { is: 'number', optional: false },
    id: { is: 'number', optional: false },
    result: { is: 'unknown', optional: true },
    refusal: { is: { any: [{ view: 'RefusalView' }, 'null'] }, optional: true },
  },
};
