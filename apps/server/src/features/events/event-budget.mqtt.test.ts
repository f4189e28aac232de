import { readServerInfo } from '@voltkeep/contract'
import { topicOf } from '@voltkeep/contract/topics/index'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { eventually } from '../../../test/eventually.ts'
import { insertDevice } from '../../../test/factories.ts'
import { connectDevice } from '../../../test/mqtt-client.ts'

let serial = 0

const app = await appOfTests({ HISTORY_ROWS_PER_DAY: '10', METRICS_PORT: '0' })

const warnings = async () => {
  const { data } = await app.call(readServerInfo, {}, await app.asAdmin())
  return data?.warnings.filter((line) => line.includes('HISTORY_ROWS_PER_DAY'))
}

test('over the daily limit of rows, repeated events are dropped first, then all events, and alarms never', async () => {
  const device = await insertDevice(app.db)
  const client = await connectDevice(app.ports.mqttPort as number, device)
  const report = (topic: 'event' | 'alarm', code: string, value: number) => {
    serial += 1
    const message = { id: `m${serial}`, time: Date.now(), code, value }
    return client.publish(topicOf(device.code, 'up', topic), message)
  }
  const kept = async () => {
    const events = await app.db
      .selectFrom('event_history')
      .select(['semaphore_code', 'value'])
      .orderBy('id')
      .execute()
    const alarms = await app.db
      .selectFrom('alarm_history')
      .select(['semaphore_code', 'recovered_at'])
      .orderBy('id')
      .execute()
    return { events: events.map(({ value }) => Number(value)), alarms }
  }
  expect(await warnings()).toEqual([])
  for (const value of [1, 1, 1, 1, 1, 1, 1, 1]) expect(await report('event', 'E1', value)).toBe(true)
  expect(await warnings()).toEqual([expect.stringContaining('上限 10 条的 80%：重复的事件不再保存')])
  for (const value of [1, 1, 2, 2, 1]) expect(await report('event', 'E1', value)).toBe(true)
  expect((await kept()).events).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 2, 1])
  expect(await warnings()).toEqual([expect.stringContaining('上限 10 条：事件不再保存，告警照常')])
  expect(await report('event', 'E2', 5)).toBe(true)
  for (const [code, value] of [
    ['A1', 1],
    ['A2', 1],
    ['A1', 0],
  ] as const) {
    expect(await report('alarm', code, value)).toBe(true)
  }
  const { events, alarms } = await kept()
  expect(events).toHaveLength(10)
  expect(alarms).toEqual([
    { semaphore_code: 'A1', recovered_at: expect.any(Date) },
    { semaphore_code: 'A2', recovered_at: null },
  ])
  const counted = await (await fetch(`http://127.0.0.1:${app.ports.metricsPort}/metrics`)).text()
  expect(counted).toContain('voltkeep_history_events_withheld_total{keeps="changes"} 3')
  expect(counted).toContain('voltkeep_history_events_withheld_total{keeps="none"} 1')
  await eventually(() => expect(app.logged.join()).toContain('重复的事件不再保存'))
  await client.disconnect()
})
