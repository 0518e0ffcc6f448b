// What the stage is given. It does no IO of its own: whoever shows it loads and sends.

import type { Accessor, Component } from 'solid-js';
import type { Frame, RunRow } from '../api/types';

export interface StageProps {
  readonly run: RunRow;
  /**
   * The run's frames in order, only ever appended to. The same array may be handed out again with more
   * in it, as long as the accessor notifies; nothing here keeps it or compares it.
   */
  readonly frames: Accessor<readonly Frame[]>;
  readonly connection: Accessor<Connection>;
  readonly actions: StageActions;
  /** The address of a round's page, for a frame that may do nothing. */
  readonly preview: (round: number) => string;
  /** The text behind a digest: a prompt, a raw answer, a check's output. */
  readonly blob: (digest: string) => Promise<string>;
  /** What else the server knows of the run, by the last part of its address: `forecast`, `overruled`. */
  readonly ask: <T>(what: string) => Promise<T>;
  /** Says something in the page's one live region. The stage says round ends and ships, no more. */
  readonly announce: (text: string) => void;
  /** Called once; the page's keyboard map calls what it is given. */
  readonly bind: (commands: StageCommands) => void;
  /** The difference between two rounds; loaded when somebody asks for it. */
  readonly diff: Component<DiffSlotProps>;
  /** The form of a person's seat; placed while the run waits for people. */
  readonly seat: Component<SeatSlotProps>;
}

export interface Connection {
  readonly kind: 'connecting' | 'live' | 'reconnecting' | 'closed';
}

/** What a person may do to the run. A promise that is rejected with an Error has a message to show. */
export interface StageActions {
  interrupt(): Promise<void>;
  steer(text: string): Promise<void>;
  resume(): Promise<void>;
  rerun(): Promise<void>;
  reopen(why: string, rounds: number): Promise<void>;
  select(round: number): Promise<void>;
}

/** What the keyboard may do to the stage, by the keyboard map's own names. */
export interface StageCommands {
  /** The round before, and the one after. */
  previous(): void;
  next(): void;
  /** Plays or pauses the replay. */
  play(): void;
  /** Asks for confirmation; does nothing when the run cannot be interrupted. */
  interrupt(): void;
}

export interface DiffSlotProps {
  readonly rounds: readonly number[];
  readonly from: number;
  readonly to: number;
}

export interface SeatSlotProps {
  readonly waitingFor: readonly string[];
}
