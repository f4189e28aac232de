import { importColumns } from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../../test/database.ts'
import { insertModel, insertOperator } from '../../../../test/factories.ts'
import { readReference } from './import.queries.ts'
import { createRowCheck, readTitles } from './import.rules.ts'
import { offeredBy } from './import-sheets.ts'

const database = await databaseOfTests({ isSeeded: true })
await insertOperator(database.db, { name: '同名运营商' })
await insertOperator(database.db, { name: '同名运营商' })
await insertModel(database.db)
const reference = await readReference(database.db, {
  operatorIds: null,
  equipTypeIds: null,
  regionIds: null,
} as Parameters<typeof readReference>[1])

test('every name in the template is accepted', () => {
  const offered = offeredBy(reference)
  expect(offered.regions.length).toBeGreaterThan(3_000)
  const titles = readTitles({ number: 1, cells: Object.values(importColumns) })
  const columns = Object.keys(importColumns)
  const check = createRowCheck(titles, reference)
  const refused = (['operator', 'equipModel', 'region'] as const).flatMap((column) =>
    offered[`${column}s`].flatMap((name, at) => {
      const filled: Record<string, string | undefined> = {
        code: `${column}${at}`,
        operator: offered.operators[0],
        equipModel: offered.equipModels[0],
        region: offered.regions[1],
        [column]: name,
      }
      const cells = columns.map((key) => filled[key])
      return check({ number: at + 2, cells }).problems.map(({ message }) => message)
    }),
  )
  expect(refused).toEqual([])
})

test('the name of a municipality means all of it, not the unnamed level below', () => {
  const check = createRowCheck(readTitles({ number: 1, cells: Object.values(importColumns) }), reference)
  const { operators, equipModels } = offeredBy(reference)
  const regionOf = (name: string) =>
    check({
      number: 2,
      cells: [`C${name.length}`, undefined, operators[0], undefined, equipModels[0], name],
    }).device?.region.code
  const upper = reference.regions
    .filter(({ name }) => name === '中国 / 北京市')
    .sort((a, b) => a.depth - b.depth)
  expect(upper.length).toBeGreaterThan(1)
  expect(regionOf('北京市')).toBe(upper[0]?.code)
  expect(regionOf('中国 / 北京市')).toBe(upper[0]?.code)
})
