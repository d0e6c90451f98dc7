/** Search over columns: a word is looked up once in the table of texts, then every node is a few numbers. */
import type { GraphView, NodeView } from '../protocol';
import { ROLES } from './data';
import { shapeOf, type Model } from './model';

/** What is known of nodes beyond their columns: slugs of their problems, by node. */
export type Slugs = ReadonlyMap<number, readonly string[]>;

export interface Found {
  /** 1 where every word is in one of the node's texts. */
  readonly mask: Uint8Array;
  readonly count: number;
}

export function search(model: Model, query: string, slugs: Slugs): Found | null {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8);
  if (words.length === 0) {
    return null;
  }
  const mask = new Uint8Array(model.count).fill(1);
  words.forEach(word => narrow(model, word, slugs, mask));
  let count = 0;
  for (let node = 0; node < model.count; node++) {
    count += mask[node]!;
  }
  return { mask, count };
}

function narrow(model: Model, word: string, slugs: Slugs, mask: Uint8Array): void {
  const { columns } = model;
  const inText = Uint8Array.from(columns.strings, text => Number(text.toLowerCase().includes(word)));
  const inShape = shapesWith(model, word);
  const inRole = ROLES.map(role => role.includes(word));
  const inGroup = groupsWith(model, word);
  const textColumns = [columns.op, columns.name, columns.kind, columns.dtype, columns.device, columns.cut];
  const hits = Uint8Array.from(mask, (_, node) =>
    Number(
      textColumns.some(column => inText[column[node]!] === 1) ||
        inShape[columns.shape[node]!] === 1 ||
        inRole[columns.role[node]!] === true ||
        (columns.group[node]! >= 0 && inGroup[columns.group[node]!] === 1) ||
        model.id(node) === word ||
        (slugs.get(node)?.some(slug => slug.includes(word)) ?? false)
    )
  );
  // A line of code names everything that is computed on it: it is asked where nothing else answers.
  const chosen = hits.includes(1) ? hits : inCode(model, word);
  chosen.forEach((hit, node) => {
    mask[node]! &= hit;
  });
}

/** Nodes that were computed by code with a word in it. */
function inCode(model: Model, word: string): Uint8Array {
  const { places, place } = model.columns;
  const inPlace = Uint8Array.from(places, ({ text }) => Number(text.toLowerCase().includes(word)));
  return Uint8Array.from({ length: model.count }, (_, node) => (place[node]! >= 0 ? inPlace[place[node]!]! : 0));
}

/** Shapes as people type them: "32x64", "32×64", "(32,64)"; blanks separate words. */
function shapesWith(model: Model, word: string): Uint8Array {
  const { strings, shape } = model.columns;
  const used = new Uint8Array(strings.length);
  for (let node = 0; node < model.count; node++) {
    used[shape[node]!] = 1;
  }
  return used.map((is, at) => {
    if (!is) {
      return 0;
    }
    const sizes = shapeOf(strings[at]!);
    return Number([sizes.join('x'), sizes.join('\u00d7'), `(${sizes.join(',')})`].some(text => text.includes(word)));
  });
}

function groupsWith(model: Model, word: string): Uint8Array {
  const { groups } = model.columns;
  const found = new Uint8Array(groups.length);
  groups.forEach((_, at) => {
    found[at] = Number(model.groupPath(at).some(group => group.label.toLowerCase().includes(word)));
  });
  return found;
}

/** Slugs of problems and of the verdicts of marked nodes. */
export function slugsOf(
  model: Model,
  graph: GraphView,
  problemsAt: ReadonlyMap<number, readonly number[]>,
  marked: Iterable<number>
): Slugs {
  const found = new Map<number, string[]>();
  for (const [node, positions] of problemsAt) {
    found.set(node, positions.map(at => graph.problems[at]!.slug.toLowerCase()));
  }
  for (const node of marked) {
    const { verdict }: NodeView = model.node(node);
    const more = [verdict.backward.slug, verdict.require_grad.slug].filter(slug => slug !== null);
    found.set(node, [...(found.get(node) ?? []), ...more.map(slug => slug.toLowerCase())]);
  }
  return found;
}
