// Devices with parameters and batches for them, for tests of batch settings.
import { insertParameterBatch, listBatchDevices, listBatchLog, readParameterBatch } from '@voltkeep/contract'
import type { CommandOptions } from '@voltkeep/simulator/commands/host'
import { inTurn, type SettingTroubleName } from '@voltkeep/simulator/commands/trouble'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Db } from '../src/platform/database/database.ts'
import type { TestApp } from './app.ts'
import { insertDevice, insertModel, insertOperator, type TestDevice } from './factories.ts'

export const soc = '02121005'
export const overTemperature = '02121006'
export const lampCode = '02121010'

export type Values = Readonly<Record<string, string | number | boolean>>

export interface Fleet {
  operatorId: number
  modelId: number
  devices: TestDevice[]
}

/** Devices with their own operator that have reported these values some time ago. */
export async function insertFleet(
  db: Db,
  count: number,
  {
    values = { [soc]: 95, [overTemperature]: 60 } as Values,
    organizationId = 1,
    operatorId = null as number | null,
    ofModel = null as number | null,
  } = {},
): Promise<Fleet> {
  const owner = operatorId ?? (await insertOperator(db, { organizationId }))
  const modelId = ofModel ?? (await insertModel(db))
  const devices: TestDevice[] = []
  for (let n = 0; n < count; n += 1) devices.push(await insertDevice(db, { operatorId: owner, modelId }))
  for (const device of devices) await reportValues(db, device, values)
  return { operatorId: owner, modelId, devices }
}

/** Stores values as reported some time ago. */
export async function reportValues(db: Db, { id }: Pick<TestDevice, 'id'>, values: Values): Promise<void> {
  for (const [parameter, value] of Object.entries(values)) {
    await sql`
      INSERT INTO device_parameter (device_id, parameter_id, value, reported_at)
      VALUES (${id}, ${parameter}, ${String(value)}, now() - interval '1 day')
      ON CONFLICT (device_id, parameter_id) DO UPDATE SET value = excluded.value`.execute(db)
  }
}

export const ofFleet = ({ operatorId }: Pick<Fleet, 'operatorId'>) => ({
  filters: { operatorId: String(operatorId) },
})

export const entitysOf = (values: Values) => Object.entries(values).map(([id, value]) => ({ id, value }))

/** Creates a batch for the fleet; returns its id. */
export async function startBatch(
  app: TestApp,
  token: string,
  fleet: Pick<Fleet, 'operatorId'>,
  values: Values,
  rule: object = {},
): Promise<string> {
  const answer = await app.call(
    insertParameterBatch,
    {
      paramSetRule: { upgradeCount: 3, interval: 3, ...rule },
      entitys: entitysOf(values),
      queryParam: ofFleet(fleet),
    },
    token,
  )
  if (answer.code !== 200) throw new Error(answer.message)
  return answer.data.id
}

export async function batchOf(app: TestApp, token: string, id: string) {
  const answer = await app.call(readParameterBatch, { id }, token)
  if (answer.code !== 200) throw new Error(answer.message)
  return answer.data
}

export const devicesOf = async (app: TestApp, token: string, id: string) =>
  (await app.call(listBatchDevices, { id, pageSize: 500 }, token)).data

/** The log of a batch, oldest first: device code, attempt, result and reason. */
export const logOf = async (app: TestApp, token: string, id: string) =>
  (await app.call(listBatchLog, { id, pageSize: 500 }, token)).data
    .map(({ code, attempt, result, reason }) => [code, attempt, result, reason] as const)
    .reverse()

const patience = { timeout: 30_000, interval: 50 }

/** Waits until the batch matches. */
export const batchBecomes = (app: TestApp, token: string, id: string, wanted: object) =>
  expect.poll(() => batchOf(app, token, id), patience).toMatchObject(wanted)

/** Waits until the devices have these states, by code. */
export const devicesBecome = (
  app: TestApp,
  token: string,
  id: string,
  wanted: Readonly<Record<string, string>>,
) =>
  expect
    .poll(
      async () =>
        Object.fromEntries((await devicesOf(app, token, id)).map(({ code, state }) => [code, state])),
      patience,
    )
    .toEqual(wanted)

/** Makes everything due that waits for a time: timers of devices and checks of batches. */
export async function hurry(db: Db): Promise<void> {
  await sql`UPDATE parameter_target SET next_at = now() WHERE next_at IS NOT NULL`.execute(db)
  await lookNow(db)
}

/** Makes a full check of every open batch due now, as if devices had received their commands an hour ago. */
export async function lookNow(db: Db): Promise<void> {
  await sql`UPDATE device_command SET sent_at = sent_at - interval '1 hour' WHERE next_at IS NOT NULL`.execute(
    db,
  )
  await sql`UPDATE parameter_batch SET next_at = now(), checked_at = now() - interval '1 hour'
    WHERE next_at IS NOT NULL`.execute(db)
  await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["parameter_target 0","parameter_batch 0"]}')`.execute(
    db,
  )
}

/** So many minutes pass since the end of the batch's trial. */
export async function passTrial(db: Db, id: string, minutes: number): Promise<void> {
  await sql`UPDATE parameter_batch SET trial_ended_at = trial_ended_at - ${minutes} * interval '1 minute'
    WHERE id = ${id}::int`.execute(db)
  await lookNow(db)
}

/** A device with parameters, not started. */
export function deviceOf(
  app: TestApp,
  { code, secret }: TestDevice,
  {
    values = { [soc]: 95, [overTemperature]: 60 } as Values,
    troubles = [] as readonly (SettingTroubleName | undefined)[],
    settings = {} as CommandOptions['settings'],
    mqttPort = app.ports.mqttPort as number,
  } = {},
): VirtualDevice {
  return new VirtualDevice(
    { code, secret },
    {
      broker: { host: '127.0.0.1', port: mqttPort, isTls: false },
      random: createRandom(1),
      reconnectMs: [50, 200],
      parameters: entitysOf(values),
      commands: { settings: { trouble: inTurn(...troubles), ...settings } },
    },
  )
}
