import { insertFirmware, insertUpgradeTask } from '@voltkeep/contract'
import { Fleet as VirtualFleet } from '@voltkeep/simulator/fleet'
import { createRandom } from '@voltkeep/simulator/random'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertBoard, remark, uploadPackage } from '../../../test/packages.ts'
import { insertFleet, master, now, taskBecomes } from '../../../test/upgrades.ts'
import { type App, createApp } from '../../app.ts'
import { createLog } from '../../platform/process/log.ts'

let app: TestApp
/** Another process that works on the same tasks. */
let second: App
let token: string
let virtual: VirtualFleet | undefined

beforeAll(async () => {
  app = await createTestApp()
  const config = { ...app.config, roles: new Set(['jobs'] as const), publicUrl: app.url, metricsPort: 0 }
  second = await createApp({
    config,
    log: createLog({ level: 'silent' }),
    database: app.database,
    owner: app.database.owner,
  })
  await second.listen()
  token = await app.asAdmin()
})
afterAll(async () => {
  virtual?.cutPower()
  await second.close()
  await app.close()
})

test('two processes upgrade a fleet: each device once, by one command, stage after stage', async () => {
  const fleet = await insertFleet(app.db, 24)
  const board = await insertBoard(app.db, { code: 'TWO1', equipTypeId: fleet.equipTypeId })
  virtual = new VirtualFleet(fleet.devices, {
    broker: { host: '127.0.0.1', port: app.ports.mqttPort as number, isTls: false },
    random: createRandom(3),
    reconnectMs: [50, 200],
    connectsPerSecond: 1_000,
    partsOf: () => [{ partType: master, addrId: '0', version: '1.3', pcbCode: board.code }],
    commandsOf: () => ({ rebootMs: 50, upgrade: { downloadMs: 50, installMs: 50, progressMs: 0 } }),
  })
  await virtual.start()
  await virtual.whenOnline()
  const { filePath } = await uploadPackage(app, token, `${board.code}_EC_MASTER_V1.4_R.bin`)
  const form = { filePath, pcbCode: board.code, partType: master, version: '1.4', remark }
  const { data: image } = await app.call(insertFirmware, form, token)
  const { data: task } = await app.call(
    insertUpgradeTask,
    {
      softwareVersionId: (image as { id: string }).id,
      upgradeTime: now(),
      upgradeRule: {
        stages: [
          { count: 4, soakMinutes: 0 },
          { percent: 50, soakMinutes: 0 },
          { percent: 100, soakMinutes: 0 },
        ],
        skipGate: true,
      },
    },
    token,
  )
  await taskBecomes(app, token, task.id, { state: 'finished', counts: { total: 24, succeeded: 24 } })

  expect(virtual.devices.map(({ installCounts }) => [...installCounts.values()])).toEqual(Array(24).fill([1]))
  const { rows: sent } = await sql<{ n: number }>`
    SELECT count(*)::int AS n FROM upgrade_transition
    WHERE task_id = ${task.id}::int AND to_state = 'sent' GROUP BY target_id`.execute(app.db)
  expect(sent.map(({ n }) => n)).toEqual(Array(24).fill(1))
  const { rows: steps } = await sql<{ step: string }>`
    SELECT coalesce('stage ' || stage, 'task') || ' ' || to_state AS step FROM upgrade_transition
    WHERE task_id = ${task.id}::int AND target_id IS NULL ORDER BY id`.execute(app.db)
  expect(steps.map(({ step }) => step)).toEqual([
    'task running',
    ...[1, 2, 3].flatMap((stage) => [`stage ${stage} running`, `stage ${stage} passed`]),
    'task finished',
  ])
})
