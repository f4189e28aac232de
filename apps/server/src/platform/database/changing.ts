import type { RefusalName } from '@voltkeep/contract'
import type { Actor } from '../calls/actor.ts'
import { refuse } from '../calls/refusal.ts'
import type { Db, Trx } from './database.ts'
import { type Changes, recordOperation } from './operation-log.ts'

/** The row that a write is about. */
export interface Subject<Row> {
  /**
   * Locks the row until the transaction ends and reads it. Undefined where there is none, or none that the
   * actor may know of; one that the actor may not change is refused here.
   */
  lock: (trx: Trx) => Promise<Row | undefined>
  notFound: RefusalName
  /** How the operation log calls it, e.g. `设备 EC0001`. */
  target: (row: Row) => string
}

/**
 * The one way to change or delete a row, in a transaction of its own: lock it, compare versions, write, record.
 * `write` gets the locked row, checks the rules, writes, and returns what the operation log shows (nothing where
 * the change is a secret). Returns the row as it was before.
 *
 * Refuses with `notFound` where `lock` finds nothing, and with `conflict` where a version is given and the row
 * has been changed since it was read.
 */
export const changing = <Row extends { version: number }>(
  db: Db,
  actor: Actor,
  subject: Subject<Row> & { version?: number | undefined },
  write: (trx: Trx, before: Row) => Promise<Changes | undefined>,
): Promise<Row> => db.transaction().execute((trx) => changingIn(trx, actor, subject, write))

/** The same in a transaction that does more. */
export async function changingIn<Row extends { version: number }>(
  trx: Trx,
  actor: Actor,
  { lock, notFound, target, version }: Subject<Row> & { version?: number | undefined },
  write: (trx: Trx, before: Row) => Promise<Changes | undefined>,
): Promise<Row> {
  const before = (await lock(trx)) ?? refuse(notFound)
  if (version !== undefined && version !== before.version) refuse('conflict')
  const changes = await write(trx, before)
  await recordOperation(
    trx,
    actor,
    changes ? { target: target(before), changes } : { target: target(before) },
  )
  return before
}
