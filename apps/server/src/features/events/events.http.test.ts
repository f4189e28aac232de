import { formatDateTime, listEvents, readEvent } from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertDevice, insertOperator, insertOrganization, type TestDevice } from '../../../test/factories.ts'
import { rowsOfSheet } from '../../../test/sheets.ts'

let nextId = 1_000_000_000
const app = await appOfTests()
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
const near = await insertDevice(app.db, { operatorId })
const far = await insertDevice(app.db)
await app.db
  .updateTable('device')
  .set({ name: '南山一号柜', address: '科技园路 1 号' })
  .where('id', '=', near.id)
  .execute()
/** A user who sees only the operator of `near`. */
const narrow = (await app.asUser({ organizationId, functionCodes: ['event:list', 'event:export'] })).token

describe('one event', () => {
  async function insertEvent(
    device: TestDevice,
    value: number,
    at = sql`date_trunc('second', now())`,
  ): Promise<string> {
    const id = String(++nextId)
    await sql`
      WITH added AS (
        INSERT INTO event_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code,
          value, is_fault, data)
        SELECT ${id}::bigint, ${at}, id, operator_id, model_id, region_id, 'E1',
          ${value}::bigint, true, '{"door": 3}'
        FROM device WHERE id = ${device.id}
        RETURNING occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code
      )
      INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
      SELECT 2, day, operator_id, model_id, region_id, semaphore_code, 1 FROM added`.execute(app.db)
    return id
  }

  test('is read by its id, with or without its time, and contains the place of its device', async () => {
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

  test('has the unit of its value where the dictionary has one', async () => {
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

    const response = await fetch(`${app.url}/api/event/export?code=${near.code}`, {
      headers: { authorization: narrow },
    })
    const [titles = [], ...told] = await rowsOfSheet(response)
    const valueAt = titles.indexOf('值')
    expect(titles[valueAt + 1]).toBe('单位')
    expect(told.map((cells) => cells.slice(valueAt, valueAt + 2))).toContainEqual(['80', '%'])
  })

  // proves: call POST /event/list
  test('is found in a range of whole days, and in the last 30 days without a range', async () => {
    const { code } = far
    const at = (time: string) => insertEvent(far, 1, sql`${time}::timestamptz`)
    const day = (ago: number) => formatDateTime(new Date(Date.now() - ago * 86_400_000)).slice(0, 10)
    const [first, second, third] = [
      await at(`${day(3)} 00:00:00`),
      await at(`${day(3)} 23:59:59`),
      await at(`${day(2)} 00:00:00`),
    ]
    const old = await at(`${day(31)} 12:00:00`)
    const admin = await app.asAdmin()
    const found = async (range: object) => {
      const { data, total } = await app.call(listEvents, { code, pageSize: 100, ...range }, admin)
      expect(total).toBe(data.length)
      return data.map(({ id }) => id).filter((id) => [first, second, third, old].includes(id))
    }
    expect(await found({ startTime: day(3), endTime: day(3) })).toEqual([second, first])
    expect(await found({ startTime: `${day(3)} 00:00:01`, endTime: day(2) })).toEqual([third, second])
    expect(await found({ startTime: day(3), endTime: `${day(3)} 23:59:58` })).toEqual([first])
    expect(await found({ startTime: day(32), endTime: day(30) })).toEqual([old])
    expect(await found({})).toEqual([third, second, first])
    const upwards = { sortBy: 'occurrenceTime', sortOrder: 'asc' }
    expect(await found(upwards)).toEqual([first, second, third])
    expect(await found({ ...upwards, startTime: day(3), endTime: day(3) })).toEqual([first, second])
    expect(await app.call(listEvents, { startTime: day(2), endTime: day(3) }, admin)).toMatchObject({
      status: 400,
      message: '结束时间不能早于开始时间',
    })
  })

  test('is not found with another time, for another operator, or under an unknown id', async () => {
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
