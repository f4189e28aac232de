import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from './app.ts'
import { endpoints } from './endpoints.ts'
import type { Update } from './noun-proofs.ts'
import { versions } from './proofs.ts'

// Optimistic locking: two users open a form and both save. The second must get a conflict, and must not overwrite the
// first. Tested for every update of the contract, which the proofs of its noun make.

const app = await appOfTests()
const token = await app.asAdmin()

/** The row with its present version. */
async function rowOf({ table, key }: Update): Promise<{ version: number }> {
  const [[name, value]] = Object.entries(key) as [[string, string]]
  const column = name === 'code' ? sql`t.code` : sql`t.id::text`
  const { rows } = await sql<{ row: { version: number } }>`
    SELECT to_jsonb(t) AS row FROM ${sql.table(table)} t WHERE ${column} = ${value}`.execute(app.db)
  return rows[0]?.row ?? { version: 0 }
}

async function countRecorded(): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::int AS n FROM operation_log WHERE result_code = 200`.execute(app.db)
  return rows[0]?.n ?? 0
}

const isUpdate = (name: string) => !/^(insert|delete)/.test(name)
const writes = endpoints.filter(({ name, endpoint }) => endpoint.isWrite && isUpdate(name))

test('every write that neither adds nor deletes takes a version, or is listed with a reason', () => {
  expect(writes.map(({ name }) => name).sort()).toEqual(Object.keys(versions).sort())
})

describe('a form that was opened before another user saved', () => {
  for (const [name, make] of Object.entries(versions)) {
    if (typeof make === 'string') continue
    test(`${name} is refused and changes nothing`, async () => {
      const endpoint = endpoints.find((one) => one.name === name)?.endpoint
      if (!endpoint) throw new Error(`no endpoint ${name}`)
      const update = await make(app, token)
      const { version } = await rowOf(update)
      const { versionField = 'version' } = update
      const save = (read: number | undefined) =>
        app.call(
          endpoint,
          { ...update.key, ...update.change(), ...(read && { [versionField]: read }) },
          token,
        )

      expect((await save(version)).code).toBe(200)
      const saved = await rowOf(update)
      expect(saved.version).toBe(version + 1)
      const recorded = await countRecorded()

      expect(await save(version)).toMatchObject({
        status: 409,
        code: 409,
        refusal: 'conflict',
        data: null,
      })
      expect(await rowOf(update)).toEqual(saved)
      expect(await countRecorded()).toBe(recorded)

      // With the newest version it is saved; a call without a version is saved without comparing.
      expect((await save(saved.version)).code).toBe(200)
      expect((await save(undefined)).code).toBe(200)
      expect((await rowOf(update)).version).toBe(version + 3)
    })
  }
})
