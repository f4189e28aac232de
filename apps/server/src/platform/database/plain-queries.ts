import type { Insertable, Kysely, Updateable } from 'kysely'
import type { Trx } from './database.ts'
import type { Database, Generated } from './tables.ts'

/** The tables of rows with an id of their own and a version. */
type PlainTable = {
  [T in keyof Database]: Database[T] extends { id: Generated<number>; version: Generated<number> } ? T : never
}[keyof Database]

/** What this file knows of such a table. */
type Plain = Kysely<{ plain: { id: Generated<number>; version: Generated<number> } }>

/** The writes that every noun has whose rows have an id and a version; its rules and its lists are its own. */
export function plainQueries<T extends PlainTable>(table: T) {
  const name = table as 'plain'
  const plain = (trx: Trx) => trx as unknown as Plain
  return {
    /** Returns the new id. */
    async insert(trx: Trx, values: Insertable<Database[T]>): Promise<number> {
      const { id } = await plain(trx)
        .insertInto(name)
        .values(values)
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    /** Changes the row, and with it the version. */
    async update(trx: Trx, id: number, values: Updateable<Database[T]>): Promise<void> {
      await plain(trx)
        .updateTable(name)
        .set((eb) => ({ ...values, version: eb('version', '+', 1) }))
        .where('id', '=', id)
        .execute()
    },

    async delete(trx: Trx, id: number): Promise<void> {
      await plain(trx).deleteFrom(name).where('id', '=', id).execute()
    },
  }
}
