import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../test/database.ts'
import { features } from './features.ts'
import { constraintsOf } from './platform/feature.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

test('no two features have the same name, nor publish notices of the same name', () => {
  const names = features.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
  const notices = features.flatMap((feature) => feature.notices.map(({ name }) => name))
  expect(notices.length).toBeGreaterThan(3)
  expect(notices).toEqual([...new Set(notices)])
})

test('every constraint that a feature names exists, and refuses what is twice or refers to nothing', async () => {
  const { rows } = await database.pool.query<{ conname: string }>(
    "SELECT conname FROM pg_constraint WHERE contype IN ('u', 'f')",
  )
  const known = new Set(rows.map(({ conname }) => conname))
  const named = Object.keys(constraintsOf(features))
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !known.has(name))).toEqual([])
})
