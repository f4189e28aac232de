import { readOverview } from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertDevice, insertOperator, insertOrganization } from '../../../test/factories.ts'

describe('the overview', () => {
  let app: TestApp
  let token: string
  beforeAll(async () => {
    app = await createTestApp()
    const organizationId = await insertOrganization(app.db)
    const operatorId = await insertOperator(app.db, { organizationId })
    token = (await app.asUser({ organizationId })).token
    const mine = [
      await insertDevice(app.db, { operatorId }),
      await insertDevice(app.db, { operatorId }),
      await insertDevice(app.db, { operatorId }),
    ]
    const other = await insertDevice(app.db)
    await sql`UPDATE device_state SET is_online = true WHERE device_id IN (${mine[0]?.id}, ${other.id})`.execute(
      app.db,
    )
    let id = 1
    for (const [device, code, isActive] of [
      [mine[0], '01110001', true],
      [mine[0], 'UNKNOWN', true],
      [mine[1], '01110001', true],
      [mine[2], '01110001', false],
      [other, '01110001', true],
    ] as const) {
      id += 1
      await sql`
        WITH state AS (
          INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
            operator_id, model_id, region_id)
          SELECT id, ${code}, ${id}::bigint, ${isActive}, 1, now(), now(), operator_id, model_id, region_id
          FROM device WHERE id = ${device?.id}
          RETURNING *
        )
        INSERT INTO history_delta
        SELECT 1, occurred_at::date, operator_id, model_id, region_id, semaphore_code, 1 FROM state`.execute(
        app.db,
      )
    }
  })
  afterAll(() => app.close())

  test('tells what is wrong now within the scope', async () => {
    const { data } = await app.call(readOverview, {}, token)
    expect(data).toMatchObject({ deviceCount: 3, onlineCount: 1, devicesWithAlarm: 2 })
    expect(data.activeAlarms.reduce((sum, { count }) => sum + count, 0)).toBe(3)
    expect(data.activeAlarms.at(-1)).toEqual({ level: 0, count: 1 })
    expect(data.topAlarms.map(({ semaphoreCode, count }) => [semaphoreCode, count])).toEqual([
      ['01110001', 2],
      ['UNKNOWN', 1],
    ])
  })

  test('has a day for each of the last thirty, today at the end', async () => {
    const { data } = await app.call(readOverview, {}, token)
    expect(data.alarmsByDay).toHaveLength(30)
    expect(data.alarmsByDay.at(-1)).toEqual({ day: data.readTime.slice(0, 10), count: 4 })
    expect(data.alarmsByDay.slice(0, -1).every(({ count }) => count === 0)).toBe(true)
  })

  test('of a user who sees nothing is all zeros', async () => {
    const organizationId = await insertOrganization(app.db)
    const nobody = await app.asUser({ organizationId })
    const { data } = await app.call(readOverview, {}, nobody.token)
    expect(data).toMatchObject({ deviceCount: 0, onlineCount: 0, devicesWithAlarm: 0, topAlarms: [] })
  })
})
