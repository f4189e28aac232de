// What every list of alarms shows of a row, and where its names come from.
import type { AlarmHandling } from '@voltkeep/contract'
import { type RawBuilder, sql } from 'kysely'
import { type DeviceColumns, deviceColumns } from '../../domain/history/index.ts'
import { handlingColumns } from './handling/handling-shown.queries.ts'

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
}

/** Joins the names of the row `alias`: its semaphore's entry `e`, and the user `u` who recovered it. */
export const namesOf = (alias: string) => sql`
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = ${sql.ref(`${alias}.semaphore_code`)}
  LEFT JOIN app_user u ON u.id = ${sql.ref(`${alias}.recovered_by`)}`

/** What the semaphore `e` is about, where its bits are numbered. */
const countedNoun = sql`coalesce(substring(e.name FROM '^(?:充电)?(仓|模块|风扇|风机)'), '')`

/**
 * The names of the definitions behind a value, as `decode` (alarm-decoding.ts) finds them. In SQL, since a page has rows
 * of many semaphores, and a row needs two names of some thirty. What a name repeats of the alarm's own is left out:
 * `仓位过温` means `2号仓、4号仓`, not `2号仓位过温、4号仓位过温`. A number keeps the noun that it counts, since module 3 is
 * not compartment 3. To follow `deviceJoins` and `namesOf`.
 */
export const meaningOf = (value: RawBuilder<unknown>) => sql`(
  SELECT string_agg(
    CASE WHEN length(f.name) > length(e.name) AND right(f.name, length(e.name)) = e.name
      THEN left(f.name, -length(e.name))
        || CASE WHEN left(f.name, -length(e.name)) LIKE '%号' THEN ${countedNoun} ELSE '' END
      ELSE f.name END,
    '、' ORDER BY f.bit_position)
  FROM semaphore_definition f
  WHERE f.entry_id = e.id AND f.equip_classify = t.classify AND CASE e.analysis_type
    WHEN 'BIT' THEN f.bit_position < 63 AND (${value} >> least(f.bit_position, 62)::int) & 1 = 1
    WHEN 'VALUE' THEN f.bit_position = ${value}
  END)`

/** An AlarmRecord of an episode `h`; to follow `handlingJoins` too. */
export const episodeColumns = sql`
  h.id, ${deviceColumns},
  h.semaphore_code AS "semaphoreCode", coalesce(e.name, h.semaphore_code) AS "semaphoreName",
  e.alarm_level AS "alarmLevel", h.value, h.first_value AS "firstValue",
  ${meaningOf(sql`h.value`)} AS meaning,
  h.recovered_at IS NULL AS "isActive",
  h.occurred_at AS "occurrenceTime", h.recovered_at AS "recoveryTime",
  h.recovery_method AS "recoveryMethod", u.user_name AS "recoveredBy", h.note,
  ${handlingColumns({ isActive: sql`(h.recovered_at IS NULL)`, value: sql`h.value`, recoveredAt: sql`h.recovered_at` })}`
