import { insertParameterBatch, listTasks, type Task } from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { soc } from '../../../test/batches.ts'
import {
  insertDevice,
  insertLogExtraction,
  insertOperator,
  insertOrganization,
} from '../../../test/factories.ts'

const functionCodes = ['alarm:recover', 'equip:import', 'logextract:list', 'batchSet:list', 'batchSet:insert']

const app = await appOfTests()
const organizationId = await insertOrganization(app.db)
const device = await insertDevice(app.db, { operatorId: await insertOperator(app.db, { organizationId }) })
const elsewhere = await insertDevice(app.db)
const own: { id: number; token: string } = await app.asUser({ organizationId, functionCodes })

const tasksOf = async (token = own.token): Promise<Task[]> =>
  (await app.call(listTasks, {}, token)).data.tasks
const briefly = (tasks: readonly Task[]) => tasks.map(({ kind, subject, state }) => [kind, subject, state])

test('tasks of every kind are in one list, the newest first, until a day after their end', async () => {
  expect(await tasksOf()).toEqual([])
  await sql`
    INSERT INTO alarm_recovery (user_id, note, episode_ids, total, recovered, passed, created_at, finished_at)
    VALUES (${own.id}, '', '{}', 9, 8, 1, now() - interval '3 hours', now() - interval '2 hours'),
      (${own.id}, '', '{}', 9, 9, 0, now() - interval '26 hours', now() - interval '25 hours'),
      (${own.id}, '', '{1}', 9, 4, 0, now() - interval '50 hours', NULL)`.execute(app.db)
  const extraction = await insertLogExtraction(app.db, { deviceId: device.id, userId: own.id })
  await sql`UPDATE log_extraction SET created_at = now() - interval '1 hour' WHERE id = ${extraction}`.execute(
    app.db,
  )
  const batch = await app.call(
    insertParameterBatch,
    {
      entitys: [{ id: soc, value: 88 }],
      queryParam: { codes: [device.code] },
      paramSetRule: { upgradeCount: 1, interval: 3 },
    },
    own.token,
  )
  expect(batch.message).toBe('创建成功')
  const tasks = await tasksOf()
  expect(briefly(tasks)).toEqual([
    ['parameterBatch', batch.data.code, 'running'],
    ['logExtraction', expect.stringContaining(device.code), expect.any(String)],
    ['alarmRecovery', null, 'done'],
    ['alarmRecovery', null, 'running'],
  ])
  expect(tasks[2]).toMatchObject({ done: 9, total: 9, skipped: 1, failed: 0 })
  expect(tasks[3]).toMatchObject({ done: 4, total: 9, finishTime: null })
})

test('are listed only for the user who started them, and only of kinds that the user may still see', async () => {
  const other = await app.asUser({ organizationId, functionCodes })
  expect(await tasksOf(other.token)).toEqual([])
  const colleague = await app.asUser({ organizationId, functionCodes: [] })
  await sql`
    INSERT INTO alarm_recovery (user_id, note, episode_ids, total) VALUES (${colleague.id}, '', '{1}', 9)`.execute(
    app.db,
  )
  expect(await tasksOf(colleague.token)).toEqual([])
})

test('are not listed for a device that is out of scope by now', async () => {
  const user = await app.asUser({ organizationId, functionCodes })
  await insertLogExtraction(app.db, { deviceId: elsewhere.id, userId: user.id })
  expect(await tasksOf(user.token)).toEqual([])
  await insertLogExtraction(app.db, { deviceId: device.id, userId: user.id })
  expect(await tasksOf(user.token)).toHaveLength(1)
})
