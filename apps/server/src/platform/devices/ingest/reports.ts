import type { IntakeReason, OutputOf } from '@voltkeep/contract'
import { type StatusReport, type UpTopicName, upTopics } from '@voltkeep/contract/topics/index'
import type { Connection } from '../../database/transaction.ts'
import type { Writer } from './writer.ts'

/** What a device said, decoded by its topic's schema. */
export interface Report<Payload = unknown> {
  deviceId: number
  payload: Payload
  /** The device's time where it is plausible, else that of receipt. */
  occurredAtMs: number
  receivedAtMs: number
  /**
   * The latest time that the clock of `occurredAtMs` can show at present, `presentDoubtMs` more than it does: a later one is from before the clock was set
   * back. Null where the report is late, or may be.
   */
  clockLimitMs: number | null
  /**
   * Records the report as an intake refusal, for problems that only the database could find. It is acknowledged all the
   * same. Writers call it after the commit.
   */
  refuse(reason: IntakeReason, detail: string | null): void
}

/**
 * A process knows a device's present from the least delayed of the messages that it has received, so two processes, or one
 * before and after its restart, differ. Without this margin, of two reports within such a delay the older one, received
 * last, would look like one of a clock that was set back.
 */
export const presentDoubtMs = 60_000

/** Whether a time that stands is from before its device's clock was set back, by the `clockLimitMs` of a newer report. */
export const isBeyondClock = (standingMs: number, clockLimitMs: number | null): boolean =>
  clockLimitMs !== null && standingMs > clockLimitMs

export type PayloadOf<Name extends UpTopicName> = OutputOf<(typeof upTopics)[Name]['payload']>

/** How the reports of each topic get into the database. Those of connections leave no row of their own. */
export type ReportWriters = {
  [Name in Exclude<UpTopicName, 'connection'>]: Writer<Report<PayloadOf<Name>>>
}

/** Part of what follows from status reports. Runs in the transaction that acknowledges them. */
export interface StatusConsumer {
  readonly name: string
  /**
   * Returns what is to be done after the commit; what this process remembers changes only then, as a transaction that
   * failed is done again with the same reports. Throws where the reports cannot be kept: they are not acknowledged.
   */
  write(connection: Connection, reports: readonly Report<StatusReport>[]): Promise<(() => void) | undefined>
}

/** Throws where a topic of the contract has no writer: what devices report on it would be lost. */
export function completeWriters(some: Partial<ReportWriters>): ReportWriters {
  const wanted = Object.keys(upTopics).filter((name) => name !== 'connection') as (keyof ReportWriters)[]
  const missing = wanted.filter((name) => some[name] === undefined)
  if (missing.length > 0) throw new Error(`no feature writes the reports of ${missing.join(', ')}`)
  return some as ReportWriters
}
