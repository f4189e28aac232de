// Devices, boards and tasks for tests of upgrades.
import {
  formatDateTime,
  insertUpgradeTask,
  listUpgradeTargets,
  readUpgradeTask,
  type UpgradeTaskDetail,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { createApprovals } from '../src/features/approvals/approvals.service.ts'
import { createAutomaticConsent } from '../src/features/firmware/automatic.service.ts'
import { createAutomaticJob } from '../src/features/upgrades/automatic/automatic.jobs.ts'
import type { Db } from '../src/platform/database/database.ts'
import type { TestApp } from './app.ts'
import { insertDevice, insertModel, insertOperator, type TestDevice } from './factories.ts'
import { equipTypeOf, insertBoard, insertPackage, type TestBoard, type TestPackage } from './packages.ts'

export const master = 'PART_TYPE_EC_MASTER'
export const bin = 'PART_TYPE_EC_BIN'

export interface Fleet {
  operatorId: number
  modelId: number
  equipTypeId: number
  regionId: number
  devices: TestDevice[]
}

/** Devices with their own operator, model and equipment type that have reported these versions. */
export async function insertFleet(
  db: Db,
  count: number,
  {
    versions = { [`${master} 0`]: '1.3' } as Readonly<Record<string, string>>,
    operatorId = null as number | null,
    modelId = null as number | null,
    organizationId = 1,
  } = {},
): Promise<Fleet> {
  const operator = operatorId ?? (await insertOperator(db, { organizationId }))
  const model = modelId ?? (await insertModel(db))
  const { id: regionId } = await db.selectFrom('region').select('id').limit(1).executeTakeFirstOrThrow()
  const devices: TestDevice[] = []
  for (let n = 0; n < count; n += 1)
    devices.push(await insertDevice(db, { operatorId: operator, modelId: model, regionId }))
  for (const device of devices) await reportVersions(db, device, versions)
  const equipTypeId = await equipTypeOf(db, model)
  return { operatorId: operator, modelId: model, equipTypeId, regionId, devices }
}

/** Stores versions as reported at an earlier time. */
export async function reportVersions(
  db: Db,
  { id }: Pick<TestDevice, 'id'>,
  versions: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [part, version] of Object.entries(versions)) {
    const [partType = '', addrId = '0'] = part.split(' ')
    await sql`
      INSERT INTO device_version (device_id, part_type, addr_id, version, reported_at)
      VALUES (${id}, ${partType}, ${addrId}, ${version}, now() - interval '1 day')
      ON CONFLICT (device_id, part_type, addr_id) DO UPDATE SET version = excluded.version`.execute(db)
  }
}

/** A package for the fleet, on a new board unless one is given. */
export async function insertPackageFor(
  db: Db,
  { equipTypeId }: Pick<Fleet, 'equipTypeId'>,
  {
    partType = master,
    board = null as TestBoard | null,
    ...more
  }: { partType?: string; board?: TestBoard | null } & Partial<
    Pick<
      Parameters<typeof insertPackage>[1] & object,
      'version' | 'hwVersion' | 'isRelease' | 'isAutoUpgrade' | 'by'
    >
  > = {},
): Promise<TestPackage> {
  return insertPackage(db, { board: board ?? (await insertBoard(db, { equipTypeId, partType })), ...more })
}

export const now = () => formatDateTime(new Date())

/** Creates a task that begins now; returns its id. */
export async function startTask(
  app: TestApp,
  token: string,
  fleet: Pick<Fleet, 'operatorId'>,
  packages: readonly Pick<TestPackage, 'id'>[],
  upgradeRule: object = {},
): Promise<string> {
  const answer = await app.call(
    insertUpgradeTask,
    {
      softwareVersionIds: packages.map(({ id }) => String(id)),
      upgradeTime: now(),
      upgradeRule,
      devices: { filters: { operatorId: String(fleet.operatorId) } },
    },
    token,
  )
  if (answer.code !== 200) throw new Error(answer.message)
  return answer.data.id
}

export const taskOf = async (app: TestApp, token: string, id: string): Promise<UpgradeTaskDetail> => {
  const answer = await app.call(readUpgradeTask, { id }, token)
  if (answer.code !== 200) throw new Error(answer.message)
  return answer.data
}

export const targetsOf = async (app: TestApp, token: string, taskId: string) =>
  (await app.call(listUpgradeTargets, { taskId, pageSize: 500 }, token)).data

const patience = { timeout: 30_000 }

/** Waits until the task matches. */
export const taskBecomes = (app: TestApp, token: string, id: string, wanted: object) =>
  expect.poll(() => taskOf(app, token, id), patience).toMatchObject(wanted)

/** Waits until the targets have these states, by device code, and by part where a device has several. */
export const targetsBecome = (
  app: TestApp,
  token: string,
  id: string,
  wanted: Readonly<Record<string, string>>,
) =>
  expect
    .poll(async () => {
      const targets = await targetsOf(app, token, id)
      return Object.fromEntries(
        targets.map(({ code, partType, result }) => [keyOf(wanted, code, partType), result]),
      )
    }, patience)
    .toEqual(wanted)

