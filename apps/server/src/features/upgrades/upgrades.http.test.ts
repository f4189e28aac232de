import {
  cancelUpgradeTask,
  deleteFirmware,
  deleteUpgradeTask,
  endUpgradeSoak,
  insertUpgradeTask,
  listUpgradeFailures,
  listUpgradeLog,
  listUpgradeTargets,
  listUpgradeTasks,
  listUpgradeTransitions,
  pauseUpgradeTask,
  previewUpgradeTask,
  readUpgradeTask,
  resumeUpgradeTask,
  retryUpgradeTask,
  rollBackUpgradeTask,
  updateUpgradeTask,
  upgradeDevices,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertModel, insertOperator, insertOrganization } from '../../../test/factories.ts'
import type { TestPackage } from '../../../test/packages.ts'
import {
  type Fleet,
  insertFleet,
  insertPackageFor,
  lookNow,
  master,
  now,
  raiseAlarm,
  reportVersions,
  startTask,
  targetsOf,
  taskBecomes,
  taskOf,
} from '../../../test/upgrades.ts'

let app: TestApp
let token: string
let fleet: Fleet
let image: TestPackage
beforeAll(async () => {
  app = await createTestApp()
  token = await app.asAdmin()
})
afterAll(() => app.close())
beforeEach(async () => {
  fleet = await insertFleet(app.db, 2)
  image = await insertPackageFor(app.db, fleet)
})

const later = '2099-06-01 03:00:00'
const form = (more: object = {}) => ({ softwareVersionId: String(image.id), upgradeTime: later, ...more })
const insert = (more: object = {}, as = token) => app.call(insertUpgradeTask, form(more), as)
async function planned(more: object = {}, as = token): Promise<string> {
  const { code, message, data } = await insert(more, as)
  if (code !== 200) throw new Error(message)
  return data.id
}

describe('the form of a task', () => {
  // proves: rule upgradeTask.softwareVersionId; rule upgradeTask.upgradeTime
  test('requires a software file and a time', async () => {
    const answer = await app.call(insertUpgradeTask, {}, token)
    expect(answer).toMatchObject({ status: 400, message: '请选择升级时间' })
    expect(await app.call(insertUpgradeTask, { upgradeTime: later }, token)).toMatchObject({
      status: 400,
      message: '请选择软件文件',
      data: [{ field: 'softwareVersionId', message: '请选择软件文件' }],
    })
  })

  test.each([
    ['upgradeTime', { upgradeTime: '明天' }, '升级时间格式应为 YYYY-MM-DD HH:mm:ss'],
    ['upgradeTime', { upgradeTime: '2020-01-01 00:00:00' }, '升级时间不能早于当前时间'],
    ['softwareVersionId', { softwareVersionId: '999999' }, '软件文件不存在'],
    ['upgradeRule.equipTypeId', { upgradeRule: { equipTypeId: '999999' } }, '设备类型与软件文件不一致'],
    [
      'upgradeRule.endTime',
      { upgradeRule: { endTime: '2099-05-01 00:00:00' } },
      '任务结束时间应晚于升级时间',
    ],
    ['upgradeRule.attempts', { upgradeRule: { attempts: 11 } }, '尝试次数不能大于 10'],
    ['upgradeRule.alarmLevels.0', { upgradeRule: { alarmLevels: [5] } }, '告警级别只能是 1、2、3、4'],
    [
      'upgradeRule.stages.0.percent',
      { upgradeRule: { stages: [{ soakMinutes: 5 }] } },
      '每批请填写比例或台数之一',
    ],
    ['devices', { devices: { codes: ['NOBODY'] } }, '没有符合条件的设备'],
    ['remark', { remark: 'x'.repeat(201) }, '备注长度不能超过200个字符'],
  ])('refuses a wrong %s, and stores nothing', async (field, more, message) => {
    const before = await countTasks()
    expect(await insert(more)).toMatchObject({ status: 400, message, data: [{ field, message }] })
    expect(await countTasks()).toBe(before)
  })

  test('takes a bare date as an end to the last second of that day', async () => {
    const endTime = later.slice(0, 10)
    const { data } = await insert({ upgradeRule: { endTime } })
    expect(await taskOf(app, token, data.id)).toMatchObject({
      upgradeRule: { endTime: `${endTime} 23:59:59` },
    })
  })

  test('refuses packages for different equipment types', async () => {
    const other = await insertPackageFor(app.db, await insertFleet(app.db, 1))
    const softwareVersionIds = [String(image.id), String(other.id)]
    expect(await insert({ softwareVersionIds })).toMatchObject({
      status: 400,
      message: '所选软件文件的设备类型不一致',
    })
  })

  // proves: rule upgrade task filled in
  test('has defaults: the type, and a rule that suits any fleet', async () => {
    const id = await planned()
    expect(await taskOf(app, token, id)).toMatchObject({
      type: 'SCHEDULE',
      status: 0,
      state: 'planned',
      softwareVersionId: String(image.id),
      version: '1.4',
      partTypeName: '主控',
      upgradeTime: later,
      upgradeRule: {
        equipTypeId: String(fleet.equipTypeId),
        pacePerMinute: 1000,
        failurePercent: 20,
        attempts: 3,
        alarmLevels: [1, 2],
        skipGate: false,
      },
      counts: { total: 0 },
      stages: [],
      createBy: 'admin',
      pause: null,
    })
  })
})

