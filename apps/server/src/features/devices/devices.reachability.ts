import type { Db } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/notices.ts'
import { devicesOnline } from './devices.notices.ts'
import { listOnlineOf } from './devices.queries.ts'

/** Which devices are there, as far as the database knows: for what is sent to devices at an external broker. */
export const createReachability = ({ db, notices }: { db: Db; notices: Pick<Notices, 'subscribe'> }) => ({
  /** Those of the devices that are online. */
  listOnline: (deviceIds: readonly number[]) => listOnlineOf(db, deviceIds),
  /** Tells of devices that came or went; null where any may have. Answers how to stop it. */
  onChange: (listener: (deviceIds: readonly number[] | null) => void) =>
    notices.subscribe(devicesOnline, listener),
})
