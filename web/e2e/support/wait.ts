/** Longer than anything takes that works, shorter than a test's own limit, so that it is known what did not come. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 20;

/** Asks until there is an answer other than nothing or `false`. */
export async function until<T>(what: string, ask: () => T | Promise<T>): Promise<Exclude<T, undefined | null | false>> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (isAnswer(answer)) return answer;
    if (Date.now() > end) throw new Error(`it did not come: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function isAnswer<T>(answer: T): answer is Exclude<T, undefined | null | false> {
  return answer !== undefined && answer !== null && answer !== false;
}