const countTasks = async () => {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM upgrade_task`.execute(app.db)
  return rows[0]?.n
}

describe('a task that has not begun', () => {
  // proves: call POST /equipUpgradeTask/insert; call POST /equipUpgradeTask/update/{id}
  // proves: call POST /equipUpgradeTask/delete/{id}
  test('is changed and deleted', async () => {
    const id = await planned({ remark: '第一批' })
    const { lockVersion } = await taskOf(app, token, id)
    const changed = await app.call(
      updateUpgradeTask,
      { id, ...form({ remark: '第二批' }), lockVersion },
      token,
    )
    expect(changed).toMatchObject({ code: 200 })
    expect(await taskOf(app, token, id)).toMatchObject({ remark: '第二批', lockVersion: lockVersion + 1 })
    expect(await app.call(deleteUpgradeTask, { id }, token)).toMatchObject({
      code: 200,
      message: '删除成功!',
    })
    expect(await app.call(readUpgradeTask, { id }, token)).toMatchObject({
      status: 404,
      refusal: 'upgradeTaskNotFound',
    })
  })

  test('records numbers of devices in the operation log, whose readers may not see the devices', async () => {
    const [first, second] = fleet.devices.map(({ code }) => code)
    const id = await planned({ devices: { codes: [first] } })
    const changed = await app.call(
      updateUpgradeTask,
      { id, ...form({ devices: { codes: [second] } }) },
      token,
    )
    expect(changed).toMatchObject({ code: 200 })
    const { rows } = await sql<{ changes: object }>`
      SELECT changes FROM operation_log WHERE target LIKE ${`升级任务 ${id}（%`} ORDER BY id`.execute(app.db)
    expect(rows).toMatchObject([
      { changes: { after: { devices: { count: 1 }, softwareFiles: [expect.stringMatching(/\.bin$/)] } } },
      {
        changes: {
          before: { devices: { count: 1 } },
          after: { devices: { count: 1, added: 1, removed: 1 } },
        },
      },
    ])
    expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${first}|${second}`))
  })

  test('keeps its devices where a change does not name them', async () => {
    const devices = { codes: [fleet.devices[0]?.code ?? ''] }
    const id = await planned({ devices })
    const changed = await app.call(updateUpgradeTask, { id, ...form({ remark: '改备注' }) }, token)
    expect(changed).toMatchObject({ code: 200 })
    expect((await app.call(readUpgradeTask, { id }, token)).data).toMatchObject({ devices, remark: '改备注' })
  })

  test('begins within seconds when its time is changed to now', async () => {
    const id = await planned({ devices: { filters: { operatorId: String(fleet.operatorId) } } })
    await app.call(updateUpgradeTask, { id, ...form({ upgradeTime: now() }) }, token)
    await taskBecomes(app, token, id, { status: 1, counts: { sent: 2 } })
  })

  test('prevents its package from being deleted, until it is over', async () => {
    const id = await planned()
    const remove = () => app.call(deleteFirmware, { versionId: String(image.id) }, token)
    expect(await remove()).toMatchObject({ status: 409, refusal: 'packageInUse' })
    await app.call(cancelUpgradeTask, { id }, token)
    expect(await taskOf(app, token, id)).toMatchObject({ status: 2, state: 'cancelled' })
    expect(await remove()).toMatchObject({ code: 200 })
  })

  test('cannot be paused, resumed, retried or rolled back', async () => {
    const id = await planned()
    for (const [call, refusal] of [
      [pauseUpgradeTask, 'upgradeNotRunning'],
      [resumeUpgradeTask, 'upgradeNotPaused'],
      [endUpgradeSoak, 'upgradeNotRunning'],
      [retryUpgradeTask, 'upgradeOver'],
      [rollBackUpgradeTask, 'upgradeNothingToRollBack'],
    ] as const)
      expect(await app.call(call, { id }, token)).toMatchObject({ status: 409, refusal })
  })
})

