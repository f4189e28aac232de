import type { Db } from '../../../platform/database/database.ts'
import { createNoticeFollower } from '../../../platform/database/notices/notice-follower.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import type { Commands } from '../../../platform/devices/commands/commands.ts'
import type { Log } from '../../../platform/process/log.ts'
import { versionsReported } from '../../devices/index.ts'
import { verify } from './targets.moves.ts'
import { anyTarget, type MovingTarget, ofDevices } from './targets.queries.ts'

/**
 * Marks a target as succeeded as soon as the device's version report shows the version. A notice tells of reports and
 * may be lost: then the target's own timer, or the minute's check of its task, finds the version.
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
    notice: versionsReported,
    log,
    failed: '升级结果暂时无法确认，稍后自动检查',
    async work(devices) {
      const which = devices ? ofDevices(devices) : anyTarget
      tellChanged(await db.transaction().execute((trx) => verify(trx, which, commands)))
    },
  })
