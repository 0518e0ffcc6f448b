// The other loops: a review, a joust and a desk, each as small as it can be and still have something to show.
import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from './project';

const EXAMPLES = join(import.meta.dirname, '../../../examples');

/** A review of show notes. The creator plays its part from the folder `notes`; the reviewer is `reviewer`. */
export function review(project: Project, reviewer: 'person' | 'actor'): void {
  const critic = reviewer === 'person' ? 'kind = "human"' : 'kind = "command"\ncommand = ["./actor.sh", "notes"]';
  project.write(
    'tribunal.toml',
    [
      '[run]\nloop = "review"\nbrief = "Notes for the episode on sourdough, in two sentences."',
      '[review]\nasset = "show_notes"\nmax_iterations = 3',
      '[agents.writer]\nkind = "command"\ncommand = ["./actor.sh", "notes"]',
      `[agents.ada]\n${critic}`,
      '[seats.creator]\nagent = "writer"',
      '[seats.reviewer]\nagent = "ada"',
      '[limits]\ngrace = "500ms"\n',
    ].join('\n'),
  );
  const candidate = (content: string): string => JSON.stringify({ done: true, candidate: { content, format: 'plain' } });
  project.play('notes', {
    'creator.1': candidate('Bread is good. Listen now.'),
    'creator.2': candidate('A starter is flour, water and nine days of patience. Jana shows how hers has lived since 1998.'),
    'reviewer.1': JSON.stringify({
      verdict: 'changes_requested',
      summary: 'It says nothing of the episode.',
      issues: [{ message: 'Name the guest.', severity: 'error', code: 'guest' }],
    }),
    'reviewer.2': JSON.stringify({ verdict: 'ok', summary: 'Now one wants to listen.' }),
  });
}

/** The skeptic's first rewrite breaks a rule and is sent back; the second is taken. */
const JOUSTER = String.raw`#!/bin/sh
cat > /dev/null
echo "$TRIBUNAL_TASK" >> "calls-$TRIBUNAL_SEAT"
case "$TRIBUNAL_TASK" in
  bootstrap) printf '%s' '{"draft": "# Moving the ovens\n\nWe move in June.\n"}' ;;
  joust) if [ "$(wc -l < calls-skeptic)" = 1 ]; then printf '%s' '{"draft": "# Moving the ovens\n\nWe move in May.\n\n## Risks\n\nNone.\n"}'
         else printf '%s' '{"draft": "# Moving the ovens\n\nWe move in June.\n\n## Risks\n\nTwo days without bread.\n", "critique": "It said nothing of risks."}'; fi ;;
  polish) printf '%s' '{"draft": "# Moving the ovens\n\nWe move in June.\n\n## Risks\n\nTwo days without bread; the market stall covers one.\n"}' ;;
  *) printf '%s' '{"violations": []}' ;;
esac
`;

export function joust(project: Project): void {
  project.write(
    'tribunal.toml',
    [
      '[run]\nloop = "joust"\nbrief = "A plan for moving the ovens."',
      '[joust]\nname = "plan"\njousters = ["skeptic"]\nanchor = "anchor.toml"\nmax_rounds = 2',
      '[agents.actor]\nkind = "command"\ncommand = ["./jouster.sh"]',
      '[seats.main]\nagent = "actor"\n[seats.skeptic]\nagent = "actor"\n',
    ].join('\n'),
  );
  const inJune = String.raw`{ kind = "command", argv = ["sh", "-c", "! grep -q May \"$TRIBUNAL_DRAFT\""], rule = "not in May" }`;
  const risks = '{ kind = "pattern", pattern = "(?m)^## Risks$", rule = "risks" }';
  project.write('anchor.toml', `kind = "invariants"\nMUST = [${inJune}, ${risks}]\n`);
  project.program('jouster.sh', JOUSTER);
}

/** The calculator of the examples, in a repository of its own, with its plan; not yet run. */
export async function desk(project: Project): Promise<void> {
  cpSync(join(EXAMPLES, 'calculator'), project.dir, { recursive: true });
  const git = (...args: string[]): unknown => execFileSync('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.org', ...args], { cwd: project.dir });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
  const planned = await project.tribunal('desk', 'brainstorm', '--answers', 'plan.toml');
  if (planned.code !== 0) throw new Error(planned.stderr);
}
