// Generated from gradviz/graph by `python -m gradviz.graph.protocol_ts`. Don't edit.


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
  readonly shape: readonly (number | string)[];
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

/** A scope, a module, or what code tells by itself; nested through `parent`. */
export interface GroupView {
  readonly id: string;
  readonly label: string;
  readonly kind: 'scope' | 'module' | 'function' | 'loop' | 'iteration' | 'cell';
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
  readonly extras: ExtrasView | null;
  readonly columns: string | null;
}

/** Two graphs side by side, and what differs between them. */
export interface PairView {
  readonly schema: number;
  readonly type: 'pair';
  readonly before: GraphView;
  readonly after: GraphView;
  readonly difference: DifferenceView;
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
  readonly code: 'malformed' | 'unknown-method' | 'gone' | 'refused' | 'failed' | 'unsaved';
  readonly message: string;
}

/** What the kernel says to a question: a result, with binary buffers beside it, or a refusal. */
export interface AnswerView {
  readonly version: number;
  readonly id: number;
  readonly result: unknown;
  readonly refusal: RefusalView | null;
}

/** An answer that a page carries, since no kernel is there to be asked. */
export interface SavedAnswerView {
  readonly graph: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly result: unknown;
  readonly refusal: RefusalView | null;
}

/** An array in numbers; those of no finite element are nan. */
export interface StatisticsView {
  readonly count: number;
  readonly finite: number;
  readonly zeros: number;
  readonly nans: number;
  readonly above: number;
  readonly below: number;
  readonly low: number | 'nan' | 'inf' | '-inf';
  readonly high: number | 'nan' | 'inf' | '-inf';
  readonly mean: number | 'nan' | 'inf' | '-inf';
  readonly std: number | 'nan' | 'inf' | '-inf';
  readonly norm: number | 'nan' | 'inf' | '-inf';
  readonly start: number | 'nan' | 'inf' | '-inf';
  readonly end: number | 'nan' | 'inf' | '-inf';
  readonly bins: readonly number[];
  readonly whole: boolean;
}

/** A slice of an array as a grid of averages, row by row. */
export interface PreviewView {
  readonly node: string;
  readonly what: 'value' | 'gradient';
  readonly axes: readonly number[];
  readonly index: readonly number[];
  readonly shape: readonly number[];
  readonly rows: number;
  readonly columns: number;
  readonly steps: readonly [number, number];
  readonly sampled: boolean;
  readonly colours: number | null;
  readonly cells: readonly (number | 'nan' | 'inf' | '-inf')[];
}

/** The answer about a node's value or gradient; `reason` says why there is none and what helps. */
export interface ValueView {
  readonly node: string;
  readonly what: 'value' | 'gradient';
  readonly origin: 'tensor' | 'saved' | 'recomputed' | 'constant' | 'gradient' | 'none';
  readonly reason: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly changed: boolean;
  readonly statistics: StatisticsView | null;
  readonly preview: PreviewView | null;
}

/** A row of the table of leaves: sizes of value and gradient, or why there is no gradient. */
export interface ParameterView {
  readonly node: string;
  readonly name: string;
  readonly shape: readonly (number | string)[];
  readonly dtype: string;
  readonly value_norm: number | 'nan' | 'inf' | '-inf' | null;
  readonly gradient_norm: number | 'nan' | 'inf' | '-inf' | null;
  readonly ratio: number | 'nan' | 'inf' | '-inf' | null;
  readonly health: 'fine' | 'zero' | 'vanishing' | 'exploding' | 'not finite' | 'none';
  readonly reached: boolean;
  readonly reason: string;
  readonly slug: string | null;
}

/** The size of the gradient that flowed along an edge, from `target` back to `source`. */
export interface FlowView {
  readonly source: string;
  readonly target: string;
  readonly slot: string;
  readonly norm: number | 'nan' | 'inf' | '-inf';
  readonly health: 'fine' | 'zero' | 'vanishing' | 'exploding' | 'not finite' | 'none';
}

/** Gradients of a graph: leaf by leaf, and edge by edge where they were watched. */
export interface GradientsView {
  readonly available: boolean;
  readonly predicted: boolean;
  readonly reason: string;
  readonly parameters: readonly ParameterView[];
  readonly flows: readonly FlowView[];
  readonly flow_reason: string;
}

