import {
  changePassword,
  createAdvertisement,
  deleteDevice,
  type Endpoint,
  exportDevices,
  exportOperations,
  insertDevice,
  insertParameterBatch,
  insertSavedFilter,
  listDevices,
  listOperations,
  login,
  logout,
  recoverAlarms,
  renewDeviceSecret,
  updateDevice,
  updatePermissions,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { uploadAnnex } from '../../../test/annex.ts'
import { makeKey } from '../../../test/api-keys.ts'
import { appOfTests } from '../../../test/app.ts'
import { endpoints } from '../../../test/endpoints.ts'
import {
  insertDevice as insertDeviceRow,
  insertModel,
  insertOperator,
  insertOrganization,
  insertRegion,
  insertUser,
} from '../../../test/factories.ts'
import { rowsOfSheet } from '../../../test/sheets.ts'

const app = await appOfTests()
const admin = await app.asAdmin()
const regionId = await insertRegion(app.db)
const region = await app.db
  .selectFrom('region')
  .select('code')
  .where('id', '=', regionId)
  .executeTakeFirstOrThrow()
const form: { operatorId: string; equipModelId: string; regionCode: string } = {
  operatorId: String(await insertOperator(app.db)),
  equipModelId: String(await insertModel(app.db)),
  regionCode: region.code,
}
const device: { id: string; code: string; secret: string } = (
  await app.call(insertDevice, { code: 'LOG1', name: '甲', ...form }, admin)
).data
await app.call(updateDevice, { id: device.id, name: '乙', ...form }, admin)

const list = async (filter: Record<string, unknown>, token = admin) => app.call(listOperations, filter, token)
const now = () => new Date().toISOString().slice(0, 10)

describe('an entry', () => {
  // proves: call GET /operation/log/page
  test('contains who, when, from where, what, on what, with what result, and what changed', async () => {
    const { data, total } = await list({ target: 'LOG1', call: '修改设备' })
    expect(total).toBe(1)
    expect(data[0]).toMatchObject({
      loginName: 'admin',
      userId: '1',
      address: '127.0.0.1',
      call: '/equip/update/:id',
      summary: '修改设备',
      target: '设备 LOG1',
      code: 200,
      message: null,
      isOk: true,
      changes: { before: { name: '甲' }, after: { name: '乙' } },
    })
    expect(data[0]?.time).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
  })

  test('of a refused write names the refusal', async () => {
    await app.call(insertDevice, { code: 'LOG1', ...form }, admin)
    const { data } = await list({ isOk: 0, call: '新增设备' })
    expect(data[0]).toMatchObject({
      target: '编码 LOG1',
      code: 409,
      message: '设备编号已存在',
      isOk: false,
      changes: null,
    })
  })

  test('of a refused write names what the call names: a user, a device, a file', async () => {
    await app.call(updatePermissions, { userId: '1', authorityEntities: [] }, admin)
    expect((await list({ isOk: 0, call: '/permission/update' })).data[0]?.target).toBe('用户编号 1')
  })

  test.each([
    ['cannot be read', '{bad', 400],
    ['is too large', `{"name":"${'x'.repeat(3_000_000)}"}`, 413],
  ])('is written for a call whose body %s, once', async (_what, body, code) => {
    const { total: before = 0 } = await list({ isOk: 0, call: '/equip/insert' })
    const answer = await app.request('/api/equip/insert', {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(code)
    const { data, total } = await list({ isOk: 0, call: '/equip/insert' })
    expect(total).toBe(before + 1)
    expect(data[0]).toMatchObject({ loginName: 'admin', code, target: null, changes: null })
  })

  test('is written for sign-ins, failed ones, and sign-outs', async () => {
    const user = await insertUser(app.db)
    const client = app.from('10.9.8.7')
    await client.call(login, { loginname: user.loginName, password: 'Wrong-1234' })
    const token = await client.signIn(user.loginName, user.password)
    await client.call(logout, {}, token)
    const { data } = await list({ user: user.loginName })
    expect(data.map(({ summary, isOk, userId, address }) => [summary, isOk, userId, address])).toEqual([
      [logout.summary, true, String(user.id), '10.9.8.7'],
      [login.summary, true, String(user.id), '10.9.8.7'],
      [login.summary, false, String(user.id), '10.9.8.7'],
    ])
    expect((await list({ address: '10.9.8' })).total).toBe(3)
  })
})

describe('the list', () => {
  test('finds by user name and login name, call and summary, target, result, address and time', async () => {
    for (const [filter, isFound] of [
      [{ user: 'admi' }, true],
      [{ user: 'nobody' }, false],
      [{ call: '/equip/insert' }, true],
      [{ call: '新增设' }, true],
      [{ call: '没有' }, false],
      [{ target: 'og1' }, true],
      [{ target: 'LOG%' }, false],
      [{ isOk: 1 }, true],
      [{ address: '127.' }, true],
      [{ address: '128.' }, false],
      [{ startTime: now(), endTime: '2999-01-01' }, true],
      [{ endTime: '2020-01-01' }, false],
    ] as const) {
      expect([filter, (await list(filter)).data.length > 0]).toEqual([filter, isFound])
    }
  })

  test('finds every entry that has a part of its target in it, as a plain comparison does', async () => {
    const targets = [
      '设备 EC2609000200',
      '设备 bt25',
      '用户 Müller 李雷',
      '100%_\\ 路径',
      '🔋🔋 电池',
      'ß Straße',
      '柜',
      'aa',
    ]
    await app.database.pool.query(
      `INSERT INTO operation_log (at, address, request_id, call, summary, target, result_code)
       SELECT now() - interval '1 day', '::1', n::text, '/parts', '部分', target, 200
       FROM unnest($1::text[]) WITH ORDINALITY AS t (target, n)`,
      [targets],
    )
    const parts = targets.flatMap((text) => {
      const characters = [...text]
      return characters.flatMap((_, at) =>
        [1, 2, 3, 9].map((length) => characters.slice(at, at + length).join('')),
      )
    })
    for (const part of new Set([...parts, 'EC26ec', '备设', 'ÜLL', 'STRASSE', '%', '_', '🔋电', 'aaa'])) {
      if (part.trim() !== part) continue
      const { rows } = await app.database.pool.query(
        `SELECT request_id FROM operation_log WHERE call = '/parts' AND strpos(lower(target), lower($1)) > 0`,
        [part],
      )
      const found = await list({ call: '/parts', target: part })
      expect([part, found.data.map(({ requestId }) => requestId).toSorted()]).toEqual([
        part,
        rows.map((row) => row.request_id).toSorted(),
      ])
    }
  })

  test('is paged exactly, newest first, with each of several equal times once', async () => {
    await app.database.pool.query(`
      INSERT INTO operation_log (at, address, request_id, call, summary, target, result_code)
      SELECT date_trunc('day', now()) - interval '2 days' + (n / 5) * interval '1 second', '::1', n::text,
        '/bench', '批量', 'n' || n, 200 FROM generate_series(1, 123) n`)
    const seen: string[] = []
    for (let pageNum = 1; pageNum <= 4; pageNum += 1) {
      const { data, total } = await list({ call: '/bench', pageNum, pageSize: 40 })
      expect(total).toBe(123)
      seen.push(...data.map(({ requestId }) => requestId))
    }
    expect(new Set(seen).size).toBe(123)
    expect(await list({ call: '/bench', pageNum: 9, pageSize: 40 })).toMatchObject({ data: [], total: 123 })
    const upwards = { call: '/bench', sortBy: 'time', sortOrder: 'asc' }
    const { data } = await list({ ...upwards, pageSize: 500 })
    expect(data.map(({ requestId }) => requestId)).toEqual(seen.toReversed())
  })

  test('shows the last 30 days where no range is given', async () => {
    await app.database.pool.query(`
      INSERT INTO operation_log (at, address, request_id, call, summary, target, result_code)
      SELECT now() - n * interval '1 day', '::1', n::text, '/old', '旧的', 'n' || n, 200
      FROM unnest(ARRAY[28, 32]) n`)
    expect((await list({ call: '/old' })).data.map(({ target }) => target)).toEqual(['n28'])
    expect((await list({ call: '/old', startTime: '2020-01-01' })).total).toBe(2)
  })

  test('refuses invalid ranges and pages', async () => {
    expect(await list({ startTime: '2026-02-02', endTime: '2026-02-01' })).toMatchObject({
      status: 400,
      message: '结束时间不能早于开始时间',
    })
    expect((await list({ pageSize: 501 })).status).toBe(400)
    expect((await list({ isOk: 2 })).status).toBe(400)
  })
})

describe('which entries a user sees:', () => {
  // proves: call GET /operation/log/export
  test('those of users of the own organization and below, including their failed sign-ins', async () => {
    const parent = await insertOrganization(app.db)
    const child = await insertOrganization(app.db, { parentId: parent })
    const functionCodes = ['operation:page', 'operation:export']
    const own = await app.asUser({ organizationId: parent, functionCodes })
    const below = await app.asUser({ organizationId: child, functionCodes })
    await app.from('10.9.9.9').call(login, { loginname: below.loginName, password: 'Wrong-1234' })

    const names = async (token: string) => [
      ...new Set((await list({ pageSize: 500 }, token)).data.map(({ loginName }) => loginName)),
    ]
    expect((await names(own.token)).sort()).toEqual([own.loginName, below.loginName].sort())
    expect(await names(below.token)).toEqual([below.loginName])
    expect((await list({ isOk: 0 }, own.token)).data.map(({ code }) => code)).toEqual([400])
    expect((await names(admin)).length).toBeGreaterThan(2)

    const file = await app.request(`/api${exportOperations.path}`, {
      headers: { authorization: below.token },
    })
    expect(file.status).toBe(200)
    expect(decodeURIComponent(file.headers.get('content-disposition') ?? '')).toMatch(/操作日志_\d{14}\.xlsx/)
  })

  test('but not those of users with a wider view: SYSTEM users, and users with fewer limits', async () => {
    const organizationId = await insertOrganization(app.db)
    const [near, far] = [
      await insertOperator(app.db, { organizationId }),
      await insertOperator(app.db, { organizationId }),
    ]
    const functionCodes = ['operation:page']
    const only = (...operators: number[]) => operators.map((id) => ['O', String(id)] as const)
    const narrow = await app.asUser({ organizationId, functionCodes, authorities: only(near) })
    const alike = await app.asUser({ organizationId, functionCodes, authorities: only(near) })
    const wider = await app.asUser({ organizationId, functionCodes, authorities: only(near, far) })
    const free = await app.asUser({ organizationId, functionCodes })
    const system = await app.asUser({ organizationId, roleIds: [1] })

    const names = async (token: string) =>
      [...new Set((await list({ pageSize: 500 }, token)).data.map(({ loginName }) => loginName))].sort()
    const namesOf = (...users: { loginName: string }[]) => users.map(({ loginName }) => loginName).sort()
    expect(await names(narrow.token)).toEqual(namesOf(narrow, alike))
    expect(await names(wider.token)).toEqual(namesOf(narrow, alike, wider))
    expect(await names(free.token)).toEqual(namesOf(narrow, alike, wider, free))
    expect(await names(system.token)).toEqual(expect.arrayContaining(namesOf(narrow, free, system)))
  })
})

describe('an entry keeps the organization of its user:', () => {
  test('a user who moves takes no former entries along', async () => {
    const functionCodes = ['operation:page']
    const [former, present] = [await insertOrganization(app.db), await insertOrganization(app.db)]
    const mover = await app.asUser({ organizationId: former, functionCodes })
    const reader = await app.asUser({ organizationId: present, functionCodes })
    await app.from('10.9.9.10').call(login, { loginname: mover.loginName, password: 'Wrong-1234' })
    const move = (organizationId: number) =>
      app.db
        .updateTable('app_user')
        .set({ organization_id: organizationId })
        .where('id', '=', mover.id)
        .execute()
    const count = async (token: string) => (await list({ user: mover.loginName }, token)).total

    await move(present)
    expect(await count(reader.token)).toBe(0)
    expect(await count(mover.token)).toBe(0)
    await app.signIn(mover.loginName, mover.password)
    expect(await count(reader.token)).toBe(1)
    expect(await count(admin)).toBe(3)
  })

  test('what a user did with a wider view is for those who reach as far, once the user is narrowed', async () => {
    const organizationId = await insertOrganization(app.db)
    const [near, far] = [
      await insertOperator(app.db, { organizationId }),
      await insertOperator(app.db, { organizationId }),
    ]
    const functionCodes = ['operation:page', 'operation:export', 'equip:delete', 'equip:list']
    const only = (...operators: number[]) => operators.map((id) => ['O', String(id)] as const)
    const reader = await app.asUser({ organizationId, functionCodes, authorities: only(near) })
    const wide = await app.asUser({ organizationId, functionCodes, authorities: only(near, far) })
    const free = await app.asUser({ organizationId, functionCodes })
    const other = await app.asUser({ organizationId, functionCodes })
    const remove = async (operatorId: number) => {
      const { id, code } = await insertDeviceRow(app.db, { operatorId })
      expect(await app.call(deleteDevice, { id: String(id) }, other.token)).toMatchObject({ code: 200 })
      return code
    }
    const permit = async (...operators: number[]) => {
      const authorityEntities = [{ authorityType: 'O', value: operators.map(String) }]
      const input = { userId: String(other.id), authorityEntities }
      expect(await app.call(updatePermissions, input, admin)).toMatchObject({ code: 200 })
      // A call that was under way then is over.
      await sql`UPDATE narrowed_reach SET until = clock_timestamp() WHERE until > clock_timestamp()`.execute(
        app.db,
      )
    }
    const seenOf = async (token: string) =>
      (await list({ user: other.loginName, call: '删除设备' }, token)).data.map(({ target }) => target)
    const exportedOf = async (token: string) => {
      const query = new URLSearchParams({ user: other.loginName, call: '删除设备' })
      const address = `${app.url}/api${exportOperations.path}?${query}`
      const rows = await rowsOfSheet(await fetch(address, { headers: { authorization: token } }))
      return rows.slice(1).flatMap((cells) => cells.filter((cell) => cell?.startsWith('设备 ')))
    }

    const free1 = `设备 ${await remove(far)}`
    expect(await seenOf(reader.token)).toEqual([])
    await permit(near, far)
    const wide1 = `设备 ${await remove(far)}`
    expect(await seenOf(wide.token)).toEqual([wide1])
    await permit(near)
    expect(await seenOf(reader.token)).toEqual([])
    const narrow1 = `设备 ${await remove(near)}`
    expect(await seenOf(reader.token)).toEqual([narrow1])
    expect((await list({ user: other.loginName }, reader.token)).total).toBe(1)
    expect((await list({ target: free1.slice(3) }, reader.token)).total).toBe(0)
    expect(await exportedOf(reader.token)).toEqual([narrow1])
    expect(await seenOf(wide.token)).toEqual([narrow1, wide1])
    expect(await seenOf(free.token)).toEqual([narrow1, wide1, free1])
    expect(await seenOf(other.token)).toEqual([narrow1, wide1, free1])
    // Who becomes wider again takes nothing back.
    await permit(near, far)
    await permit(near)
    expect(await seenOf(reader.token)).toEqual([])
  })

  test('and so is what an API key did, once its maker is narrowed', async () => {
    const organizationId = await insertOrganization(app.db)
    const [near, far] = [
      await insertOperator(app.db, { organizationId }),
      await insertOperator(app.db, { organizationId }),
    ]
    const functionCodes = ['operation:page', 'equip:delete', 'equip:list', 'apiKey:insert']
    const only = [['O', String(near)]] as const
    const reader = await app.asUser({ organizationId, functionCodes, authorities: only })
    const maker = await app.asUser({ organizationId, functionCodes })
    const { secret, name } = await makeKey(app, maker.token, { functionCodes: ['equip:delete'] })
    const { id } = await insertDeviceRow(app.db, { operatorId: far })
    expect(await app.call(deleteDevice, { id: String(id) }, secret)).toMatchObject({ code: 200 })
    const authorityEntities = [{ authorityType: 'O', value: [String(near)] }]
    const narrowed = { userId: String(maker.id), authorityEntities }
    expect(await app.call(updatePermissions, narrowed, admin)).toMatchObject({ code: 200 })
    const seenBy = async (token: string) => (await list({ user: name, call: '删除设备' }, token)).total
    expect(await seenBy(reader.token)).toBe(0)
    expect(await seenBy(admin)).toBe(1)
  })

  test('a call that was under way while its user was narrowed is judged by the scope it began with', async () => {
    const organizationId = await insertOrganization(app.db)
    const near = await insertOperator(app.db, { organizationId })
    const functionCodes = ['operation:page']
    const reader = await app.asUser({ organizationId, functionCodes, authorities: [['O', String(near)]] })
    const other = await app.asUser({ organizationId, functionCodes })
    const authorityEntities = [{ authorityType: 'O', value: [String(near)] }]
    await app.call(updatePermissions, { userId: String(other.id), authorityEntities }, admin)
    await app.call(changePassword, { password: 'Wrong-1234', newPassword: 'Wrong-12345' }, other.token)
    expect((await list({ user: other.loginName }, other.token)).total).toBeGreaterThan(0)
    expect((await list({ user: other.loginName }, reader.token)).total).toBe(0)
  })

  test('an entry made as SYSTEM is visible for SYSTEM only, whatever happens to its user', async () => {
    const functionCodes = ['operation:page']
    const organizationId = await insertOrganization(app.db)
    const reader = await app.asUser({ organizationId, functionCodes })
    const deputy = await app.asUser({ organizationId, roleIds: [1] })
    await app.db.deleteFrom('user_role').where('user_id', '=', deputy.id).execute()
    expect((await list({ user: deputy.loginName }, reader.token)).total).toBe(0)
    expect((await list({ user: deputy.loginName })).total).toBe(1)
  })
})

describe('the entries in the database', () => {
  test.each([
    "UPDATE operation_log SET target = 'nothing' WHERE target LIKE '%LOG1'",
    'DELETE FROM operation_log',
    'TRUNCATE operation_log',
  ])('cannot be changed or deleted even by the owner of the table: %s', async (statement) => {
    await expect(app.database.owner.query(statement)).rejects.toThrow('neither changed nor deleted')
    expect((await list({ target: 'LOG1' })).total).toBeGreaterThan(0)
  })

  test('cannot be changed in a partition either', async () => {
    const { rows } = await app.database.pool.query<{ name: string }>(
      'SELECT tableoid::regclass::text AS name FROM operation_log LIMIT 1',
    )
    await expect(app.database.owner.query(`DELETE FROM ${rows[0]?.name}`)).rejects.toThrow(
      'neither changed nor deleted',
    )
  })
})

describe('the log contains no secret,', () => {
  const marks = ['Marked-Secret-1', 'Marked-Secret-2', 'Marked-Secret-3']
  /** Names that a write might use for a secret. */
  const secrets = {
    password: marks[0],
    oldPassword: marks[0],
    newPassword: marks[1],
    confirmPassword: marks[1],
    secret: marks[2],
    token: marks[2],
    authorization: marks[2],
  }

  test.each(endpoints.filter(({ endpoint }) => endpoint.isWrite && endpoint.path !== '/user/logout'))(
    'whatever $name is given',
    async ({ endpoint }: { endpoint: Endpoint }) => {
      const user = await app.asUser({ roleIds: [1] })
      await app.call(
        endpoint,
        { id: '999999', userId: '999999', name: '试', code: 'TRY', ...secrets },
        user.token,
      )
    },
  )

  test('nor one that a write generates, and no field has such a name', async () => {
    const user = await app.asUser()
    const { data } = await app.call(renewDeviceSecret, { id: device.id }, admin)
    await app.call(
      changePassword,
      { oldPassword: user.password, newPassword: marks[1] as string },
      user.token,
    )
    const { rows } = await app.database.pool.query<{ text: string; changes: object | null }>(
      'SELECT o::text AS text, changes FROM operation_log o',
    )
    expect(rows.length).toBeGreaterThan(20)
    for (const { text, changes } of rows) {
      for (const secret of [...marks, device.secret, data.secret, user.password, user.token]) {
        expect(text).not.toContain(secret)
      }
      expect(keysOf(changes).filter((key) => /password|secret|token|hash|credential/i.test(key))).toEqual([])
    }
  })
})

function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) =>
    typeof one === 'boolean' ? [] : [key, ...keysOf(one)],
  )
}

