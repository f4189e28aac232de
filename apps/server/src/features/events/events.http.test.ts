import { listEvents, readEvent } from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertDevice, insertOperator, insertOrganization, type TestDevice } from '../../../test/factories.ts'

describe('one event', () => {
  let app: TestApp
  /** Sees only the operator of `near`. */
  let narrow: string
  let near: TestDevice
  let far: TestDevice
  let nextId = 1_000_000_000

  beforeAll(async () => {
    app = await createTestApp()
    const organizationId = await insertOrganization(app.db)
    const operatorId = await insertOperator(app.db, { organizationId })
    near = await insertDevice(app.db, { operatorId })
    far = await insertDevice(app.db)
    await app.db
      .updateTable('device')
      .set({ name: '南山一号柜', address: '科技园路 1 号' })
      .where('id', '=', near.id)
      .execute()
    narrow = (await app.asUser({ organizationId, functionCodes: ['event:list'] })).token
  })
  afterAll(() => app.close())

  async function insertEvent(device: TestDevice, value: number): Promise<string> {
    const id = String(++nextId)
    await sql`
      WITH added AS (
        INSERT INTO event_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code,
          value, is_fault, data)
        SELECT ${id}::bigint, date_trunc('second', now()), id, operator_id, model_id, region_id, 'E1',
          ${value}::bigint, true, '{"door": 3}'
        FROM device WHERE id = ${device.id}
        RETURNING occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code
      )
      INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
      SELECT 2, day, operator_id, model_id, region_id, semaphore_code, 1 FROM added`.execute(app.db)
    return id
  }

  // proves: call POST /event/list
  test('is read by its id, with or without its moment, and says where its device stands', async () => {
    await insertEvent(near, 1)
    const id = await insertEvent(near, 2)
    const { data } = await app.call(readEvent, { id }, narrow)
    const place = await sql<{ name: string }>`
      SELECT full_name AS name FROM region JOIN device d ON d.region_id = region.id WHERE d.id = ${near.id}
    `.execute(app.db)
    expect(data).toMatchObject({
      id,
      code: near.code,
      value: 2,
      flag: 'fault',
      data: { door: 3 },
      equipName: '南山一号柜',
      address: '科技园路 1 号',
      regionName: place.rows[0]?.name,
    })
    const again = await app.call(readEvent, { id, occurrenceTime: data.occurrenceTime }, narrow)
    expect(again.data).toEqual(data)
    const [listed] = (await app.call(listEvents, { startTime: data.occurrenceTime }, narrow)).data
    expect(listed).toMatchObject({ equipName: '南山一号柜' })
  })

  test('has the unit of its value where the dictionary knows it', async () => {
    const id = await insertEvent(near, 80)
    const unitOf = async () => (await app.call(readEvent, { id }, narrow)).data.unit
    expect(await unitOf()).toBe(null)
    await sql`
      INSERT INTO dictionary_entry (type, code, name, note, unit) VALUES ('EVENT', 'E1', '充电开始', '', '%')`.execute(
      app.db,
    )
    expect(await unitOf()).toBe('%')
    const { data } = await app.call(listEvents, {}, narrow)
    expect(data.find((row) => row.id === id)).toMatchObject({ value: 80, unit: '%' })
  })

  test('is not there for another moment, for another operator, or under an id that nothing has', async () => {
    const absent = { status: 404, message: '事件不存在' }
    const id = await insertEvent(near, 3)
    expect(await app.call(readEvent, { id, occurrenceTime: '2001-01-01 00:00:00' }, narrow)).toMatchObject(
      absent,
    )
    const hidden = await insertEvent(far, 4)
    expect(await app.call(readEvent, { id: hidden }, narrow)).toMatchObject(absent)
    expect((await app.call(readEvent, { id: hidden }, await app.asAdmin())).data.id).toBe(hidden)
    expect(await app.call(readEvent, { id: '999999999999' }, narrow)).toMatchObject(absent)
  })
})
