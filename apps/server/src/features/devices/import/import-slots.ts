import { Counter, type Registry } from 'prom-client'
import { refuse } from '../../../platform/calls/refusal.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'

const usualAtOnce = 2

/**
 * One import at a time for each user, and few in all: each takes a thread and memory of its own. Refuses 429
 * `importRunning` to who has one running, and `tooManyImports` where others have all places.
 */
export function createImportSlots({
  log,
  metrics,
  atOnce = usualAtOnce,
}: {
  log: Log
  metrics: Registry
  atOnce?: number
}) {
  const users = new Set<number>()
  const refused = new Counter({
    name: 'voltkeep_imports_refused_total',
    help: 'Imports of devices refused because the same user had one running (user), or too many users (all)',
    labelNames: ['limit'],
    registers: [metrics],
  })
  for (const limit of ['user', 'all']) refused.inc({ limit }, 0)

  return async function inSlot<Result>(userId: number, work: () => Promise<Result>): Promise<Result> {
    if (users.has(userId)) {
      refused.inc({ limit: 'user' })
      refuse('importRunning')
    }
    if (users.size >= atOnce) {
      refused.inc({ limit: 'all' })
      log.warn(
        { atOnce },
        spoken({
          zh: '同时进行的设备导入已达上限，本次导入已拒绝',
          en: 'as many device imports are running as there may be, this one was refused',
        }),
      )
      refuse('tooManyImports')
    }
    users.add(userId)
    try {
      return await work()
    } finally {
      users.delete(userId)
    }
  }
}
