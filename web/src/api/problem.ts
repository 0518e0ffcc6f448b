/** Why a request did not work, in the server's words: what happened, and what to do about it. */
export class Problem extends Error {
  constructor(
    /** The HTTP status; 0 when the server was not reached at all. */
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string | null = null,
  ) {
    super(message);
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Reads problem details (RFC 9457); a proxy in between may answer with something else, which must not hide the status. */
export function problemOf(status: number, body: unknown): Problem {
  const problem = isRecord(body) ? body : {};
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return new Problem(status, text(problem.code) ?? 'http', text(problem.detail) ?? `HTTP ${status}`, text(problem.hint));
}

/** Anything thrown, as a problem that can be shown. */
export const asProblem = (thrown: unknown): Problem =>
  thrown instanceof Problem ? thrown : new Problem(0, 'page', thrown instanceof Error ? thrown.message : String(thrown));
