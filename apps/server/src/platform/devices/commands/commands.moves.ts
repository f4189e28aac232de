// How events change a row of device_command, and what features are told of the change.
import type { CommandOutcome } from '@voltkeep/contract/topics/index'
import type { CommandRow, NewRow, WrittenCommand } from './commands.queries.ts'
import { type CommandEvent, type CommandResult, type CommandStanding, step } from './commands.states.ts'

/** A command that has ended, with its one result. */
export interface FinishedCommand {
  id: string
  deviceId: number
  deviceCode: string
  topic: string
  result: CommandResult
  /** The device's words; null where it did not answer. */
  outcome: CommandOutcome | null
  reason: string | null
  /** How often it was sent to a device that was there. */
  attempts: number
}

/** An answer that came after the command had expired or was cancelled. Its result stays what it was. */
export interface LateAnswer {
  id: string
  deviceId: number
  deviceCode: string
  topic: string
  result: CommandResult
  outcome: CommandOutcome
  reason: string | null
}

/** The interval varies, so that commands that were sent together are not due together. */
const jitter = 0.1
const longestMs = 2 ** 31 - 1

/** After how many ms a new command is looked at first: its interval, if it is sent soon. */
export const firstLookInMs = (intervalMs: number): number =>
  Math.min(longestMs, Math.round(intervalMs * (1 + jitter * Math.random())))

/** What a new command is as sent: its attempts, and after how many ms it is looked at. Null where it cannot be sent. */
export function sentAtOnce(
  {
    maxAttempts,
    intervalMs,
    lookInMs,
    deadline,
  }: Pick<NewRow, 'maxAttempts' | 'intervalMs' | 'lookInMs' | 'deadline'>,
  nowMs: number,
): NewRow['atOnce'] {
  const made: CommandStanding = {
    state: 'waiting',
    attempts: 0,
    rule: { maxAttempts, intervalMs, jitter },
    deadline,
    nextAt: new Date(nowMs + lookInMs),
    result: null,
    isLateAnswered: false,
  }
  const change = step(made, { name: 'sent' }, new Date(nowMs))
  if (change?.kind !== 'moved') return null
  return { attempts: change.attempts, lookInMs: Math.min(longestMs, change.nextAt.getTime() - nowMs) }
}

/** What has become of a row. */
export interface Move<Row extends CommandRow = CommandRow> {
  row: Row
  written: WrittenCommand
  isChanged: boolean
  isFinishedNow: boolean
}

/** Applies all the events to a row, at the row's `now`. */
export function move<Row extends CommandRow>(before: Row, events: readonly CommandEvent[]): Move<Row> {
  const row = { ...before }
  const written: WrittenCommand = {
    id: row.id,
    state: row.state,
    attempts: row.attempts,
    nextAt: row.nextAt,
    result: row.result,
    outcome: null,
    reason: null,
    isSentNow: false,
    late: null,
  }
  let isChanged = false
  let isFinishedNow = false
  for (const event of events) {
    const change = step(standingOf(row), event, row.now)
    if (change === null) continue
    isChanged = true
    switch (change.kind) {
      case 'moved':
        row.state = change.state
        row.attempts = change.attempts
        row.nextAt = change.nextAt
        written.isSentNow = change.state === 'sent' && event.name === 'sent'
        break
      case 'finished':
        row.state = 'finished'
        row.result = change.result
        row.nextAt = null
        written.outcome = change.outcome
        written.reason = change.reason
        isFinishedNow = true
        break
      case 'late':
        row.lateOutcome = change.outcome
        written.late = { outcome: change.outcome, reason: change.reason }
        break
      default:
        change satisfies never
    }
  }
  const { state, attempts, nextAt, result } = row
  return { row, written: { ...written, state, attempts, nextAt, result }, isChanged, isFinishedNow }
}

const standingOf = (row: CommandRow): CommandStanding => ({
  state: row.state,
  attempts: row.attempts,
  rule: { maxAttempts: row.maxAttempts, intervalMs: row.intervalMs, jitter },
  deadline: row.deadline,
  nextAt: row.nextAt,
  result: row.result,
  isLateAnswered: row.lateOutcome !== null,
})

export function finishedOf({ row, written }: Move): FinishedCommand {
  const { id, deviceId, deviceCode, topic, attempts, result } = row
  const { outcome, reason } = written
  return { id, deviceId, deviceCode, topic, attempts, result: result as CommandResult, outcome, reason }
}

export function lateAnswerOf({ row, written: { late } }: Move): LateAnswer[] {
  const { id, deviceId, deviceCode, topic, result } = row
  return late ? [{ id, deviceId, deviceCode, topic, result: result as CommandResult, ...late }] : []
}
