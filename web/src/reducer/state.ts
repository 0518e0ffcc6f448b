// What the stage knows of a run: a fold of its frames and nothing else.
//
// Every object is replaced, never changed, and whatever a frame does not touch is shared with the state
// before it. Two things rest on that: the components compare by identity, and the replay keeps old states.

import type { FrameOf } from '../api/types';

export interface State {
  readonly phase: Phase;
  /** How many frames have been folded in. */
  readonly frames: number;
  readonly opened: string | null;
  readonly latest: string | null;
  readonly scene: FrameOf<'scene'> | null;
  readonly gate: Gate | null;
  /** In the order of the scene; a role that only turns up later is added at the end. */
  readonly seats: readonly Seat[];
  /** Ascending by number. Joust may have a round 0, in which the main seat bootstraps. */
  readonly rounds: readonly Round[];
  readonly findings: readonly Finding[];
  readonly stories: FrameOf<'stories'>['stories'];
  readonly spent: Spent;
  readonly degraded: { readonly reason: string; readonly adapter: string } | null;
  readonly warnings: readonly Warning[];
  readonly interventions: readonly Intervention[];
}

/** Where the run stands, each phase with its own data only. */
export type Phase =
  | { readonly kind: 'empty' }
  | { readonly kind: 'running'; readonly resumed: boolean }
  | { readonly kind: 'ended'; readonly outcome: string; readonly reason: string; readonly ship: Ship | null };

export interface Ship {
  readonly round: number;
  readonly composite: number | null;
  readonly summary: string | null;
}

export interface Gate {
  readonly threshold: number;
  readonly scale: number;
  readonly maxRounds: number;
}

export interface Seat {
  readonly role: string;
  readonly agent: string | null;
  readonly model: string | null;
}

export interface Round {
  readonly number: number;
  readonly lanes: readonly Lane[];
  readonly draft: FrameOf<'draft'> | null;
  /** A joust's draft that is not ruled on yet. */
  readonly offer: FrameOf<'draft'> | null;
  readonly rulings: readonly FrameOf<'ruled'>[];
  readonly receipts: readonly FrameOf<'receipts'>[];
  readonly end: RoundEnd | null;
}

interface RoundEnd {
  readonly composite: number | null;
  readonly mustFix: number | null;
  /** `continue`, `ship`, or the outcome a loop other than the theater names. */
  readonly decision: string | null;
  readonly reason: string | null;
}

/** One seat in one round. */
export interface Lane {
  readonly role: string;
  readonly isSpeaking: boolean;
  readonly dims: readonly FrameOf<'panelist_dim'>[];
  readonly mustFixes: readonly string[];
  readonly score: number | null;
  readonly turns: readonly Turn[];
}

/** One call of one seat; `end` is there once it answered or failed. */
export interface Turn {
  readonly start: FrameOf<'turn_started'>;
  readonly end: FrameOf<'turn_ended'> | null;
  /** Why it was last made to wait for its provider, if it was. */
  readonly parked?: FrameOf<'parked'>;
}

export interface Finding {
  readonly id: string;
  readonly role: string;
  readonly raised: number;
  readonly severity: FrameOf<'finding'>['severity'];
  readonly text: string;
  readonly code: string | null;
  readonly target: string | null;
  readonly state: FrameOf<'finding'>['state'];
  /** Its life: one entry for every state it came into, oldest first. */
  readonly life: readonly { readonly round: number; readonly state: FrameOf<'finding'>['state'] }[];
}

interface Spent {
  readonly tokens: number;
  readonly usdMicros: number | null;
}

interface Warning {
  readonly kind: string;
  readonly position: number;
}

interface Intervention {
  readonly by: string;
  readonly act: FrameOf<'person'>['act'];
  readonly text: string;
  readonly time: string;
}

const EMPTY: State = {
  phase: { kind: 'empty' },
  frames: 0,
  opened: null,
  latest: null,
  scene: null,
  gate: null,
  seats: [],
  rounds: [],
  findings: [],
  stories: [],
  spent: { tokens: 0, usdMicros: null },
  degraded: null,
  warnings: [],
  interventions: [],
};

/** The state before the first frame. */
export function initial(): State {
  return EMPTY;
}
