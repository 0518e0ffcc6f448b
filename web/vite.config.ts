import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';

// Where `tribunal serve` listens while the page is developed (`npm run dev`).
const server = process.env.TRIBUNAL_URL ?? 'http://127.0.0.1:4747';

export default defineConfig({
  // Relative addresses: the page works under whatever path a proxy gives it.
  base: './',
  plugins: [solid()],
  server: { proxy: { '/api': server } },
  build: {
    // The server embeds this folder, so it is checked in; names without hashes keep its history readable.
    outDir: '../crates/server/assets',
    emptyOutDir: true,
    assetsDir: '',
    target: 'es2023',
    // Browsers that know `light-dark()`, so that it is not expanded into twice the bytes.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    sourcemap: false,
    modulePreload: { polyfill: false },
    // A data: address would need a hole in the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        assetFileNames: '[name][extname]',
      },
    },
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    restoreMocks: true,
  },
});
