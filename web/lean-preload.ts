import type { Plugin } from 'vite';

const HELPER = '\0vite/preload-helper.js';

/** Waits for the style sheets of a part before its code, so that nothing is seen undressed. */
const CODE = `
const links = {};
const dress = (href) => links[href] ??= new Promise((resolve, reject) => {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = '/' + href;
  link.onload = resolve;
  link.onerror = () => { delete links[href]; link.remove(); reject(new Error(href)); };
  document.head.append(link);
});
export const __vitePreload = (load, deps) => Promise.all((deps ?? []).map(dress)).then(load);
`;

/**
 * Takes the place of Vite's own helper for dynamic imports, which is ten times the size: it also preloads
 * scripts, and our parts have hardly any of their own beyond the one that is asked for.
 */
export function leanPreload(): Plugin {
  let isUsed = false;
  return {
    name: 'lean-preload',
    enforce: 'pre',
    apply: 'build',
    load(id) {
      if (id !== HELPER) return null;
      isUsed = true;
      return { code: CODE, moduleSideEffects: false };
    },
    buildEnd() {
      if (!isUsed) throw new Error('Vite no longer asks for its preload helper by this name');
    },
  };
}
