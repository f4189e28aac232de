import {
  actOnDevice,
  listRemoteActions,
  type RemoteAction,
  type RemoteActionRow,
  type RemoteActionState,
} from '@voltkeep/contract'
import { Batteries } from '@voltkeep/simulator/cabinet/battery'
import { Cabinet } from '@voltkeep/simulator/cabinet/cabinet'
import type { ActionOptions } from '@voltkeep/simulator/commands/actions'
import { inTurn } from '@voltkeep/simulator/commands/trouble'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertDevice } from '../../../test/factories.ts'

const app = await appOfTests()
const token = await app.asAdmin()
const { rows: models } = await sql<{ id: number }>`
  SELECT id FROM equip_model WHERE code = 'VK-EC12'`.execute(app.db)
const modelId = models[0]?.id as number
const running: VirtualDevice[] = []
afterEach(() => {
  for (const device of running.splice(0)) device.cutPower()
})

/** A cabinet that is online and has reported its compartments. */
async function cabinet(actions: ActionOptions = {}, { clockOffsetMs = 0 } = {}) {
  const { id, code, secret } = await insertDevice(app.db, { modelId })
  const random = createRandom(id)
  const device = new VirtualDevice(
    { code, secret },
    {
      broker: { host: '127.0.0.1', port: app.ports.mqttPort as number, isTls: false },
      random,
      clockOffsetMs,
      reconnectMs: [50, 200],
      cabinet: new Cabinet({
        count: 8,
        batteries: new Batteries(random),
        random,
        nowMs: Date.now() + clockOffsetMs,
      }),
      commands: { actions: { doorMs: 300, restartMs: 300, ...actions } },
    },
  )
  running.push(device)
  device.start()
  await device.whenOnline()
  await device.reportStatus()
  await expect
    .poll(() => sql`SELECT FROM device_state WHERE device_id = ${id} AND is_online`.execute(app.db))
    .toMatchObject({ rows: [{}] })
  return { id: String(id), code, device }
}

const act = async (id: string, action: RemoteAction, compartment?: number) => {
  const { code, message, data } = await app.call(
    actOnDevice,
    { id, action, reason: '现场维保', ...(compartment !== undefined && { compartment }) },
    token,
  )
  expect([code, message]).toEqual([200, '已发送'])
  return data.commandId as string
}
const rowOf = async (commandId: string) =>
  (await app.call(listRemoteActions, { commandId }, token)).data[0] as RemoteActionRow
const becomes = (commandId: string, expected: Partial<RemoteActionRow>) =>
  expect.poll(() => rowOf(commandId), { timeout: 20_000, interval: 50 }).toMatchObject(expected)
/** Makes the wait for a report end. */
const passLimit = async (commandId: string) => {
  await sql`UPDATE remote_action SET next_at = now() WHERE command_id = ${commandId}`.execute(app.db)
  await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["remote_action 0"]}')`.execute(app.db)
}

describe('an action is confirmed by what the device reports afterwards:', () => {
  test.each([
    ['openDoor', 3],
    ['disableCompartment', 2],
    ['stopCharging', 1],
    ['stopCharging', undefined],
    ['restart', undefined],
    ['reportStatus', undefined],
  ] as const)('%s of compartment %s', async (action, compartment) => {
    const { id, code, device } = await cabinet()
    const { compartments = [] } = device.cabinet?.report(device.now()) ?? {}
    const commandId = await act(id, action, compartment)
    await becomes(commandId, { state: 'confirmed', confirmTime: expect.any(String) })
    expect(await rowOf(commandId)).toMatchObject({
      equipCode: code,
      action,
      compartment: compartment ?? null,
      batteryCode: compartments.find(({ no }) => no === compartment)?.batteryCode ?? null,
      reason: '现场维保',
      createBy: 'admin',
      address: '127.0.0.1',
      approvedBy: null,
      note: null,
      answerTime: expect.any(String),
    })
    expect([...device.actionCounts]).toEqual([[commandId, 1]])
  })

  test('enableCompartment of one that was disabled', async () => {
    const { id } = await cabinet()
    await becomes(await act(id, 'disableCompartment', 2), { state: 'confirmed' })
    await becomes(await act(id, 'enableCompartment', 2), { state: 'confirmed' })
  })

  test('with a device clock that is wrong', async () => {
    for (const clockOffsetMs of [30_000, -9 * 60_000]) {
      const { id, device } = await cabinet({}, { clockOffsetMs })
      const commandId = await act(id, 'openDoor', 3)
      await expect.poll(() => device.actionCounts.size).toBe(1)
      await becomes(commandId, { state: 'confirmed' })
    }
  })
})

