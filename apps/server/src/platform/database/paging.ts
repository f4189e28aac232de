import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'

export interface Page {
  limit: number
  offset: number
}

/** The rows that a page number, from 1, and a page size ask for. */
export function pageOf({ pageNum, pageSize }: { pageNum: number; pageSize: number }): Page {
  return { limit: pageSize, offset: (pageNum - 1) * pageSize }
}

/** How many rows there are, where a page that was read says so: it is not full, so it is the last one. */
export function totalByPage({ limit, offset }: Page, rowCount: number): number | undefined {
  const isLast = rowCount < limit && (rowCount > 0 || offset === 0)
  return isLast ? offset + rowCount : undefined
}

/** The number of rows of a `FROM … WHERE …`. */
export async function countRows(db: Db, from: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count ${from}`.execute(db)
  return rows[0]?.count ?? 0
}
