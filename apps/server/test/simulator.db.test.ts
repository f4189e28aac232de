import { alarmKinds, type Classify, eventKinds, parametersOf } from '@voltkeep/simulator/firmware'
import { createRandom } from '@voltkeep/simulator/random'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'

describe('reports of simulated devices', () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await createTestDatabase({ isSeeded: true })
  })
  afterAll(() => database?.close())

  const codesOf = async (type: string) => {
    const rows = await database.db
      .selectFrom('dictionary_entry')
      .select('code')
      .where('type', '=', type)
      .execute()
    return new Set(rows.map(({ code }) => code))
  }

  it('raise alarms with a meaning for every value, at the level of the dictionary', async () => {
    const rows = await database.db
      .selectFrom('dictionary_entry as e')
      .innerJoin('semaphore_definition as d', 'd.entry_id', 'e.id')
      .select(['e.code', 'e.alarm_level', 'e.analysis_type', 'd.equip_classify', 'd.bit_position'])
      .where('e.type', '=', 'ALARM')
      .execute()
    const meanings = new Set(
      rows.map((row) =>
        [row.equip_classify, row.code, row.alarm_level, row.analysis_type, row.bit_position].join(' '),
      ),
    )
    const said = Object.entries(alarmKinds).flatMap(([classify, kinds]) =>
      kinds.flatMap(({ code, level, bits = 0, values = [] }) => [
        ...Array.from({ length: bits }, (_, bit) => `${classify} ${code} ${level} BIT ${bit}`),
        ...values.map((value) => `${classify} ${code} ${level} VALUE ${value}`),
      ]),
    )
    expect(said.filter((meaning) => !meanings.has(meaning))).toEqual([])
  })

  it('contain only events and parameters that the dictionary knows', async () => {
    const events = await codesOf('EVENT')
    const parameters = await codesOf('PARAM')
    for (const classify of Object.keys(eventKinds) as Classify[]) {
      expect(eventKinds[classify].map(({ code }) => code).filter((code) => !events.has(code))).toEqual([])
      const identity = { code: 'X', secret: '', classify, partTypes: [] }
      const reported = parametersOf(identity, createRandom(1))
      expect(reported.map(({ id }) => id).filter((id) => !parameters.has(id))).toEqual([])
    }
  })
})
