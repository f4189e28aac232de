// Alarms that come again, as callers see them.
import { ackAlarms, listAlarmHistory, listAlarms, readAlarm, readAlarmHandling } from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import { insertAlarm, insertDevice } from '../../../../test/factories.ts'
import { foldRepeats } from './repeat-fold.ts'

const app = await appOfTests()
const admin = await app.asAdmin()
const code = '01110001'

/** The alarm recovers, and comes again after so many seconds. */
async function comesAgain(deviceId: number, afterS: number): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    WITH over AS (
      UPDATE alarm_history h SET recovered_at = h.occurred_at + interval '5 seconds', recovery_method = 1
      FROM alarm_state s WHERE s.device_id = ${deviceId} AND s.semaphore_code = ${code}
        AND h.occurred_at = s.occurred_at AND h.id = s.episode_id
      RETURNING h.*
    ), again AS (
      INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code,
        first_value, value)
      SELECT id + 1000000, occurred_at + (${afterS} + 5) * interval '1 second', device_id, operator_id, model_id,
        region_id, semaphore_code, first_value, value FROM over RETURNING *
    ), delta AS (
      INSERT INTO history_delta SELECT 1, occurred_at::date, operator_id, model_id, region_id, semaphore_code, 1
      FROM again
    )
    UPDATE alarm_state s SET episode_id = again.id, occurred_at = again.occurred_at, is_active = true
    FROM again WHERE s.device_id = again.device_id AND s.semaphore_code = again.semaphore_code
    RETURNING again.id::text AS id`.execute(app.db)
  return rows[0]?.id ?? ''
}
const fold = (deviceId: number) =>
  foldRepeats(app.db, { keys: [{ deviceId, code, lateMs: null }], handledIds: [] })

test('a trouble that comes again shows how often, since when and that it chatters, in either list and by itself', async () => {
  const { id: deviceId } = await insertDevice(app.db)
  const first = await insertAlarm(app.db, { id: deviceId } as never, code, 30)
  await comesAgain(deviceId, 10)
  const last = await comesAgain(deviceId, 10)
  await fold(deviceId)
  const equipId = String(deviceId)
  const { data: current } = await app.call(listAlarms, { equipId }, admin)
  expect(current).toMatchObject([{ id: last, repeatCount: 3, chatter: 'chattering' }])
  const [row] = current
  expect(row?.repeatLastTime).toBe(row?.occurrenceTime)
  const { data: past } = await app.call(listAlarmHistory, { equipId }, admin)
  expect(past.map(({ repeatCount }) => repeatCount)).toEqual([3, 3, 3])
  expect(past.at(-1)).toMatchObject({ id: first, repeatFirstTime: row?.repeatFirstTime })
  // Its members are the history between its first and its last time.
  const members = await app.call(
    listAlarmHistory,
    {
      equipId,
      semaphoreCode: [code],
      startTime: row?.repeatFirstTime ?? '',
      endTime: row?.repeatLastTime ?? '',
    },
    admin,
  )
  expect(members.total).toBe(3)
  expect((await app.call(readAlarm, { id: first }, admin)).data).toMatchObject({ repeatCount: 3 })
})

test('what occurred once says so', async () => {
  const { id: deviceId } = await insertDevice(app.db)
  await insertAlarm(app.db, { id: deviceId } as never, code, 30)
  const { data } = await app.call(listAlarms, { equipId: String(deviceId) }, admin)
  expect(data).toMatchObject([{ repeatCount: 1, repeatFirstTime: null, repeatLastTime: null, chatter: null }])
})

test('a trouble that was acknowledged is not unacknowledged when it comes again, and its record says why', async () => {
  const { id: deviceId } = await insertDevice(app.db)
  const first = await insertAlarm(app.db, { id: deviceId } as never, code, 5)
  await app.call(ackAlarms, { ids: [first] }, admin)
  const last = await comesAgain(deviceId, 60)
  await fold(deviceId)
  const equipId = String(deviceId)
  const { total } = await app.call(listAlarms, { equipId, handling: ['unacknowledged'] }, admin)
  expect(total).toBe(0)
  const { data } = await app.call(listAlarms, { equipId, handling: ['acknowledged'] }, admin)
  expect(data).toMatchObject([{ id: last, handling: 'acknowledged', handlingVersion: 1 }])
  const { data: actions } = await app.call(readAlarmHandling, { id: last }, admin)
  expect(actions).toMatchObject([{ kind: 'carry', source: 'system', userName: '系统' }])
})