const keyOf = (wanted: object, code: string, partType: string) =>
  code in wanted ? code : `${code} ${partType}`

/**
 * Makes everything due that waits for a time: timers of targets and checks of tasks. A caller that waits for a failed
 * attempt passes the number of attempts so far: otherwise the pause before the next attempt may be skipped too.
 */
export async function hurry(db: Db, attempts?: number): Promise<void> {
  await sql`UPDATE upgrade_target SET next_at = now()
    WHERE next_at IS NOT NULL AND attempts = coalesce(${attempts ?? null}, attempts)`.execute(db)
  // A device that has accepted its command has no time of its own: its check counts from the answer.
  await sql`
    WITH taken AS (
      UPDATE device_command c SET finished_at = c.finished_at - interval '1 day' FROM upgrade_target t
      WHERE t.command_id = c.id AND t.state = 'sent' AND t.next_at IS NULL AND c.outcome = 'done'
        AND t.attempts = coalesce(${attempts ?? null}, t.attempts)
      RETURNING t.id
    )
    UPDATE upgrade_target t SET changed_at = t.changed_at - interval '1 day' FROM taken WHERE t.id = taken.id`.execute(
    db,
  )
  await lookNow(db)
}

/** Makes a full check of every open task due now. */
export async function lookNow(db: Db): Promise<void> {
  await sql`UPDATE upgrade_task SET next_at = now(), checked_at = NULL WHERE next_at IS NOT NULL
    AND state <> 'planned'`.execute(db)
  await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["upgrade_target 0","upgrade_task 0"]}')`.execute(
    db,
  )
}

/** Lets so much time pass for the stages and devices of a task, and has every open task checked. */
export async function passMinutes(db: Db, taskId: string, minutes: number): Promise<void> {
  await sql`UPDATE upgrade_target SET started_at = started_at - ${minutes} * interval '1 minute',
      verified_at = verified_at - ${minutes} * interval '1 minute'
    WHERE task_id = ${taskId}::int`.execute(db)
  await sql`UPDATE upgrade_stage SET started_at = started_at - ${minutes} * interval '1 minute',
      soaking_at = soaking_at - ${minutes} * interval '1 minute',
      soak_until = soak_until - ${minutes} * interval '1 minute'
    WHERE task_id = ${taskId}::int`.execute(db)
  await lookNow(db)
}

/** Inserts an active alarm that began this many minutes ago. */
export async function raiseAlarm(db: Db, deviceId: number, minutesAgo: number): Promise<void> {
  await sql`
    INSERT INTO alarm_history
      (id, device_id, operator_id, model_id, region_id, semaphore_code, first_value, value, occurred_at)
    SELECT 1000000 + id, id, operator_id, model_id, region_id, '01110002', 1, 1,
      now() - ${minutesAgo} * interval '1 minute'
    FROM device WHERE id = ${deviceId}`.execute(db)
}

/**
 * Runs the job that offers automatic packages every minute, with this installation's setting. `meanwhile` happens after the
 * devices of a package were listed.
 */
export async function offerAutomatic(
  { db, config }: Pick<TestApp, 'db' | 'config'>,
  meanwhile: (packageId: number) => Promise<unknown> = async () => {},
): Promise<void> {
  const { review, told } = createAutomaticConsent(createApprovals({ db, config, tellChanged: () => {} }))
  const consent = {
    told,
    async review(...given: Parameters<typeof review>) {
      await meanwhile(given[1])
      return review(...given)
    },
  }
  await createAutomaticJob({ db, consent, tellTasks: () => {} }).run(new AbortController().signal)
}

/** Another platform controls the station from now on, and this one reads along. */
export async function relay(db: Db, { id }: Pick<TestDevice, 'id'>): Promise<void> {
  await sql`UPDATE device SET protocol = 'ocpp16' WHERE id = ${id}`.execute(db)
  await db.insertInto('ocpp_relay').values({ id, url: 'wss://other.example.com', is_enabled: true }).execute()
}

export const moveDevice = (db: Db, code: string, operatorId: number) =>
  sql`UPDATE device SET operator_id = ${operatorId} WHERE code = ${code}`.execute(db)

/** The time of a planned task comes. */
export async function comes(db: Db, id: string): Promise<void> {
  await sql`UPDATE upgrade_task SET upgrade_at = now(), next_at = now() WHERE id = ${id}::int`.execute(db)
  await lookNow(db)
}

/** All targets of the task end so, and the task with them. */
export async function ends(
  app: TestApp,
  token: string,
  id: string,
  state: 'failed' | 'succeeded',
): Promise<void> {
  await sql`UPDATE upgrade_target SET state = ${state}, next_at = NULL WHERE task_id = ${id}::int`.execute(
    app.db,
  )
  await lookNow(app.db)
  await taskBecomes(app, token, id, { state: 'finished' })
}
