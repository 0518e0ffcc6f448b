import type { RunRow, RunStatus } from '../api/types';
import { goingOn, MARKS, type Standing } from '../stage/standing';

/** How a run stands now. */
export const standingOf = (run: RunRow): Standing => (run.status === 'running' ? goingOn(run) : run.status);

/** What a run's state may be, for a filter: those of a run's own, and none of its moments. */
const MOMENTS = new Set(['empty', 'queued', 'paused', 'waiting']);

export const STATUSES = Object.keys(MARKS).filter((name): name is RunStatus => !MOMENTS.has(name));
