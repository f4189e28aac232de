import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { countOperations, operationsMatching } from './operations.queries.ts'

const database = await databaseOfTests({ isSeeded: true })
const { db } = database
const userIds = Array.from({ length: 200 }, (_, at) => 1000 + at)
const [from, to] = [new Date(Date.now() - 21_600_000), new Date(Date.now() + 60_000)]
await sql`
  INSERT INTO operation_log (at, user_id, organization_id, address, request_id, call, summary, result_code)
  SELECT now() - n * interval '1 second', 1000 + n % 200, 1, '::1', '', '/x', 'x', 200
  FROM generate_series(1, 20000) n`.execute(db)
await database.owner.query('VACUUM ANALYZE operation_log')

test.each([0, 3, 150])(
  'with %i users whose earlier entries are hidden, entries are counted in an index alone',
  async (count) => {
    // Of 100 entries of each user, the older half.
    const hiddenBefore = new Map(
      userIds.slice(0, count).map((userId) => [userId, new Date(Date.now() - 10_000_000)] as const),
    )
    const seenBy = { userIds, organizationId: 1, hiddenBefore }
    const matching = await operationsMatching(db, { from, to, seenBy })
    const seen = await countOperations(db, matching)
    expect(Math.abs(seen - (20_000 - 50 * count))).toBeLessThanOrEqual(5 * count)
    const rows = await db.transaction().execute(async (trx) => {
      // A month that has just begun has few entries.
      await sql`SET LOCAL enable_seqscan = off`.execute(trx)
      const plan = await sql<{ 'QUERY PLAN': string }>`
        EXPLAIN SELECT count(*) FROM operation_log o WHERE ${matching}`.execute(trx)
      return plan.rows
    })
    const scans = rows
      .map((row) => row['QUERY PLAN'].trim())
      .filter((line) => / on operation_log_/.test(line))
    expect(scans.length).toBeGreaterThan(0)
    expect(scans.filter((line) => !line.includes('Index Only Scan'))).toEqual([])
  },
)
