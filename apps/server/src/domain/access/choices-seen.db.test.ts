import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { insertDevice, insertOperator } from '../../../test/factories.ts'
import { organizations } from '../../features/organizations/index.ts'
import { plantSeeds } from '../../platform/database/seeds.ts'
import { codesSeen } from './choices-seen.ts'
import { everything } from './data-scope.ts'

const database = await databaseOfTests()
await plantSeeds(database.db, organizations.seeds)
const [own, foreign] = [await insertOperator(database.db), await insertOperator(database.db)]
await insertDevice(database.db, { operatorId: own, code: 'EC100' })
await sql`UPDATE device SET address = '东门 KFC 换电柜' WHERE code = 'EC100'`.execute(database.db)
await insertDevice(database.db, { operatorId: foreign, code: 'EC200' })
const scope = { ...everything, operatorIds: [own] }

const keywordSeen = async (keyword: string) =>
  (await codesSeen(database.db, scope, { keywords: [keyword] })).keyword(keyword)

describe('of a keyword, what may be a code and finds no device of the reader', () => {
  test.each([
    ['EC200', '', 1],
    ['ec200，EC999', '', 2],
    ['EC100\nEC200', 'EC100', 1],
    ['东门 ec200', '东门', 1],
    ['西门', '西门', 0],
    ['kfc', 'kfc', 0],
    ['EC1', 'EC1', 0],
    ['EC2', '', 1],
  ])('is left out: %j', async (keyword, shown, left) => {
    expect(await keywordSeen(keyword)).toEqual({ keyword: shown, left })
  })

  test('is left out of a pasted column, where parts of codes are, too', async () => {
    const pasted = ['EC100', 'EC10', 'EC200', ...Array.from({ length: 9 }, (_, index) => `X${index}`)]
    expect(await keywordSeen(pasted.join('\n'))).toEqual({ keyword: 'EC100', left: 11 })
  })
})

test('a choice shows the own codes, and the number of words that it leaves out of a keyword', async () => {
  const choice = { codes: ['EC100', 'EC200'], filters: { keyword: '东门 EC200 EC201', isOnline: 1 } }
  const shown = await codesSeen(database.db, scope, { choices: [choice] })
  expect(shown.choice(choice, false)).toEqual({
    codes: ['EC100'],
    filters: { keyword: '东门（另有 2 项不可见）', isOnline: 1 },
  })
  expect(shown.choice(choice, true).filters).toEqual(choice.filters)
  expect(shown.choice({}, false)).toEqual({})
  const whole = await codesSeen(database.db, everything, { choices: [choice] })
  expect(whole.choice(choice, false)).toBe(choice)
})
