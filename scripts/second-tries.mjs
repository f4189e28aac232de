import { writeFileSync } from 'node:fs'

/**
 * A reporter of vitest's: the tests that failed and passed at the second try, as a JSON array of `{file, test, message}`
 * in the file that SECOND_TRIES names. A run that was green in that way says so at its end.
 */
export default class SecondTries {
  #found = []

  onTestCaseResult(test) {
    if (!test.diagnostic()?.flaky) return
    const [error] = test.result().errors ?? []
    this.#found.push({ file: test.module.moduleId, test: test.fullName, message: error?.message ?? '' })
  }

  onTestRunEnd() {
    if (process.env.SECOND_TRIES) writeFileSync(process.env.SECOND_TRIES, JSON.stringify(this.#found))
  }
}
