// SQL of the table device_command. Whoever changes a row locks it first with one of the lock… functions, asks
// commands.states.ts, and writes with writeCommands: so the rules stand in one place and not in SQL.
import type { CommandOutcome } from '@voltkeep/contract/topics/index'
import { booleanArray, int4Array, readNumbers, textArray, timestampArray } from '../../database/arrays.ts'
import type { Statements } from '../../database/statements.ts'
import { firstCommandIdAt } from './command-ids.ts'
import type { CommandResult, CommandState } from './commands.states.ts'
import type { Reachable } from './transport.ts'

export const commandTable = 'device_command'

/** How far the clock of a process that made an id may have been ahead of the database's. */
const aheadOfClockMs = 86_400_000

/** A row, locked. */
export interface CommandRow {
  id: string
  deviceId: number
  deviceCode: string
  topic: string
  state: CommandState
  attempts: number
  maxAttempts: number
  intervalMs: number
  nextAt: Date | null
  deadline: Date
  result: CommandResult | null
  lateOutcome: CommandOutcome | null
  /** By the database's clock, which all times of the table are of. */
  now: Date
}

/** A row with what goes out. */
export interface SendableRow extends CommandRow {
  /** JSON, without the head. */
  body: string
  createdAt: Date
}

/** The select list of a CommandRow, the table being `t`. */
export const commandColumns = `t.id, t.device_id AS "deviceId", t.device_code AS "deviceCode", t.topic,
  t.state, t.attempts, t.max_attempts AS "maxAttempts", t.interval_ms AS "intervalMs", t.next_at AS "nextAt",
  t.deadline, t.result, t.late_outcome AS "lateOutcome", now() AS now`
/** Of a SendableRow. The body stays a text: nobody here looks into it. */
const sendableColumns = `${commandColumns}, t.body::text AS body, t.created_at AS "createdAt"`

export interface NewRow {
  id: string
  deviceId: number
  deviceCode: string
  topic: string
  /** JSON, without the head. */
  body: string
  maxAttempts: number
  intervalMs: number
  /** When it is looked at first, ms from now. */
  lookInMs: number
  deadline: Date
  /** What it is as sent, if it can leave at the commit. */
  atOnce: { attempts: number; lookInMs: number } | null
}

/**
 * Inserts commands that wait to be sent. Their next_at is an interval away, as if they had been sent at once: when they
 * are sent, mostly within milliseconds, next_at stays as it is and the update changes no index. Their time is that of
 * this statement and not of the transaction's start: of two commands that contradict each other a device obeys the
 * later one, and a transaction that waited for a lock makes its command after the wait.
 *
 * Those that can leave at the commit are written as sent, unless their device has an older one waiting. Returns these
 * by id, each with its time.
 */
export async function insertCommands(db: Statements, rows: readonly NewRow[]): Promise<Map<string, number>> {
  // The scalar subquery with ORDER BY and LIMIT stays a lookup by the index of open commands, whatever the statistics.
  const { rows: answers } = await db.query<{ ids: string | null; times: string | null }>({
    name: 'commands.insert',
    text: `
      WITH made AS (
        INSERT INTO device_command (id, device_id, device_code, topic, body, state, attempts, max_attempts,
          interval_ms, next_at, deadline, created_at, sent_at)
        SELECT m.id::uuid, m.device_id, m.device_code, m.topic, m.body::jsonb,
          CASE WHEN g.goes THEN 'sent' ELSE 'waiting' END, CASE WHEN g.goes THEN m.sent_attempts ELSE 0 END,
          m.max_attempts, m.interval_ms,
          least(m.deadline, date_trunc('milliseconds', clock_timestamp()
            + CASE WHEN g.goes THEN m.sent_look_ms ELSE m.look_in_ms END * interval '1 ms')),
          m.deadline, clock_timestamp(), CASE WHEN g.goes THEN now() END
        FROM unnest($1::text[], $2::int4[], $3::text[], $4::text[], $5::text[], $6::int4[], $7::int4[],
          $8::int4[], $9::timestamptz[], $10::int4[], $11::int4[])
          AS m(id, device_id, device_code, topic, body, max_attempts, interval_ms, look_in_ms, deadline,
            sent_attempts, sent_look_ms)
        CROSS JOIN LATERAL (
          SELECT m.sent_attempts > 0 AND m.deadline > now() AND (
            SELECT 1 FROM device_command o
            WHERE o.device_id = m.device_id AND o.next_at IS NOT NULL AND o.state = 'waiting' ORDER BY o.id LIMIT 1
          ) IS NULL AS goes OFFSET 0
        ) g
        RETURNING id, state, created_at
      )
      SELECT array_agg(id)::text AS ids,
        array_agg(floor(extract(epoch FROM created_at) * 1000)::int8)::text AS times
      FROM made WHERE state = 'sent'`,
    values: [
      textArray(rows.map(({ id }) => id)),
      int4Array(rows.map(({ deviceId }) => deviceId)),
      textArray(rows.map(({ deviceCode }) => deviceCode)),
      textArray(rows.map(({ topic }) => topic)),
      textArray(rows.map(({ body }) => body)),
      int4Array(rows.map(({ maxAttempts }) => maxAttempts)),
      int4Array(rows.map(({ intervalMs }) => intervalMs)),
      int4Array(rows.map(({ lookInMs }) => lookInMs)),
      timestampArray(rows.map(({ deadline }) => deadline.getTime())),
      int4Array(rows.map(({ atOnce }) => atOnce?.attempts ?? 0)),
      int4Array(rows.map(({ atOnce }) => atOnce?.lookInMs ?? 0)),
    ],
  })
  const { ids = null, times = null } = answers[0] ?? {}
  if (ids === null) return new Map()
  const timesMs = readNumbers(times)
  return new Map(
    ids
      .slice(1, -1)
      .split(',')
      .map((id, index) => [id, timesMs[index] as number]),
  )
}

