// A project in a temporary folder, and the program under test.
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const BINARY = resolve(process.env.TRIBUNAL_BIN ?? join(import.meta.dirname, '../../../target/debug/tribunal'));

/**
 * An agent that says what its part says, and when. A part is a file of lines: `@wait NAME` waits until the test gives
 * that cue, `@exit N` ends the program, everything else is said. Which part: that of the task, of the seat in this
 * round, or of the seat.
 */
const ACTOR = `#!/bin/sh
cat > /dev/null
for part in "$1/$TRIBUNAL_TASK" "$1/$TRIBUNAL_SEAT.$TRIBUNAL_ROUND" "$1/$TRIBUNAL_SEAT"; do [ -e "$part" ] && break; done
# Most parts are only read out, and a shell is slow at reading line by line.
grep -q '^@' "$part" || exec cat "$part"
while IFS= read -r line; do
  case "$line" in
    # Whoever waits for a test that is over goes home.
    '@wait '*) until [ -e "$1/cues/\${line#@wait }" ]; do [ -d "$1" ] || exit 1; sleep 0.02; done ;;
    '@exit '*) exit "\${line#@exit }" ;;
    *) printf '%s\\n' "$line" ;;
  esac
done < "$part"
`;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Project {
  readonly dir: string;

  /** The folder's name is the project's, which the page shows. */
  constructor(name = 'bakery') {
    this.dir = join(mkdtempSync(join(tmpdir(), 'tribunal-e2e-')), name);
    this.program('actor.sh', ACTOR);
  }

  path(name: string): string {
    return join(this.dir, name);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  program(name: string, script: string): void {
    this.write(name, script);
    chmodSync(this.path(name), 0o755);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  /** What the actors of a play say, by part. */
  play(name: string, parts: Readonly<Record<string, string>>): void {
    for (const [part, text] of Object.entries(parts)) this.write(`${name}/${part}`, `${text}\n`);
  }

  /** Lets go on whoever waits for this in a play. */
  cue(play: string, name: string): void {
    this.write(`${play}/cues/${name}`, '');
  }

  spawn(args: readonly string[]): ChildProcess {
    return spawn(BINARY, args, { cwd: this.dir, env: this.env(), stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Runs a command to its end. */
  async tribunal(...args: string[]): Promise<Ended> {
    const child = this.spawn(args);
    const [stdout, stderr, code] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      new Promise<number | null>((done, fail) => child.on('error', fail).on('close', done)),
    ]);
    return { code, stdout, stderr };
  }

  remove(): void {
    rmSync(dirname(this.dir), { recursive: true, force: true, maxRetries: 5 });
  }

  /** Nothing of whoever runs the tests: neither their settings nor their name. */
  private env(): Record<string, string> {
    return { PATH: process.env.PATH ?? '', HOME: this.dir, USER: 'ada', LANG: 'C.UTF-8', TRIBUNAL_CHECKS_EYES: 'static' };
  }
}

async function textOf(stream: AsyncIterable<Buffer> | null): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
