// The names the page uses; `schema.ts` is generated (`npm run types`) and may be replaced whole.
import type { components } from './schema';

type Schemas = components['schemas'];

type Cue = Schemas['Critique'] | Schemas['Aside'];
/** A cue with its time and its place in the log. The generator knows no way to say that one extends the other. */
export type Frame = Cue & { time: string; seq: number };
export type FrameType = Frame['type'];
export type FrameOf<T extends FrameType> = Extract<Frame, { type: T }>;

export type Loop = Schemas['LoopKind'];
export type Outcome = Schemas['Outcome'];
export type Receipt = Schemas['Receipt'];

export type Session = Schemas['Session'];
export type Action = Schemas['Action'];
export type RunStatus = 'running' | Outcome;
export type RunRow = Omit<Schemas['RunRow'], 'status'> & { status: RunStatus };
export type RunPage = Omit<Schemas['RunPage'], 'runs'> & { runs: RunRow[] };
export type Started = Schemas['Started'];
export type Accepted = Schemas['Accepted'];
export type Diff = Schemas['Diff'];
export type DiffLine = Schemas['DiffLine'];
export type Question = Schemas['Question'];
export type Setting = Schemas['Setting'];
export type Settings = Schemas['Settings'];
