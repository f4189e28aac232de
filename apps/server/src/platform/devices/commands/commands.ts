// Commands to devices, from the row written in the feature's own transaction to its one final result:
// docs/architecture.md, "How a command travels".
//
// Features use this file, and here alone a row moves from state to state. commands.sender.ts sends commands,
// commands.replies.ts writes the replies, commands.due.ts handles commands without a reply.
import type { InputOf } from '@voltkeep/contract'
import { type DownTopicName, downTopics } from '@voltkeep/contract/topics/index'
import { Counter, type Registry } from 'prom-client'
import * as z from 'zod/mini'
import type { Trx } from '../../database/database.ts'
import { notice, noticeStatement } from '../../database/notices/notices.ts'
import { type Statements, statementsOf } from '../../database/statements.ts'
import type { Connection } from '../../database/transaction.ts'
import type { AttemptRule } from '../../database/work/attempts.ts'
import { wake } from '../../database/work/lease-queue.ts'
import { sharedNowMs } from '../../process/clocks/shared-clock.ts'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import { newCommandId } from './command-ids.ts'
import {
  type FinishedCommand,
  finishedOf,
  firstLookInMs,
  type LateAnswer,
  lateAnswerOf,
  move,
  sentAtOnce,
} from './commands.moves.ts'
import {
  type CommandRow,
  commandTable,
  insertCommands,
  lockOpen,
  type NewRow,
  writeCommands,
} from './commands.queries.ts'
import type { CommandEvent } from './commands.states.ts'

/** A command's own fields: what its down topic carries besides the head. */
export type CommandBody<Name extends DownTopicName> = Omit<
  InputOf<(typeof downTopics)[Name]['payload']>,
  'id' | 'time' | 'deadline'
>

export type NewCommand = {
  [Name in DownTopicName]: {
    deviceId: number
    deviceCode: string
    topic: Name
    body: CommandBody<Name>
    /** Unanswered by then, the command ends as expired. */
    deadline: Date
    /** How often it is sent, and how far apart, while the device is there and does not answer. */
    rule?: Pick<AttemptRule, 'maxAttempts' | 'intervalMs'>
  }
}[DownTopicName]

/** What a feature does with the results of one of its commands. */
export interface CommandResultHandler {
  /**
   * Runs in the transaction that ends the commands, so that the feature's own rows move with them. The commands
   * are locked already, and in ascending order of id; lock own rows in one order, too. Returns what is to be done
   * after the commit. Where it throws, the commands do not end: the answer is not acknowledged, and the
   * device is asked again at the interval.
   * Not called for commands that the feature cancels itself.
   */
  finished(connection: Connection, commands: FinishedCommand[]): Promise<(() => void) | undefined>
  /** As `finished`, for late answers, which change nothing any more. Without it they are only kept and logged. */
  late?(connection: Connection, answers: LateAnswer[]): Promise<(() => void) | undefined>
}

export type CommandResultHandlers = { readonly [Name in DownTopicName]?: CommandResultHandler }

/** What features use. */
export interface Commands {
  /**
   * Writes commands in the feature's own transaction and returns their ids, in the order given. They go out after
   * its commit. Throws a TypeError where a body is not what its down topic carries.
   */
  send(trx: Trx, commands: readonly NewCommand[]): Promise<string[]>
  /**
   * Ends commands that are not final yet as cancelled, and returns which those are. A device that has one already
   * may still execute it, and its answer is then a late one. Call it before locking own rows: handlers of results
   * lock commands first and own rows after them, and the other way round would be a deadlock.
   */
  cancel(trx: Trx, ids: readonly string[]): Promise<string[]>
}

/** A command with what goes out. */
export interface Outgoing {
  id: string
  deviceId: number
  deviceCode: string
  topic: string
  /** JSON, without the head. */
  body: string
  createdAtMs: number
  deadlineMs: number
}

export interface CommandOutlet {
  /** The places in the list of those that can leave at the commit: one a device, and none of a device that has one held. */
  choose(commands: readonly Pick<Outgoing, 'deviceId' | 'topic'>[]): Promise<ReadonlySet<number>>
  /** Keeps commands until `commandsMade` names the returned token: their transaction has committed. */
  hold(commands: readonly Outgoing[]): string
}

/** What the platform's own parts use besides: moves locked rows. */
export interface CommandStates {
  /** Registers the handlers for the results of down topics. */
  handle(handlers: CommandResultHandlers): void
  /** Commands whose devices the outlet has go out by it; null: by the sender alone. */
  leaveBy(outlet: CommandOutlet | null): void
  /** A command has gone out by the outlet. */
  handedOver(topic: string): void
  /**
   * Applies the events to locked rows, in order; writes what changes and tells the features. Returns the rows as they
   * are afterwards, and what is to be done after the commit.
   */
  advance<Row extends CommandRow>(
    connection: Connection,
    rows: readonly Row[],
    eventsOf: (row: Row) => readonly CommandEvent[],
  ): Promise<{ rows: Row[]; afterCommit: () => void }>
}

/** Names devices that have commands waiting; null where there are too many to name. */
export const commandsWaiting = notice<number>('commandsWaiting')
/** Names what an outlet holds: its process knows the token, and it is nothing to the others. */
export const commandsMade = notice<string>('commandsMade')

const usualRule = { maxAttempts: 5, intervalMs: 60_000 }
const insertedAtOnce = 5_000

