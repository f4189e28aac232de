// Restarts are shown by connections: a device that is asked to restart goes, and comes back.
import { type SqlBool, sql } from 'kysely'
import { ofDevices } from '../../domain/device-work/work.queries.ts'
import type { Db } from '../../platform/database/database.ts'
import { createNoticeFollower } from '../../platform/database/notices/notice-follower.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import type { Log } from '../../platform/process/log.ts'
import { devicesOnline } from '../devices/index.ts'
import { actions, isRestarted, type MovingAction } from './actions.work.ts'

/** Looks at devices that came or went. A notice may be lost: the work queue looks again when the wait is over. */
export const createRestartWatch = ({
  db,
  tellChanged,
  ...follower
}: {
  db: Db
  notices: Pick<Notices, 'subscribe'>
  log: Log
  tellChanged: (actions: readonly MovingAction[]) => void
}): Worker =>
  createNoticeFollower({
    ...follower,
    notice: devicesOnline,
    failed: {
      zh: '设备重启结果暂时无法确认，稍后自动检查',
      en: 'restarts of devices cannot be confirmed for now, they are checked later',
    },
    async work(devices) {
      const condition = devices ? sql<SqlBool>`${ofDevices(devices)} AND ${isRestarted}` : isRestarted
      const atMs = sharedNowMs()
      tellChanged(
        await db
          .transaction()
          .execute((trx) => actions.move(trx, condition, () => ({ kind: 'shown', atMs }))),
      )
    },
  })
