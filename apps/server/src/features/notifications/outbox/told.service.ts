import type { listAlarmNotices, ParsedInputFor } from '@voltkeep/contract'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Alarms } from '../../alarms/index.ts'
import { listTold } from './told.queries.ts'

export type Told = ReturnType<typeof createTold>

/** One alarm is told by a few rules, again and again at most for a week. */
const rowsAtMost = 500

/** Who was told of an alarm, when, with what answer. */
export function createTold({ db, alarms }: { db: Db; alarms: Pick<Alarms, 'readAlarm'> }) {
  return {
    /** Refuses `alarmNotFound`, as the alarm itself does. */
    async listAlarmNotices(actor: Actor, { id }: ParsedInputFor<typeof listAlarmNotices>) {
      await alarms.readAlarm(actor, { id, occurrenceTime: undefined })
      return await listTold(db, actor, id, rowsAtMost)
    },
  }
}
