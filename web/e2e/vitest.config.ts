import { defineConfig } from 'vitest/config';

// The built page in a real browser, served by the real program: `npm run e2e`.
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../node_modules/.vite-e2e',
  test: {
    environment: 'node',
    include: ['*.test.ts'],
    // Every file has a browser and servers of its own; more at once than this only take time from each other.
    maxWorkers: 2,
    // A cold browser on a busy machine; nothing waits this long when all is well.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { interval: 50, timeout: 20_000 } },
  },
});
