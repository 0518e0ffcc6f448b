import type { Accessor } from 'solid-js';
import type { Round, State } from '../reducer/state';
import type { Moment } from '../replay/moment';
import type { StageProps } from './props';
import type { Tally } from './Score';

/** What the parts of the stage look at; one object, since most of them need most of it. */
export interface View {
  readonly given: StageProps;
  readonly moment: Moment;
  readonly state: Accessor<State>;
  /** The round that is looked at; none before the first one. */
  readonly round: Accessor<Round | undefined>;
  readonly tally: Accessor<Tally>;
  /** Looks at another round. */
  pick(round: number): void;
  /** Opens the evidence behind a seat's claims in a round, or behind the round's checks. */
  prove(round: number, role: string | null): void;
}
