import { later } from '../stage/later';

/** The pages that have one thing to say; they are rare, so they are fetched when they are needed. */
export const Plain = later(async () => (await import('./Plain')).default);
