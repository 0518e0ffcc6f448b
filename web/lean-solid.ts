import type { Plugin } from 'vite';

/** What is replaced in Solid's files, so that the minifier can see that a part is never used. */
const CUTS: Record<string, readonly (readonly [RegExp, string])[]> = {
  'solid-js/dist/solid.js': [
    // No transitions, no scheduler, no foreign signals: three variables that stay null.
    [/\blet (Transition|Scheduler|ExternalSourceConfig) = null;/g, 'const $1 = null;'],
    [/^\s+Transition = null;$/gm, ''],
    [/\(Transition = \{/g, '({'],
    [/^\s+Scheduler = scheduler;$/gm, ''],
    [/^(\s+)ExternalSourceConfig = \{$/gm, '$1void {'],
    // No error boundaries: what is thrown is thrown.
    [/\blet ERROR = null;/g, 'const ERROR = null;'],
    [/^\s+ERROR \|\| \(ERROR = Symbol\("error"\)\);$/gm, ''],
    // No suspense.
    [/SuspenseContext && useContext\(SuspenseContext\)/g, 'null'],
    // Nothing is hydrated: the server sends an empty page.
    [/\bsharedConfig\.(context|count|done|effects)\b(?! =|\+\+|--)/g, '(void 0)'],
  ],
  'solid-js/web/dist/web.js': [
    [/\bsharedConfig\.(context|registry|events|completed|done)\b(?! =)/g, '(void 0)'],
    [/(?<!function )\bisHydrating\(\w*\)/g, 'false'],
  ],
};

/**
 * Leaves out of the shipped page what Solid carries for servers that render and for suspended updates.
 * The page uses neither, and they are a fifth of its budget. A version of Solid that is written
 * otherwise stops the build here instead of growing the page or breaking it.
 */
export function leanSolid(): Plugin {
  return {
    name: 'lean-solid',
    apply: 'build',
    transform(code, id) {
      const file = Object.keys(CUTS).find((name) => id.endsWith(`/${name}`));
      if (file === undefined) return null;
      return (CUTS[file] ?? []).reduce((text, [pattern, replacement]) => {
        const cut = text.replace(pattern, replacement);
        if (cut === text) throw new Error(`${file} has changed: ${pattern.source} is not in it`);
        return cut;
      }, code);
    },
  };
}
