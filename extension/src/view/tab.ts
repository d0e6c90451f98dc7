/** A tab of the pane that looks after itself. */
import type { State } from '../store';

export interface PaneTab {
  readonly name: string;
  readonly label: string;
  readonly element: HTMLElement;
  /** It came into sight. */
  shown(): void;
  /** It left it. */
  hidden(): void;
  refresh(state: State, previous: State): void;
  dispose(): void;
}
