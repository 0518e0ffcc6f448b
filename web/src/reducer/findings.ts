// What became of every finding, across rounds.

import type { FrameOf } from '../api/types';
import type { Finding } from './state';

/** The findings after a `finding` cue: a new one at the end, a known one in its place with a longer life. */
export function withFinding(findings: readonly Finding[], frame: FrameOf<'finding'>): readonly Finding[] {
  const { id, role, raised, round, severity, text, code, target, state } = frame;
  const at = findings.findLastIndex((finding) => finding.id === id);
  const old = findings[at];
  const life = old?.life ?? [];
  const lived = life.at(-1)?.state === state ? life : [...life, { round, state }];
  const finding = { id, role, raised, severity, text, code, target, state, life: lived };
  return old ? findings.with(at, finding) : [...findings, finding];
}

/** Whether somebody still has to do something about it. Contested ones do not count: the decision stands. */
export function isOpen(finding: Finding): boolean {
  return finding.state === 'open' || finding.state === 'reopened';
}
