import {
  actOnDevice,
  deleteModelPart,
  formatDateTime,
  insertDevice,
  insertModelPart,
  listEquipTypes,
  listIntakeRefusals,
  listModelParts,
  listPartTypes,
  previewDeliveries,
  previewParameterBatch,
  readDevice,
  renewDeviceSecret,
  startLogExtraction,
  updateDevice,
  updateEquipType,
  updateModelPart,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { agentOf, insertPolled, uploadImage } from '../../../test/ddi-agent.ts'
import {
  insertOrganization,
  insertDevice as insertStation,
  type TestDevice,
} from '../../../test/factories.ts'
import { connectRaw } from '../../../test/mqtt-client.ts'
import { connectStation } from '../../../test/station.ts'
import { startTask, targetsBecome } from '../../../test/upgrades.ts'
import { createApp } from '../../app.ts'
import { createLog } from '../../platform/process/log.ts'

// What a device that polls is not asked for, and which protocol a device has.

let app: TestApp
let admin: string
beforeAll(async () => {
  app = await createTestApp()
  admin = await app.asAdmin()
})
afterAll(() => app.close())

test('parameters, logs, actions and advertisements are refused or left out, in words for who asks', async () => {
  const { devices } = await insertPolled(app, 1)
  const [device] = devices as [TestDevice]
  await agentOf(app, device).poll()
  const id = String(device.id)
  expect(await app.call(actOnDevice, { id, action: 'restart', reason: 'x' }, admin)).toMatchObject({
    refusal: 'protocolLacks',
    message: '该设备的协议不支持重启设备',
  })
  const extraction = {
    equipCode: device.code,
    equipClassify: 'EC',
    logExtractParam: {
      level: 'RUN',
      fileType: 'txt',
      startTime: formatDateTime(new Date(Date.now() - 86_400_000)).slice(0, 10),
      endTime: formatDateTime(new Date()).slice(0, 10),
    },
  }
  const refused = await app.call(startLogExtraction, extraction, admin)
  expect(refused).toMatchObject({ refusal: 'protocolLacks', message: '该设备的协议不支持提取日志' })
  const choice = { codes: [device.code] }
  const batch = { entitys: [{ id: '02121005', value: '61' }], queryParam: choice }
  expect((await app.call(previewParameterBatch, batch, admin)).data).toMatchObject({
    chosen: 1,
    devices: 0,
    skipped: [{ reason: 'noAbility', devices: 1 }],
  })
  const reach = await app.call(previewDeliveries, { cabinets: choice }, admin)
  expect(reach.data).toMatchObject({ chosen: 1, devices: 0 })
})

test('a device at the broker becomes one that polls, and no more comes by the other way', async () => {
  const { devices, operatorId, modelId } = await insertPolled(app, 1)
  const form = { operatorId: String(operatorId), equipModelId: String(modelId), regionCode: '440305' }
  const { data: made } = await app.call(insertDevice, { ...form, code: 'POLLED1' }, admin)
  expect(made).toMatchObject({ protocol: 'mqtt' })
  const asAgent = agentOf(app, made)
  expect((await asAgent.ask('')).status).toBe(401)
  const change = { ...form, id: made.id, version: 1 }
  expect(await app.call(updateDevice, { ...change, protocol: 'coap' }, admin)).toMatchObject({ status: 400 })
  expect(await app.call(updateDevice, { ...change, protocol: 'ddi' }, admin)).toMatchObject({ code: 200 })
  await expect.poll(async () => (await asAgent.ask('')).status, { timeout: 10_000 }).toBe(200)
  const { data: renewed } = await app.call(renewDeviceSecret, { id: made.id }, admin)
  expect(renewed).toMatchObject({ protocol: 'ddi' })
  await expect.poll(async () => (await asAgent.ask('')).status, { timeout: 10_000 }).toBe(401)
  expect((await agentOf(app, renewed).ask('')).status).toBe(200)

  const [device] = devices as [TestDevice]
  expect((await connectRaw(app.ports.mqttPort as number, device)).returnCode).toBe(4)
  const reasons = async () =>
    (await app.call(listIntakeRefusals, { code: device.code }, admin)).data.map(({ reason }) => reason)
  await expect.poll(reasons, { timeout: 10_000 }).toEqual(['wrongProtocol'])
})

test('the protocol stays while an upgrade is under way', async () => {
  const fleet = await insertPolled(app, 1)
  const [device] = fleet.devices as [TestDevice]
  const image = await uploadImage(app, admin, fleet, Buffer.from('image'))
  const taskId = await startTask(app, admin, fleet, [{ id: image.id }], { skipGate: true })
  await targetsBecome(app, admin, taskId, { [device.code]: 'sent' })
  const form = {
    id: String(device.id),
    operatorId: String(fleet.operatorId),
    equipModelId: String(fleet.modelId),
    regionCode: '440305',
    version: 1,
  }
  expect(await app.call(updateDevice, { ...form, protocol: 'mqtt' }, admin)).toMatchObject({
    status: 409,
    refusal: 'deviceUpgrading',
  })
  expect(await app.call(updateDevice, form, admin)).toMatchObject({ code: 200 })
  expect((await app.call(readDevice, { id: form.id }, admin)).data).toMatchObject({ protocol: 'ddi' })
})

test('which part a device is taken for that says its version alone is changed by nobody who does not see it', async () => {
  const fleet = await insertPolled(app, 1)
  const [device] = fleet.devices as [TestDevice]
  const modelId = String(fleet.modelId)
  const codes = (await app.call(listPartTypes, {}, admin)).data.map(({ code }) => code)
  const [first, second, third] = codes as [string, string, string]
  const typeOf = async () =>
    (await app.call(listEquipTypes, {}, admin)).data.find(({ id }) => id === String(fleet.equipTypeId))
  const change = async (partTypes: string[], token: string) =>
    app.call(updateEquipType, { ...(await typeOf()), partTypes }, token)
  expect(await change([second], admin)).toMatchObject({ code: 200 })
  const { token } = await app.asUser({
    organizationId: await insertOrganization(app.db),
    functionCodes: ['model:part', 'equipType:update'],
  })
  const refused = { status: 403, refusal: 'modelPartReachesBeyond' }
  const [part] = (await app.call(listModelParts, { equipModelId: modelId }, admin)).data
  const earlier = { equipModelId: modelId, partType: first, addrCount: 1 }
  expect(await app.call(insertModelPart, earlier, token)).toMatchObject(refused)
  expect(await app.call(updateModelPart, { ...part, partType: third }, token)).toMatchObject(refused)
  expect(await app.call(deleteModelPart, { id: part?.id ?? '' }, token)).toMatchObject(refused)
  for (const partTypes of [[first, second], [third], []])
    expect(await change(partTypes, token)).toMatchObject(refused)
  // What comes behind the first one matters to nobody.
  expect(await app.call(insertModelPart, { ...earlier, partType: third }, token)).toMatchObject({ code: 200 })
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ data: { version: '9.7' } })
  expect((await agentOf(app, device).ask('/configData', { method: 'PUT', headers, body })).status).toBe(200)
  const { data } = await app.call(readDevice, { id: String(device.id) }, admin)
  const told = data.equipSoftwareVersions.filter(({ version }) => version === '9.7')
  expect(told.map(({ partType }) => partType)).toEqual([second])
  expect(await app.call(insertModelPart, earlier, admin)).toMatchObject({ code: 200 })
  // So it is with charging stations, which say their firmware's version alone.
  const { operatorId } = fleet
  const pillar = await insertStation(app.db, { modelId: fleet.modelId, operatorId, protocol: 'ocpp16' })
  await sql`UPDATE device SET protocol = 'mqtt' WHERE id = ${device.id}`.execute(app.db)
  const { data: parts } = await app.call(listModelParts, { equipModelId: modelId }, admin)
  const id = parts.find(({ partType }) => partType === first)?.id ?? ''
  expect(await app.call(deleteModelPart, { id }, token)).toMatchObject(refused)
  const station = await connectStation({ url: app.url, device: pillar })
  await station.boot('9.8')
  await station.close()
  const seen = await app.call(readDevice, { id: String(pillar.id) }, admin)
  const booted = seen.data.equipSoftwareVersions.filter(({ version }) => version === '9.8')
  expect(booted.map(({ partType }) => partType)).toEqual([first])
  // A device at the broker names its parts, and may be made one that does not.
  await sql`UPDATE device SET protocol = 'mqtt' WHERE id = ${pillar.id}`.execute(app.db)
  expect(await app.call(deleteModelPart, { id }, token)).toMatchObject(refused)
  await sql`DELETE FROM device WHERE id IN (${device.id}, ${pillar.id})`.execute(app.db)
  expect(await app.call(deleteModelPart, { id }, token)).toMatchObject({ code: 200 })
})

test('a process with the role api alone serves agents', async () => {
  const config = { ...app.config, roles: new Set(['api'] as const), metricsPort: undefined }
  const second = await createApp({
    config,
    log: createLog({ level: 'silent' }),
    database: app.database,
    owner: null,
  })
  const { httpPort } = await second.listen()
  try {
    const fleet = await insertPolled(app, 1)
    const [device] = fleet.devices as [TestDevice]
    const image = await uploadImage(app, admin, fleet, Buffer.from('image'))
    const taskId = await startTask(app, admin, fleet, [{ id: image.id }], { skipGate: true })
    const agent = agentOf({ url: `http://127.0.0.1:${httpPort}` }, device)
    const path = await agent.finds('deploymentBase')
    expect((await agent.ask(path)).status).toBe(200)
    expect(await agent.feedback(path, { execution: 'closed', result: { finished: 'success' } })).toBe(200)
    await targetsBecome(app, admin, taskId, { [device.code]: 'succeeded' })
  } finally {
    await second.close()
  }
})
