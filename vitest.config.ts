import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import LongestFirst from './scripts/longest-first.mjs'

// What main.ts does with the configured zone; the tests' databases are in it too.
process.env.TZ = 'Asia/Shanghai'
// A start speaks the language of the machine. Tests read Chinese, whatever the developer's is.
process.env.LC_ALL = 'C.UTF-8'

/** A condition is waited for so long: one second, vitest's own limit, is nothing on a loaded machine. */
const expectPatiently = { expect: { poll: { timeout: 20_000, interval: 100 } } }
/**
 * The machine that decides tries what failed once more, from its file's beginning: one race in four thousand tests would
 * reject a whole change. The run names such tests at its end (scripts/second-tries.mjs). Elsewhere nothing is tried
 * again, so that a race is met.
 */
const retry = process.env.CI === 'true' ? 1 : 0
const secondTry = 'e2e/second-try.ts'
/**
 * A worker keeps its modules from file to file: their imports took longer than the tests. So what a test changes in a
 * module or in the process is put back by its end, or by this file.
 */
const putBack = 'apps/server/test/put-back.ts'
/**
 * What runs on Node.js alone is read by Node.js itself, as the server is: it needs no transformation, and the compiled
 * modules are kept from process to process (scripts/setup.mjs). The pages and their tests need Vite.
 */
const asNodeReadsIt = { experimental: { viteModuleRunner: false, nodeLoader: false } }
const withDatabase = {
  ...asNodeReadsIt,
  isolate: false,
  setupFiles: [putBack, secondTry],
  retry,
  testTimeout: 180_000,
  hookTimeout: 180_000,
  ...expectPatiently,
}
const neverTests = ['**/node_modules/**', '**/dist/**']
/**
 * Tests of components, which say so by naming their environment: JSX needs Vite. Those with a document leave their elements
 * in it, so each has one of its own, and modules of its own.
 */
const ofComponents = globSync('apps/web/{src,shell}/**/*.test.{ts,tsx}', { cwd: import.meta.dirname }).filter(
  (path) => readFileSync(join(import.meta.dirname, path), 'utf8').includes('// @vitest-environment '),
)

/**
 * The projects are the sizes of test, told apart by the file's name. Those that need a database get a
 * clone each of one migrated template, on one PostgreSQL for the whole run (apps/server/test/postgres.ts).
 */
export default defineConfig({
  test: {
    ...asNodeReadsIt,
    globalSetup: ['apps/server/test/postgres.ts'],
    // The larger tests mostly wait: for a process, a broker, a disk. One worker fewer than cores, vitest's
    // own choice, left two cores idle for half of the time.
    maxWorkers: Math.max(4, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    // Vitest gives up what cleans up behind a run after ten seconds, and leaves its files.
    teardownTimeout: 300_000,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{apps,packages}/*/**/*.test.{ts,tsx}', 'bench/**/*.test.ts'],
          exclude: [...neverTests, ...ofComponents, '**/*.{db,http,mqtt,system}.test.ts'],
          isolate: false,
          setupFiles: [putBack],
          testTimeout: 60_000,
          ...expectPatiently,
        },
      },
      {
        test: {
          name: 'dom',
          experimental: { viteModuleRunner: true },
          include: ofComponents,
          testTimeout: 60_000,
          ...expectPatiently,
        },
      },
      { test: { name: 'db', include: ['apps/**/*.db.test.ts'], ...withDatabase } },
      { test: { name: 'http', include: ['apps/**/*.http.test.ts'], ...withDatabase } },
      { test: { name: 'mqtt', include: ['apps/**/*.mqtt.test.ts'], ...withDatabase } },
      // The server in a process of its own, to be killed.
      {
        test: {
          name: 'system',
          ...asNodeReadsIt,
          include: ['apps/**/*.system.test.ts'],
          globalSetup: ['apps/server/test/installations.ts'],
          testTimeout: 400_000,
          hookTimeout: 240_000,
          setupFiles: [secondTry],
          retry,
          ...expectPatiently,
        },
      },
      // A server and a database each, and a browser for each worker. One at a time left two cores idle for 30 to 60 %
      // of the time.
      {
        test: {
          name: 'e2e',
          ...asNodeReadsIt,
          include: ['e2e/**/*.spec.ts'],
          globalSetup: ['e2e/installation.ts'],
          isolate: false,
          setupFiles: [putBack, secondTry],
          maxWorkers: 2,
          // Vitest runs projects with other numbers of workers in groups of their own.
          sequence: { groupOrder: 1 },
          // A browser on a machine that stalls misses a click in a thousand; what is broken fails twice.
          retry: 1,
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
})
