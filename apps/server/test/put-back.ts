import { afterAll, vi } from 'vitest'

// A worker goes on with the next file in the same process: what a failed test left replaced must not reach it.
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})
