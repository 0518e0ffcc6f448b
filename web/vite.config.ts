import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';
import { leanPreload } from './lean-preload.ts';
import { leanSolid } from './lean-solid.ts';

// Where `tribunal serve` listens while the page is developed (`npm run dev`).
const server = process.env.TRIBUNAL_URL ?? 'http://127.0.0.1:4747';
// A session belongs to the server's own port; from this one we come with the token.
const token = process.env.TRIBUNAL_TOKEN;
const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};

const first = new Set<string>();
/** Whether the page cannot start without a module. All of those are one file, which packs better than many. */
function isFirst(id: string, infoOf: (id: string) => { importedIds: string[] } | null): boolean {
  const visit = (id: string): void => {
    if (first.has(id)) return;
    first.add(id);
    infoOf(id)?.importedIds.forEach(visit);
  };
  if (first.size === 0) visit(new URL('src/main.tsx', import.meta.url).pathname);
  return first.has(id);
}

export default defineConfig({
  plugins: [solid({ solid: { omitNestedClosingTags: true, delegateEvents: false } }), leanSolid(), leanPreload()],
  server: { proxy: { '/api': { target: server, changeOrigin: true, headers }, '/preview': server } },
  build: {
    // The server embeds this folder, so it is checked in; names without hashes keep its history readable.
    outDir: '../crates/server/assets',
    emptyOutDir: true,
    assetsDir: '',
    target: 'es2023',
    // Browsers that know `light-dark()`, so that it is not expanded into twice the bytes.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    sourcemap: false,
    // Slower than the default and two in a hundred smaller.
    minify: 'terser',
    terserOptions: { ecma: 2020, module: true, compress: { passes: 3, unsafe_arrows: true } },
    modulePreload: { polyfill: false, resolveDependencies: (_, deps) => deps.filter((dep) => dep.endsWith('.css')) },
    // A data: address would need a hole in the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        entryFileNames: '[name].js',
        // Two files of a locale have the same name.
        chunkFileNames: ({ facadeModuleId }) => (facadeModuleId?.includes('/i18n/pages/') ? 'pages.[name].js' : '[name].js'),
        codeSplitting: { groups: [{ name: (id, context) => (isFirst(id, (id) => context.getModuleInfo(id)) ? 'first' : null) }] },
        assetFileNames: '[name][extname]',
      },
    },
  },
  test: {
    environment: 'jsdom',
    // The testing library takes down what a test rendered when it finds a global `afterEach`.
    globals: true,
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/patience.testing.ts'],
    testTimeout: 30_000,
    restoreMocks: true,
  },
});
