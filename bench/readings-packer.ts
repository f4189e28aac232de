// Packs hours of readings in a process of its own, as a server with the role jobs does; for bench:readings. Each message
// is a moment up to which is packed, or `addUp`; the answer says what it took.
import { once } from 'node:events'
import { addUp, sealHours } from '../apps/server/src/features/readings/history/sealing.ts'
import { openPool } from '../apps/server/src/platform/database/database.ts'
import { cpuOf } from './process-cpu.ts'

export type PackerOrder = { nowMs: number } | 'addUp' | 'end'
export interface PackerAnswer {
  wallMs: number
  ownMs: number
  /** CPU of its database sessions. */
  sessionsMs: number
  reports: number
  /** From when the hour's partition is locked and empty until it is let go. */
  lockedMs: number
}

const [url = '', zone = ''] = process.argv.slice(2)
process.env.TZ = zone
const pool = openPool({ url, zone, poolSize: 2, queryLimitMs: 3_600_000 })
const sessions = new Set<number>()
pool.on('connect', (client) => sessions.add((client as unknown as { processID: number }).processID))
const retention = { rawDays: 30, hourDays: 400, dayYears: 5 }
const answer = (what: PackerAnswer) => process.send?.(what)

for (;;) {
  const [order] = (await once(process, 'message')) as [PackerOrder]
  if (order === 'end') break
  // A session that does not exist yet has used nothing.
  await pool.query('SELECT')
  const before = cpuOf([...sessions])
  const cpu = process.cpuUsage()
  const began = performance.now()
  let reports = 0
  let emptiedAt = 0
  let lockedMs = 0
  if (order === 'addUp') {
    await addUp({ pool, owner: pool, retention })
  } else {
    const sealed = await sealHours({
      pool,
      owner: pool,
      retention,
      now: new Date(order.nowMs),
      at: async (point) => {
        if (point === 'emptied') emptiedAt = performance.now()
        else if (point === 'committed' && emptiedAt > 0) {
          lockedMs = Math.max(lockedMs, performance.now() - emptiedAt)
          emptiedAt = 0
        }
      },
    })
    reports = sealed.reports
  }
  const { user, system } = process.cpuUsage(cpu)
  answer({
    wallMs: performance.now() - began,
    ownMs: (user + system) / 1_000,
    sessionsMs: cpuOf([...sessions]) - before,
    reports,
    lockedMs,
  })
}
await pool.end()
process.disconnect?.()
