import { writeFileSync } from 'node:fs'

/**
 * A vitest reporter that writes the tests that failed and passed on the retry, as a JSON array of `{file, test,
 * message}`, to the file named in SECOND_TRIES. `npm test` lists them at its end.
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
