// SQL of what happened to a device in a time: alarms, upgrades, commands, and when it was offline.
import type { SeriesMark } from '@voltkeep/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../../platform/database/database.ts'

type MarkType = SeriesMark['type']

export interface Mark {
  type: MarkType
  id: string
  name: string
  startTime: Date
  endTime: Date | null
}

/** Of each type the newest; a chart shows no more. */
const mostOfType = 200
/** An alarm that began earlier and still goes on is found so far back. */
const alarmsBackDays = 90

/** Each by an index on its device: id, name, start, end. */
const sources: Record<MarkType, (deviceId: number, from: Date, to: Date) => RawBuilder<unknown>> = {
  alarm: (deviceId, from, to) => sql`
    SELECT h.id::text, coalesce((SELECT e.name FROM dictionary_entry e WHERE e.type = 'ALARM' AND e.code = h.semaphore_code),
      h.semaphore_code), h.occurred_at, h.recovered_at
    FROM alarm_history h
    WHERE h.device_id = ${deviceId} AND h.occurred_at < ${to}
      AND h.occurred_at >= ${from}::timestamptz - ${sql.lit(alarmsBackDays)} * interval '1 day'
      AND (h.recovered_at IS NULL OR h.recovered_at >= ${from})
    ORDER BY h.occurred_at DESC LIMIT ${mostOfType}`,
  upgrade: (deviceId, from, to) => sql`
    SELECT h.id::text, concat_ws(' ', coalesce((SELECT p.name FROM part_type p WHERE p.code = h.part_type), h.part_type),
      (SELECT k.major || '.' || k.minor FROM software_package k WHERE k.id = h.package_id)), h.started_at,
      CASE WHEN h.state IN ('waiting', 'sent', 'downloading', 'installing') THEN NULL ELSE h.changed_at END
    FROM upgrade_target h
    WHERE h.device_id = ${deviceId} AND h.started_at < ${to} AND h.changed_at >= ${from}
    ORDER BY h.started_at DESC LIMIT ${mostOfType}`,
  command: (deviceId, from, to) => sql`
    SELECT h.id::text, h.topic, h.created_at, h.finished_at
    FROM device_command h
    WHERE h.device_id = ${deviceId} AND h.created_at >= ${from} AND h.created_at < ${to}
    ORDER BY h.created_at DESC LIMIT ${mostOfType}`,
  offline: (deviceId, from, to) => sql`
    SELECT h.id::text, '', h.at,
      (SELECT n.at FROM device_connection n WHERE n.device_id = ${deviceId} AND n.at >= h.at AND n.is_online
       ORDER BY n.at, n.id LIMIT 1)
    FROM device_connection h
    WHERE h.device_id = ${deviceId} AND NOT h.is_online AND h.at < ${to}
      AND h.at >= coalesce(
        (SELECT max(b.at) FROM device_connection b WHERE b.device_id = ${deviceId} AND b.at <= ${from}), ${from})
    ORDER BY h.at DESC LIMIT ${mostOfType}`,
}

/** What happened from `from` on, before `to`, and what had begun before and went on; by time. */
export async function listMarks(
  db: Db,
  deviceId: number,
  { from, to }: { from: Date; to: Date },
  types: readonly MarkType[],
): Promise<Mark[]> {
  if (types.length === 0) return []
  const parts = types.map(
    (type) => sql`(SELECT ${type}::text, m.* FROM (${sources[type](deviceId, from, to)}) AS m)`,
  )
  const { rows } = await sql<Mark>`
    SELECT * FROM (${sql.join(parts, sql` UNION ALL `)}) AS t (type, id, name, "startTime", "endTime")
    WHERE "endTime" IS NULL OR "endTime" >= ${from}
    ORDER BY "startTime", type, id`.execute(db)
  return rows
}
