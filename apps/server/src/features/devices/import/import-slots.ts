import { Counter, type Registry } from 'prom-client'
import { refuse } from '../../../platform/calls/refusal.ts'
import { createTurns, turnIn } from '../../../platform/calls/turns.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'

const usualAtOnce = 2
const usualPatienceMs = 10_000
/** Of one branch of organizations: each has its file on the disk. */
const waitingAtMost = 8

/**
 * One import at a time for each caller, half of the places for each branch of organizations, and few in all: each takes a
 * thread and memory of its own. Who finds none waits for some seconds, in a circle of branches. Refuses 429
 * `importRunning` to who has one running or waiting, and `tooManyImports` where others have the places for longer.
 */
export function createImportSlots({
  log,
  metrics,
  atOnce = usualAtOnce,
  patienceMs = usualPatienceMs,
}: {
  log: Log
  metrics: Registry
  atOnce?: number
  patienceMs?: number
}) {
  const callers = new Set<number>()
  const turns = createTurns({
    inAll: atOnce,
    perCaller: Math.max(1, Math.floor(atOnce / 2)),
    waiting: waitingAtMost,
    lastsMs: Number.POSITIVE_INFINITY,
    ownLastsMs: Number.POSITIVE_INFINITY,
  })
  const refused = new Counter({
    name: 'voltkeep_imports_refused_total',
    help: 'Imports of devices refused because the same user had one running (user), or too many users (all)',
    labelNames: ['limit'],
    registers: [metrics],
  })
  for (const limit of ['user', 'all']) refused.inc({ limit }, 0)

  return async function inSlot<Result>(
    { caller, branch, signal }: { caller: number; branch: number; signal: AbortSignal },
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (callers.has(caller)) {
      refused.inc({ limit: 'user' })
      refuse('importRunning')
    }
    callers.add(caller)
    try {
      const turn = await turnIn(
        turns,
        String(branch),
        AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
      )
      if (!turn) {
        // Nobody gets the answer.
        if (signal.aborted) refuse('serverBusy')
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
      return await work().finally(() => turn.end())
    } finally {
      callers.delete(caller)
    }
  }
}
