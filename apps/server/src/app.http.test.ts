import {
  type Endpoint,
  functionCodesOf,
  listDevices,
  listSessions,
  recoverAlarm,
  UpgradeRule,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { makeKey, ofOperators } from '../test/api-keys.ts'
import { appOfTests } from '../test/app.ts'
import { endpoints } from '../test/endpoints.ts'
import {
  insertBatteries,
  insertDevice,
  insertLogExtraction,
  insertModel,
  insertOperator,
  insertOrganization,
  insertRegion,
  insertRemoteAction,
  insertRole,
} from '../test/factories.ts'
import { bytesOfTask, equipTypeOf, insertBoard, insertPackage } from '../test/packages.ts'
import { references, scopes } from '../test/proofs.ts'
import type { Belongings } from '../test/references.ts'
import { rowsOfSheet } from '../test/sheets.ts'

const calls = endpoints.flatMap(({ name, endpoint }) =>
  endpoint.methods.map((method) => ({ name, method, endpoint })),
)
const isFunction = (endpoint: Endpoint) =>
  endpoint.access === 'system' || functionCodesOf(endpoint).length > 0
const everyFunction = [...new Set(endpoints.flatMap(({ endpoint }) => functionCodesOf(endpoint)))]

const app = await appOfTests()

const callPlainly = (method: string, endpoint: Endpoint, token?: string, input = {}) =>
  app.request(`/api${endpoint.path.replace(/:\w+/g, '1')}?${new URLSearchParams(input)}`, {
    method,
    headers: token ? { authorization: token } : {},
  })

describe('of every call of the contract,', () => {
  test.each(calls.filter(({ endpoint }) => endpoint.access !== 'public'))(
    '$name by $method asks for a token before anything else',
    async ({ method, endpoint }) => {
      expect(await callPlainly(method, endpoint)).toMatchObject({
        status: 401,
        code: 401,
        message: '请先登录',
        data: null,
        refusal: 'notSignedIn',
      })
    },
  )

  test.each(calls.filter(({ endpoint }) => endpoint.access === 'public'))(
    '$name by $method is open to anyone',
    async ({ method, endpoint }) => {
      const { code, message } = await callPlainly(method, endpoint)
      expect(code).not.toBe(401)
      expect(message).not.toBe('接口不存在')
    },
  )
})

describe('a user without the function code', () => {
  let token: string
  beforeAll(async () => {
    token = (await app.asUser({ functionCodes: ['some:thing'] })).token
  })

  test.each(calls.filter(({ endpoint }) => isFunction(endpoint)))(
    'may not call $name by $method',
    async ({ method, endpoint }) => {
      expect(await callPlainly(method, endpoint, token)).toMatchObject({
        status: 403,
        code: 403,
        message: '没有操作权限',
      })
    },
  )

  test('has refused writes recorded in the operation log', async () => {
    await app.call(recoverAlarm, { id: '1', note: '试一下' }, token)
    const row = await app.db
      .selectFrom('operation_log')
      .select(['call', 'result_code as code', 'result_message as message'])
      .where('call', '=', '/alarm/recover/:id')
      .orderBy('id', 'desc')
      .executeTakeFirst()
    expect(row).toEqual({ call: '/alarm/recover/:id', code: 403, message: '没有操作权限' })
  })
})

describe('a user whose organization has no devices', () => {
  let token: string
  beforeAll(async () => {
    await insertDevice(app.db)
    const organizationId = await insertOrganization(app.db)
    token = (await app.asUser({ organizationId, functionCodes: everyFunction })).token
  })

  test.each(
    calls.filter(({ name, endpoint }) => endpoint.reply.kind === 'page' && !scopes[name]?.isFoundAnyway),
  )('finds nothing in $name by $method', async ({ name, method, endpoint }) => {
    const answer = await callPlainly(method, endpoint, token, scopes[name]?.asked)
    expect(answer).toMatchObject({ code: 200, data: [], total: 0 })
  })

  test('while SYSTEM finds a device', async () => {
    expect((await app.call(listDevices, {}, await app.asAdmin())).total).toBe(1)
  })
})

describe('what belongs to another organization', () => {
  let count = 0
  let roleId: number
  let modelId: number
  let packageId: number
  let own: Belongings
  let token: string
  /** A user of the same organization who is limited to a region. */
  let limitedToken: string
  /** API keys of an administrator, of that organization and the own operator; the other one also of the region. */
  let key: string
  let limitedKey: string
  let admin: string
  /** For calls that change nothing of it; what changes something gets its own. */
  let shared: Belongings & { token: string }
  /** Another organization beside it. */
  let elsewhere: Belongings

  /** Creates an organization with one object of each kind; all their names contain the mark. */
  async function insertBelongings(mark: string): Promise<Belongings & { token: string }> {
    const { db } = app
    const name = `${mark}${++count}`
    const organizationId = await insertOrganization(db, { name })
    const operatorId = await insertOperator(db, { organizationId, name })
    const regionCode = `RC${1000 + count}`
    const regionId = await insertRegion(db, { code: regionCode })
    const device = await insertDevice(db, { code: name, operatorId, modelId, regionId })
    const person = await app.asUser({
      loginName: name,
      organizationId,
      roleIds: [roleId],
      phone: '13900139000',
    })
    const alarmId = `${900_000 + count}`
    const place = { device_id: device.id, operator_id: operatorId, model_id: modelId, region_id: regionId }
    const row = { ...place, semaphore_code: 'T0001', value: '1', occurred_at: new Date() }
    await db
      .insertInto('alarm_history')
      .values({ ...row, id: alarmId, first_value: '1' })
      .execute()
    await db
      .insertInto('alarm_state')
      .values({ ...row, episode_id: alarmId, is_active: true, reported_at: new Date() })
      .execute()
    await db
      .insertInto('event_history')
      .values({ ...row, id: alarmId, is_fault: false })
      .execute()
    await sql`
      INSERT INTO history_delta
      SELECT source, current_date, ${operatorId}::int, ${modelId}::int, ${regionId}::int, 'T0001', 1
      FROM generate_series(1, 2) AS source`.execute(db)
    await db
      .insertInto('device_version')
      .values({
        device_id: device.id,
        part_type: 'PART_TYPE_EC_BIN',
        addr_id: '1',
        version: '1.0',
        pcb_code: 'PCB-1',
        reported_at: new Date(),
      })
      .execute()
    await db
      .insertInto('intake_refusal')
      .values({ device_code: name, device_id: device.id, reason: 'badPayload' })
      .execute()
    await db
      .insertInto('operation_log')
      .values({
        user_id: person.id,
        login_name: name,
        address: '127.0.0.1',
        request_id: name,
        call: '/equip/insert',
        summary: '新增设备',
        result_code: 200,
      })
      .execute()
    const [batteryCode = ''] = await insertBatteries(db, [device.id])
    const sessions = await app.call(listSessions, { name }, admin)
    const work = await insertWork({ id: device.id, organizationId, userId: person.id, mark })
    return {
      ...work,
      organizationId: String(organizationId),
      operatorId: String(operatorId),
      deviceId: String(device.id),
      deviceCode: device.code,
      batteryCode,
      regionCode,
      alarmId,
      eventId: alarmId,
      userId: String(person.id),
      loginName: name,
      sessionId: sessions.data[0]?.id ?? '',
      roleId: String(roleId),
      modelId: String(modelId),
      token: person.token,
    }
  }

  /** Creates finished work for the device: a task, a batch and an advertisement of the organization, and a log. */
  async function insertWork(of: { id: number; organizationId: number; userId: number; mark: string }) {
    const { db } = app
    const by = {
      created_by: of.userId,
      created_by_name: of.mark,
      organization_id: of.organizationId,
    }
    const chosen = JSON.stringify({ isAll: 1 })
    const task = await db
      .insertInto('upgrade_task')
      .values({
        ...by,
        type: 'SCHEDULE',
        state: 'finished',
        upgrade_at: new Date(),
        started_at: new Date(),
        finished_at: new Date(),
        rule: JSON.stringify(z.parse(UpgradeRule, {})),
        devices: chosen,
        equip_type_id: await equipTypeOf(db, modelId),
        next_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await sql`
      INSERT INTO upgrade_task_package SELECT ${task.id}::int, 1, ${bytesOfTask}
      FROM software_package k WHERE k.id = ${packageId}`.execute(db)
    const target = await db
      .insertInto('upgrade_target')
      .values({
        task_id: task.id,
        device_id: of.id,
        part_type: 'PART_TYPE_EC_BIN',
        package_id: packageId,
        position: 1,
        stage: 1,
        rank: 1,
        state: 'failed',
        reason: of.mark,
        from_versions: JSON.stringify({ '1': '0.9' }),
        started_at: new Date(),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    for (const target_id of [null, target.id])
      await db
        .insertInto('upgrade_transition')
        .values({ task_id: task.id, target_id, to_state: 'failed', cause: of.mark })
        .execute()
    const batch = await db
      .insertInto('parameter_batch')
      .values({
        ...by,
        code: `CS${of.mark}${of.id}`,
        kind: 'set',
        state: 'finished',
        wanted: JSON.stringify({ '02121005': '80' }),
        devices: chosen,
        max_attempts: 1,
        interval_minutes: 3,
        ends_at: new Date(),
        next_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('parameter_target')
      .values({
        batch_id: batch.id,
        device_id: of.id,
        state: 'failed',
        reason: of.mark,
        former: JSON.stringify({ '02121005': '95' }),
      })
      .execute()
    const { fileId } = await insertPackage(db)
    const ad = await db
      .insertInto('advertisement')
      .values({
        ...by,
        name: of.mark,
        file_id: fileId,
        file_name: 'ad.png',
        starts_at: new Date(Date.now() - 7_200_000),
        ends_at: new Date(Date.now() - 3_600_000),
        cabinets: chosen,
        next_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('advertisement_delivery')
      .values({
        advertisement_id: ad.id,
        device_id: of.id,
        state: 'failed',
        reason: of.mark,
        next_at: null,
      })
      .execute()
    return {
      taskId: String(task.id),
      targetId: String(target.id),
      batchId: String(batch.id),
      adId: String(ad.id),
      extractionId: await insertLogExtraction(db, { deviceId: of.id, userId: of.userId }),
      actionId: await insertRemoteAction(db, { deviceId: of.id, userId: of.userId }),
      packageId: String(packageId),
    }
  }

  /** Ids that do not exist. */
  const nobodys = (): Belongings => ({
    organizationId: '99999999',
    operatorId: '99999999',
    deviceId: '99999999',
    deviceCode: 'NOBODYS',
    batteryCode: 'NOBODYS',
    regionCode: 'NOBODYS',
    alarmId: '99999999',
    eventId: '99999999',
    userId: '99999999',
    loginName: 'nobody',
    sessionId: 'nobodys',
    taskId: '99999999',
    targetId: '99999999',
    batchId: '99999999',
    adId: '99999999',
    extractionId: '99999999',
    actionId: '99999999',
    roleId: String(roleId),
    modelId: String(modelId),
    packageId: String(packageId),
  })

  beforeAll(async () => {
    admin = await app.asAdmin()
    roleId = await insertRole(app.db, { functionCodes: everyFunction })
    modelId = await insertModel(app.db)
    const board = await insertBoard(app.db, {
      code: 'PCB-1',
      partType: 'PART_TYPE_EC_BIN',
      equipTypeId: await equipTypeOf(app.db, modelId),
    })
    packageId = (await insertPackage(app.db, { board, version: '1.0' })).id
    // Every device of these tests is behind it, so that a list of such devices has a row to tell or to keep.
    await insertPackage(app.db, { board, version: '1.1' })
    own = await insertBelongings('OWN')
    shared = await insertBelongings('THEIRS')
    elsewhere = await insertBelongings('ELSEWHERE')
    const me = { organizationId: Number(own.organizationId), functionCodes: everyFunction }
    token = (await app.asUser(me)).token
    limitedToken = (await app.asUser({ ...me, authorities: [['R', own.regionCode]] })).token
    const organizationId = own.organizationId
    const { authorityEntities } = ofOperators(own.operatorId)
    const region = { authorityType: 'R', value: [own.regionCode] }
    key = (await makeKey(app, admin, { organizationId, authorityEntities })).secret
    limitedKey = (
      await makeKey(app, admin, { organizationId, authorityEntities: [...authorityEntities, region] })
    ).secret
  })

  /** Status and body; of a sheet its rows. */
  async function answerOf(endpoint: Endpoint, input: Record<string, unknown>, of: string) {
    if (endpoint.reply.kind !== 'file') {
      const { status, code, message, data, total } = await app.call(endpoint, input, of)
      return { status, code, message, data, total }
    }
    const path = `${app.url}/api${endpoint.path.replace(/:(\w+)/g, (_, name) => String(input[name]))}`
    const response = endpoint.methods.includes('GET')
      ? await fetch(`${path}?${new URLSearchParams(input as Record<string, string>)}`, {
          headers: { authorization: of },
        })
      : await fetch(path, {
          method: 'POST',
          body: JSON.stringify(input),
          headers: { authorization: of, 'content-type': 'application/json' },
        })
    if (response.headers.get('content-type')?.startsWith('application/json')) return await response.json()
    const rows = await rowsOfSheet(response)
    return { status: response.status, rows }
  }
  const told = (answer: object, named: Belongings) =>
    JSON.stringify(answer)
      .replaceAll(named.deviceCode, '<code>')
      .replaceAll(named.regionCode, '<region>')
      // What was asked for by its id, and answered to be nothing that there is.
      .replaceAll(`"id":"${named.alarmId}","reason"`, '"id":"<alarm>","reason"')
      // A report says up to which second it is.
      .replace(/"days":[\d.]+/, '"days":"<so far>"')
      .replace(/"standingBefore":"[^"]*"/, '"standingBefore":"<time>"')

  /** An input with each field of the call that names something by its id, as far as names of fields tell. */
  function namedIn({ input }: Endpoint, of: Belongings): Record<string, unknown> {
    const schema = z.toJSONSchema(input as z.ZodMiniType, { io: 'output', unrepresentable: 'any' })
    // By ids alone: an answer may repeat the words that were asked for, and the cases above have these.
    const { deviceCode: _, batteryCode: __, loginName: ___, regionCode: ____, ...byId } = of
    const known: Record<string, unknown> = {
      ...byId,
      id: of.deviceId,
      ids: [of.deviceId],
      equipId: of.deviceId,
      organId: of.organizationId,
    }
    return Object.fromEntries(
      Object.keys(schema.properties ?? {}).flatMap((field) =>
        field in known ? [[field, known[field]]] : [],
      ),
    )
  }

  /** All rows of the belongings in the database. */
  async function rowsOf(of: Belongings): Promise<unknown> {
    const { rows } = await sql<{ all: unknown }>`
      SELECT jsonb_build_array(
        (SELECT to_jsonb(o) FROM organization o WHERE id = ${of.organizationId}::int),
        (SELECT to_jsonb(p) FROM operator p WHERE id = ${of.operatorId}::int),
        (SELECT to_jsonb(d) FROM device d WHERE id = ${of.deviceId}::int),
        (SELECT to_jsonb(b) FROM battery b WHERE code = ${of.batteryCode}),
        (SELECT to_jsonb(r) FROM region r WHERE code = ${of.regionCode}),
        (SELECT to_jsonb(a) FROM alarm_state a WHERE device_id = ${of.deviceId}::int),
        (SELECT to_jsonb(u) FROM app_user u WHERE id = ${of.userId}::int),
        (SELECT jsonb_agg(a) FROM user_authority a WHERE user_id = ${of.userId}::int),
        (SELECT jsonb_agg(s.ended_at) FROM user_session s WHERE user_id = ${of.userId}::int),
        (SELECT to_jsonb(u) FROM upgrade_task u WHERE id = ${of.taskId}::int),
        (SELECT jsonb_agg(t ORDER BY t.id) FROM upgrade_target t WHERE device_id = ${of.deviceId}::int),
        (SELECT to_jsonb(b) FROM parameter_batch b WHERE id = ${of.batchId}::int),
        (SELECT jsonb_agg(t ORDER BY t.id) FROM parameter_target t WHERE device_id = ${of.deviceId}::int),
        (SELECT to_jsonb(a) FROM advertisement a WHERE id = ${of.adId}::int),
        (SELECT jsonb_agg(d ORDER BY d.id) FROM advertisement_delivery d WHERE device_id = ${of.deviceId}::int),
        (SELECT jsonb_agg(x ORDER BY x.id) FROM log_extraction x WHERE device_id = ${of.deviceId}::int),
        (SELECT jsonb_agg(c ORDER BY c.id) FROM device_command c WHERE device_id = ${of.deviceId}::int)
      ) AS all`.execute(app.db)
    return rows[0]?.all
  }

  test('has a case for every endpoint of the contract', () => {
    expect(Object.keys(references).sort()).toEqual(endpoints.map(({ name }) => name).sort())
  })

  const cases = endpoints.flatMap(({ name, endpoint }) => {
    const named = references[name]
    return Array.isArray(named)
      ? named.map((reference) => ({ name, to: reference.to, endpoint, reference }))
      : []
  })

  test.each(cases)('is treated by $name as if it did not exist: $to', async ({ endpoint, reference }) => {
    const theirs = endpoint.isWrite ? await insertBelongings('THEIRS') : shared
    const before = await rowsOf(theirs)
    const me = reference.isByRegion ? limitedToken : token
    const ask = async (named: Belongings, of: string) =>
      told(await answerOf(endpoint, reference.input(named, own), of), named)
    const answer = await ask(theirs, me)
    expect(answer).toBe(await ask(nobodys(), me))
    expect(answer).not.toContain('"status":500')
    expect(await rowsOf(theirs)).toEqual(before)
    // The case is meaningful only if a permitted user gets another answer.
    const forSystem = [await ask(theirs, admin), await ask(nobodys(), admin)]
    expect(forSystem[0]).not.toBe(forSystem[1])
  })

  test.each(cases)(
    'is treated by $name as if it did not exist when an API key names it: $to',
    async ({ endpoint, reference }) => {
      const theirs = shared
      const before = await rowsOf(theirs)
      const me = reference.isByRegion ? limitedKey : key
      const ask = async (named: Belongings) =>
        told(await answerOf(endpoint, reference.input(named, own), me), named)
      const answer = await ask(theirs)
      expect(answer).toBe(await ask(nobodys()))
      expect(answer).not.toContain('"status":500')
      expect(await rowsOf(theirs)).toEqual(before)
    },
  )

  describe('of a colleague,', () => {
    let secret: string
    beforeAll(async () => {
      const operatorId = await insertOperator(app.db, { organizationId: Number(shared.organizationId) })
      ;({ secret } = await makeKey(app, shared.token, ofOperators(operatorId)))
    })

    test.each(cases.filter(({ reference }) => reference.isOfDevice))(
      'is treated by $name in the same way for the key that is for another operator: $to',
      async ({ endpoint, reference }) => {
        const theirs = shared
        const before = await rowsOf(theirs)
        const ask = async (named: Belongings) =>
          told(await answerOf(endpoint, reference.input(named, elsewhere), secret), named)
        const answer = await ask(theirs)
        expect(answer).toBe(await ask(nobodys()))
        expect(answer).not.toContain('"status":500')
        expect(await rowsOf(theirs)).toEqual(before)
      },
    )
  })

  test.each(cases.filter(({ reference }) => reference.isOfDevice))(
    'is treated by $name in the same way for a colleague whose data permissions exclude it: $to',
    async ({ endpoint, reference }) => {
      const theirs = endpoint.isWrite ? await insertBelongings('THEIRS') : shared
      const { token: narrow } = await app.asUser({
        organizationId: Number(theirs.organizationId),
        roleIds: [roleId],
        authorities: [['R', elsewhere.regionCode]],
      })
      const before = await rowsOf(theirs)
      const ask = async (named: Belongings, of: string) =>
        told(await answerOf(endpoint, reference.input(named, elsewhere), of), named)
      const answer = await ask(theirs, narrow)
      expect(answer).toBe(await ask(nobodys(), narrow))
      expect(answer).not.toContain('"status":500')
      expect(await rowsOf(theirs)).toEqual(before)
      expect(await ask(theirs, theirs.token)).not.toBe(await ask(nobodys(), theirs.token))
    },
  )

  describe('and is not named in the input', () => {
    const isRead = ({ isWrite, reply, path, access }: Endpoint) =>
      !isWrite && reply.kind !== 'stream' && !path.includes(':') && access !== 'system'
    beforeAll(() => insertBelongings('STRANGER'))

    test.each(endpoints.filter(({ endpoint }) => isRead(endpoint)))(
      'is in no answer of $name',
      async ({ endpoint }) => {
        const answer = JSON.stringify(await answerOf(endpoint, {}, token))
        expect(answer.includes('STRANGER')).toBe(false)
      },
    )

    test('is in no answer to an API key, of any call of the OpenAPI document by any verb', async () => {
      const { paths } = (await (await fetch(`${app.url}/api/openapi.json`)).json()) as {
        paths: Record<string, Record<string, { operationId: string }>>
      }
      const stranger = await insertBelongings('STRANGER')
      const { db } = app
      const codes: Record<number, number> = {}
      const shown: string[] = []
      for (const [path, verbs] of Object.entries(paths))
        for (const method of Object.keys(verbs)) {
          const of = endpoints.find(
            ({ endpoint }) => `/api${endpoint.path.replace(/:(\w+)/g, '{$1}')}` === path,
          )
          if (of === undefined || of.endpoint.reply.kind === 'stream') continue
          // Named by every field that its input has for one of them, and by none.
          for (const input of [{}, namedIn(of.endpoint, stranger)]) {
            const fields = { ...input } as Record<string, string>
            const address = path.replace(/\{(\w+)\}/g, (_, name: string) => fields[name] ?? stranger.deviceId)
            const isBody = method === 'post'
            const response = await fetch(
              `${app.url}${address}${isBody ? '' : `?${new URLSearchParams(fields)}`}`,
              {
                method: method.toUpperCase(),
                headers: {
                  authorization: `Bearer ${key}`,
                  ...(isBody && { 'content-type': 'application/json' }),
                },
                ...(isBody && { body: JSON.stringify(fields) }),
              },
            )
            codes[response.status] = (codes[response.status] ?? 0) + 1
            const isSheet = response.headers.get('content-type')?.includes('spreadsheet')
            const text = isSheet
              ? JSON.stringify(await rowsOfSheet(response))
              : await response.text().catch(() => '')
            if (text.includes('STRANGER')) shown.push(`${method} ${path} ${text}`)
            if (response.status >= 500) shown.push(`${method} ${path} ${response.status} ${text}`)
          }
        }
      expect(shown).toEqual([])
      // Most calls were made, and the key is still one.
      expect(codes[200]).toBeGreaterThan(100)
      expect(codes[401] ?? 0).toBe(0)
      const left = await db
        .selectFrom('device')
        .select('code')
        .where('id', '=', Number(stranger.deviceId))
        .execute()
      expect(left).toEqual([{ code: stranger.deviceCode }])
    }, 120_000)
  })
})
