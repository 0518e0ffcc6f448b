// A frame as one line that a person can read.

import type { Frame, Loop } from '../api/types';
import { t } from '../i18n';
import { followsOf } from '../reducer/rounds';
import type { Gate } from '../reducer/state';
import { reasonName, taskName } from './names';
import { decisionName, readable, roleName, roundName, scoreOr, standingName } from './words';
import { isStanding } from './standing';

interface Line {
  /** Who it is about; empty for the run itself. */
  readonly who: string;
  readonly text: string;
  /** A round's beginning or end, the run's end: where the eye should stop. */
  readonly isDivider: boolean;
}

/** `gate` is what the rounds of a theater are held against. */
export function line(frame: Frame, loop: Loop, gate: Gate | null = null): Line {
  const text = textOf(frame, loop, gate);
  return { who: 'role' in frame ? roleName(frame.role) : '', text, isDivider: DIVIDERS.has(frame.type) };
}

const DIVIDERS: ReadonlySet<string> = new Set(['round_opened', 'round_end', 'round_closed', 'run_closed', 'ship']);

function textOf(frame: Frame, loop: Loop, gate: Gate | null): string {
  switch (frame.type) {
    case 'scene':
      return t('stage.line.scene', { subject: frame.subject, seats: frame.seats.map(({ seat }) => roleName(seat)).join(', ') });
    case 'run_started':
      return t('stage.shipsAt', { threshold: frame.threshold });
    case 'round_opened':
      return roundName(loop, frame.round);
    case 'panelist_open':
      return t('stage.speaks');
    case 'panelist_dim':
      return `${frame.dimName} ${scoreOr(frame.dimScore)}: ${frame.dimNote}`;
    case 'panelist_must_fix':
      return `${t('stage.severity.must_fix')}: ${frame.text}`;
    case 'panelist_close':
      return t('stage.line.score', { score: scoreOr(frame.score) });
    case 'turn_started':
      return joined([
        taskName(frame.task),
        frame.model,
        frame.attempt > 1 && t('stage.attempt', { n: frame.attempt }),
        frame.why,
      ]);
    case 'turn_ended':
      return frame.error
        ? joined([frame.error.message, frame.error.hint])
        : joined([frame.said, readable(frame.word ?? ''), frame.summary]);
    case 'parked':
      return joined([frame.agent, frame.takenBy ?? frame.until, frame.why]);
    case 'draft':
      return t('stage.line.draft', { id: frame.draft });
    case 'finding': {
      const life =
        frame.state === 'open'
          ? t('stage.life.raised', { n: frame.raised })
          : t(`stage.life.${frame.state}`, { n: frame.round });
      return `${t(`stage.severity.${frame.severity}`)}, ${life}: ${frame.text}`;
    }
    case 'ruled':
      return joined([
        t(frame.accepted ? 'stage.accepted' : 'stage.sentBack'),
        frame.score !== null && scoreOr(frame.score),
        ...frame.reasons,
      ]);
    case 'receipts':
      return frame.receipts
        .map(({ check, passed }) => `${check} ${t(passed ? 'stage.passed' : 'stage.notPassed')}`)
        .join(' · ');
    case 'stories':
      return t('stage.line.stories', {
        n: frame.stories.filter(({ verifiedIn }) => verifiedIn !== null).length,
        of: frame.stories.length,
      });
    case 'round_end':
      return joined([
        roundName(loop, frame.round),
        scoreOr(frame.composite),
        t('stage.mustFixes', { n: frame.mustFix }),
        decisionName(followsOf(gate, frame)),
        frame.reason,
      ]);
    case 'round_closed':
      return joined([
        roundName(loop, frame.round),
        frame.composite !== null && scoreOr(frame.composite, loop),
        decisionName(frame.outcome),
        frame.reason,
      ]);
    case 'ship':
      return joined([isStanding(frame.status) ? standingName(frame.status, []) : t('stage.ships'), roundName(loop, frame.round), scoreOr(frame.composite), frame.summary]);
    case 'degraded':
      return t('stage.degraded', { reason: reasonName(frame.reason), adapter: frame.adapter });
    case 'interrupted':
      return joined([
        t('status.interrupted'),
        frame.bestRound !== null && roundName(loop, frame.bestRound),
        frame.recovery,
      ]);
    case 'failed':
      return joined([t('status.failed'), reasonName(frame.cause)]);
    case 'parser_warning':
      if (frame.kind === 'contradicted') return t('stage.line.overruled');
      // What was noticed in an answer that came at once stands at no place in a stream.
      return frame.position > 0
        ? t('stage.line.warningAt', { kind: reasonName(frame.kind), position: frame.position })
        : t('stage.line.warning', { kind: reasonName(frame.kind) });
    case 'person':
      return joined([frame.by, t(`stage.act.${frame.act}`), frame.text]);
    case 'resumed':
      return t('stage.line.resumed');
    case 'run_closed':
      return joined([
        isStanding(frame.outcome) ? standingName(frame.outcome, []) : frame.outcome,
        reasonName(frame.reason),
      ]);
    default:
      return '';
  }
}

function joined(parts: readonly (string | number | false | null | undefined)[]): string {
  return parts.filter(Boolean).join(' · ');
}
