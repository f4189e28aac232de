/**
 * Work on many devices: a table with a row for each device, which events move, by a command's result, a report, by
 * time or by users. What a feature gives is its table, its states as a pure function and what it keeps of each step.
 *
 * Every change of a row goes through `move`, in the caller's transaction. Locks are taken in one order: commands first,
 * then rows by id. The handlers of results get their commands locked, so code that ends commands does so before it
 * locks a row. Whatever concerns all rows is done in portions, each in a transaction of its own, so that nobody waits
 * long for the lock of one.
 */
import type { LiveNoun as DeclaredNoun } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type pg from 'pg'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { liveNoun } from '../../platform/database/notices/live-noun.ts'
import { createNoticeFollower } from '../../platform/database/notices/notice-follower.ts'
import type { Notice, Notices } from '../../platform/database/notices/notices.ts'
import { kyselyOn, statementsOf } from '../../platform/database/statements.ts'
import { createLeaseQueue, wake } from '../../platform/database/work/lease-queue.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import type { FinishedCommand, LateAnswer } from '../../platform/devices/commands/commands.moves.ts'
import type { CommandResultHandler, Commands, NewCommand } from '../../platform/devices/commands/commands.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Sentence } from '../../platform/process/sentences.ts'
import {
  type OpenRow,
  ofCommands,
  ofDevices,
  ofIds,
  type WorkRow,
  type WorkTable,
  workQueries,
} from './work.queries.ts'

/** The most rows that one transaction takes back, ends or tries again. */
export const portion = 2_000

export interface Step<Row, Event> {
  before: Row
  after: Row
  event: Event
}

/** Of one row: none, one, or several in the order in which they happened. */
type Events<Event> = Event | readonly Event[] | null

export interface Portion<Row> {
  rows: Row[]
  /** Others are left for the next transaction. */
  hasMore: boolean
}

/** What several portions of one transaction come to. */
export const together = <Row>(portions: readonly Portion<Row>[]): Portion<Row> => ({
  rows: portions.flatMap(({ rows }) => rows),
  hasMore: portions.some(({ hasMore }) => hasMore),
})

/** Before the id of every row. */
export const firstId = '0'

/** Does something to many rows for a user, a portion in each transaction. Returns their number. */
export async function inPortions<Row>(
  db: Db,
  act: (trx: Trx, afterId: string) => Promise<Portion<Row> & { lastId: string; tell: () => void }>,
): Promise<number> {
  let count = 0
  let afterId = firstId
  for (;;) {
    const done = await db.transaction().execute((trx) => act(trx, afterId))
    done.tell()
    count += done.rows.length
    if (!done.hasMore) return count
    afterId = done.lastId
  }
}

export interface Hooks<Row> {
  /** Completes rows before they are written: the command of one that is sent. */
  prepare?(rows: Row[]): Promise<void>
}

type Cancel = Pick<Commands, 'cancel'>
type TellChanged<Row> = (rows: readonly Row[]) => void

type Move<Row, Event> = (
  trx: Trx,
  condition: RawBuilder<SqlBool>,
  eventsOf: (row: Row) => Events<Event>,
) => Promise<Row[]>

export interface WorkDefinition<Row extends WorkRow, Event> extends WorkTable<Row> {
  /** The row's fields after the event; the very same object where it changes nothing. */
  after(row: Row, event: Event): Partial<Row>
  /** The event of a device that has what it was to get. */
  verified?: Event
  /** Keeps what happened. */
  record?(trx: Trx, steps: readonly Step<Row, Event>[]): Promise<void>
  /** Moves the rows that go on or end with these. */
  follow?(trx: Trx, steps: readonly Step<Row, Event>[], move: Move<Row, Event>): Promise<Row[]>
}

export interface QueueDefinition<Row, Event, Look> {
  /** Also how long a row waits that no event moves. */
  leaseMs: number
  /** Reads what the events and commands of locked rows are made of. */
  read(trx: Trx, rows: readonly Row[], nowMs: number): Promise<Look>
  eventsOf(row: Row, look: Look): Events<Event>
  /** The command of a row that has moved and has none under way; null where its state asks for none. */
  commandOf(row: Row, look: Look): NewCommand | null
}

export interface QueueNeeds<Row> {
  pool: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  commands: Pick<Commands, 'send'>
  tellChanged: TellChanged<Row>
}

