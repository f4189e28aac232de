import { beforeEach, type RunnerTask, type RunnerTestSuite, TestRunner } from 'vitest'

// The steps of a spec build on each other, and a failed step leaves something half done: a row, a dialog, an ended
// session. So a retry does not continue there. It starts again with a new server on a new copy of the data and new
// contexts of the browser, and repeats the steps before the failed one. A file that was set up where it is loaded
// (`appOfTests`) cannot be set up again: there the failed test alone is repeated.

declare module 'vitest' {
  interface TaskMeta {
    /** Of a file: its server or database was made where the file is loaded, and ends with it. */
    isSetUpOnce?: boolean
  }
}

/** Long enough for the setup and a dozen repeated steps. */
const limitMs = 600_000

/** While steps are repeated, their own `beforeEach` run; this one is among them. */
let isRepeating = false

beforeEach(async ({ task }) => {
  if (!task.result?.retryCount || isRepeating || task.file.meta.isSetUpOnce) return
  const suites: RunnerTestSuite[] = []
  for (let suite: RunnerTestSuite | undefined = task.suite ?? task.file; suite; suite = suite.suite)
    suites.push(suite)
  if (suites.at(-1) !== task.file) suites.push(task.file)
  isRepeating = true
  try {
    for (const suite of suites) await runHooks(suite, 'afterAll')
    await repeatUntil(task, task.file)
  } finally {
    isRepeating = false
  }
}, limitMs)

/** Runs a suite's tests in order up to, not including, `end`; returns whether `end` is among them. */
async function repeatUntil(
  end: RunnerTask,
  suite: RunnerTestSuite,
  around: readonly RunnerTestSuite[] = [],
): Promise<boolean> {
  const suites = [suite, ...around]
  await runHooks(suite, 'beforeAll')
  for (const task of suite.tasks) {
    if (task === end) return true
    if (task.mode !== 'run' && task.mode !== 'queued') continue
    if (task.type === 'suite') {
      if (await repeatUntil(end, task, suites)) return true
      continue
    }
    const undone: (() => unknown)[] = []
    for (const each of suites.toReversed()) {
      for (const before of TestRunner.getSuiteHooks(each).beforeEach) {
        const undo = await before(task.context, each)
        if (typeof undo === 'function') undone.unshift(() => undo(task.context, each))
      }
    }
    await TestRunner.getTestFn(task)()
    for (const each of suites) {
      for (const after of TestRunner.getSuiteHooks(each).afterEach) await after(task.context, each)
    }
    for (const undo of undone) await undo()
  }
  await runHooks(suite, 'afterAll')
  return false
}

async function runHooks(suite: RunnerTestSuite, name: 'beforeAll' | 'afterAll'): Promise<void> {
  const hooks = TestRunner.getSuiteHooks(suite)[name]
  // As vitest has it: what was set last is ended first.
  for (const hook of name === 'afterAll' ? hooks.toReversed() : hooks) await hook(suite)
}