describe('a task that has begun', () => {
  test('cannot be changed or deleted', async () => {
    const id = await startTask(app, token, fleet, [image])
    await taskBecomes(app, token, id, { status: 1 })
    for (const answer of [
      await app.call(updateUpgradeTask, { id, ...form() }, token),
      await app.call(deleteUpgradeTask, { id }, token),
    ])
      expect(answer).toMatchObject({ status: 409, message: '升级任务已开始，不能修改或删除' })
  })

  test('skips devices that need no upgrade or cannot have it, and says why', async () => {
    const [one, other] = fleet.devices as [Fleet['devices'][0], Fleet['devices'][0]]
    await reportVersions(app.db, one, { [`${master} 0`]: '1.4' })
    await sql`DELETE FROM device_version WHERE device_id = ${other.id}`.execute(app.db)
    const id = await startTask(app, token, fleet, [image])
    await taskBecomes(app, token, id, { state: 'finished', counts: { total: 2, skipped: 2 } })
    const reasons = Object.fromEntries(
      (await targetsOf(app, token, id)).map(({ code, reason }) => [code, reason]),
    )
    expect(reasons).toEqual({ [one.code]: '已是目标版本', [other.code]: '设备没有上报此部件' })
    const failures = await app.call(listUpgradeFailures, { taskId: id }, token)
    expect(failures.data).toHaveLength(2)
  })

  test('skips devices that another task is upgrading', async () => {
    const first = await startTask(app, token, fleet, [image])
    await taskBecomes(app, token, first, { counts: { sent: 2 } })
    const second = await startTask(app, token, fleet, [image])
    await taskBecomes(app, token, second, { state: 'finished', counts: { skipped: 2 } })
    expect((await targetsOf(app, token, second))[0]).toMatchObject({ reason: '正在其他任务中升级' })
  })

  test('can be read with a pause that an older build stored', async () => {
    const id = await startTask(app, token, fleet, [image])
    await taskBecomes(app, token, id, { counts: { total: 2 } })
    const kept = { reason: 'failures', time: now(), note: '失败过多', failures: { executed: 5, failed: 2 } }
    await sql`UPDATE upgrade_task SET state = 'paused', pause = ${JSON.stringify(kept)}::jsonb WHERE id = ${id}::int`.execute(
      app.db,
    )
    await sql`UPDATE upgrade_stage SET gate = '{"alarmed": 1}' WHERE task_id = ${id}::int`.execute(app.db)
    expect(await taskOf(app, token, id)).toMatchObject({
      state: 'paused',
      pause: { reason: 'failures', note: '失败过多', failures: null, gate: null },
      stages: [{ gate: null }],
    })
    expect(await app.call(listUpgradeTasks, {}, token)).toMatchObject({ code: 200 })
    expect(await app.call(cancelUpgradeTask, { id }, token)).toMatchObject({ code: 200 })
  })

  // proves: screen 8; screen 10; call POST /equipUpgradeTask/list; call POST /equipUpgradeLog/page
  test('is found by type, part, version, status and device, and its targets in the log', async () => {
    const id = await startTask(app, token, fleet, [image])
    await taskBecomes(app, token, id, { status: 1, counts: { sent: 2 } })
    const equipTypeId = String(fleet.equipTypeId)
    const found = async (filter: object) =>
      (await app.call(listUpgradeTasks, { equipTypeId, ...filter }, token)).data.map((task) => task.id)
    for (const filter of [
      {},
      { partTypes: [master] },
      { partTypes: `BMS,${master}` },
      { version: '1.4' },
      { status: 1 },
      { equipId: String(fleet.devices[0]?.id) },
      { type: 'SCHEDULE' },
      { type: 'ALL' },
    ])
      expect(await found(filter)).toEqual([id])
    for (const filter of [
      { equipTypeId: '999999' },
      { partTypes: ['BMS'] },
      { version: '1.40' },
      { status: 0 },
      { type: 'AUTO' },
    ])
      expect(await found(filter)).toEqual([])
    const log = await app.call(listUpgradeLog, { equipTypeId }, token)
    expect(log).toMatchObject({ total: 2 })
    expect(log.data.map(({ equipId }) => equipId).sort()).toEqual(
      fleet.devices.map((device) => String(device.id)).sort(),
    )
    expect(log.data[0]).toMatchObject({
      taskId: id,
      equipTypeId,
      partType: master,
      version: '1.4',
      fromVersion: '1.3',
      createTime: expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/),
      result: 'sent',
      createBy: 'admin',
    })
    expect(await app.call(listUpgradeLog, { equipTypeId, states: ['failed'] }, token)).toMatchObject({
      total: 0,
    })
  })

  // proves: call GET /equipUpgradeLog/detail
  test('is listed device by device, page by page', async () => {
    const id = await startTask(app, token, fleet, [image])
    await taskBecomes(app, token, id, { counts: { sent: 2 } })
    const pageOf = async (pageNum: number) => {
      const answer = await app.call(listUpgradeTargets, { taskId: id, pageNum, pageSize: 1 }, token)
      expect(answer).toMatchObject({ code: 200, total: 2 })
      return answer.data
    }
    const rows = [await pageOf(1), await pageOf(2)].flat()
    expect(rows.map(({ code }) => code).sort()).toEqual(fleet.devices.map(({ code }) => code).sort())
    for (const row of rows)
      expect(row).toMatchObject({
        result: 'sent',
        version: '1.4',
        reportTime: expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/),
      })
    expect(await pageOf(3)).toEqual([])
  })
})

