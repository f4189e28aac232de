import type { Commands } from '../../platform/commands/commands.ts'
import { createComplaints } from '../../platform/complaints.ts'
import { type Db, errorFields } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { NamedIds, Notices } from '../../platform/notices.ts'
import { parametersReported } from '../devices/index.ts'
import { verify } from './targets.moves.ts'
import { type MovingTarget, ofDevices, ofOpenBatches } from './targets.queries.ts'

/**
 * Believes a success as soon as the device reports the values. It hears of reports by a notice, which may be lost: then
 * the target's own timer, or the check of its batch, finds them.
 */
export function createVerifier({
  db,
  notices,
  log,
  commands,
  tellChanged,
}: {
  db: Db
  notices: Pick<Notices, 'subscribe'>
  log: Log
  commands: Pick<Commands, 'cancel'>
  tellChanged: (targets: readonly MovingTarget[]) => void
}) {
  /** Devices that have reported; null for any. */
  let reported: Set<number> | null = new Set()
  let running: Promise<void> | undefined
  let unsubscribe = () => {}
  let isStopped = false
  const complain = createComplaints((error, count) =>
    log.warn({ ...errorFields(error), count }, '批量设置结果暂时无法确认，稍后自动检查'),
  )

  async function run(): Promise<void> {
    while (!isStopped && (reported === null || reported.size > 0)) {
      const devices = reported
      reported = new Set()
      try {
        const moved = await db
          .transaction()
          .execute((trx) => verify(trx, devices ? ofDevices([...devices]) : ofOpenBatches, commands))
        tellChanged(moved)
      } catch (error) {
        complain(error)
      }
    }
  }

  const take = (ids: NamedIds<number>) => {
    if (ids === null) reported = null
    else for (const id of ids) reported?.add(id)
    running ??= run().finally(() => {
      running = undefined
    })
  }

  return {
    start() {
      unsubscribe = notices.subscribe(parametersReported, take)
    },
    async stop() {
      isStopped = true
      unsubscribe()
      await running
    },
  }
}
