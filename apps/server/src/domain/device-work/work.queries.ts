// SQL of work on devices, the same for every table of such rows. The table is `t` and its device `d`; conditions of
// features are about these, and about what the feature joins.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { PlacedRow } from '../../platform/calls/live-noun.ts'
import { int4Array, int8Array, textArray, timestampArray } from '../../platform/database/arrays.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { type DataScope, deviceWithinScope } from '../access/data-scope.ts'

/** A row with what every move needs; the columns of these names are those of every such table. */
export interface WorkRow {
  id: string
  deviceId: number
  deviceCode: string
  state: string
  reason: string | null
  /** The newest command. */
  commandId: string | null
  /** When the queue handles the row again; null leaves it to an event. */
  dueAtMs: number | null
}

/** Who asked for an attempt, where that is not the creator. */
export interface Asker {
  userId: number
  name: string
}

/** `ms`: a time, in the row as milliseconds; `asker`: the two columns asked_by and asked_by_name. */
type ColumnType = 'int4' | 'float8' | 'text' | 'uuid' | 'ms' | 'asker'

/** How a feature's rows are stored. */
export interface WorkTable<Row extends WorkRow> {
  /** Also the name of its queue. */
  name: string
  /** SQL that joins what `reads`, `isOpen` and `isVerified` are about besides the row. */
  joins?: RawBuilder<unknown>
  /** Columns that the feature's moves read and write besides those of every row. */
  columns: { readonly [Name in keyof Row]?: readonly [column: string, type: ColumnType] }
  /** A select list of what moves read alone. */
  reads?: RawBuilder<unknown>
  /** Completes locked rows with what many of them have in common, which is read once and not with each. */
  complete?(trx: Trx, rows: Row[]): Promise<void>
  /** More assignments of the statement that writes rows `n`. */
  writes?: RawBuilder<unknown>
  /** Something may still come of the row. */
  isOpen: RawBuilder<SqlBool>
  /** The device has what it was to get. */
  isVerified?: RawBuilder<SqlBool>
  /** The newest command may still be answered. */
  hasCommand?: RawBuilder<SqlBool>
}

export interface Handed {
  id: string
  commandId: string
}

const usual: Record<string, readonly [string, ColumnType]> = {
  state: ['state', 'text'],
  reason: ['reason', 'text'],
  commandId: ['command_id', 'uuid'],
  dueAtMs: ['next_at', 'ms'],
}

const readers: Record<ColumnType, (column: string) => string> = {
  int4: (column) => `t.${column}`,
  float8: (column) => `t.${column}::float8`,
  text: (column) => `t.${column}`,
  uuid: (column) => `t.${column}`,
  ms: (column) => `floor(extract(epoch FROM t.${column}) * 1000)::float8`,
  asker: (column) => `CASE WHEN t.${column} IS NOT NULL
    THEN jsonb_build_object('userId', t.${column}, 'name', t.${column}_name) END`,
}

/** The types of the arrays that write a column. Whole numbers go as int8, which is assigned to any of its kind. */
const arrayTypes: Record<ColumnType, string> = {
  int4: 'int8[]',
  float8: 'int8[]',
  text: 'text[]',
  uuid: 'text[]::uuid[]',
  ms: 'timestamptz[]',
  asker: 'int8[]',
}

function packed(type: ColumnType, values: unknown[]): Buffer {
  switch (type) {
    case 'ms':
      return timestampArray(values as (number | null)[])
    case 'int4':
    case 'float8':
      return int8Array(values as (number | null)[])
    case 'text':
    case 'uuid':
      return textArray(values as (string | null)[])
    case 'asker':
      return int8Array((values as (Asker | null)[]).map((asker) => asker?.userId ?? null))
  }
}

const usualCommand = sql<SqlBool>`(t.state = 'sent' AND t.next_at IS NULL)`

export const ofIds = (ids: readonly string[]) =>
  sql<SqlBool>`t.id = ANY(${int8Array(ids.map(Number))}::int8[])`
/** Found by their devices: an index of commands would be one more to write with each move. */
export const ofCommands = (commands: readonly { id: string; deviceId: number }[]) => sql<SqlBool>`
  (t.device_id, t.command_id) IN (SELECT * FROM unnest(
    ${int4Array(commands.map(({ deviceId }) => deviceId))}::int[],
    ${textArray(commands.map(({ id }) => id))}::text[]::uuid[]))`
