import { expect, test } from 'vitest'
import { databaseOfTests } from '../test/database.ts'
import { features } from './features.ts'
import { constraintsOf } from './platform/feature.ts'

const database = await databaseOfTests()

test('names of features and of notices are unique', () => {
  const names = features.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
  const notices = features.flatMap((feature) => feature.notices.map(({ name }) => name))
  expect(notices.length).toBeGreaterThan(3)
  expect(notices).toEqual([...new Set(notices)])
})

test('every constraint that a feature names exists, and is a unique or foreign key', async () => {
  // A partial or expression index is not a constraint, but its violation is reported with its name.
  const { rows } = await database.pool.query<{ name: string }>(`
    SELECT conname AS name FROM pg_constraint WHERE contype IN ('u', 'f')
    UNION SELECT indexrelid::regclass::text FROM pg_index WHERE indisunique`)
  const known = new Set(rows.map(({ name }) => name))
  const named = Object.keys(constraintsOf(features))
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !known.has(name))).toEqual([])
})
