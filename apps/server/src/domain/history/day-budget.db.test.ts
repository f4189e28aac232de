import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { eventually } from '../../../test/eventually.ts'
import { createLog } from '../../platform/process/log.ts'
import { createWarnings } from '../../platform/process/warnings.ts'
import { createDayBudget } from './day-budget.ts'

const database = await databaseOfTests()

const log = createLog({ level: 'silent' })
const budget = () =>
  createDayBudget({
    mostPerDay: 10,
    db: database.db,
    log,
    metrics: new Registry(),
    warnings: createWarnings(),
  })

test('rows of a day are counted across all processes and their restarts', async () => {
  const [one, other] = [budget(), budget()]
  one.written(5)
  other.written(5)
  expect([one.keeps, other.keeps]).toEqual(['all', 'all'])
  await eventually(() => {
    one.written(0)
    other.written(0)
    expect([one.keeps, other.keeps]).toEqual(['none', 'none'])
  })
  const restarted = budget()
  await eventually(() => expect(restarted.keeps).toBe('none'))
  await database.db.updateTable('history_day').set({ day: '2020-01-01' }).execute()
  const nextDay = budget()
  nextDay.written(8)
  expect(nextDay.keeps).toBe('changes')
})
