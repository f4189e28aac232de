import type { Db } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { devicesOnline } from '../devices.notices.ts'
import { listOnlineOf } from '../devices.queries.ts'

/** Which devices are online, as far as the database knows: for commands to devices at an external broker. */
export const createReachability = ({ db, notices }: { db: Db; notices: Pick<Notices, 'subscribe'> }) => ({
  listOnline: (deviceIds: readonly number[]) => listOnlineOf(db, deviceIds),
  onChange: (listener: (deviceIds: readonly number[] | null) => void) =>
    notices.subscribe(devicesOnline, listener),
})
