// `tribunal serve` for a project, and the API as a program would use it.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Frame, RunRow } from '../../src/api/types';
import type { Project } from './project';
import { until } from './wait';

export class Server {
  private constructor(
    private readonly child: ChildProcess,
    /** What a person opens: it carries the token. */
    readonly url: string,
    readonly address: string,
    readonly token: string,
    private readonly project: string,
  ) {}

  static async start(project: Project, port = 0, ...more: string[]): Promise<Server> {
    const child = project.spawn(['serve', '--port', String(port), '--json', ...more]);
    if (!child.stdout || !child.stderr) throw new Error('no pipes');
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    for await (const line of createInterface({ input: child.stdout })) {
      const { url, address, token, project }: Record<string, string> = JSON.parse(line);
      if (url && address && token && project) return new Server(child, url, address, token, project);
    }
    throw new Error(`the server did not start: ${said}`);
  }

  get port(): number {
    return Number(new URL(this.address).port);
  }

  /** As if the machine had gone: nothing is said, nothing is put away. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill(signal);
    await gone;
  }

  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    return fetch(`${this.address}${path}`, { ...init, headers });
  }

  /** The address of a part of the project's API. */
  at(rest: string): string {
    return `/api/projects/${this.project}/${rest}`;
  }

  async get<T>(rest: string): Promise<T> {
    const response = await this.ask(this.at(rest));
    if (!response.ok) throw new Error(`${rest}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  async post<T>(rest: string, body: object = {}): Promise<T> {
    const response = await this.ask(this.at(rest), { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${rest}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  /** Starts what tribunal.toml describes; one run. */
  async begin(brief: string | null = null): Promise<string> {
    const { runs } = await this.post<{ runs: string[] }>('runs', { brief, assets: [], source: null, again: brief !== null });
    const [run] = runs;
    if (runs.length !== 1 || run === undefined) throw new Error(`not one run: ${runs.join()}`);
    return run;
  }

  row(run: string): Promise<RunRow> {
    return this.get(`runs/${run}`);
  }

  async runs(): Promise<RunRow[]> {
    return (await this.get<{ runs: RunRow[] }>('runs')).runs;
  }

  async cues(run: string): Promise<Frame[]> {
    const text = await (await this.ask(this.at(`runs/${run}/cues`))).text();
    return text.split('\n').filter(Boolean).map((line): Frame => JSON.parse(line));
  }

  /** Waits until a run is over, and gives its row. */
  closed(run: string): Promise<RunRow> {
    return until(`run ${run} is over`, async () => {
      const row = await this.row(run);
      return row.status !== 'running' && row;
    });
  }
}
