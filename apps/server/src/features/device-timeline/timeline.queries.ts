// SQL of the timeline: the rows of several tables about one device, in one order.
import type { TimelineKind } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { inOwnTree } from '../../domain/access/organization-tree.ts'
import { meaningOf } from '../../domain/history/index.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { rowLimit } from '../../platform/files/sheets/spreadsheet.ts'

/** Where a stretch begins: everything on it is older. */
export interface Cursor {
  /** As the database writes it, to the microsecond. */
  at: string
  kind: TimelineKind
  id: string
}

export interface TimelineRow {
  kind: TimelineKind
  id: string
  time: Date
  /** As the database writes it, to the microsecond. */
  at: string
  name: string | null
  state: string | null
  level: number | null
  value: string | null
  /** What the product says of it. */
  saying: string | null
  /** What people have written of it, and their names. */
  note: string | null
  by: string | null
  endTime: Date | null
  changes: { before: Record<string, unknown> | null; after: Record<string, unknown> | null } | null
}

interface Device {
  id: number
  code: string
}

/** Whose timeline it is: the organizations whose rows may be named, whatever the device says it has. */
type Reader = Pick<Actor, 'isSystem' | 'organizationId'>

interface Source {
  /** Column of its moment, and of its id with the type to compare it as. */
  at: RawBuilder<unknown>
  id: RawBuilder<unknown>
  idType: RawBuilder<unknown>
  /** name, state, level, value, saying, note, by, end; of the rows of a page alone. */
  columns: RawBuilder<unknown> | ((reader: Reader) => RawBuilder<unknown>)
  /** What was changed, where the kind tells. */
  changes?: RawBuilder<unknown>
  from: RawBuilder<unknown>
  /** Of this device, by an index. */
  where(device: Device, operations: RawBuilder<SqlBool>): RawBuilder<unknown>
}

const bigint = sql`bigint`
const none = sql`NULL::text`
/** Who decided: the maker of the row of this name, and the second person where one had to agree. */
const peopleOf = (row: 'h' | 't' | 'b') =>
  sql.raw(`${row}.created_by_name || coalesce('（' || ${row}.approved_by_name || ' 同意）', '')`)

/** 仓位过温 · 4号仓: the name of the episode `row` of the device `device_id` of `h`, with what its value means. */
const alarmOf = (row: RawBuilder<unknown>) => sql`
  coalesce(
    (SELECT concat_ws(' · ', e.name, ${meaningOf(sql`${row}.value`)})
      FROM dictionary_entry e
      JOIN device d ON d.id = h.device_id
      JOIN equip_model m ON m.id = d.model_id
      JOIN equip_type t ON t.id = m.equip_type_id
      WHERE e.type = 'ALARM' AND e.code = ${row}.semaphore_code),
    ${row}.semaphore_code)`

/**
 * Whether the advertisement `a` of the delivery `h` is told of to that reader: one of the own organizations, or one that the
 * cabinet has been sent. A cabinet may say that it keeps any number that it likes, and has it removed.
 */
const isTold = (reader: Reader) => sql<SqlBool>`
  (h.withdrawal IS NULL OR h.stored_at IS NOT NULL OR ${inOwnTree(reader, sql.ref('a.organization_id'))})`