export interface Receiver extends Reachable {
  /** Over a new connection: what was sent over an older one and not delivered goes again. */
  isBack: boolean
}

/**
 * Locks what can be sent to these devices now, oldest first, for each no more than it has room for. What another
 * process has locked is left to it.
 */
export async function lockSendable(db: Statements, receivers: readonly Receiver[]): Promise<SendableRow[]> {
  const { rows } = await db.query<SendableRow>({
    name: 'commands.lockSendable',
    text: `
      SELECT ${sendableColumns}
      FROM unnest($1::int4[], $2::int4[], $3::bool[], $4::text[]) AS r(device_id, room, is_back, topics)
      CROSS JOIN LATERAL (
        SELECT * FROM device_command c
        WHERE c.device_id = r.device_id AND c.next_at IS NOT NULL AND c.deadline > now()
          AND (c.state = 'waiting' OR (r.is_back AND c.state = 'sent'))
          AND (r.topics IS NULL OR c.topic = ANY (string_to_array(r.topics, ' ')))
        ORDER BY c.id LIMIT r.room
        FOR UPDATE SKIP LOCKED
      ) AS t`,
    values: [
      int4Array(receivers.map(({ deviceId }) => deviceId)),
      int4Array(receivers.map(({ room }) => room)),
      booleanArray(receivers.map(({ isBack }) => isBack)),
      textArray(receivers.map(({ topics }) => topics?.join(' ') ?? null)),
    ],
  })
  return rows
}

/** Locks commands of the given devices; a pair that does not belong together is not found. */
export async function lockAnswered(
  db: Statements,
  pairs: readonly { id: string; deviceId: number }[],
): Promise<CommandRow[]> {
  const { rows } = await db.query<CommandRow>({
    name: 'commands.lockAnswered',
    text: `
      SELECT ${commandColumns}
      FROM unnest($1::text[], $2::int4[]) AS m(id, device_id)
      JOIN device_command t ON t.id = m.id::uuid AND t.device_id = m.device_id
      ORDER BY t.id FOR UPDATE OF t`,
    values: [textArray(pairs.map(({ id }) => id)), int4Array(pairs.map(({ deviceId }) => deviceId))],
  })
  return rows
}

/** Locks commands that are not final, in ascending order of id; waits for rows that are locked. */
export async function lockOpen(db: Statements, ids: readonly string[]): Promise<CommandRow[]> {
  const { rows } = await db.query<CommandRow>({
    name: 'commands.lockOpen',
    text: `
      SELECT ${commandColumns} FROM device_command t
      WHERE t.id = ANY ($1::text[]::uuid[]) AND t.next_at IS NOT NULL
      ORDER BY t.id FOR UPDATE`,
    values: [textArray(ids)],
  })
  return rows
}

/**
 * Locks those of the commands that are sent and not delivered, except rows that are locked already. It must not lock a
 * command that waits to be sent again: the sender skips locked rows, and the command would stay until its deadline.
 */
