// What every list of alarms shows of a row, and where its names come from.
import type { AlarmChatter, AlarmHandling } from '@voltkeep/contract'
import { sql } from 'kysely'
import { type DeviceColumns, deviceColumns, meaningOf } from '../../domain/history/index.ts'
import { handlingColumns } from './handling/handling-shown.queries.ts'
import { repeatColumns } from './repeats/repeats-shown.queries.ts'

/** A row as the wire shows it, without its texts. */
export interface AlarmRecord extends DeviceColumns {
  id: string
  semaphoreCode: string
  semaphoreName: string
  alarmLevel: number | null
  /** As text: an int8. */
  value: string
  firstValue: string
  /** What the last value other than zero means, e.g. `2号、4号`; null where the dictionary does not say. */
  meaning: string | null
  isActive: boolean
  occurrenceTime: Date
  recoveryTime: Date | null
  recoveryMethod: 1 | 2 | null
  recoveredBy: string | null
  note: string | null
  handling: AlarmHandling
  handlingVersion: number
  ackTime: Date | null
  ackUserName: string | null
  assigneeId: number | null
  assigneeName: string | null
  causeName: string | null
  repeatCount: number
  repeatFirstTime: Date | null
  repeatLastTime: Date | null
  chatter: AlarmChatter | null
}

/** Joins the names of the row `alias`: its semaphore's entry `e`, and the user `u` who recovered it. */
export const namesOf = (alias: string) => sql`
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = ${sql.ref(`${alias}.semaphore_code`)}
  LEFT JOIN app_user u ON u.id = ${sql.ref(`${alias}.recovered_by`)}`

/** An AlarmRecord of an episode `h`; to follow `handlingJoins` and `repeatOfEpisode` too. */
export const episodeColumns = sql`
  h.id, ${deviceColumns},
  h.semaphore_code AS "semaphoreCode", coalesce(e.name, h.semaphore_code) AS "semaphoreName",
  e.alarm_level AS "alarmLevel", h.value, h.first_value AS "firstValue",
  ${meaningOf(sql`h.value`)} AS meaning,
  h.recovered_at IS NULL AS "isActive",
  h.occurred_at AS "occurrenceTime", h.recovered_at AS "recoveryTime",
  h.recovery_method AS "recoveryMethod", u.user_name AS "recoveredBy", h.note,
  ${handlingColumns({ isActive: sql`(h.recovered_at IS NULL)`, value: sql`h.value`, recoveredAt: sql`h.recovered_at` })},
  ${repeatColumns}`