/** One MathML element of a formula; the next `children` elements, with theirs, stand in it. */
export interface MathView {
  readonly tag: string;
  readonly text: string;
  readonly children: number;
}

/** The gradient of one input as its row says it: the source, and typeset where it can be. */
export interface FormulaView {
  readonly slot: string;
  readonly text: string;
  readonly math: readonly MathView[];
}

/** An array as a step saw it: sizes, and every number where there are few. */
export interface GlimpseView {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bytes: number;
  readonly low: number | 'nan' | 'inf' | '-inf';
  readonly high: number | 'nan' | 'inf' | '-inf';
  readonly mean: number | 'nan' | 'inf' | '-inf';
  readonly norm: number | 'nan' | 'inf' | '-inf';
  readonly bad: number;
  readonly numbers: readonly (number | 'nan' | 'inf' | '-inf')[] | null;
}

/** What the forward pass had saved for a step; no value where it is recomputed instead. */
export interface SavedView {
  readonly name: string;
  readonly value: GlimpseView | null;
}

/** What a step gave to an input; where it `joins`, `total` is the sum so far. */
export interface PartView {
  readonly node: string;
  readonly label: string;
  readonly slot: string;
  readonly part: GlimpseView;
  readonly total: GlimpseView;
  readonly joins: boolean;
  readonly health: 'fine' | 'zero' | 'vanishing' | 'exploding' | 'not finite' | 'none';
}

/** One step of a backward pass; `formulas` are positions in `StepsView.formulas`. */
export interface StepView {
  readonly node: string;
  readonly label: string;
  readonly op: string;
  readonly formulas: readonly number[];
  readonly incoming: GlimpseView;
  readonly saved: readonly SavedView[];
  readonly parts: readonly PartView[];
  readonly recomputed: readonly string[];
  readonly tape_bytes: number;
  readonly freed_bytes: number;
  readonly waiting: number;
}

/** A backward pass to play: its first steps, and how many there were. */
export interface StepsView {
  readonly root: string;
  readonly total: number;
  readonly retained: boolean;
  readonly tape_bytes: number;
  readonly formulas: readonly FormulaView[];
  readonly steps: readonly StepView[];
}

/** One difference between two graphs; `before` and `after` are ids, where the node is there. */
export interface ChangeView {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly before: string | null;
  readonly after: string | null;
  readonly label: string;
  readonly facts: readonly (readonly [string, string, string])[];
}

/** What changed from one graph to another: `total` changes, of which the first are told. */
export interface DifferenceView {
  readonly before: string;
  readonly after: string;
  readonly same: number;
  readonly total: number;
  readonly changes: readonly ChangeView[];
}

/** The steps of a followed run that are remembered, oldest first: numbers in columns. */
export interface HistoryView {
  readonly total: number;
  readonly steps: readonly number[];
  readonly roots: readonly (number | 'nan' | 'inf' | '-inf' | null)[];
  readonly changed: readonly boolean[];
  readonly leaves: readonly string[];
  readonly values: readonly (readonly (number | 'nan' | 'inf' | '-inf' | null)[])[];
  readonly gradients: readonly (readonly (number | 'nan' | 'inf' | '-inf' | null)[])[];
}

