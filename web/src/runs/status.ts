import type { RunRow, RunStatus } from '../api/types';
import { t } from '../i18n';

type Tone = 'good' | 'warn' | 'bad' | 'calm';

const TONES: Record<RunStatus, Tone> = {
  running: 'calm',
  shipped: 'good',
  converged: 'good',
  below_threshold: 'warn',
  needs_human: 'warn',
  blocked: 'warn',
  timed_out: 'warn',
  over_budget: 'warn',
  interrupted: 'warn',
  degraded: 'warn',
  failed: 'bad',
  legacy: 'good',
};

/** Shapes beside the colours, for who does not tell those apart. */
export const MARKS: Record<Tone, string> = { good: '✓', warn: '!', bad: '✕', calm: '●' };

export const STATUSES = Object.keys(TONES).filter((name): name is RunStatus => name in TONES);

export const toneOf = (row: RunRow): Tone => (row.waitingFor.length > 0 ? 'warn' : TONES[row.status]);

/** A run's state in a word; whom it waits for matters more than that it runs. */
export function statusOf(row: RunRow): string {
  if (row.waitingFor.length > 0) return t('status.waiting', { who: row.waitingFor.join(', ') });
  return t(row.isQueued ? 'status.queued' : `status.${row.status}`);
}
