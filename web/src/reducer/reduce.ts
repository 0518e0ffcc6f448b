// One frame folded into the state of a run. Pure, total, and cheap: a frame costs what it touches.

import type { Frame, FrameOf } from '../api/types';
import { rulesOnDrafts } from '../loops';
import { withFinding } from './findings';
import { followsOf, silenced, withLane, withRound } from './rounds';
import type { Seat, Ship, State, Turn } from './state';

/** The state after a frame. Something a newer server says and we do not know only moves the clock. */
export function reduce(state: State, frame: Frame): State {
  const next = applied(state, frame);
  return {
    ...next,
    phase: next.phase.kind === 'empty' ? { kind: 'running', resumed: false } : next.phase,
    frames: state.frames + 1,
    opened: state.opened ?? frame.time,
    latest: frame.time,
  };
}

function applied(state: State, frame: Frame): State {
  switch (frame.type) {
    case 'scene':
      return {
        ...state,
        scene: frame,
        seats: seated(
          state.seats,
          frame.seats.map(({ seat, agent, model }) => ({ role: seat, agent, model })),
        ),
      };
    case 'run_started':
      return {
        ...state,
        gate: { threshold: frame.threshold, scale: frame.scale, maxRounds: frame.maxRounds },
        seats: seated(
          state.seats,
          frame.cast.map((role) => ({ role, agent: null, model: null })),
        ),
      };
    case 'round_opened':
      return withRound(state, frame.round, () => ({}));
    case 'panelist_open':
      return withLane(state, frame, () => ({ isSpeaking: true }));
    case 'panelist_dim':
      // The frame itself, so that folding again gives the same objects, and the rows that show them stay.
      return withLane(state, frame, ({ dims }) => ({ dims: [...dims, frame] }));
    case 'panelist_must_fix':
      return withLane(state, frame, ({ mustFixes }) => ({ mustFixes: [...mustFixes, frame.text] }));
    case 'panelist_close':
      return withLane(state, frame, () => ({ isSpeaking: false, score: frame.score }));
    case 'turn_started':
      return withLane(state, frame, ({ turns }) => ({
        isSpeaking: true,
        turns: [...turns, { start: frame, end: null }],
      }));
    case 'turn_ended':
      return withLane(
        { ...state, spent: { tokens: frame.spentTokens, usdMicros: frame.spentUsdMicros } },
        frame,
        ({ turns }) => ({
          isSpeaking: false,
          turns: turned(turns, frame.turn, { end: frame }),
        }),
      );
    case 'parked':
      return withLane(state, frame, ({ turns }) => ({ turns: turned(turns, frame.turn, { parked: frame }) }));
    case 'draft':
      // Where drafts are ruled on, the server shows the one before until this one is accepted.
      return withRound(state, frame.round, () => (rulesOnDrafts(state.scene?.loop) ? { offer: frame } : { draft: frame }));
    case 'finding':
      return { ...state, findings: withFinding(state.findings, frame) };
    case 'ruled':
      return withRound(state, frame.round, ({ rulings, draft, offer }) => ({
        rulings: [...rulings, frame],
        draft: frame.accepted ? (offer ?? draft) : draft,
      }));
    case 'receipts':
      return withRound(state, frame.round, ({ receipts }) => ({ receipts: [...receipts, frame] }));
    case 'stories':
      return { ...state, stories: frame.stories };
    case 'round_end': {
      const { composite, mustFix, reason } = frame;
      const decision = followsOf(state.gate, frame);
      return withRound(state, frame.round, () => ({ end: { composite, mustFix, decision, reason } }));
    }
    case 'round_closed': {
      const { composite, mustFix, outcome, reason } = frame;
      return withRound(state, frame.round, () => ({ end: { composite, mustFix, decision: outcome, reason } }));
    }
    case 'ship':
      return ended(state, frame.status, frame.summary, frame);
    case 'interrupted':
      return ended(state, 'interrupted', frame.recovery ?? '', bestOf(frame));
    case 'failed':
      return ended(state, 'failed', frame.cause, null);
    case 'run_closed':
      return ended(state, frame.outcome, frame.reason, frame.ship);
    case 'degraded':
      return { ...state, degraded: { reason: frame.reason, adapter: frame.adapter } };
    case 'parser_warning':
      return { ...state, warnings: [...state.warnings, { kind: frame.kind, position: frame.position }] };
    case 'person': {
      const { by, act, text, time } = frame;
      return { ...state, interventions: [...state.interventions, { by, act, text, time }] };
    }
    case 'resumed':
      return { ...state, phase: { kind: 'running', resumed: true }, degraded: null };
    default:
      return state;
  }
}

/** The same turns, with something new of one of them. */
function turned(turns: readonly Turn[], id: number, news: Partial<Turn>): readonly Turn[] {
  return turns.map((turn) => (turn.start.turn === id ? { ...turn, ...news } : turn));
}

/** Seats as named now; what was known of a seat's agent is kept when the new list does not say. */
function seated(old: readonly Seat[], now: readonly Seat[]): readonly Seat[] {
  const named = now.map((seat) => (seat.agent === null ? (old.find(({ role }) => role === seat.role) ?? seat) : seat));
  return [...named, ...old.filter(({ role }) => !named.some((seat) => seat.role === role))];
}

/** What an interrupted run leaves: its best complete round, if it had one. */
function bestOf(frame: FrameOf<'interrupted'>): Ship | null {
  if (frame.bestRound === null) return null;
  return { round: frame.bestRound, composite: frame.composite, summary: null };
}

/** The theater says how it ended twice, in a word of its own and then in `run_closed`: the last word counts. */
function ended(state: State, outcome: string, reason: string, ship: Ship | null): State {
  return { ...silenced(state), phase: { kind: 'ended', outcome, reason, ship } };
}