test('what the device only claims to have done is acknowledged, and unconfirmed after a while', async () => {
  const { id, device } = await cabinet({ trouble: inTurn('lies') })
  const commandId = await act(id, 'openDoor', 3)
  await becomes(commandId, { state: 'acknowledged', confirmTime: null })
  // Reports that do not show it change nothing.
  await device.reportStatus()
  expect(await rowOf(commandId)).toMatchObject({ state: 'acknowledged' })
  await passLimit(commandId)
  await becomes(commandId, { state: 'unconfirmed', note: null })
  device.cabinet?.openDoor(3)
  await device.reportStatus()
  expect(await rowOf(commandId)).toMatchObject({ state: 'unconfirmed' })
})

test('a report from before the command confirms nothing, however late it comes', async () => {
  const { id, device } = await cabinet({ trouble: inTurn('lies', 'lies') })
  const commandId = await act(id, 'openDoor', 3)
  await becomes(commandId, { state: 'acknowledged' })
  for (const minutes of [10, 0.2])
    await device.report(
      'status',
      { status: {}, compartments: [{ no: 3, isDoorOpen: true }] },
      { at: device.now() - minutes * 60_000 },
    )
  expect(await rowOf(commandId)).toMatchObject({ state: 'acknowledged' })
  await device.report('status', { status: {}, compartments: [{ no: 3, isDoorOpen: true }] })
  await becomes(commandId, { state: 'confirmed' })
})

test.each([
  ['refuses', 'refused', '设备正在换电，请稍后再试'],
  ['fails', 'failed', '执行机构无响应'],
] as const)('a device that %s is quoted', async (trouble, state, note) => {
  const { id } = await cabinet({ trouble: inTurn(trouble) })
  await becomes(await act(id, 'openDoor', 3), { state: state as RemoteActionState, note, confirmTime: null })
})

test('a device without that compartment refuses, and one without an answer is not believed', async () => {
  const { id } = await cabinet()
  await becomes(await act(id, 'openDoor', 9), { state: 'refused', note: '没有9号仓' })
  const silent = await cabinet({ trouble: inTurn('never-answers') })
  const commandId = await act(silent.id, 'openDoor', 3)
  // The report with the open door is in.
  const shown = sql`SELECT FROM remote_action WHERE command_id = ${commandId} AND shown_at IS NOT NULL`
  await expect.poll(() => shown.execute(app.db)).toMatchObject({ rows: [{}] })
  expect([...silent.device.actionCounts]).toEqual([[commandId, 1]])
  await sql`UPDATE device_command SET deadline = now(), next_at = now() WHERE id = ${commandId}`.execute(
    app.db,
  )
  await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["device_command 0"]}')`.execute(app.db)
  await becomes(commandId, { state: 'expired', note: '设备未响应，但已上报操作后的状态', answerTime: null })
})

test('a restart is confirmed when the device was away and is back, also where no notice told of it', async () => {
  const { id, device } = await cabinet({ restartMs: 60_000 })
  const commandId = await act(id, 'restart')
  await becomes(commandId, { state: 'acknowledged' })
  await expect.poll(() => device.isOnline).toBe(false)
  expect(await rowOf(commandId)).toMatchObject({ state: 'acknowledged' })
  device.start()
  await becomes(commandId, { state: 'confirmed' })
})