export function deviceWork<Row extends WorkRow, Event extends object>(work: WorkDefinition<Row, Event>) {
  const queries = workQueries<Row>(work)

  /** Applies to each row of the condition its events. Returns those that changed, as they are. */
  async function move(
    trx: Trx,
    condition: RawBuilder<SqlBool>,
    eventsOf: (row: Row) => Events<Event>,
    hooks?: Hooks<Row>,
  ): Promise<Row[]> {
    return moveLocked(trx, await queries.lock(trx, condition), eventsOf, hooks)
  }

  async function moveLocked(
    trx: Trx,
    locked: readonly Row[],
    eventsOf: (row: Row) => Events<Event>,
    { prepare }: Hooks<Row> = {},
  ): Promise<Row[]> {
    const changed: Row[] = []
    const steps: Step<Row, Event>[] = []
    for (const before of locked) {
      let row = before
      for (const event of [eventsOf(before) ?? []].flat() as Event[]) {
        const fields = work.after(row, event)
        if (fields === row) continue
        const after = { ...row, ...fields }
        steps.push({ before: row, after, event })
        row = after
      }
      if (row !== before) changed.push(row)
    }
    if (changed.length === 0) return []
    await prepare?.(changed)
    await queries.write(trx, changed)
    await work.record?.(trx, steps)
    const firstMs = changed.reduce((first, { dueAtMs }) => Math.min(first, dueAtMs ?? Infinity), Infinity)
    if (firstMs !== Infinity) await wakeRows(trx, firstMs - sharedNowMs())
    return [...changed, ...((await work.follow?.(trx, steps, move)) ?? [])]
  }

  /** Makes rows due after this number of ms. */
  async function wakeRows(trx: Trx, inMs: number): Promise<void> {
    await statementsOf(trx).query(wake(work.name, inMs))
  }

  /** Ends rows whose devices have what they were to get, and the commands that would bring it: a portion. */
  async function verify(trx: Trx, condition: RawBuilder<SqlBool>, commands: Cancel): Promise<Portion<Row>> {
    const { verified } = work
    const found = await queries.listVerified(trx, condition, portion)
    if (!verified || found.length === 0) return { rows: [], hasMore: false }
    await commands.cancel(
      trx,
      found.flatMap(({ commandId }) => commandId ?? []),
    )
    const rows = await move(trx, ofIds(found.map(({ id }) => id)), () => verified)
    return { rows, hasMore: found.length === portion }
  }

  return {
    ...queries,
    move,
    wake: wakeRows,
    verify,

    /** Ends commands `c` of the condition, and applies the event to their rows: a portion. */
    async takeBack(
      trx: Trx,
      condition: RawBuilder<SqlBool>,
      commands: Cancel,
      eventOf: (note: string | null) => Event,
      note?: RawBuilder<unknown>,
    ): Promise<Portion<Row>> {
      const taken = await queries.lockCommands(trx, condition, { limit: portion, note })
      if (taken.length === 0) return { rows: [], hasMore: false }
      const byCommand = new Map(taken.map((one) => [one.commandId, one]))
      await commands.cancel(trx, [...byCommand.keys()])
      const rows = await move(trx, ofIds(taken.map(({ id }) => id)), ({ commandId }) => {
        const one = byCommand.get(commandId ?? '')
        return one ? eventOf(one.note) : null
      })
      return { rows, hasMore: taken.length === portion }
    },

    /**
     * Ends open rows of the condition: a portion. A row that gets a command meanwhile is left, since by the order of
     * locks the command has to be ended first. `read`: what the events of these rows are made of.
     */
    async end<Look = undefined>(
      trx: Trx,
      condition: RawBuilder<SqlBool>,
      commands: Cancel,
      eventOf: (open: OpenRow, look: Look | undefined) => Event,
      read?: (ids: readonly string[]) => Promise<Look>,
    ): Promise<Portion<Row>> {
      const open = await queries.listOpen(trx, condition, portion)
      if (open.length === 0) return { rows: [], hasMore: false }
      await commands.cancel(
        trx,
        open.flatMap(({ commandId, isUnderWay }) => (commandId && isUnderWay ? [commandId] : [])),
      )
      const byId = new Map(open.map((one) => [one.id, one]))
      const ids = [...byId.keys()]
      const look = await read?.(ids)
      let left = open.length
      const rows = await move(trx, ofIds(ids), ({ id, commandId }) => {
        const one = byId.get(id)
        if (!one || one.commandId !== commandId) return null
        left -= 1
        return eventOf(one, look)
      })
      return { rows, hasMore: open.length === portion || left > 0 }
    },

    /**
     * Applies the event to rows of the condition that come after that id: a portion. Whoever goes on from the last one
     * meets no row twice, whatever becomes of those moved.
     */
    async movePortion(
      trx: Trx,
      condition: RawBuilder<SqlBool>,
      eventOf: (row: Row) => Event,
      { afterId = firstId, ...hooks }: Hooks<Row> & { afterId?: string } = {},
    ): Promise<Portion<Row> & { lastId: string }> {
      const ids = await queries.listNext(trx, condition, { afterId, limit: portion })
      const rows = await move(trx, sql<SqlBool>`${ofIds(ids)} AND ${condition}`, eventOf, hooks)
      return { rows, hasMore: ids.length === portion, lastId: ids.at(-1) ?? afterId }
    },

    /** Handles rows that are due: moves them, and sends the commands that their new states ask for. */
    queue<Look>(needs: QueueNeeds<Row>, definition: QueueDefinition<Row, Event, Look>): Worker {
      const { leaseMs, read, eventsOf, commandOf } = definition
      return createLeaseQueue<{ id: string; nowMs: number }>(needs, {
        table: work.name,
        key: ['id'],
        columns: `t.id, (extract(epoch FROM now()) * 1000)::float8 AS "nowMs"`,
        leaseMs,
        batchSize: portion,
        reschedulesAll: true,
        async handle(connection, due) {
          const trx = kyselyOn(connection)
          const locked = await queries.lock(trx, ofIds(due.map(({ id }) => id)))
          // A row that the statement has found due must not be early by a clock that is milliseconds behind it.
          const look = await read(trx, locked, Math.max(sharedNowMs(), Math.ceil(due[0]?.nowMs ?? 0)))
          const moved = await moveLocked(trx, locked, (row) => eventsOf(row, look), {
            async prepare(rows) {
              const sent = rows.flatMap((row) => {
                const command = row.dueAtMs === null ? commandOf(row, look) : null
                return command ? [{ row, command }] : []
              })
              const commandIds = await needs.commands.send(
                trx,
                sent.map(({ command }) => command),
              )
              for (const [index, { row }] of sent.entries()) row.commandId = commandIds[index] ?? null
            },
          })
          const movedIds = new Set(moved.map(({ id }) => id))
          const left = locked.flatMap(({ id }) => (movedIds.has(id) ? [] : [id]))
          if (left.length > 0) await queries.postpone(trx, left, leaseMs)
          return () => needs.tellChanged(moved)
        },
      })
    },

    /**
     * Only the newest command of a row counts: the result of an older one says nothing about now. `among`: the rows that
     * results like these may move at all; others are neither locked nor read. `confirms`: a device that says this, and
     * has reported what it was to get, is done: mostly both come in one batch, and the row is written once for the two.
     */
    results(
      tellChanged: TellChanged<Row>,
      eventsOf: (command: FinishedCommand) => Events<Event>,
      {
        lateOf,
        among = () => sql<SqlBool>`true`,
        confirms = () => false,
      }: {
        lateOf?: (answer: LateAnswer) => Event | null
        among?: (results: readonly (FinishedCommand | LateAnswer)[]) => RawBuilder<SqlBool>
        confirms?: (result: FinishedCommand | LateAnswer) => boolean
      } = {},
    ): CommandResultHandler {
      const moveBy = async <Result extends FinishedCommand | LateAnswer>(
        connection: pg.ClientBase,
        results: readonly Result[],
        eventsOfResult: (result: Result) => Events<Event>,
      ) => {
        const byId = new Map(results.map((result) => [result.id, result]))
        const trx = kyselyOn(connection)
        const resultOf = ({ commandId }: Row) => byId.get(commandId ?? '')
        const locked = await queries.lock(trx, sql<SqlBool>`${ofCommands(results)} AND ${among(results)}`)
        const confirmed = locked.filter((row) => {
          const result = resultOf(row)
          return result !== undefined && confirms(result)
        })
        const verified = await queries.verifiedAmong(
          trx,
          confirmed.map(({ id }) => id),
        )
        const moved = await moveLocked(trx, locked, (row) => {
          const result = resultOf(row)
          if (!result) return null
          const events = [eventsOfResult(result) ?? []].flat() as Event[]
          return work.verified && verified.has(row.id) ? [...events, work.verified] : events
        })
        return () => tellChanged(moved)
      }
      return {
        finished: (connection, commands) => moveBy(connection, commands, eventsOf),
        ...(lateOf && { late: (connection, answers) => moveBy(connection, answers, lateOf) }),
      }
    },

    /**
     * Verifies rows as soon as their devices report. A notice tells of reports and may be lost: the feature has another
     * way to find what was missed. `anyRow`: what is verified where the devices are not named.
     */
    verifier({
      db,
      commands,
      tellChanged,
      anyRow = sql<SqlBool>`true`,
      ...follower
    }: {
      db: Db
      notices: Pick<Notices, 'subscribe'>
      notice: Notice<number>
      log: Log
      failed: Sentence
      commands: Cancel
      tellChanged: TellChanged<Row>
      anyRow?: RawBuilder<SqlBool>
    }): Worker {
      return createNoticeFollower({
        ...follower,
        async work(devices) {
          const which = devices ? ofDevices(devices) : anyRow
          let hasMore: boolean
          do {
            const verified = await db.transaction().execute((trx) => verify(trx, which, commands))
            tellChanged(verified.rows)
            hasMore = verified.hasMore
          } while (hasMore)
        },
      })
    },

    /** Rows in the live stream. */
    live: (
      declared: DeclaredNoun,
      { db, notices }: { db: Db; notices: Pick<Notices, 'subscribe'> },
      told: { added?: Notice<string>; changed: Notice<string> },
    ): LiveNoun => liveNoun(declared, notices, { ...told, placesOf: (ids) => queries.readPlaces(db, ids) }),
  }
}
