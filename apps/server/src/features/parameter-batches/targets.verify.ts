import type { Db } from '../../platform/database/database.ts'
import { createNoticeFollower } from '../../platform/database/notices/notice-follower.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import type { Commands } from '../../platform/devices/commands/commands.ts'
import type { Log } from '../../platform/process/log.ts'
import { parametersReported } from '../devices/index.ts'
import { verify } from './targets.moves.ts'
import { type MovingTarget, ofDevices, ofOpenBatches } from './targets.queries.ts'

/**
 * Marks a target as succeeded as soon as the device reports the values. A notice tells of reports and may be lost: then
 * the target's own timer, or the check of its batch, finds the values.
 */
export const createVerifier = ({
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
}) =>
  createNoticeFollower({
    notices,
    notice: parametersReported,
    log,
    failed: '批量设置结果暂时无法确认，稍后自动检查',
    async work(devices) {
      const which = devices ? ofDevices(devices) : ofOpenBatches
      tellChanged(await db.transaction().execute((trx) => verify(trx, which, commands)))
    },
  })
