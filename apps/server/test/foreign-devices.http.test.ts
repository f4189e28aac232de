// Ways around the data scope that no list takes: what a colleague or another organization has made, shared or left behind
// names devices that the reader does not see. Each is tried as somebody who wants to know of them.
import {
  agreeApproval,
  countFirmwareReach,
  deleteHwVersion,
  exportAlarmHistory,
  exportAlarms,
  exportBatteries,
  exportDevices,
  exportDeviceTimeline,
  exportOperations,
  exportStock,
  exportUnmatchedVersions,
  functionCodesOf,
  insertHwVersion,
  insertLogLevel,
  insertSavedFilter,
  insertUpgradeTask,
  listApprovals,
  listDevices,
  listOperations,
  listSavedFilters,
  listUpgradeTasks,
  previewUpgradeTask,
  readDeviceTimeline,
  readOverview,
  renewDeviceSecret,
  searchConsole,
  updateDevice,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from './app.ts'
import { endpoints } from './endpoints.ts'
import {
  insertAlarm,
  insertBatteries,
  insertDevice,
  insertModel,
  insertOperator,
  insertOrganization,
  type TestDevice,
  type TestUser,
} from './factories.ts'
import { equipTypeOf, insertBoard, insertPackage } from './packages.ts'
import { rowsOfSheet } from './sheets.ts'
import { master, moveDevice, reportVersions } from './upgrades.ts'

const app = await appOfTests({ CONSENT_DEVICES: '1' })
const admin = await app.asAdmin()
type User = TestUser & { token: string }

const functionCodes = [...new Set(endpoints.flatMap(({ endpoint }) => functionCodesOf(endpoint)))]
const shared = (await app.asUser({ functionCodes })) as User
const { role_id: roleId } = await app.db
  .selectFrom('user_role')
  .select('role_id')
  .where('user_id', '=', shared.id)
  .executeTakeFirstOrThrow()
const userOf = (organizationId: number, ...operators: number[]): Promise<User> =>
  app.asUser({
    organizationId,
    roleIds: [roleId],
    authorities: operators.map((id) => ['O', String(id)] as const),
  })

/** Two places of an organization, one of another root organization, and users who see both, one, and the third. */
async function world() {
  const organizationId = await insertOrganization(app.db)
  const elsewhere = await insertOrganization(app.db)
  const modelId = await insertModel(app.db)
  const place = async (of: number) => {
    const operatorId = await insertOperator(app.db, { organizationId: of })
    return { operatorId, device: await insertDevice(app.db, { operatorId, modelId }) }
  }
  const [near, far, foreign] = [
    await place(organizationId),
    await place(organizationId),
    await place(elsewhere),
  ]
  for (const { device } of [near, far, foreign]) {
    await insertAlarm(app.db, device, '01110002', 5)
    await insertBatteries(app.db, [device.id])
    await reportVersions(app.db, device, { [`${master} 0`]: '1.3' })
  }
  return {
    organizationId,
    elsewhere,
    modelId,
    ...{ near, far, foreign },
    wide: await userOf(organizationId),
    narrow: await userOf(organizationId, near.operatorId),
    stranger: await userOf(elsewhere),
  }
}

const fetchSheet = (path: string, { token }: User) =>
  fetch(`${app.url}/api${path}`, { headers: { authorization: `Bearer ${token}` } })
async function textOfSheet(path: string, user: User): Promise<string> {
  const answer = await fetchSheet(path, user)
  expect(answer.status).toBe(200)
  return JSON.stringify(await rowsOfSheet(answer))
}

describe('an export', () => {
  const sheets = [
    exportDevices,
    exportAlarms,
    exportAlarmHistory,
    exportBatteries,
    exportStock,
    exportUnmatchedVersions,
  ]

  test.each(sheets.map(({ path }) => path))(
    '%s brings each caller the own devices, whoever asks for the same address beside',
    async (path) => {
      const { near, far, foreign, wide, narrow, stranger, modelId } = await world()
      await insertPackage(app.db, {
        board: await insertBoard(app.db, { equipTypeId: await equipTypeOf(app.db, modelId) }),
      })
      const asked = [wide, narrow, stranger, wide, narrow, stranger]
      const texts = await Promise.all(asked.map((user) => textOfSheet(path, user)))
      const seen = texts.map((text) => [near, far, foreign].map(({ device }) => text.includes(device.code)))
      const own = [
        [true, true, false],
        [true, false, false],
        [false, false, true],
      ]
      expect(seen).toEqual([...own, ...own])
    },
  )

  test('of one device is nobody’s who does not see it, and of the log nobody’s who does not see the entries', async () => {
    const { far, wide, narrow, stranger } = await world()
    await app.call(renewDeviceSecret, { id: String(far.device.id) }, wide.token)
    const timeline = exportDeviceTimeline.path.replace(':id', String(far.device.id))
    expect(await textOfSheet(exportOperations.path, wide)).toContain(far.device.code)
    expect((await fetchSheet(timeline, wide)).status).toBe(200)
    for (const user of [narrow, stranger]) {
      expect(await textOfSheet(exportOperations.path, user)).not.toContain(far.device.code)
      expect((await fetchSheet(timeline, user)).status).toBe(404)
    }
  })

  test('that is begun once its user was narrowed, moved or disabled has nothing of before', async () => {
    const { near, far, elsewhere, foreign, wide } = await world()
    await sql`
      INSERT INTO user_authority (user_id, authority_type, value)
      VALUES (${wide.id}, 'O', ${String(near.operatorId)})`.execute(app.db)
    const narrowed = await textOfSheet(exportDevices.path, wide)
    expect(narrowed).toContain(near.device.code)
    expect(narrowed).not.toContain(far.device.code)
    await sql`DELETE FROM user_authority WHERE user_id = ${wide.id}`.execute(app.db)
    await sql`UPDATE app_user SET organization_id = ${elsewhere} WHERE id = ${wide.id}`.execute(app.db)
    const moved = await textOfSheet(exportDevices.path, wide)
    expect(moved).toContain(foreign.device.code)
    expect(moved).not.toContain(near.device.code)
    await sql`UPDATE app_user SET is_enabled = false WHERE id = ${wide.id}`.execute(app.db)
    expect((await fetchSheet(exportDevices.path, wide)).status).toBe(401)
  })

  test('under way is of the moment at which it began, also where its user is narrowed meanwhile; the next one is not', async () => {
    const { near, far, wide } = await world()
    let sheet: Promise<string> = Promise.resolve('')
    // It has read its scope, and waits for the devices.
    await app.db.transaction().execute(async (trx) => {
      await sql`LOCK TABLE device_listing IN ACCESS EXCLUSIVE MODE`.execute(trx)
      sheet = textOfSheet(exportDevices.path, wide)
      await expect
        .poll(async () => {
          const { rows } = await sql<{ waiting: number }>`
            SELECT count(*)::int AS waiting FROM pg_locks WHERE relation = 'device_listing'::regclass AND NOT granted`.execute(
            app.db,
          )
          return rows[0]?.waiting
        })
        .toBeGreaterThan(0)
      await sql`
        INSERT INTO user_authority (user_id, authority_type, value)
        VALUES (${wide.id}, 'O', ${String(near.operatorId)})`.execute(app.db)
    })
    const text = await sheet
    expect([near, far].every(({ device }) => text.includes(device.code))).toBe(true)
    expect(await textOfSheet(exportDevices.path, wide)).not.toContain(far.device.code)
  })
})

describe('the operation log', () => {
  const entriesFor = async (user: User, filter: object) => {
    const { data, total } = await app.call(listOperations, { pageSize: 500, ...filter }, user.token)
    return { data, total }
  }

  test('names a device to nobody who does not see its user’s entries, by no word and no count', async () => {
    const { far, wide, narrow, stranger, elsewhere } = await world()
    const code = far.device.code
    expect(await app.call(renewDeviceSecret, { id: String(far.device.id) }, wide.token)).toMatchObject({
      code: 200,
    })
    const words = [
      { target: code },
      { target: `设备 ${code}` },
      { target: code.slice(0, -1) },
      { target: code.toLowerCase() },
      { user: wide.loginName },
      { user: wide.loginName, target: code },
      { call: renewDeviceSecret.path },
      { call: renewDeviceSecret.summary },
      { call: renewDeviceSecret.summary, sortOrder: 'asc' },
      {},
    ]
    for (const filter of words) {
      expect((await entriesFor(wide, filter)).data.some(({ target }) => target === `设备 ${code}`)).toBe(true)
      for (const user of [narrow, stranger, await userOf(elsewhere)]) {
        const { data, total } = await entriesFor(user, filter)
        expect(JSON.stringify(data)).not.toContain(code)
        expect(total).toBe(data.length)
      }
    }
    const searched = await app.call(searchConsole, { keyword: code }, stranger.token)
    expect(JSON.stringify(searched.data)).not.toContain(far.device.id)
  })

  test('of a device that was moved to another organization stays where it was written', async () => {
    const { near, foreign, wide, narrow, stranger } = await world()
    const id = String(near.device.id)
    const { code } = near.device
    expect(await app.call(renewDeviceSecret, { id }, narrow.token)).toMatchObject({ code: 200 })
    await moveDevice(app.db, code, foreign.operatorId)
    const ofMove = async (user: User) => (await entriesFor(user, { target: code })).total
    expect([await ofMove(wide), await ofMove(narrow), await ofMove(stranger)]).toEqual([1, 1, 0])
    // Who has it now reads in its timeline nothing of what the others did.
    const timeline = await app.call(readDeviceTimeline, { id }, stranger.token)
    expect(timeline.code).toBe(200)
    expect(JSON.stringify(timeline.data)).not.toContain(narrow.loginName)
    expect((await app.call(readDeviceTimeline, { id }, narrow.token)).status).toBe(404)
  })

  test('of what was refused tells a foreign device from an invented one to nobody', async () => {
    const { foreign, wide } = await world()
    const asked = [String(foreign.device.id), '2147480000']
    const answers = []
    for (const id of asked) answers.push(await app.call(renewDeviceSecret, { id }, wide.token))
    const told = answers.map(({ status, message, refusal, data }) => ({ status, message, refusal, data }))
    expect(told[0]).toEqual(told[1])
    const { data } = await entriesFor(wide, { call: renewDeviceSecret.path, isOk: 0 })
    const entries = data.map(({ target, ...entry }) => ({
      target,
      message: entry.message,
      changes: entry.changes,
    }))
    expect(entries).toEqual(
      asked.toReversed().map((id) => ({ target: `编号 ${id}`, message: '设备不存在', changes: null })),
    )
  })
})

describe('a shared filter', () => {
  const save = (user: User, name: string, values: Record<string, string>) =>
    app.call(insertSavedFilter, { list: listDevices.path, name, values, isShared: 1 }, user.token)
  const filtersOf = async ({ token }: User) =>
    (await app.call(listSavedFilters, { list: listDevices.path }, token)).data

  test('is nobody’s of an organization above, below or beside', async () => {
    const { organizationId, wide, stranger, near } = await world()
    const [above, below] = [
      await insertOrganization(app.db),
      await insertOrganization(app.db, { parentId: organizationId }),
    ]
    await sql`UPDATE organization SET parent_id = ${above} WHERE id = ${organizationId}`.execute(app.db)
    await save(wide, '近处', { code: near.device.code })
    for (const user of [await userOf(above), await userOf(below), stranger])
      expect(await filtersOf(user)).toEqual([])
  })

  test('of a user who moves tells the new colleagues no code, name or number of the former devices', async () => {
    const { elsewhere, near, far, foreign, wide, stranger } = await world()
    const codes = [near, far, foreign].map(({ device }) => device.code)
    await save(wide, '三台', { code: codes.join(',') })
    await save(wide, '两台', { code: codes.slice(0, 2).join(',') })
    await save(wide, '搜索', { keyword: codes[0] ?? '' })
    await sql`UPDATE app_user SET organization_id = ${elsewhere} WHERE id = ${wide.id}`.execute(app.db)
    const told = await filtersOf(stranger)
    expect(told.map(({ name, values }) => [name, values])).toEqual([['三台', { code: foreign.device.code }]])
    for (const { values } of told) {
      const found = await app.call(listDevices, values, stranger.token)
      expect([found.total, found.data.map(({ code }) => code)]).toEqual([1, [foreign.device.code]])
    }
    // Words are told as they were typed, whether a device is called so or none is.
    await sql`UPDATE device SET name = '旧东门' WHERE id = ${near.device.id}`.execute(app.db)
    for (const keyword of ['旧东门', '无此地']) await save(wide, keyword, { keyword })
    expect((await filtersOf(stranger)).map(({ name }) => name).sort()).toEqual(['三台', '无此地', '旧东门'])
    expect((await app.call(listDevices, { keyword: '旧东门' }, stranger.token)).total).toBe(0)
    // Nor does the one who moved find any by the own filters.
    for (const { values } of await filtersOf(wide)) {
      const { data } = await app.call(listDevices, values, wide.token)
      expect(data.every(({ code }) => code === foreign.device.code)).toBe(true)
    }
  })
})

describe('a user of another root organization whom nothing limits', () => {
  test('sees, counts and reaches nothing of the others', async () => {
    const { wide, stranger, foreign, modelId, near, far } = await world()
    const equipTypeId = await equipTypeOf(app.db, modelId)
    const image = await insertPackage(app.db, { board: await insertBoard(app.db, { equipTypeId }) })
    const form = { softwareVersionId: String(image.id), devices: { isAll: 1 as const } }
    const { deviceCount, alarmsByDay } = (await app.call(readOverview, {}, stranger.token)).data
    expect(deviceCount).toBeLessThanOrEqual(1)
    expect(alarmsByDay.reduce((sum, { count }) => sum + count, 0)).toBe(1)
    const rule = { equipTypeId: String(equipTypeId) }
    const previewed = await app.call(previewUpgradeTask, { ...form, upgradeRule: rule }, stranger.token)
    expect(previewed.data).toMatchObject({ chosen: 1, devices: 1 })
    const { filePath } = { filePath: `firmware/${image.fileId}` }
    const counted = await app.call(countFirmwareReach, { id: String(image.id), filePath }, stranger.token)
    expect(counted.data).toEqual({ devices: 1, needsConsent: false })

    const planned = await app.call(
      insertUpgradeTask,
      { ...form, upgradeTime: '2099-01-01 00:00:00' },
      wide.token,
    )
    const id = planned.data.approvalId ?? ''
    expect((await app.call(listApprovals, { ids: [id] }, stranger.token)).data).toEqual([])
    expect(await app.call(agreeApproval, { id }, stranger.token)).toMatchObject({
      status: 404,
      refusal: 'approvalNotFound',
    })
    expect((await app.call(listUpgradeTasks, { type: 'ALL' }, stranger.token)).total).toBe(0)
    for (const { device } of [near, far]) {
      const found = await app.call(listDevices, { code: device.code }, stranger.token)
      expect([found.total, found.data]).toEqual([0, []])
    }
    expect((await app.call(listDevices, {}, stranger.token)).data).toMatchObject([
      { code: foreign.device.code },
    ])
  })

  test('changes no log level, and moves no own device to their operators or theirs to the own', async () => {
    const { wide, stranger, foreign, near, modelId } = await world()
    const level = { equipClassify: 'EC', code: 'X9', name: '跟踪', fileType: 'txt' as const }
    for (const user of [wide, stranger])
      expect(await app.call(insertLogLevel, level, user.token)).toMatchObject({
        status: 403,
        refusal: 'logLevelReachesBeyond',
      })
    const regionOf = async ({ id }: TestDevice) =>
      (
        await sql<{ code: string }>`
          SELECT r.code FROM region r JOIN device d ON d.region_id = r.id WHERE d.id = ${id}`.execute(app.db)
      ).rows[0]?.code ?? ''
    const move = async (device: TestDevice, operatorId: number) =>
      app.call(
        updateDevice,
        {
          id: String(device.id),
          operatorId: String(operatorId),
          equipModelId: String(modelId),
          regionCode: await regionOf(device),
          businessStatus: 1,
        },
        stranger.token,
      )
    expect((await move(foreign.device, near.operatorId)).status).toBe(400)
    expect((await move(near.device, foreign.operatorId)).status).toBe(404)
  })
})

test('hardware versions are a list for people: nobody’s change of it brings a package to a device or keeps it from one', async () => {
  const { modelId, near, far, foreign, stranger, wide } = await world()
  const equipTypeId = await equipTypeOf(app.db, modelId)
  const image = await insertPackage(app.db, {
    board: await insertBoard(app.db, { equipTypeId }),
    hwVersion: '2',
  })
  const report = (device: TestDevice, hwVersion: string | null) =>
    sql`UPDATE device_version SET hw_version = ${hwVersion} WHERE device_id = ${device.id}`.execute(app.db)
  await report(near.device, '2')
  await report(far.device, '3')
  await report(foreign.device, null)
  await sql`INSERT INTO equip_model_part (equip_model_id, part_type) VALUES (${modelId}, ${master})`.execute(
    app.db,
  )
  const filePath = `firmware/${image.fileId}`
  const reached = async (token: string) =>
    (await app.call(countFirmwareReach, { id: String(image.id), filePath }, token)).data.devices
  const fits = async () => [await reached(admin), await reached(wide.token), await reached(stranger.token)]
  expect(await fits()).toEqual([1, 1, 0])
  for (const versionCode of ['2', '3', 'HW2', '']) {
    const form = { equipType: String(equipTypeId), equipModelId: String(modelId), partType: master }
    const made = await app.call(
      insertHwVersion,
      { ...form, versionName: `HW${versionCode}`, versionCode },
      stranger.token,
    )
    expect(await fits()).toEqual([1, 1, 0])
    if (made.code === 200) await app.call(deleteHwVersion, { id: made.data.id }, stranger.token)
    expect(await fits()).toEqual([1, 1, 0])
  }
  // What a device says of itself decides: it can bring itself a file, and no other device.
  await report(foreign.device, '2')
  expect(await fits()).toEqual([2, 1, 1])
})
