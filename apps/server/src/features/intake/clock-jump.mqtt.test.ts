import { insertRegion } from '@voltkeep/contract'
import { topicOf } from '@voltkeep/contract/topics/index'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { eventually } from '../../../test/eventually.ts'
import { insertDevice } from '../../../test/factories.ts'
import { connectDevice } from '../../../test/mqtt-client.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp()
})
afterEach(() => {
  vi.useRealTimers()
})
afterAll(() => app.close())

const days = 86_400_000

/** Sets the clock of this process, which is the server's: devices' reports get their time and their week by it. */
const setClock = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: ms })

test.each([
  ['40 days ahead', 40 * days],
  ['ten years ahead', 3_652 * days],
  ['two years back', -730 * days],
])('reports are acknowledged and kept while the clock is %s, and after it was set right', async (_, byMs) => {
  const device = await insertDevice(app.db)
  const client = await connectDevice(app.ports.mqttPort as number, device)
  const rightMs = Date.now()
  const report = async (id: string) =>
    expect(
      await client.publish(topicOf(device.code, 'up', 'event'), {
        id,
        time: Date.now(),
        code: '02110001',
        value: 1,
      }),
    ).toBe(true)
  await report('before')
  setClock(rightMs + byMs)
  await report('meanwhile')
  setClock(rightMs)
  await report('after')
  const { rows } = await sql`SELECT FROM event_history WHERE device_id = ${device.id}`.execute(app.db)
  expect(rows).toHaveLength(3)
  await client.disconnect()
})

test('a write that meets a month without a partition in the operation log succeeds when it is repeated', async () => {
  const token = await app.asAdmin()
  const { rows } = await app.database.owner.query(
    `SELECT 'operation_log_' || to_char(now(), 'YYYY_MM') AS month`,
  )
  await app.database.owner.query(`DROP TABLE ${rows[0].month}`)
  const write = () => app.call(insertRegion, { code: '990000', name: '时钟省' }, token)
  const first = await write()
  expect(first).toMatchObject({ code: 503, refusal: 'serverBusy' })
  await eventually(async () => expect((await write()).code).toBe(200))
})