export async function lockSent(db: Statements, ids: readonly string[]): Promise<CommandRow[]> {
  const { rows } = await db.query<CommandRow>({
    name: 'commands.lockSent',
    text: `
      SELECT ${commandColumns} FROM device_command t
      WHERE t.id = ANY ($1::text[]::uuid[]) AND t.next_at IS NOT NULL AND t.state = 'sent'
      ORDER BY t.id FOR UPDATE SKIP LOCKED`,
    values: [textArray(ids)],
  })
  return rows
}

export interface WrittenCommand {
  id: string
  state: CommandState
  attempts: number
  nextAt: Date | null
  result: CommandResult | null
  outcome: CommandOutcome | null
  reason: string | null
  isSentNow: boolean
  late: { outcome: CommandOutcome; reason: string | null } | null
}

/** Writes what has become of locked rows, each at most once in the list. */
export async function writeCommands(db: Statements, rows: readonly WrittenCommand[]): Promise<void> {
  await db.query({
    name: 'commands.write',
    text: `
      UPDATE device_command t SET state = m.state, attempts = m.attempts, next_at = m.next_at,
        sent_at = CASE WHEN m.is_sent_now THEN now() ELSE t.sent_at END,
        delivered_at = CASE
          WHEN m.state = 'delivered' OR m.outcome IS NOT NULL THEN coalesce(t.delivered_at, now())
          ELSE t.delivered_at
        END,
        finished_at = CASE WHEN m.state = 'finished' THEN coalesce(t.finished_at, now()) END,
        result = m.result, outcome = coalesce(m.outcome, t.outcome), reason = coalesce(m.reason, t.reason),
        late_outcome = coalesce(m.late_outcome, t.late_outcome),
        late_reason = coalesce(m.late_reason, t.late_reason),
        late_at = CASE WHEN m.late_outcome IS NULL THEN t.late_at ELSE now() END
      FROM unnest($1::text[], $2::text[], $3::int4[], $4::timestamptz[], $5::text[], $6::text[], $7::text[],
        $8::bool[], $9::text[], $10::text[])
        AS m(id, state, attempts, next_at, result, outcome, reason, is_sent_now, late_outcome, late_reason)
      WHERE t.id = m.id::uuid`,
    values: [
      textArray(rows.map(({ id }) => id)),
      textArray(rows.map(({ state }) => state)),
      int4Array(rows.map(({ attempts }) => attempts)),
      timestampArray(rows.map(({ nextAt }) => nextAt?.getTime() ?? null)),
      textArray(rows.map(({ result }) => result)),
      textArray(rows.map(({ outcome }) => outcome)),
      textArray(rows.map(({ reason }) => reason)),
      booleanArray(rows.map(({ isSentNow }) => isSentNow)),
      textArray(rows.map(({ late }) => late?.outcome ?? null)),
      textArray(rows.map(({ late }) => late?.reason ?? null)),
    ],
  })
}

/**
 * Devices that have commands waiting, by ascending id, beginning after one. With `isBack`: waiting, or sent and not
 * delivered.
 */
export async function listWaitingDevices(
  db: Statements,
  { after, limit, isBack }: { after: number; limit: number; isBack: boolean },
): Promise<number[]> {
  const { rows } = await db.query<{ deviceId: number }>({
    name: 'commands.listWaitingDevices',
    text: `
      SELECT DISTINCT device_id AS "deviceId" FROM device_command
      WHERE next_at IS NOT NULL AND (state = 'waiting' OR ($3::bool AND state = 'sent')) AND device_id > $1
      ORDER BY device_id LIMIT $2`,
    values: [after, limit, isBack],
  })
  return rows.map(({ deviceId }) => deviceId)
}

/**
 * Deletes commands that ended before the moment, no more than `limit`; returns how many. A command that ended before
 * was made before, and ids ascend with time: so the rows are found by the primary key, past the few old ones that ended
 * late or are open.
 */
export async function deleteFinished(
  db: Statements,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { rows } = await db.query({
    text: `
      DELETE FROM device_command WHERE id IN (
        SELECT id FROM device_command WHERE id < $3::uuid AND finished_at < $1 ORDER BY id LIMIT $2
      ) RETURNING 1`,
    values: [before, limit, firstCommandIdAt(before.getTime() + aheadOfClockMs)],
  })
  return rows.length
}
