import type { Component } from 'solid-js';
import { later } from '../stage/later';

/** A part of the page with a file of its own, fetched with its words when it is first shown. */
export const page = <P extends object>(load: () => Promise<{ default: Component<P> }>) =>
  later(async () => (await load()).default);

/** The pages that have one thing to say; they are rare. */
export const Plain = page(() => import('./Plain'));
