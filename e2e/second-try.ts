import { beforeEach } from 'vitest'
import { reloadPages } from './harness.ts'

// A step that is tried again finds no dialog that its first try left open.
beforeEach(async ({ task }) => {
  if (task.result?.retryCount) await reloadPages()
})
