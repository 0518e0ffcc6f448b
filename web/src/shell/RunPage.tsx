import { createSignal, onCleanup, onMount, Show, type JSX } from 'solid-js';
import type { Client } from '../api/client';
import { connect, type Connection } from '../api/connection';
import { isLockedOut } from '../api/http';
import { asProblem } from '../api/problem';
import type { Action, Frame, FrameType, RunRow } from '../api/types';
import { t } from '../i18n';
import type { StageActions } from '../stage/props';
import { Stage } from '../stage/Stage';
import { bindStage } from './commands';
import { announce, dismiss, report } from './notices';
import { page, Plain } from './page';
import { go, runHref } from './route';

const Diff = page(() => import('../diff/Diff'));
const Seat = page(() => import('../seat/Seat'));

/** Cues that may change what can be asked of the run, or whom it waits for. */
const TURNING: ReadonlySet<FrameType> = new Set<FrameType>([
  'turn_started',
  'turn_ended',
  'round_end',
  'round_closed',
  'person',
  'resumed',
  'run_closed',
]);
/** How long to wait when a run could not be loaded. */
const RETRY_MS = 3000;
/** The row is asked for at most this often while a run is busy. */
const ROW_MS = 300;

/** Loads a run and keeps it current; the stage only shows it. */
export function RunPage(props: { client: Client; run: string }): JSX.Element {
  const { client, run } = props;
  const [row, setRow] = createSignal<RunRow | undefined>();
  const [isMissing, setMissing] = createSignal(false);
  const [connection, setConnection] = createSignal<Connection>({ kind: 'connecting' });
  // One array that grows: copying it for every frame would make a long run quadratic.
  const log: Frame[] = [];
  const [frames, setFrames] = createSignal<readonly Frame[]>(log, { equals: false });

  let timer: ReturnType<typeof setTimeout> | undefined;
  const refresh = async (): Promise<void> => {
    timer = undefined;
    setRow(await client.run(run));
  };
  const refreshSoon = (): void => {
    // A failure is not worth a message: the stream reports a server that is away, and the next cue asks again.
    timer ??= setTimeout(() => refresh().catch(() => undefined), ROW_MS);
  };

  const hear = (fresh: Frame[]): void => {
    log.push(...fresh);
    setFrames(log);
    if (fresh.some(({ type }) => TURNING.has(type))) refreshSoon();
  };

  let stop: (() => void) | undefined;
  const follow = (): void => {
    const last = log.at(-1);
    stop = connect({
      url: (after) => client.eventsUrl(run, after),
      after: last && String(last.seq),
      onFrames: hear,
      onChange: (now) => {
        setConnection(now);
        if (now.kind === 'live') refreshSoon();
      },
      probe: () => client.run(run),
      isRefused: isLockedOut,
    });
  };

  let isGone = false;
  const load = async (): Promise<void> => {
    timer = undefined;
    try {
      const [first, past] = await Promise.all([client.run(run), client.cues(run)]);
      if (isGone) return;
      for (const frame of past) log.push(frame);
      setFrames(log);
      setRow(first);
      dismiss();
      document.title = `${first.subject} · ${t('app.title')}`;
      follow();
    } catch (thrown) {
      if ([400, 404].includes(asProblem(thrown).status)) setMissing(true);
      else if (!isGone && !isLockedOut()) {
        report(thrown);
        timer = setTimeout(() => void load(), RETRY_MS);
      }
    }
  };
  onMount(load);
  onCleanup(() => {
    isGone = true;
    stop?.();
    clearTimeout(timer);
    bindStage(undefined);
  });

  const ask = async (what: Action, body?: object): Promise<void> => {
    const { change } = await import('../api/change');
    await change(client, run, what, body);
    await refresh();
  };
  const actions: StageActions = {
    interrupt: () => ask('interrupt'),
    steer: (text) => ask('steer', { text }),
    resume: () => ask('resume'),
    reopen: (why, rounds) => ask('reopen', { why, rounds }),
    select: (round) => ask('select', { round }),
    rerun: async () => {
      const artifact = row()?.artifact;
      if (artifact == null) return;
      const { rerun } = await import('../api/change');
      go(runHref((await rerun(client, artifact)).runId));
    },
  };

  return (
    <Show when={!isMissing()} fallback={<Plain what="missing.run" />}>
      <Show when={row()} fallback={<p class="loading">{t('app.loading')}</p>}>
        {(row) => (
          <Stage
            run={row()}
            frames={frames}
            connection={connection}
            actions={actions}
            preview={(round) => client.previewUrl(run, round)}
            blob={(digest) => client.blob(run, digest)}
            ask={(what) => client.ask(run, what)}
            announce={announce}
            bind={bindStage}
            diff={(slot) => <Diff client={client} run={run} rounds={slot.rounds} from={slot.from} to={slot.to} />}
            seat={(slot) => <Seat client={client} run={run} waitingFor={slot.waitingFor} />}
          />
        )}
      </Show>
    </Show>
  );
}
