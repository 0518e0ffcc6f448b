// Beside the lanes: the work, what was found wrong with it, and the people's part.

import { Show } from 'solid-js';
import { worksOnFiles } from '../loops';
import { Findings } from './Findings';
import { Forecast } from './Forecast';
import { Preview } from './Preview';
import { Steer } from './Steer';
import type { View } from './view';

export function Side(props: { readonly view: View }) {
  const { given, state, round, prove } = props.view;
  return (
    <>
      <Show when={!worksOnFiles(given.run.loop) && round()}>
        {(round) => (
          <Preview
            state={state()}
            loop={given.run.loop}
            round={round().number}
            address={given.preview}
            diff={given.diff}
          />
        )}
      </Show>
      <Findings state={state()} onEvidence={prove}>
        <Forecast view={props.view} />
      </Findings>
      <Steer state={state()} canSteer={given.run.actions.includes('steer')} steer={given.actions.steer} />
    </>
  );
}
