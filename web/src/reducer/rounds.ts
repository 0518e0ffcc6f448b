// Replacing one part of a run's rounds while sharing all the others.

import type { Lane, Round, State, Turn } from './state';

/** The round of that number, or nothing. Looks from the end: frames are about the latest round. */
export function roundOf(state: State, number: number): Round | undefined {
  return state.rounds[indexOf(state.rounds, number)];
}

/** The lane of that role in a round, or nothing. */
export function laneOf(round: Round | undefined, role: string): Lane | undefined {
  return round?.lanes.find((lane) => lane.role === role);
}

/** Changes a round, which comes into being when it was not there. */
export function withRound(state: State, number: number, change: (round: Round) => Round): State {
  const at = indexOf(state.rounds, number);
  const old = state.rounds[at];
  if (old) {
    const changed = change(old);
    return changed === old ? state : { ...state, rounds: state.rounds.with(at, changed) };
  }
  const fresh: Round = { number, lanes: [], draft: null, rulings: [], receipts: [], end: null };
  const later = state.rounds.findIndex((round) => number < round.number);
  return { ...state, rounds: state.rounds.toSpliced(later < 0 ? state.rounds.length : later, 0, change(fresh)) };
}

/** Changes a seat's lane in a round; both come into being when they were not there. */
export function withLane(state: State, number: number, role: string, change: (lane: Lane) => Lane): State {
  return withRound(withSeat(state, role), number, (round) => {
    const at = round.lanes.findIndex((lane) => lane.role === role);
    const old = round.lanes[at];
    const changed = change(old ?? { role, isSpeaking: false, dims: [], mustFixes: [], score: null, turns: [] });
    return { ...round, lanes: old ? round.lanes.with(at, changed) : [...round.lanes, changed] };
  });
}

/** Changes the last turn of that number in a lane; a turn that never started is not invented. */
export function withTurn(lane: Lane, number: number, change: (turn: Turn) => Turn): Lane {
  const at = lane.turns.findLastIndex((turn) => turn.start.turn === number);
  const old = lane.turns[at];
  return old ? { ...lane, turns: lane.turns.with(at, change(old)) } : lane;
}

/** Stops everybody: when a run has ended nobody speaks, whatever was cut off. */
export function silenced(state: State): State {
  if (!state.rounds.some((round) => round.lanes.some((lane) => lane.isSpeaking))) return state;
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
