import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { Trx } from './database.ts'
import type { Database } from './tables.ts'

// A transaction is open either on a connection of pg (ingest, commands, work queues) or in Kysely (services). A query
// that both need is written for one of them; these functions adapt the other.

/** What statements run on: pg's connection, or by `statementsOf` Kysely's transaction. */
export interface Statements {
  query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<{ rows: Row[] }>
}

export const statementsOf = (trx: Trx): Statements => ({
  query: async <Row>({ text, values }: pg.QueryConfig) =>
    await trx.executeQuery<Row>(CompiledQuery.raw(text, [...(values ?? [])])),
})

const known = new WeakMap<pg.ClientBase, Trx>()

/** Kysely on a connection whose transaction is open. */
export function kyselyOn(connection: pg.ClientBase): Trx {
  const before = known.get(connection)
  if (before) return before
  const lent = { query: connection.query.bind(connection), release: () => undefined }
  const pool = { connect: async () => lent, end: async () => undefined } as unknown as pg.Pool
  // A Transaction is a Kysely that opens no transaction of its own; here the caller has opened it.
  const trx = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }) as unknown as Trx
  known.set(connection, trx)
  return trx
}
