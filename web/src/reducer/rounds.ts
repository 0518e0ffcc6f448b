// Replacing one part of a run's rounds while sharing all the others.

import type { FrameOf } from '../api/types';
import type { Gate, Lane, Round, State } from './state';

/** The round of that number, or nothing. Looks from the end: frames are about the latest round. */
export function roundOf(state: State, number: number): Round | undefined {
  return state.rounds[indexOf(state.rounds, number)];
}

/** The lane of that role in a round, or nothing. */
export function laneOf(round: Round | undefined, role: string): Lane | undefined {
  return round?.lanes.find((lane) => lane.role === role);
}

/**
 * What follows a theater's round. `ship` stands in the log for what a fallback hands over, too, and `continue` for the
 * last round: neither has passed.
 */
export function followsOf(gate: Gate | null, { round, composite, mustFix, decision }: FrameOf<'round_end'>): string {
  const hasFailed = gate && (decision === 'ship' ? composite < gate.threshold || mustFix : round >= gate.maxRounds);
  return hasFailed ? 'below_threshold' : decision;
}

/** Changes parts of a round, which comes into being when it was not there. */
export function withRound(state: State, number: number, change: (round: Round) => Partial<Round>): State {
  const at = indexOf(state.rounds, number);
  const old = state.rounds[at];
  if (old) return { ...state, rounds: state.rounds.with(at, { ...old, ...change(old) }) };
  const fresh: Round = { number, lanes: [], draft: null, offer: null, rulings: [], receipts: [], end: null };
  const later = state.rounds.findIndex((round) => number < round.number);
  const place = later < 0 ? state.rounds.length : later;
  return { ...state, rounds: state.rounds.toSpliced(place, 0, { ...fresh, ...change(fresh) }) };
}

/** Changes parts of a seat's lane in a round; both come into being when they were not there. */
export function withLane(state: State, { round, role }: Place, change: (lane: Lane) => Partial<Lane>): State {
  return withRound(withSeat(state, role), round, ({ lanes }) => {
    const at = lanes.findIndex((lane) => lane.role === role);
    const old = lanes[at] ?? { role, isSpeaking: false, dims: [], mustFixes: [], score: null, turns: [] };
    const changed = { ...old, ...change(old) };
    return { lanes: at < 0 ? [...lanes, changed] : lanes.with(at, changed) };
  });
}

/** Where a frame belongs that is about one seat. */
interface Place {
  readonly round: number;
  readonly role: string;
}

/** Stops everybody: when a run has ended nobody speaks, whatever was cut off. */
export function silenced(state: State): State {
  const rounds = state.rounds.map((round) => {
    if (!round.lanes.some((lane) => lane.isSpeaking)) return round;
    return { ...round, lanes: round.lanes.map((lane) => (lane.isSpeaking ? { ...lane, isSpeaking: false } : lane)) };
  });
  return { ...state, rounds };
}

function withSeat(state: State, role: string): State {
  if (state.seats.some((seat) => seat.role === role)) return state;
  return { ...state, seats: [...state.seats, { role, agent: null, model: null }] };
}

function indexOf(rounds: readonly Round[], number: number): number {
  return rounds.findLastIndex((round) => round.number === number);
}
