import {
  type Endpoint,
  listAlarmHistory,
  listAlarms,
  listDevices,
  listEvents,
  listIntakeRefusals,
} from '@voltkeep/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from './app.ts'
import { endpoints } from './endpoints.ts'
import { makeWorld } from './scope-world.ts'

let app: TestApp
let admin: string
/** Of devices that have an alarm, an event and a refusal each. */
let codes: [string, string]
beforeAll(async () => {
  app = await createTestApp()
  admin = await app.asAdmin()
  const world = await makeWorld(app.db, { seed: 7, devices: 20, users: 0, functionCodes: [] })
  codes = [world.devices[0]?.code as string, world.devices[1]?.code as string]
  await app.db
    .insertInto('intake_refusal')
    .values({ device_code: 'stranger-01', reason: 'unknownDevice' })
    .execute()
})
afterAll(() => app.close())

const lists: Endpoint[] = [listDevices, listAlarms, listAlarmHistory, listEvents, listIntakeRefusals]

test('every list of devices or of their reports is among those tried', () => {
  const byCode = endpoints.filter(({ endpoint }) => {
    const { shape } = endpoint.input as unknown as { shape?: Record<string, unknown> }
    return (
      endpoint.reply.kind === 'page' &&
      shape &&
      'code' in shape &&
      ('startTime' in shape || 'address' in shape)
    )
  })
  expect(byCode.map(({ endpoint }) => endpoint.path).sort()).toEqual(lists.map(({ path }) => path).sort())
})

describe('codes pasted one per line find their devices', () => {
  for (const endpoint of lists) {
    test(`at ${endpoint.path}`, async () => {
      const found = async (code: unknown) => {
        const { data, code: answer } = await app.call(endpoint, { code, pageSize: 100 }, admin)
        expect(answer).toBe(200)
        return [...new Set((data as { code: string }[]).map((row) => row.code))].sort()
      }
      const [one, other] = codes
      const both = [one, other].sort()
      expect(await found(`${one}\n${other}\n`)).toEqual(both)
      expect(await found(` ${one} \r\n\t${other.slice(0, 2)}-${other.slice(2)}`)).toEqual(both)
      expect(await found(`${one},${other}`)).toEqual(both)
      expect(await found(one)).toEqual([one])
      expect(await found('NOSUCH1\nNOSUCH2')).toEqual([])
    })
  }
})

test('a refused client whose code has other characters is found by its letters and digits', async () => {
  const { data } = await app.call(listIntakeRefusals, { code: 'stranger-01' }, admin)
  expect(data.map(({ code }) => code)).toEqual(['stranger-01'])
})