/** Each by an index on its device; those that have no moment in it have few rows of one device. */
const sources: Record<TimelineKind, Source> = {
  alarm: {
    at: sql`h.occurred_at`,
    id: sql`h.id`,
    idType: bigint,
    columns: sql`
      ${alarmOf(sql`h`)},
      CASE WHEN h.recovered_at IS NULL THEN 'active' ELSE 'recovered' END,
      (SELECT e.alarm_level FROM dictionary_entry e WHERE e.type = 'ALARM' AND e.code = h.semaphore_code)::int,
      h.value::text, ${none}, h.note, (SELECT u.user_name FROM app_user u WHERE u.id = h.recovered_by), h.recovered_at`,
    from: sql`alarm_history h`,
    where: ({ id }) => sql`h.device_id = ${id}`,
  },
  handling: {
    at: sql`h.at`,
    id: sql`h.id`,
    idType: bigint,
    columns: sql`
      (SELECT ${alarmOf(sql`a`)} FROM alarm_handling p
        JOIN alarm_history a ON a.occurred_at = p.occurred_at AND a.id = p.episode_id
        WHERE p.episode_id = h.episode_id),
      h.kind, NULL::int, ${none},
      CASE WHEN h.kind = 'close' THEN h.after ->> 'causeName' END,
      nullif(concat_ws('；', CASE WHEN h.kind IN ('claim', 'assign') THEN h.after ->> 'assigneeName' END, h.note), ''),
      h.user_name, NULL::timestamptz`,
    from: sql`alarm_handling_action h`,
    where: ({ id }) => sql`h.device_id = ${id}`,
  },
  event: {
    at: sql`h.occurred_at`,
    id: sql`h.id`,
    idType: bigint,
    columns: sql`
      coalesce((SELECT e.name FROM dictionary_entry e WHERE e.type = 'EVENT' AND e.code = h.semaphore_code),
        h.semaphore_code),
      CASE WHEN h.is_fault THEN 'fault' END, NULL::int,
      concat(h.value,
        (SELECT e.unit FROM dictionary_entry e WHERE e.type = 'EVENT' AND e.code = h.semaphore_code)), ${none}, ${none}, ${none},
      NULL::timestamptz`,
    from: sql`event_history h`,
    where: ({ id }) => sql`h.device_id = ${id}`,
  },
  connection: {
    at: sql`h.at`,
    id: sql`h.id`,
    idType: bigint,
    columns: sql`
      ${none}, CASE WHEN h.is_online THEN 'online' ELSE 'offline' END, NULL::int, ${none}, h.address, ${none}, ${none},
      NULL::timestamptz`,
    from: sql`device_connection h`,
    where: ({ id }) => sql`h.device_id = ${id}`,
  },
  command: {
    at: sql`h.created_at`,
    id: sql`h.id`,
    idType: sql`uuid`,
    columns: sql`
      h.topic, coalesce(h.result, h.state), NULL::int, ${none}, h.reason, ${none}, ${none}, NULL::timestamptz`,
    from: sql`device_command h`,
    where: ({ id }) => sql`h.device_id = ${id}`,
  },
  action: {
    at: sql`h.changed_at`,
    id: sql`h.id`,
    idType: bigint,
    columns: sql`
      h.action, h.state, NULL::int, h.compartment::text, h.reason,
      CASE WHEN h.reason IS NULL THEN h.purpose END, ${peopleOf('h')},
      NULL::timestamptz`,
    from: sql`remote_action h`,
    where: ({ id }) => sql`h.device_id = ${id}`,
  },
  upgrade: {
    at: sql`h.changed_at`,
    id: sql`h.id`,
    idType: bigint,
    columns: sql`
      coalesce((SELECT p.name FROM part_type p WHERE p.code = h.part_type), h.part_type), h.state, NULL::int,
      (SELECT k.major || '.' || k.minor FROM software_package k WHERE k.id = h.package_id), h.reason, ${none},
      (SELECT ${peopleOf('t')} FROM upgrade_task t WHERE t.id = h.task_id), NULL::timestamptz`,
    from: sql`upgrade_target h`,
    where: ({ id }) => sql`h.device_id = ${id}`,
  },
  batch: {
    at: sql`h.changed_at`,
    id: sql`h.id`,
    idType: bigint,
    columns: sql`
      (SELECT b.code FROM parameter_batch b WHERE b.id = h.batch_id), h.state, NULL::int,
      CASE WHEN h.is_trial THEN '试行' END, h.reason, ${none},
      (SELECT ${peopleOf('b')} FROM parameter_batch b WHERE b.id = h.batch_id), NULL::timestamptz`,
    from: sql`parameter_target h`,
    where: ({ id }) => sql`h.device_id = ${id}`,
  },
  log: {
    at: sql`h.created_at`,
    id: sql`h.id`,
    idType: bigint,
    columns: sql`
      h.level_name, h.state, NULL::int, ${none}, h.reason, ${none}, h.created_by_name, NULL::timestamptz`,
    from: sql`log_extraction h`,
    where: ({ id }) => sql`h.device_id = ${id}`,
  },
  advertisement: {
    at: sql`h.changed_at`,
    id: sql`h.id`,
    idType: bigint,
    columns: (reader) => sql`
      (SELECT a.name FROM advertisement a WHERE a.id = h.advertisement_id AND ${isTold(reader)}), h.state, NULL::int,
      ${none}, h.reason, ${none},
      (SELECT a.created_by_name FROM advertisement a WHERE a.id = h.advertisement_id AND ${isTold(reader)}),
      NULL::timestamptz`,
    from: sql`advertisement_delivery h`,
    where: ({ id }) => sql`h.device_id = ${id}`,
  },
  operation: {
    at: sql`h.at`,
    id: sql`h.id`,
    idType: bigint,
    columns: sql`
      h.summary, CASE WHEN h.result_code = 200 THEN 'done' ELSE 'refused' END, NULL::int, ${none},
      h.result_message, ${none}, h.login_name, NULL::timestamptz`,
    // An addition has no side before, a deletion none after.
    changes: sql`CASE WHEN h.changes IS NOT NULL
      THEN jsonb_build_object('before', h.changes -> 'before', 'after', h.changes -> 'after') END`,
    from: sql`operation_log h`,
    // The second condition says that the index has it.
    where: ({ code }, seen) => sql`h.target = ${`设备 ${code}`} AND h.target LIKE '设备 %' AND ${seen}`,
  },
}