export function createCommands({ log, metrics }: { log: Log; metrics: Registry }): Commands & CommandStates {
  let handlers: Readonly<Record<string, CommandResultHandler>> = {}
  let outlet: CommandOutlet | null = null
  const sentCounter = new Counter({
    name: 'voltkeep_commands_sent_total',
    help: 'Commands handed to devices, repetitions included',
    labelNames: ['topic'],
    registers: [metrics],
  })
  const finishedCounter = new Counter({
    name: 'voltkeep_commands_finished_total',
    help: 'Commands that ended, by result',
    labelNames: ['topic', 'result'],
    registers: [metrics],
  })

  async function tellHandlers(
    connection: Connection,
    finished: Map<string, FinishedCommand[]>,
    late: Map<string, LateAnswer[]>,
  ): Promise<(() => void)[]> {
    const acts: (() => void)[] = []
    for (const [topic, commands] of finished) {
      const act = await handlers[topic]?.finished(connection, commands)
      if (act) acts.push(act)
    }
    for (const [topic, answers] of late) {
      const act = await handlers[topic]?.late?.(connection, answers)
      if (act) acts.push(act)
    }
    return acts
  }

  return {
    async send(trx, commands) {
      if (commands.length === 0) return []
      const db = statementsOf(trx)
      const nowMs = sharedNowMs()
      const atOnce = await outlet?.choose(commands)
      const rows = commands.map((command, place) => {
        const row = rowOf(command)
        return atOnce?.has(place) ? { ...row, atOnce: sentAtOnce(row, nowMs) } : row
      })
      const leaving: Outgoing[] = []
      const waiting = new Set<number>()
      for (let start = 0; start < rows.length; start += insertedAtOnce) {
        const inserted = rows.slice(start, start + insertedAtOnce)
        const sent = await insertCommands(db, inserted)
        for (const { id, deviceId, deviceCode, topic, body, deadline } of inserted) {
          const createdAtMs = sent.get(id)
          if (createdAtMs === undefined) waiting.add(deviceId)
          else
            leaving.push({
              id,
              deviceId,
              deviceCode,
              topic,
              body,
              createdAtMs,
              deadlineMs: deadline.getTime(),
            })
        }
      }
      if (outlet && leaving.length > 0) await db.query(noticeStatement(commandsMade, [outlet.hold(leaving)]))
      if (waiting.size > 0) await db.query(noticeStatement(commandsWaiting, [...waiting]))
      const firstLookMs = rows.reduce(
        (first, { lookInMs, deadline }) => Math.min(first, lookInMs, deadline.getTime() - nowMs),
        Infinity,
      )
      await db.query(wake(commandTable, firstLookMs))
      return rows.map(({ id }) => id)
    },

    async cancel(trx, ids) {
      const db = statementsOf(trx)
      const rows = await lockOpen(db, ids)
      const moved = rows.map((row) => move(row, [{ name: 'cancel' }]))
      if (moved.length > 0)
        await writeCommands(
          db,
          moved.map(({ written }) => written),
        )
      for (const { row } of moved) finishedCounter.inc({ topic: row.topic, result: 'cancelled' })
      return rows.map(({ id }) => id)
    },

    handle(given) {
      handlers = given
    },

    leaveBy(given) {
      outlet = given
    },

    handedOver(topic) {
      sentCounter.inc({ topic })
    },

    async advance(connection, rows, eventsOf) {
      const moves = rows.map((row) => move(row, eventsOf(row)))
      const changed = moves.filter(({ isChanged }) => isChanged)
      if (changed.length > 0)
        await writeCommands(
          connection as Statements,
          changed.map(({ written }) => written),
        )
      const finished = Map.groupBy(
        changed.filter(({ isFinishedNow }) => isFinishedNow).map(finishedOf),
        ({ topic }) => topic,
      )
      const late = Map.groupBy(changed.flatMap(lateAnswerOf), ({ topic }) => topic)
      const acts = await tellHandlers(connection, finished, late)
      const afterCommit = () => {
        for (const { row, written } of changed) {
          if (written.isSentNow) sentCounter.inc({ topic: row.topic })
        }
        for (const [topic, commands] of finished) {
          for (const { result } of commands) finishedCounter.inc({ topic, result })
        }
        for (const answers of late.values()) {
          for (const { id, deviceCode, topic, result, outcome } of answers) {
            log.info(
              { commandId: id, deviceCode, topic, result, outcome },
              spoken({
                zh: '命令结束之后设备才回复，已记录',
                en: 'a device has replied after its command had ended; the reply was recorded',
              }),
            )
          }
        }
        for (const act of acts) act()
      }
      return { rows: moves.map(({ row }) => row), afterCommit }
    },
  }
}

function rowOf({ deviceId, deviceCode, topic, body, deadline, rule = usualRule }: NewCommand): NewRow {
  const id = newCommandId()
  const now = sharedNowMs()
  // A deadline in the past is no fault of the body.
  const head = { id, time: now, deadline: deadline.getTime() }
  const checked = z.safeParse(downTopics[topic].payload, { ...body, ...head })
  if (!checked.success) {
    const problems = checked.error.issues.map(({ path, message }) => `${path.join('.')}${message}`)
    throw new TypeError(`not a command of ${topic}: ${problems.join('; ')}`)
  }
  const { maxAttempts, intervalMs } = rule
  const lookInMs = firstLookInMs(intervalMs)
  return {
    id,
    deviceId,
    deviceCode,
    topic,
    body: JSON.stringify(body),
    maxAttempts,
    intervalMs,
    lookInMs,
    deadline,
    atOnce: null,
  }
}