describe('a preview', () => {
  test('contains what the task would do: devices, versions, skips and stages', async () => {
    const wide = await insertFleet(app.db, 30, { modelId: fleet.modelId, operatorId: fleet.operatorId })
    await reportVersions(app.db, wide.devices[0] as Fleet['devices'][0], { [`${master} 0`]: '1.4' })
    const { data } = await app.call(previewUpgradeTask, { softwareVersionId: String(image.id) }, token)
    expect(data).toMatchObject({
      chosen: 32,
      devices: 31,
      offline: 31,
      totalBytes: 31 * 1024,
      parts: [
        {
          softwareVersionId: String(image.id),
          sizeBytes: 1024,
          devices: 31,
          from: [{ version: '1.3', devices: 31 }],
          skipped: [{ reason: 'sameVersion', devices: 1 }],
        },
      ],
      stages: [
        { stage: 1, devices: 1, soakMinutes: 30 },
        { stage: 2, devices: 7, soakMinutes: 30 },
        { stage: 3, devices: 23, soakMinutes: 0 },
      ],
    })
  })
})

describe('a user of another organization', () => {
  const codes = [
    'upgrade:list',
    'upgrade:update',
    'upgrade:delete',
    'upgrade:control',
    'upgrade:device',
    'upgradeLog:page',
  ]

  test('neither sees nor changes a task', async () => {
    const id = await startTask(app, token, fleet, [image])
    await taskBecomes(app, token, id, { counts: { sent: 2 } })
    const [target] = await targetsOf(app, token, id)
    const theirs = await app.asUser({
      organizationId: await insertOrganization(app.db),
      functionCodes: codes,
    })
    for (const call of [
      readUpgradeTask,
      deleteUpgradeTask,
      pauseUpgradeTask,
      resumeUpgradeTask,
      endUpgradeSoak,
      cancelUpgradeTask,
      retryUpgradeTask,
      rollBackUpgradeTask,
    ])
      expect(await app.call(call, { id }, theirs.token)).toMatchObject({
        status: 404,
        refusal: 'upgradeTaskNotFound',
      })
    expect(await app.call(updateUpgradeTask, { id, ...form() }, theirs.token)).toMatchObject({ status: 404 })
    for (const call of [listUpgradeTargets, listUpgradeFailures, listUpgradeTransitions])
      expect(await app.call(call, { taskId: id }, theirs.token)).toMatchObject({ status: 404 })
    expect(await app.call(listUpgradeTransitions, { targetId: target?.id }, theirs.token)).toMatchObject({
      refusal: 'upgradeTargetNotFound',
    })
    expect(await app.call(listUpgradeTasks, { type: 'ALL' }, theirs.token)).toMatchObject({ total: 0 })
    expect(await app.call(listUpgradeLog, {}, theirs.token)).toMatchObject({ total: 0 })
    const single = { equipId: String(fleet.devices[0]?.id), softwareVersionId: String(image.id) }
    expect(await app.call(upgradeDevices, single, theirs.token)).toMatchObject({ refusal: 'deviceNotFound' })
    expect(await taskOf(app, token, id)).toMatchObject({ state: 'running' })
  })

  test('upgrades only the own devices, with a package that is for more', async () => {
    const organizationId = await insertOrganization(app.db)
    const own = await insertFleet(app.db, 1, { modelId: fleet.modelId, organizationId })
    const user = await app.asUser({ organizationId, functionCodes: ['upgrade:insert', ...codes] })
    const id = await planned({ upgradeTime: now() }, user.token)
    await taskBecomes(app, user.token, id, { counts: { total: 1 }, isWhole: true })
    expect((await targetsOf(app, token, id)).map(({ code }) => code)).toEqual([own.devices[0]?.code])
  })
})

