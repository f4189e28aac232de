import { setTimeout as delay } from 'node:timers/promises'

const limitMs = 60_000
const pauseMs = 50

/** Like `eventually`, where no test runs: retries the check until it no longer throws. */
export async function until<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  const endMs = performance.now() + limitMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > endMs) throw error
      await delay(pauseMs)
    }
  }
}
