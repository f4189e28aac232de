import {
  type ApprovalRow,
  agreeApproval,
  deleteUpgradeTask,
  insertUpgradeTask,
  listApprovals,
  refuseApproval,
  updateUpgradeTask,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import { insertOperator, insertOrganization, type TestUser } from '../../../../test/factories.ts'
import {
  comes,
  insertFleet,
  insertPackageFor,
  lookNow,
  moveDevice,
  taskBecomes,
  taskOf,
} from '../../../../test/upgrades.ts'

// A task for all devices is counted when it is planned. At its time it waits where it has come to reach more of them than
// one person decides about.

const app = await appOfTests({ CONSENT_DEVICES: '2' })
const admin = await app.asAdmin()
type User = TestUser & { token: string }

async function world(count: number) {
  const organizationId = await insertOrganization(app.db)
  const fleet = await insertFleet(app.db, count, { organizationId })
  const colleague = (operatorId?: number): Promise<User> =>
    app.asUser({
      organizationId,
      functionCodes: ['list', 'insert', 'update', 'delete', 'control'].map((code) => `upgrade:${code}`),
      authorities: operatorId === undefined ? [] : [['O', String(operatorId)]],
    })
  const [asker, second] = [await colleague(), await colleague()]
  const image = await insertPackageFor(app.db, fleet)
  const form = {
    softwareVersionId: String(image.id),
    upgradeTime: '2099-01-01 00:00:00',
    devices: { isAll: 1 as const },
  }
  return { organizationId, fleet, colleague, asker, second, form }
}
type World = Awaited<ReturnType<typeof world>>

/** A task for all devices, planned while they were few. */
async function planned({ form, asker }: World, more: object = {}): Promise<string> {
  const { data, message } = await app.call(insertUpgradeTask, { ...form, ...more }, asker.token)
  if (data.approvalId !== undefined) throw new Error(message)
  return data.id
}
const join = ({ fleet: { operatorId, modelId }, organizationId }: World, count: number) =>
  insertFleet(app.db, count, { operatorId, modelId, organizationId })
const waitingFor = async ({ token }: User): Promise<ApprovalRow[]> =>
  (await app.call(listApprovals, { states: ['waiting'] }, token)).data
const agree = (id: string, { token }: User) => app.call(agreeApproval, { id }, token)
const why = '已到执行时间，设备数超过须另一人同意的数量，'

/** It has come to reach many devices, and its time is there. */
async function held(here: World, more: object = {}) {
  const id = await planned(here, more)
  await join(here, 1)
  await comes(app.db, id)
  await taskBecomes(app, admin, id, {
    state: 'planned',
    stopNote: `${why}${here.asker.loginName} 已申请，待另一人同意，同意后开始`,
  })
  const [waiting] = await waitingFor(here.second)
  return { id, approvalId: waiting?.id ?? '', waiting }
}
const lookAgain = (id: string) =>
  sql`UPDATE upgrade_task SET next_at = now() WHERE id = ${id}::int`
    .execute(app.db)
    .then(() => lookNow(app.db))

/** How many wait for an advisory lock. */
const lockWaits = async (): Promise<number> =>
  (
    await sql`
      SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.execute(app.db)
  ).rows.length

test('a task that still reaches few begins', async () => {
  const here = await world(2)
  const id = await planned(here)
  await comes(app.db, id)
  await taskBecomes(app, admin, id, { state: 'running', counts: { total: 2 }, stopNote: null })
})

test('a task that has come to reach many waits, and begins when a second person who sees them all agrees', async () => {
  const here = await world(2)
  const away = await insertOperator(app.db, { organizationId: here.organizationId })
  await moveDevice(app.db, here.fleet.devices[0]?.code ?? '', away)
  const { id, approvalId, waiting } = await held(here)
  expect(waiting).toMatchObject({
    kind: 'upgrade',
    causes: ['many'],
    deviceCount: 3,
    createBy: here.asker.loginName,
    mayDecide: true,
  })
  await lookAgain(id)
  expect(await waitingFor(here.second)).toHaveLength(1)
  const narrow = await here.colleague(here.fleet.operatorId)
  expect(await agree(approvalId, narrow)).toMatchObject({ refusal: 'approvalReachesBeyond' })
  expect(await agree(approvalId, here.asker)).toMatchObject({ refusal: 'approvalOwn' })
  expect(await taskOf(app, admin, id)).toMatchObject({ state: 'planned', counts: { total: 0 } })
  expect(await agree(approvalId, here.second)).toMatchObject({ code: 200, data: { resultId: id } })
  await taskBecomes(app, admin, id, {
    state: 'running',
    counts: { total: 3 },
    approvedBy: here.second.loginName,
    stopNote: null,
  })
})

test('a task whose plan waits for that of another begins with no more devices than were counted', async () => {
  const here = await world(2)
  const id = await planned(here)
  const other = await app.db.startTransaction().execute()
  await sql`SELECT pg_advisory_xact_lock(hashtext('upgrade_target_active'))`.execute(other)
  await comes(app.db, id)
  await expect.poll(lockWaits, { timeout: 10_000 }).toBe(1)
  await join(here, 1)
  await other.rollback().execute()
  await taskBecomes(app, admin, id, {
    state: 'planned',
    stopNote: `${why}${here.asker.loginName} 已申请，待另一人同意，同意后开始`,
  })
  const [waiting] = await waitingFor(here.second)
  expect(waiting).toMatchObject({ deviceCount: 3 })
  await agree(waiting?.id ?? '', here.second)
  await taskBecomes(app, admin, id, { state: 'running', counts: { total: 3 } })
})

test('a task that somebody agreed to waits where it reaches over a tenth more at its time', async () => {
  const here = await world(10)
  const { data } = await app.call(insertUpgradeTask, here.form, here.asker.token)
  const id = (await agree(data.approvalId ?? '', here.second)).data.resultId
  await join(here, 1)
  await comes(app.db, id)
  await taskBecomes(app, admin, id, { state: 'running', counts: { total: 11 } })

  const other = await world(10)
  const asked = await app.call(insertUpgradeTask, other.form, other.asker.token)
  const grown = (await agree(asked.data.approvalId ?? '', other.second)).data.resultId
  await join(other, 2)
  await comes(app.db, grown)
  await taskBecomes(app, admin, grown, { state: 'planned', stopNote: expect.stringContaining(why) })
  expect(await waitingFor(other.second)).toMatchObject([{ deviceCount: 12 }])
})

test('a task of which many devices are gone by then begins, and nobody has to agree any more', async () => {
  const here = await world(2)
  const { id } = await held(here)
  await moveDevice(app.db, here.fleet.devices[0]?.code ?? '', await insertOperator(app.db))
  await lookAgain(id)
  await taskBecomes(app, admin, id, { state: 'running', counts: { total: 2 } })
  expect(await waitingFor(here.second)).toEqual([])
})

test('who refuses keeps the task waiting; whoever changes it plans another one, and a deleted one waits for nobody', async () => {
  const here = await world(2)
  const { id, approvalId } = await held(here)
  await app.call(refuseApproval, { id: approvalId, note: '改到夜间' }, here.second.token)
  await lookAgain(id)
  await taskBecomes(app, admin, id, { stopNote: `${why}${here.second.loginName} 已拒绝，同意后开始` })
  expect(await waitingFor(here.second)).toEqual([])
  const changed = await app.call(updateUpgradeTask, { ...here.form, id, remark: '夜间' }, here.asker.token)
  expect(await agree(changed.data.approvalId ?? '', here.second)).toMatchObject({ code: 200 })
  expect(await taskOf(app, admin, id)).toMatchObject({ stopNote: null, approvedBy: here.second.loginName })

  const other = await world(2)
  const waits = await held(other)
  await app.call(deleteUpgradeTask, { id: waits.id }, other.asker.token)
  expect(await agree(waits.approvalId, other.second)).toMatchObject({ refusal: 'approvalOver' })
})

test('a task that waits is not executed where its creator is disabled, or nobody has agreed until its end', async () => {
  const here = await world(2)
  const { id } = await held(here)
  await sql`UPDATE app_user SET is_enabled = false WHERE id = ${here.asker.id}`.execute(app.db)
  await lookAgain(id)
  const stopNote = `创建人 ${here.asker.loginName} 已停用，任务未执行`
  await taskBecomes(app, admin, id, { state: 'cancelled', stopNote })
  expect(await waitingFor(here.second)).toEqual([])

  const other = await world(2)
  const waits = await held(other)
  await sql`UPDATE upgrade_task SET ends_at = now() WHERE id = ${waits.id}::int`.execute(app.db)
  await lookAgain(waits.id)
  await taskBecomes(app, admin, waits.id, {
    state: 'cancelled',
    stopNote: '到结束时间仍无另一人同意，任务未执行',
  })
})

test('who agreed that a task begins decides about it as long as it goes on', async () => {
  const here = await world(2)
  const { id, approvalId } = await held(here)
  await agree(approvalId, here.second)
  await taskBecomes(app, admin, id, { state: 'running' })
  await sql`UPDATE app_user SET is_enabled = false WHERE id = ${here.second.id}`.execute(app.db)
  await lookNow(app.db)
  await taskBecomes(app, admin, id, {
    state: 'paused',
    pause: { reason: 'decider', note: `同意人 ${here.second.loginName} 已停用，任务已暂停` },
  })
})
