import type { Connection } from '../../database/transaction.ts'

/** How a kind of entry gets into the database. */
export interface Writer<Entry> {
  /** For log lines and metrics; unique. */
  name: string
  /** What the others have written in the batch bears on what it writes: it comes after them. */
  isLast?: boolean
  /**
   * Writes entries of any devices, those of one device in order of arrival, in the transaction of their
   * batch. Returns what is to be done after the commit.
   */
  write(connection: Connection, entries: Entry[]): Promise<(() => void) | undefined>
}

/**
 * What became of an entry. `stored`: it is in the database, now or since an earlier time. `unstorable`: the
 * database refuses its content and always will. `unwritten`: a defect of the server kept it out; its message
 * must not be acknowledged, so that the device keeps it and sends it again after its next connect.
 */
export type Outcome = 'stored' | 'unstorable' | 'unwritten'

/** An entry about one device that waits to be written. */
export interface Pending<Entry = unknown> {
  deviceId: number
  writer: Writer<Entry>
  entry: Entry
  /** An entry with an id is written once, however often it comes; one with null is written every time. */
  messageId: string | null
  /** Called once, after the commit. `error` says why the entry is unstorable. */
  done(outcome: Outcome, error?: unknown): void
}

/** A batch was computed from rows that another transaction has changed since: it has to be done again. */
export class StaleBatch extends Error {}