export const ofDevices = (ids: readonly number[]) => sql<SqlBool>`t.device_id = ANY(${ids}::int[])`

export function workQueries<Row extends WorkRow>(work: WorkTable<Row>) {
  const { joins = sql``, reads = sql``, writes = sql``, isOpen, isVerified, complete } = work
  const { hasCommand = usualCommand } = work
  const table = sql.table(work.name)
  const columns = Object.entries({ ...usual, ...work.columns } as typeof usual)
  const read = sql.raw(
    columns.map(([name, [column, type]]) => `${readers[type](column)} AS "${name}"`).join(', '),
  )

  return {
    /** Locks rows in the order of their ids: every writer takes them in this order, so that no two wait for each other. */
    async lock(trx: Trx, condition: RawBuilder<SqlBool>): Promise<Row[]> {
      const { rows } = await sql<Row>`
        SELECT t.id, t.device_id AS "deviceId", d.code AS "deviceCode", ${read} ${reads}
        FROM ${table} t JOIN device d ON d.id = t.device_id ${joins}
        WHERE ${condition} ORDER BY t.id FOR UPDATE OF t`.execute(trx)
      if (rows.length > 0) await complete?.(trx, rows)
      return rows
    },

    /** Of locked rows, those whose device has what it was to get. */
    async verifiedAmong(trx: Trx, ids: readonly string[]): Promise<Set<string>> {
      if (!isVerified || ids.length === 0) return new Set()
      const { rows } = await sql<{ id: string }>`
        SELECT t.id FROM ${table} t ${joins} WHERE ${ofIds(ids)} AND ${isVerified}`.execute(trx)
      return new Set(rows.map(({ id }) => id))
    },

    /** Writes locked rows. */
    async write(trx: Trx, rows: readonly Row[]): Promise<void> {
      const valuesOf = (name: string) => rows.map((row) => row[name as keyof Row])
      const arrays = columns.map(
        ([name, [, type]]) => sql`${packed(type, valuesOf(name))}::${sql.raw(arrayTypes[type])}`,
      )
      const askers = columns.filter(([, [, type]]) => type === 'asker')
      const askerNames = askers.map(([name]) => {
        const names = (valuesOf(name) as (Asker | null)[]).map((asker) => asker?.name ?? null)
        return sql`${textArray(names)}::text[]`
      })
      const names = [
        ...columns.map(([, [column]]) => column),
        ...askers.map(([, [column]]) => `${column}_name`),
      ]
      const assignments = names.map((column) => `${column} = n.${column}`).join(', ')
      await sql`
        UPDATE ${table} t SET ${sql.raw(assignments)} ${writes},
          changed_at = CASE WHEN t.state = n.state THEN t.changed_at ELSE now() END
        FROM unnest(
          ${sql.join([sql`${int8Array(rows.map(({ id }) => Number(id)))}::int8[]`, ...arrays, ...askerNames])}
        ) AS n(id, ${sql.raw(names.join(', '))})
        WHERE t.id = n.id`.execute(trx)
    },

    /** Rows whose device has what it was to get, each with the command that would bring it. Takes no lock. */
    async listVerified(
      trx: Trx,
      condition: RawBuilder<SqlBool>,
      limit: number,
    ): Promise<{ id: string; commandId: string | null }[]> {
      if (!isVerified) return []
      const { rows } = await sql<{ id: string; commandId: string | null }>`
        SELECT t.id, CASE WHEN ${hasCommand} THEN t.command_id END AS "commandId" FROM ${table} t ${joins}
        WHERE ${condition} AND ${isOpen} AND ${isVerified} LIMIT ${limit}`.execute(trx)
      return rows
    },

    /**
     * Locks commands `c` of rows: nothing becomes of these until the transaction is over. `note`: what to say of each.
     */
    async lockCommands(
      trx: Trx,
      condition: RawBuilder<SqlBool>,
      { limit, note = sql`NULL::text` }: { limit: number; note?: RawBuilder<unknown> | undefined },
    ): Promise<(Handed & { note: string | null })[]> {
      const { rows } = await sql<Handed & { note: string | null }>`
        SELECT t.id, t.command_id AS "commandId", ${note} AS note
        FROM ${table} t JOIN device_command c ON c.id = t.command_id JOIN device d ON d.id = t.device_id ${joins}
        WHERE ${condition} AND ${hasCommand} AND c.next_at IS NOT NULL
        ORDER BY c.id LIMIT ${limit} FOR UPDATE OF c`.execute(trx)
      return rows
    },

    /** Rows that are open, each with its newest command. Takes no lock. */
    async listOpen(trx: Trx, condition: RawBuilder<SqlBool>, limit: number): Promise<OpenRow[]> {
      const { rows } = await sql<OpenRow>`
        SELECT t.id, t.command_id AS "commandId", ${hasCommand} AS "isUnderWay", coalesce(c.attempts, 0) > 0 AS "wasSent"
        FROM ${table} t JOIN device d ON d.id = t.device_id LEFT JOIN device_command c ON c.id = t.command_id ${joins}
        WHERE ${condition} AND ${isOpen} ORDER BY t.id LIMIT ${limit}`.execute(trx)
      return rows
    },

    /** Ids of rows after that one, the lowest first. */
    async listNext(
      trx: Trx,
      condition: RawBuilder<SqlBool>,
      { afterId, limit }: { afterId: string; limit: number },
    ): Promise<string[]> {
      const { rows } = await sql<{ id: string }>`
        SELECT t.id FROM ${table} t JOIN device d ON d.id = t.device_id ${joins}
        WHERE ${condition} AND t.id > ${afterId}::int8 ORDER BY t.id LIMIT ${limit}`.execute(trx)
      return rows.map(({ id }) => id)
    },

    async hasOpen(db: Db, condition: RawBuilder<SqlBool>): Promise<boolean> {
      const { rows } = await sql`
        SELECT FROM ${table} t ${joins} WHERE ${condition} AND ${isOpen} LIMIT 1`.execute(db)
      return rows.length > 0
    },

    /** Makes rows due again after this number of ms. */
    async postpone(trx: Trx, ids: readonly string[], inMs: number): Promise<void> {
      await sql`
        UPDATE ${table} t SET next_at = now() + ${inMs} * interval '1 ms' WHERE ${ofIds(ids)}`.execute(trx)
    },

    /** Of these rows, those whose device lies in the scope. */
    async listWithin(db: Db, scope: DataScope, ids: readonly string[]): Promise<Set<string>> {
      const { rows } = await sql<{ id: string }>`
        SELECT t.id FROM ${table} t JOIN device d ON d.id = t.device_id
        WHERE ${ofIds(ids)} AND ${deviceWithinScope(scope)}`.execute(db)
      return new Set(rows.map(({ id }) => id))
    },

    /** Where the devices of these rows stand. */
    async readPlaces(db: Db, ids: readonly string[]): Promise<PlacedRow[]> {
      const { rows } = await sql<PlacedRow>`
        SELECT t.id, d.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId", d.region_id AS "regionId"
        FROM ${table} t JOIN device d ON d.id = t.device_id JOIN equip_model m ON m.id = d.model_id
        WHERE ${ofIds(ids)}`.execute(db)
      return rows
    },

    /**
     * Who, beside the creator, asked for attempts whose commands no device has been handed, with `more` of the rows. Takes no
     * lock.
     */
    async listUnsentAskers<More = unknown>(
      trx: Trx,
      condition: RawBuilder<SqlBool>,
      more: RawBuilder<unknown> = sql``,
    ): Promise<(Asker & More)[]> {
      const { rows } = await sql<Asker & More>`
        SELECT DISTINCT t.asked_by AS "userId", t.asked_by_name AS name ${more}
        FROM ${table} t JOIN device_command c ON c.id = t.command_id
        WHERE ${condition} AND ${hasCommand} AND ${isUnsent} AND t.asked_by IS NOT NULL`.execute(trx)
      return rows
    },
  }
}

export interface OpenRow {
  id: string
  /** The newest one. */
  commandId: string | null
  /** That command may still be answered. */
  isUnderWay: boolean
  /** A device that was there has been sent it. */
  wasSent: boolean
}

/**
 * No device has been handed the command `c`: it waits, or its device went away before it acknowledged the message, and
 * would be sent it again on its return, however late. A device whose connection broke counts as online for some seconds,
 * and the database's clock may be ahead: so a command may have been sent just after the time at which its device left.
 */
export const isUnsent = sql<SqlBool>`(c.state = 'waiting' OR (c.state = 'sent' AND EXISTS (
  SELECT FROM device_state gone WHERE gone.device_id = c.device_id
    AND NOT gone.is_online AND gone.online_changed_at >= c.sent_at - interval '1 minute')))`
/** The command `c` was handed to a device. */
export const wasHanded = sql<SqlBool>`(c.state <> 'waiting' AND c.attempts > 0)`
