// Beside the lanes: the work, what was found wrong with it, and the people's part.

import '../styles/extras.css';
import { Show, type Component } from 'solid-js';
import type { RunRow } from '../api/types';
import type { Round, State } from '../reducer/state';
import { Findings } from './Findings';
import { Preview } from './Preview';
import type { DiffSlotProps } from './props';
import { Steer } from './Steer';

export function Side(props: {
  readonly run: RunRow;
  readonly state: State;
  readonly round: Round | undefined;
  readonly preview: (round: number) => string;
  readonly diff: Component<DiffSlotProps>;
  readonly steer: (text: string) => Promise<void>;
  readonly onEvidence: (round: number, role: string) => void;
}) {
  return (
    <>
      {/* A desk works on a tree of files, not on one page. */}
      <Show when={props.run.loop !== 'desk' && props.round}>
        {(round) => <Preview state={props.state} loop={props.run.loop} round={round().number} address={props.preview} diff={props.diff} />}
      </Show>
      <Findings state={props.state} onEvidence={props.onEvidence} />
      <Steer state={props.state} canSteer={props.run.actions.includes('steer')} steer={props.steer} />
    </>
  );
}
