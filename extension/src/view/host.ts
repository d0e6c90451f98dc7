/** What the page around the view can do for it. The view knows nothing else of its surroundings. */
import type { Wire } from '../channel';
import type { FixView } from '../protocol';
import type { Icon } from './dom';
import type { Reason } from './hold';

export type Applied =
  | { readonly done: true; readonly where: string; readonly undo: () => Applied }
  | { readonly done: false; readonly reason: string };

export interface Notebook {
  /** Puts a fix into the cells it came from; changes nothing unless every edit fits. */
  apply(fix: FixView): Applied;
  /** Runs the cell a fix was applied to, and, where asked, every cell below it. */
  run(fix: FixView, below: boolean): Promise<void>;
}

/** Another place where the same view can be opened. */
export interface Place {
  readonly icon: Icon;
  readonly label: string;
  open(): void;
}

/** A choice among the problems that is made outside the view; the view says how to show it. */
export interface Choice {
  /** The position of the problem to begin with, or null for what the view begins with by itself. */
  readonly first: number | null;
  /** Whether the view takes the place of one of the same output, and goes on where that one was. */
  readonly again: boolean;
  /** Called once, by the view that is there. */
  onChange(show: (problem: number) => void): void;
}

export interface Host {
  /** The notebook this output stands in, asked for at the moment it is needed; none elsewhere. */
  notebook?(): Notebook | null;
  /** The way to the kernel that drew the message; none for a page that stands alone. */
  readonly wire?: Wire;
  /** Where else the view can be opened. */
  readonly places?: readonly Place[];
  readonly choice?: Choice;
  /** Told of what somebody begins and ends in the view, so that no other takes its place in between. */
  readonly hold?: (reason: Reason, on: boolean) => void;
}

/** Copies text; false where the page may not use the clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
