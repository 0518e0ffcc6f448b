// The names the page uses; `schema.ts` is generated (`npm run types`) and may be replaced whole.
import type { components } from './schema';

type Schemas = components['schemas'];

export type Frame = Schemas['WatchFrame'];
export type FrameType = Frame['type'];
export type FrameOf<T extends FrameType> = Extract<Frame, { type: T }>;

export type Loop = Schemas['LoopKind'];
export type Outcome = Schemas['Outcome'];
export type Receipt = Schemas['CheckReceipt'];

export type Session = Schemas['Session'];
export type Action = Schemas['Action'];
export type RunStatus = 'running' | Outcome;
export type RunRow = Omit<Schemas['RunRow'], 'status'> & { status: RunStatus };
export type RunPage = Omit<Schemas['RunPage'], 'runs'> & { runs: RunRow[] };
export type Started = Schemas['Started'];
export type Accepted = Schemas['Accepted'];
export type ForecastLeft = Schemas['ForecastLeft'];
export type Overruled = Schemas['Overruled'];
export type Diff = Schemas['Diff'];
export type DiffLine = Schemas['DiffLine'];
export type Question = Schemas['Question'];
export type Setting = Schemas['Setting'];
export type Settings = Schemas['Settings'];