describe('reads in the operation log:', () => {
  const entriesOf = async (userId: number) =>
    app.db
      .selectFrom('operation_log')
      .select(['call', 'target', 'result_code'])
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute()

  test('an export is recorded with its filters', async () => {
    const { id, token } = await app.asUser({ functionCodes: ['equip:export'] })
    const answer = await app.request(`/api${exportDevices.path}?address=${encodeURIComponent('科技路')}`, {
      headers: { authorization: token },
    })
    expect(answer.status).toBe(200)
    expect(await entriesOf(id)).toContainEqual({
      call: exportDevices.path,
      target: '条件：地址 科技路',
      result_code: 200,
    })
  })

  test('codes of devices that a call is about are recorded by their number, whatever the call', async () => {
    const operatorId = await insertOperator(app.db)
    const modelId = await insertModel(app.db)
    const codes = ['LOGSECRET1', 'LOGSECRET2', 'LOGSECRET3']
    for (const code of codes) await insertDeviceRow(app.db, { code, operatorId, modelId })
    const { id, token } = await app.asUser({
      functionCodes: ['equip:export', 'equip:list', 'ad:create', 'batchSet:insert', 'alarm:recover'],
    })
    const { annexUrl } = await uploadAnnex(app, token)
    const period = { adStartTime: '2026-01-01', adEndTime: '2099-12-31' }
    const done = [
      await app.call(
        createAdvertisement,
        { adName: '春节', annexUrl, fileMame: '春节.png', ...period, cabinets: { codes } },
        token,
      ),
      await app.call(
        insertParameterBatch,
        {
          paramSetRule: { upgradeCount: 1, interval: 3 },
          entitys: [{ id: '02121005', value: '80' }],
          queryParam: { codes },
        },
        token,
      ),
      await app.call(
        insertSavedFilter,
        { list: listDevices.path, name: '这几台', values: { code: codes.join('\n') }, isShared: 1 },
        token,
      ),
    ]
    expect(done.map(({ code }) => code)).toEqual([200, 200, 200])
    const exported = await app.request(`/api${exportDevices.path}?code=${codes.join(',')}`, {
      headers: { authorization: token },
    })
    expect(exported.status).toBe(200)
    const refused = await app.call(recoverAlarms, { code: codes.join('；'), count: 0 } as never, token)
    expect(refused.code).toBe(400)
    const { rows } = await sql<{ entry: string }>`
      SELECT call || coalesce(target, '') || coalesce(changes::text, '') || coalesce(result_message, '') AS entry
      FROM operation_log WHERE user_id = ${id}`.execute(app.db)
    const entries = rows.map(({ entry }) => entry)
    expect(entries.filter((entry) => entry.includes('LOGSECRET'))).toEqual([])
    for (const call of [createAdvertisement, insertParameterBatch]) {
      expect(entries.find((entry) => entry.startsWith(call.path))).toContain('"count": 3')
    }
    for (const call of [insertSavedFilter, exportDevices, recoverAlarms]) {
      expect(entries.find((entry) => entry.startsWith(call.path))).toMatch(/设备编号 3 个|"codes": "3 个"/)
    }
  })

  test('a refused one is recorded once in a quarter of an hour', async () => {
    const { id, token } = await app.asUser({ functionCodes: ['equip:export'] })
    for (let n = 0; n < 5; n += 1) expect((await app.call(listOperations, {}, token)).code).toBe(403)
    const refused = (await entriesOf(id)).filter(({ result_code: code }) => code === 403)
    expect(refused).toEqual([{ call: listOperations.path, target: null, result_code: 403 }])
  })
})
