// The names the page uses; `schema.ts` is generated and may be replaced whole.
import type { components } from './schema';

type Schemas = components['schemas'];

export type Frame = Schemas['Frame'];
export type FrameType = Frame['type'];
export type FrameOf<T extends FrameType> = Extract<Frame, { type: T }>;

export type Loop = Schemas['Loop'];
export type Outcome = Schemas['Outcome'];
export type Format = Schemas['Format'];
export type Seat = Schemas['Seat'];
export type Receipt = Schemas['Receipt'];
export type Story = Schemas['Story'];

export type Session = Schemas['Session'];
export type Action = Schemas['Action'];
export type RunRow = Schemas['RunRow'];
export type RunStatus = RunRow['status'];
export type RunPage = Schemas['RunPage'];
export type Started = Schemas['Started'];
export type Accepted = Schemas['Accepted'];
export type Diff = Schemas['Diff'];
export type DiffLine = Schemas['DiffLine'];
export type Question = Schemas['Question'];
export type Setting = Schemas['Setting'];
export type Settings = Schemas['Settings'];