/** The condition that excludes rows newer than the cursor: by moment, then kind, then id, each descending. */
function olderThan(kind: TimelineKind, { at, id, idType }: Source, cursor: Cursor): RawBuilder<unknown> {
  const moment = sql`${cursor.at}::timestamptz`
  if (kind === cursor.kind) {
    return sql`(${at}, ${id}) < (${moment}, ${cursor.id}::text::${idType})`
  }
  return kind < cursor.kind ? sql`${at} <= ${moment}` : sql`${at} < ${moment}`
}

export interface TimelinePart {
  cursor: Cursor | null
  /** Each end is open where it is null. */
  range: { from: Date | null; to: Date | null }
  limit: number
  /** The condition on `operation_log h` for entries that may be seen. */
  operations: RawBuilder<SqlBool>
  reader: Reader
}

/**
 * The events of a device, newest first: of each kind as many as could be on the page, and of these the newest.
 */
export async function listTimeline(
  db: Db,
  device: Device,
  kinds: readonly TimelineKind[],
  { cursor, range, limit, operations, reader }: TimelinePart,
): Promise<TimelineRow[]> {
  if (kinds.length === 0) return []
  const parts = kinds.map((kind) => {
    const source = sources[kind]
    const older = cursor ? sql`AND ${olderThan(kind, source, cursor)}` : sql``
    const since = range.from ? sql`AND ${source.at} >= ${range.from}` : sql``
    const until = range.to ? sql`AND ${source.at} < ${range.to}` : sql``
    const changes = source.changes ?? sql`NULL::jsonb`
    const columns = typeof source.columns === 'function' ? source.columns(reader) : source.columns
    return sql`
      (SELECT ${kind}::text COLLATE "C" AS kind, ${source.id}::text AS id, ${source.at} AS time, ${columns},
        ${changes}
      FROM ${source.from} WHERE ${source.where(device, operations)} ${older} ${since} ${until}
      ORDER BY ${source.at} DESC, ${source.id} DESC LIMIT ${limit})`
  })
  const { rows } = await sql<TimelineRow>`
    SELECT *, time::text AS at
    FROM (${sql.join(parts, sql` UNION ALL `)})
      AS t (kind, id, time, name, state, level, value, saying, note, by, "endTime", changes)
    ORDER BY t.time DESC, t.kind DESC, CASE WHEN t.id ~ '^[0-9]+$' THEN t.id::numeric END DESC NULLS LAST, t.id DESC
    LIMIT ${limit}`.execute(db)
  return rows
}

/** All of them, batch by batch: as many as fit into a sheet. */
export async function* walkTimeline(
  db: Db,
  device: Device,
  kinds: readonly TimelineKind[],
  part: Omit<TimelinePart, 'cursor'>,
): AsyncGenerator<TimelineRow[]> {
  let cursor: Cursor | null = null
  for (let written = 0; written < rowLimit; written += part.limit) {
    const rows: TimelineRow[] = await listTimeline(db, device, kinds, { ...part, cursor })
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (!last || rows.length < part.limit) return
    cursor = last
  }
}