describe('a user with a narrower scope', () => {
  test('sees the own part of a task, and may not control it', async () => {
    const organizationId = await insertOrganization(app.db)
    const [one, two] = [
      await insertOperator(app.db, { organizationId }),
      await insertOperator(app.db, { organizationId }),
    ]
    const modelId = await insertModel(app.db)
    const narrow = await insertFleet(app.db, 1, { operatorId: one, modelId })
    await insertFleet(app.db, 2, { operatorId: two, modelId })
    image = await insertPackageFor(app.db, narrow)
    const functionCodes = [
      'upgrade:list',
      'upgrade:insert',
      'upgrade:control',
      'upgrade:delete',
      'upgradeLog:page',
    ]
    const wide = await app.asUser({ organizationId, functionCodes })
    const limited = await app.asUser({ organizationId, functionCodes, authorities: [['O', String(one)]] })

    const later = await planned({}, wide.token)
    expect(await app.call(deleteUpgradeTask, { id: later }, limited.token)).toMatchObject({
      status: 403,
      refusal: 'upgradeReachesBeyond',
    })

    const id = await planned({ upgradeTime: now() }, wide.token)
    await taskBecomes(app, wide.token, id, { counts: { sent: 3 }, isWhole: true })
    expect(await taskOf(app, limited.token, id)).toMatchObject({
      counts: { total: 1, sent: 1 },
      isWhole: false,
    })
    const own = await targetsOf(app, limited.token, id)
    expect(own.map(({ code }) => code)).toEqual([narrow.devices[0]?.code])
    expect(await app.call(listUpgradeLog, {}, limited.token)).toMatchObject({ total: 1 })
    for (const call of [pauseUpgradeTask, cancelUpgradeTask, rollBackUpgradeTask])
      expect(await app.call(call, { id }, limited.token)).toMatchObject({
        status: 403,
        message: '升级任务包含无权查看的设备，不能操作',
      })
    await sql`UPDATE upgrade_target SET state = 'failed', reason = '校验失败', next_at = NULL WHERE task_id = ${id}::int`.execute(
      app.db,
    )
    expect(await app.call(retryUpgradeTask, { id }, limited.token)).toMatchObject({ data: { count: 1 } })
  })

  test('gets no information about other devices: by alarms, by codes, or by ids', async () => {
    const organizationId = await insertOrganization(app.db)
    const [one, two] = [
      await insertOperator(app.db, { organizationId }),
      await insertOperator(app.db, { organizationId }),
    ]
    const modelId = await insertModel(app.db)
    const own = await insertFleet(app.db, 2, { operatorId: one, modelId })
    const foreign = await insertFleet(app.db, 2, { operatorId: two, modelId })
    image = await insertPackageFor(app.db, own)
    const functionCodes = ['upgrade:list', 'upgrade:insert', 'upgrade:control', 'upgradeLog:page']
    const wide = await app.asUser({ organizationId, functionCodes })
    const limited = await app.asUser({ organizationId, functionCodes, authorities: [['O', String(one)]] })

    const all = [...own.devices, ...foreign.devices]
    const id = await planned(
      { upgradeTime: now(), devices: { codes: all.map(({ code }) => code) } },
      wide.token,
    )
    await taskBecomes(app, wide.token, id, { counts: { sent: 4 } })
    await sql`
      UPDATE upgrade_target SET state = 'succeeded', next_at = NULL, started_at = now() - interval '20 minutes',
        verified_at = now() - interval '15 minutes'
      WHERE task_id = ${id}::int`.execute(app.db)
    for (const device of all) await raiseAlarm(app.db, device.id, 6)
    await lookNow(app.db)
    await taskBecomes(app, wide.token, id, { state: 'paused', pause: { reason: 'alarms' } })

    const readBy = async (as: string) => {
      const answers = [
        await app.call(readUpgradeTask, { id }, as),
        await app.call(listUpgradeTasks, { ids: [id] }, as),
        await app.call(listUpgradeTransitions, { taskId: id }, as),
        await app.call(listUpgradeTargets, { taskId: id }, as),
        await app.call(listUpgradeFailures, { taskId: id }, as),
        await app.call(listUpgradeLog, {}, as),
        await app.call(
          previewUpgradeTask,
          { softwareVersionId: String(image.id), devices: { codes: all.map(({ code }) => code) } },
          as,
        ),
        await app.call(rollBackUpgradeTask, { id }, as),
      ]
      return JSON.stringify(answers)
    }
    const told = await readBy(limited.token)
    for (const { code } of own.devices) expect(told).toContain(code)
    for (const { code } of foreign.devices) expect(told).not.toContain(code)

    const codesOf = (devices: readonly { code: string }[] = []) => devices.map(({ code }) => code).toSorted()
    const codes = codesOf(own.devices)
    const seen = await taskOf(app, limited.token, id)
    expect(codesOf(seen.pause?.gate?.devices)).toEqual(codes)
    expect(codesOf(seen.stages[0]?.gate?.devices)).toEqual(codes)
    expect(seen.pause?.gate?.alarmed).toBe(4)
    expect(codesOf((await taskOf(app, wide.token, id)).pause?.gate?.devices)).toEqual(codesOf(all))

    const reaching = async (equipId: number | undefined, as: string) =>
      (await app.call(listUpgradeTasks, { equipId: String(equipId) }, as)).total
    expect(await reaching(own.devices[0]?.id, limited.token)).toBe(1)
    expect(await reaching(foreign.devices[0]?.id, limited.token)).toBe(0)
    expect(await reaching(foreign.devices[0]?.id, wide.token)).toBe(1)
  })
})
