import { createSignal } from 'solid-js';
import { asProblem, type Problem } from '../api/problem';

/** The page's one polite live region: what it says is read aloud, so only round ends and ships go there. */
const [announcement, announce] = createSignal('');
export { announce, announcement };

/** What went wrong last, until it is dismissed. */
const [problem, setProblem] = createSignal<Problem | undefined>();
export { problem };

export const report = (thrown: unknown): void => {
  setProblem(asProblem(thrown));
};
export const dismiss = (): void => {
  setProblem(undefined);
};