/** What a graph's message carries beside the graph, so that it is there without a kernel. */
export interface ExtrasView {
  readonly steps: StepsView | null;
  readonly done: readonly string[];
  readonly difference: DifferenceView | null;
  readonly history: HistoryView | null;
  readonly place: string | null;
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
    shape: { is: { list: { any: ['number', 'string'] } }, optional: false },
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
    kind: { is: { oneOf: ['scope', 'module', 'function', 'loop', 'iteration', 'cell'] }, optional: false },
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
    extras: { is: { any: [{ view: 'ExtrasView' }, 'null'] }, optional: true },
    columns: { is: { any: ['string', 'null'] }, optional: true },
  },
  PairView: {
    schema: { is: 'number', optional: false },
    type: { is: { oneOf: ['pair'] }, optional: false },
    before: { is: { view: 'GraphView' }, optional: false },
    after: { is: { view: 'GraphView' }, optional: false },
    difference: { is: { view: 'DifferenceView' }, optional: false },
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
    code: { is: { oneOf: ['malformed', 'unknown-method', 'gone', 'refused', 'failed', 'unsaved'] }, optional: false },
    message: { is: 'string', optional: false },
  },
  AnswerView: {
    version: { is: 'number', optional: false },
    id: { is: 'number', optional: false },
    result: { is: 'unknown', optional: true },
    refusal: { is: { any: [{ view: 'RefusalView' }, 'null'] }, optional: true },
  },
  SavedAnswerView: {
    graph: { is: 'string', optional: false },
    method: { is: 'string', optional: false },
    params: { is: { record: 'unknown' }, optional: false },
    result: { is: 'unknown', optional: true },
    refusal: { is: { any: [{ view: 'RefusalView' }, 'null'] }, optional: true },
  },
  StatisticsView: {
    count: { is: 'number', optional: false },
    finite: { is: 'number', optional: false },
    zeros: { is: 'number', optional: false },
    nans: { is: 'number', optional: false },
    above: { is: 'number', optional: false },
    below: { is: 'number', optional: false },
    low: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }] }, optional: false },
    high: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }] }, optional: false },
    mean: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }] }, optional: false },
    std: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }] }, optional: false },
    norm: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }] }, optional: false },
    start: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }] }, optional: false },
    end: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }] }, optional: false },
    bins: { is: { list: 'number' }, optional: false },
    whole: { is: 'boolean', optional: false },
  },
  PreviewView: {
    node: { is: 'string', optional: false },
    what: { is: { oneOf: ['value', 'gradient'] }, optional: false },
    axes: { is: { list: 'number' }, optional: false },
    index: { is: { list: 'number' }, optional: false },
    shape: { is: { list: 'number' }, optional: false },
    rows: { is: 'number', optional: false },
    columns: { is: 'number', optional: false },
    steps: { is: { tuple: ['number', 'number'] }, optional: false },
    sampled: { is: 'boolean', optional: false },
    colours: { is: { any: ['number', 'null'] }, optional: false },
    cells: { is: { list: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }] } }, optional: false },
  },
  ValueView: {
    node: { is: 'string', optional: false },
    what: { is: { oneOf: ['value', 'gradient'] }, optional: false },
    origin: { is: { oneOf: ['tensor', 'saved', 'recomputed', 'constant', 'gradient', 'none'] }, optional: false },
    reason: { is: 'string', optional: false },
    shape: { is: { list: 'number' }, optional: false },
    dtype: { is: 'string', optional: false },
    changed: { is: 'boolean', optional: false },
    statistics: { is: { any: [{ view: 'StatisticsView' }, 'null'] }, optional: false },
    preview: { is: { any: [{ view: 'PreviewView' }, 'null'] }, optional: false },
  },
  ParameterView: {
    node: { is: 'string', optional: false },
    name: { is: 'string', optional: false },
    shape: { is: { list: { any: ['number', 'string'] } }, optional: false },
    dtype: { is: 'string', optional: false },
    value_norm: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }, 'null'] }, optional: false },
    gradient_norm: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }, 'null'] }, optional: false },
    ratio: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }, 'null'] }, optional: false },
    health: { is: { oneOf: ['fine', 'zero', 'vanishing', 'exploding', 'not finite', 'none'] }, optional: false },
    reached: { is: 'boolean', optional: false },
    reason: { is: 'string', optional: false },
    slug: { is: { any: ['string', 'null'] }, optional: false },
  },
  FlowView: {
    source: { is: 'string', optional: false },
    target: { is: 'string', optional: false },
    slot: { is: 'string', optional: false },
    norm: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }] }, optional: false },
    health: { is: { oneOf: ['fine', 'zero', 'vanishing', 'exploding', 'not finite', 'none'] }, optional: false },
  },
  GradientsView: {
    available: { is: 'boolean', optional: false },
    predicted: { is: 'boolean', optional: false },
    reason: { is: 'string', optional: false },
    parameters: { is: { list: { view: 'ParameterView' } }, optional: false },
    flows: { is: { list: { view: 'FlowView' } }, optional: false },
    flow_reason: { is: 'string', optional: false },
  },
  MathView: {
    tag: { is: 'string', optional: false },
    text: { is: 'string', optional: false },
    children: { is: 'number', optional: false },
  },
  FormulaView: {
    slot: { is: 'string', optional: false },
    text: { is: 'string', optional: false },
    math: { is: { list: { view: 'MathView' } }, optional: false },
  },
  GlimpseView: {
    shape: { is: { list: 'number' }, optional: false },
    dtype: { is: 'string', optional: false },
    bytes: { is: 'number', optional: false },
    low: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }] }, optional: false },
    high: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }] }, optional: false },
    mean: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }] }, optional: false },
    norm: { is: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }] }, optional: false },
    bad: { is: 'number', optional: false },
    numbers: { is: { any: [{ list: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }] } }, 'null'] }, optional: false },
  },
  SavedView: {
    name: { is: 'string', optional: false },
    value: { is: { any: [{ view: 'GlimpseView' }, 'null'] }, optional: false },
  },
  PartView: {
    node: { is: 'string', optional: false },
    label: { is: 'string', optional: false },
    slot: { is: 'string', optional: false },
    part: { is: { view: 'GlimpseView' }, optional: false },
    total: { is: { view: 'GlimpseView' }, optional: false },
    joins: { is: 'boolean', optional: false },
    health: { is: { oneOf: ['fine', 'zero', 'vanishing', 'exploding', 'not finite', 'none'] }, optional: false },
  },
  StepView: {
    node: { is: 'string', optional: false },
    label: { is: 'string', optional: false },
    op: { is: 'string', optional: false },
    formulas: { is: { list: 'number' }, optional: false },
    incoming: { is: { view: 'GlimpseView' }, optional: false },
    saved: { is: { list: { view: 'SavedView' } }, optional: false },
    parts: { is: { list: { view: 'PartView' } }, optional: false },
    recomputed: { is: { list: 'string' }, optional: false },
    tape_bytes: { is: 'number', optional: false },
    freed_bytes: { is: 'number', optional: false },
    waiting: { is: 'number', optional: false },
  },
  StepsView: {
    root: { is: 'string', optional: false },
    total: { is: 'number', optional: false },
    retained: { is: 'boolean', optional: false },
    tape_bytes: { is: 'number', optional: false },
    formulas: { is: { list: { view: 'FormulaView' } }, optional: false },
    steps: { is: { list: { view: 'StepView' } }, optional: false },
  },
  ChangeView: {
    kind: { is: { oneOf: ['added', 'removed', 'changed'] }, optional: false },
    before: { is: { any: ['string', 'null'] }, optional: false },
    after: { is: { any: ['string', 'null'] }, optional: false },
    label: { is: 'string', optional: false },
    facts: { is: { list: { tuple: ['string', 'string', 'string'] } }, optional: false },
  },
  DifferenceView: {
    before: { is: 'string', optional: false },
    after: { is: 'string', optional: false },
    same: { is: 'number', optional: false },
    total: { is: 'number', optional: false },
    changes: { is: { list: { view: 'ChangeView' } }, optional: false },
  },
  HistoryView: {
    total: { is: 'number', optional: false },
    steps: { is: { list: 'number' }, optional: false },
    roots: { is: { list: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }, 'null'] } }, optional: false },
    changed: { is: { list: 'boolean' }, optional: false },
    leaves: { is: { list: 'string' }, optional: false },
    values: { is: { list: { list: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }, 'null'] } } }, optional: false },
    gradients: { is: { list: { list: { any: ['number', { oneOf: ['nan', 'inf', '-inf'] }, 'null'] } } }, optional: false },
  },
  ExtrasView: {
    steps: { is: { any: [{ view: 'StepsView' }, 'null'] }, optional: true },
    done: { is: { list: 'string' }, optional: true },
    difference: { is: { any: [{ view: 'DifferenceView' }, 'null'] }, optional: true },
    history: { is: { any: [{ view: 'HistoryView' }, 'null'] }, optional: true },
    place: { is: { any: ['string', 'null'] }, optional: true },
  },
};
