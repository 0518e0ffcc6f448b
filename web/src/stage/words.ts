// The loops' own words for the same parts, and codes made readable.

import type { Loop } from '../api/types';
import { hasWord, t } from '../i18n';
import { score } from '../i18n/format';
import { hasIterations, scoresShare } from '../loops';
import { isStanding, type Standing } from './standing';

/** A round by the word of its loop; round 0 is the opening. */
export function roundName(loop: Loop, n: number): string {
  if (n === 0) return t('stage.opening');
  return t(hasIterations(loop) ? 'stage.iteration' : 'stage.round', { n });
}

/** What follows a round. */
export function decisionName(decision: string | null): string {
  if (decision === null || decision === 'continue') return t('stage.goesOn');
  if (decision === 'ship') return t('stage.ships');
  return isStanding(decision) ? standingName(decision, []) : readable(decision);
}

/** How a run stands, and for whom it waits if it does. */
export function standingName(standing: Standing, waitingFor: readonly string[]): string {
  if (standing === 'waiting') return t('status.waiting', { who: waitingFor.map(roleName).join(', ') });
  if (standing === 'empty' || standing === 'paused') return t(`stage.${standing}`);
  return t(`status.${standing}`);
}

/** A seat in the reader's language. */
export const roleName = (role: string): string => named(`role.${role}`, role);

/** The word for a code of ours; names that somebody else gave stay as they are. */
export function named(key: string, code: string): string {
  return hasWord(key) ? t(key) : readable(code);
}

/** A code such as `iteration_limit` as words; text stays as it is. */
export function readable(text: string): string {
  return /^[a-z\d]+([_:][a-z\d]+)+$/.test(text) ? text.replace(/[_:]/g, ' ') : text;
}

/** A score, or a dash where there is none: not scored is not zero. */
export function scoreOr(value: number | null | undefined, loop?: Loop): string {
  if (value === null || value === undefined) return '–';
  return scoresShare(loop) ? `${score(Math.floor(value * 100))}%` : score(value);
}

/** A score's part of its scale, as a length for the style sheet. */
export function share(value: number | null | undefined, scale: number): string {
  return `${Math.min(Math.max((value ?? 0) / scale, 0), 1) * 100}%`;
}

/** “of 10”; nothing where there is no limit. */
export function ofLimit(limit: number | null | undefined, show: (limit: number) => string): string {
  return typeof limit === 'number' ? t('stage.of', { limit: show(limit) }) : '';
}

/** Minutes and seconds, hours when needed: 4:07, 1:02:30. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number): string => String(n).padStart(2, '0');
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
