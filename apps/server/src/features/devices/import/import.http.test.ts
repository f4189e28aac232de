import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type ImportReport,
  importColumns,
  importRowLimit,
  listModels,
  listTasks,
  updateModel,
  updateUser,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../../test/app.ts'
import {
  insertDevice,
  insertModel,
  insertOperator,
  insertOrganization,
  insertRegion,
} from '../../../../test/factories.ts'
import { type ReadRow, workbook } from '../../../platform/files/sheets/spreadsheet.ts'
import { readSpreadsheet } from '../../../platform/files/sheets/spreadsheet-reader.ts'
import { hashSecret } from '../device-secrets.ts'

const titles = Object.values(importColumns)
const directory = mkdtempSync(join(tmpdir(), 'voltkeep-import-'))
let app: TestApp
let admin: string
let place: { operator: string; model: string; region: string }

beforeAll(async () => {
  app = await createTestApp()
  admin = await app.asAdmin()
  place = await insertPlace()
})
afterAll(async () => {
  await app.close()
  rmSync(directory, { recursive: true })
})

/** Codes of an operator, a model and a region to import to. */
async function insertPlace({ organizationId = 1 } = {}) {
  const { db } = app
  const operatorId = await insertOperator(db, { organizationId })
  const modelId = await insertModel(db)
  const regionId = await insertRegion(db)
  const codeOf = async (table: 'operator' | 'equip_model' | 'region', id: number) =>
    (await db.selectFrom(table).select('code').where('id', '=', id).executeTakeFirstOrThrow()).code
  return {
    operatorId,
    operator: await codeOf('operator', operatorId),
    model: await codeOf('equip_model', modelId),
    region: await codeOf('region', regionId),
  }
}

type Row = Record<string, string | number>
async function sheet(rows: readonly Row[], columns: readonly string[] = titles): Promise<Blob> {
  const body = workbook([
    {
      name: '设备',
      columns: columns.map((title) => ({ title, width: 10, cell: (row: Row) => row[title] ?? null })),
      batches: () => [rows],
    },
  ])
  const chunks: BlobPart[] = []
  for await (const chunk of body) chunks.push(chunk as Uint8Array<ArrayBuffer>)
  return new Blob(chunks)
}

const rowOf = (code: string, others: Row = {}): Row => ({
  设备编号: code,
  运营商: place.operator,
  设备型号: place.model,
  地区: place.region,
  ...others,
})

async function send(
  file: Blob | null,
  { dryRun, token = admin, name = '设备.xlsx' }: { dryRun?: boolean; token?: string; name?: string } = {},
) {
  const form = new FormData()
  // Fields may follow the file.
  if (file) form.append('file', file, name)
  if (dryRun !== undefined) form.append('dryRun', String(dryRun))
  const response = await fetch(`${app.url}/api/equip/import`, {
    method: 'POST',
    headers: { authorization: token },
    body: form,
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.includes('json')
  const answer = isJson
    ? (JSON.parse(bytes.toString()) as { code: number; message: string; data: unknown })
    : null
  return {
    status: response.status,
    headers: response.headers,
    answer,
    bytes,
    /** The report of a successful dry run. */
    report: answer?.data as ImportReport,
  }
}

async function rowsIn(bytes: Buffer): Promise<ReadRow[]> {
  const path = join(directory, 'answer.xlsx')
  writeFileSync(path, bytes)
  const rows: ReadRow[] = []
  for await (const row of readSpreadsheet(path)) rows.push(row)
  return rows
}

const countDevices = async () => (await app.database.pool.query('SELECT FROM device')).rowCount

test('whose operator is deleted meanwhile is refused as a whole, and not as an internal error', async () => {
  const { operatorId, ...others } = await insertPlace()
  const client = await app.database.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('DELETE FROM operator WHERE id = $1', [operatorId])
    const row = rowOf('LATE1', { 运营商: others.operator, 设备型号: others.model, 地区: others.region })
    const waiting = send(await sheet([row]))
    await new Promise((resolve) => setTimeout(resolve, 500))
    await client.query('COMMIT')
    // Refused by the row check if the deletion was faster.
    expect([400, 409]).toContain((await waiting).status)
  } finally {
    client.release()
  }
})

test('whose model is to go to another type meanwhile puts no device where its user does not see it', async () => {
  const own = await insertPlace()
  const models = (await app.call(listModels, {}, admin)).data
  const model = models.find(({ code }) => code === own.model)
  if (!model) throw new Error('it has just been made')
  const otherId = await insertModel(app.db)
  const other = (await app.call(listModels, {}, admin)).data.find(({ id }) => id === String(otherId))
  const { token } = await app.asUser({
    functionCodes: ['equip:import'],
    authorities: [['ET', model.equipTypeId]],
  })
  // Other databases of the cluster have locks of their own.
  const waits = async () =>
    (
      await sql`SELECT FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
        WHERE NOT l.granted AND a.datname = current_database()`.execute(app.db)
    ).rows.length
  const taken = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  // The import waits for somebody who takes one of its codes and gives it back: it writes later than it checks.
  const holding = app.db.transaction().execute(async (trx) => {
    await insertDevice(trx, { code: 'HELD1' })
    taken.resolve()
    await release.promise
    throw new Error('given back')
  })
  await taken.promise
  const row = rowOf('HELD1', { 运营商: own.operator, 设备型号: own.model, 地区: own.region })
  const importing = send(await sheet([row]), { token })
  await expect.poll(waits).toBe(1)
  let isAnswered = false
  const moving = app
    .call(updateModel, { ...model, equipTypeId: other?.equipTypeId ?? '' }, admin)
    .finally(() => {
      isAnswered = true
    })
  await expect.poll(async () => isAnswered || (await waits()) === 2).toBe(true)
  release.resolve()
  await expect(holding).rejects.toThrow('given back')
  expect((await importing).status).toBe(200)
  expect(await moving).toMatchObject({ status: 409, refusal: 'modelHasDevices' })
})

test('whose user is disabled while the file comes in writes nothing', async () => {
  const user = await app.asUser({ functionCodes: ['equip:import'] })
  const text = `设备编号,运营商,设备型号,地区\nSLOW1,${place.operator},${place.model},${place.region}\n`
  const head = `--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n`
  const [begun, rest] = [Buffer.from(head + text.slice(0, 20)), Buffer.from(`${text.slice(20)}\r\n--x--\r\n`)]
  const sending = request(`${app.url}/api/equip/import`, {
    method: 'POST',
    headers: {
      authorization: user.token,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': begun.length + rest.length,
    },
  })
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  sending.write(begun)
  await expect.poll(() => readdirSync(join(app.config.dataDir, 'incoming')).length).toBe(1)
  expect(await app.call(updateUser, { id: String(user.id), isEnabled: 0 }, admin)).toMatchObject({
    code: 200,
  })
  sending.end(rest)
  const [response] = await answered
  response.resume()
  expect(response.statusCode).toBe(401)
  const { rows } = await sql`SELECT FROM device WHERE code = 'SLOW1'`.execute(app.db)
  expect(rows).toEqual([])
})

test('characters that text cannot contain are a problem of their cell', async () => {
  const rows = [rowOf('A\ufffd1'), rowOf('A2', { 设备名称: '\ufffd' }), rowOf('A3', { 运营商: '\ufffd' })]
  const { report } = await send(await sheet(rows), { dryRun: true })
  expect(report.problems.map(({ row, column, message }) => [row, column, message])).toEqual([
    [2, '设备编号', '包含无效字符'],
    [3, '设备名称', '包含无效字符'],
    [4, '运营商', '运营商“\ufffd”不存在'],
  ])
})

describe('a dry run', () => {
  test('lists every problem by row and column, and writes nothing', async () => {
    const before = await countDevices()
    const file = await sheet([
      rowOf('DRY1'),
      rowOf('DRY2', { 运营商: '没有这家', 业务状态: '随便' }),
      {},
      rowOf('DRY1'),
      rowOf('坏编号'),
    ])
    const { status, report } = await send(file, { dryRun: true })
    expect(status).toBe(200)
    expect(report).toMatchObject({ fileName: '设备.xlsx', rowCount: 4, validCount: 1 })
    expect(report.problems).toEqual([
      { row: 3, column: '运营商', value: '没有这家', message: '运营商“没有这家”不存在' },
      { row: 3, column: '业务状态', value: '随便', message: '业务状态只能是已激活、未交付、调试中' },
      { row: 5, column: '设备编号', value: 'DRY1', message: '与第 2 行的设备编号重复' },
      { row: 6, column: '设备编号', value: '坏编号', message: '设备编号只能是 1 到 32 位字母或数字' },
    ])
    expect(await countDevices()).toBe(before)
  })

  test('knows what devices call themselves: a code like that would be taken for the other device', async () => {
    await insertDevice(app.db, { code: 'CALLED1' })
    await sql`UPDATE device SET protocol_identity = 'CALLEDSO' WHERE code = 'CALLED1'`.execute(app.db)
    const row = { row: 2, column: '设备编号', value: 'CALLEDSO', message: '设备编号已存在' }
    const { report } = await send(await sheet([rowOf('CALLEDSO')]), { dryRun: true })
    expect(report.problems).toEqual([row])
    expect((await send(await sheet([rowOf('CALLEDSO')]))).status).toBe(400)
  })

  test('knows the codes of all devices', async () => {
    expect((await send(await sheet([rowOf('TAKEN1')]))).status).toBe(200)
    const { report } = await send(await sheet([rowOf('TAKEN1')]), { dryRun: true })
    expect(report.problems).toEqual([
      { row: 2, column: '设备编号', value: 'TAKEN1', message: '设备编号已存在' },
    ])
  })
})

describe('an import', () => {
  // proves: call POST /equip/import
  test('writes all rows and returns a sheet with their secrets, which are valid', async () => {
    const { status, headers, bytes } = await send(
      await sheet([rowOf('OK1', { 设备名称: '=cmd()', 业务状态: '已激活' }), rowOf('OK2'), rowOf('7001001')]),
      { dryRun: false },
    )
    expect(status).toBe(200)
    expect(decodeURIComponent(headers.get('content-disposition') ?? '')).toMatch(/设备导入结果_\d{14}\.xlsx/)
    const [head, ...made] = await rowsIn(bytes)
    expect(head?.cells.slice(0, 3)).toEqual(['行号', '设备编号', '密钥'])
    expect(made.map(({ cells }) => cells[1])).toEqual(['OK1', 'OK2', '7001001'])
    for (const { cells } of made) {
      const [, code = '', secret = ''] = cells
      const row = await app.db
        .selectFrom('device')
        .innerJoin('device_state', 'device_id', 'id')
        .select(['secret_hash', 'business_status'])
        .where('code', '=', code)
        .executeTakeFirstOrThrow()
      expect(secret.length).toBeGreaterThanOrEqual(32)
      expect(row.secret_hash.equals(hashSecret(secret))).toBe(true)
      expect(row.business_status).toBe(code === 'OK1' ? 1 : 2)
    }
  })

  test('takes devices that poll, by either name of the protocol, and MQTT where the cell is empty', async () => {
    const rows = [
      rowOf('WIRE1', { 接入协议: 'hawkBit DDI' }),
      rowOf('WIRE2', { 接入协议: 'DDI' }),
      rowOf('WIRE3'),
      rowOf('WIRE4', { 接入协议: 'MQTT' }),
    ]
    expect((await send(await sheet(rows), { dryRun: false })).status).toBe(200)
    const made = await app.db
      .selectFrom('device')
      .select(['code', 'protocol'])
      .where('code', 'like', 'WIRE%')
      .orderBy('code')
      .execute()
    expect(made.map(({ protocol }) => protocol)).toEqual(['ddi', 'ddi', 'mqtt', 'mqtt'])
    const { report } = await send(await sheet([rowOf('WIRE5', { 接入协议: 'HTTP' })]), { dryRun: true })
    expect(report.problems.map(({ column, message }) => [column, message])).toEqual([
      ['接入协议', '接入协议只能是 MQTT、hawkBit DDI、OCPP 1.6-J'],
    ])
  })

  test('is recorded in the operation log with what was added, without secrets', async () => {
    const { bytes } = await send(await sheet([rowOf('LOGGED1'), rowOf('LOGGED2')]), {
      name: '南山 一期.xlsx',
    })
    const secret = (await rowsIn(bytes))[1]?.cells[2]
    const entry = await app.db
      .selectFrom('operation_log')
      .select(['target', 'changes', 'summary'])
      .where('call', '=', '/equip/import')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    expect(entry).toEqual({
      summary: '导入设备',
      target: '设备 2 台（南山 一期.xlsx）',
      changes: { after: { fileName: '南山 一期.xlsx', count: 2 } },
    })
    expect(JSON.stringify(entry)).not.toContain(secret)
  })

  test('with one invalid row writes none, and names the problem', async () => {
    const before = await countDevices()
    const { status, answer } = await send(await sheet([rowOf('NONE1'), rowOf('NONE2', { 地区: '月球' })]))
    expect(status).toBe(400)
    expect(answer).toMatchObject({
      code: 400,
      message: '第 3 行“地区”：地区“月球”不存在',
      data: [{ row: 3, column: '地区', value: '月球', message: '第 3 行“地区”：地区“月球”不存在' }],
    })
    expect(await countDevices()).toBe(before)
  })

  test('of the same codes by two users at the same time succeeds once', async () => {
    const { token } = await app.asUser({ functionCodes: ['equip:import'] })
    const file = await sheet(Array.from({ length: 50 }, (_, n) => rowOf(`RACE${n}`)))
    const answers = await Promise.all([send(file), send(file, { token })])
    const [made, refused] = answers.sort((one, other) => one.status - other.status)
    expect(made?.status).toBe(200)
    // Refused by the row check if one was a moment earlier, else by the database.
    expect(refused?.answer?.message).toMatch(/设备编号已存在/)
    const { rowCount } = await app.database.pool.query("SELECT FROM device WHERE code LIKE 'RACE%'")
    expect(rowCount).toBe(50)
  })

  test('is limited to one per user, and a few in all', async () => {
    const users = await Promise.all([1, 2, 3].map(() => app.asUser({ functionCodes: ['equip:import'] })))
    const file = await sheet(Array.from({ length: 3_000 }, (_, n) => rowOf(`SLOT${n}`)))
    const tokens = [users[0], ...users].map((user) => user?.token ?? '')
    const answers = await Promise.all(tokens.map((token) => send(file, { token, dryRun: true })))
    const messages = answers.map(({ answer }) => answer?.message)
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
    for (const [n, { status }] of answers.entries())
      if (status !== 200) expect(messages[n]).toMatch(/^(您有一个|正在进行的)导入/)
    // Accepted again once these have ended.
    expect((await send(file, { token: tokens[0] ?? '', dryRun: true })).status).toBe(200)
  })

  test('accepts CSV as well', async () => {
    const text = `设备编号,运营商,设备型号,地区\nCSV1,${place.operator},${place.model},${place.region}\n`
    expect((await send(new Blob([text]), { name: '设备.csv' })).status).toBe(200)
  })

  test('leaves no file behind', async () => {
    await expect.poll(() => readdirSync(join(app.config.dataDir, 'incoming'))).toEqual([])
  })

  test('of ten thousand rows is one call', async () => {
    const rows = Array.from({ length: 10_000 }, (_, n) => rowOf(`MANY${n}`, { 地址: `科技路 ${n} 号` }))
    const { status, bytes } = await send(await sheet(rows))
    expect(status).toBe(200)
    expect(await rowsIn(bytes)).toHaveLength(10_001)
  })
})

describe('an import in the list of tasks', () => {
  const tasksOf = async (token: string) => (await app.call(listTasks, {}, token)).data.tasks
  const renew = async (id: string, token: string) => {
    const response = await fetch(`${app.url}/api/equip/import/secrets/${id}`, {
      method: 'POST',
      headers: { authorization: token },
    })
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
  }

  test('shows how it ended, to its user only', async () => {
    const { token } = await app.asUser({ functionCodes: ['equip:import'] })
    const { token: other } = await app.asUser({ functionCodes: ['equip:import'] })
    await send(await sheet([rowOf('TASK1'), rowOf('TASK2')]), { token, name: '一期.xlsx' })
    await send(await sheet([rowOf('TASK3', { 地区: '月球' })]), { token, name: '二期.xlsx' })
    await send(await sheet([rowOf('TASK4')]), { token, dryRun: true })
    expect(await tasksOf(token)).toMatchObject([
      {
        kind: 'deviceImport',
        subject: '二期.xlsx',
        state: 'failed',
        done: 0,
        total: 1,
        reason: '第 2 行“地区”：地区“月球”不存在',
      },
      { kind: 'deviceImport', subject: '一期.xlsx', state: 'done', done: 2, total: 2, reason: null },
    ])
    expect(await tasksOf(other)).toEqual([])
    const { token: reader } = await app.asUser({ functionCodes: ['equip:list'] })
    expect(await tasksOf(reader)).toEqual([])
  })

  test('whose process ended has written nothing, and says so', async () => {
    const { token, id } = await app.asUser({ functionCodes: ['equip:import'] })
    await app.database.pool.query(
      `INSERT INTO device_import (user_id, file_name, row_count, created_at)
       VALUES ($1, '刚开始.xlsx', 5, now()), ($1, '中断.xlsx', 5, now() - interval '6 minutes')`,
      [id],
    )
    expect((await tasksOf(token)).map(({ subject, state, reason }) => [subject, state, reason])).toEqual([
      ['刚开始.xlsx', 'running', null],
      ['中断.xlsx', 'failed', '服务中断，没有写入任何设备'],
    ])
  })

  test('gives new secrets for devices that never connected, to its user only', async () => {
    const { token } = await app.asUser({ functionCodes: ['equip:import'] })
    const { token: other } = await app.asUser({ functionCodes: ['equip:import'] })
    const first = await send(await sheet([rowOf('LOST1'), rowOf('LOST2')]), { token })
    const old = (await rowsIn(first.bytes)).slice(1).map(({ cells }) => cells[2])
    const id = (await tasksOf(token))[0]?.id ?? ''
    await app.database.pool.query(
      `UPDATE device_state SET is_online = true, online_changed_at = now()
       WHERE device_id = (SELECT id FROM device WHERE code = 'LOST1')`,
    )
    expect((await renew(id, other)).status).toBe(404)
    const renewed = await renew(id, token)
    const rows = (await rowsIn(renewed.bytes)).slice(1).map(({ cells }) => cells)
    expect(rows.map(([code]) => code)).toEqual(['LOST2'])
    const secret = rows[0]?.[1] ?? ''
    expect(old).not.toContain(secret)
    const hashOf = async (code: string) =>
      (
        await app.db
          .selectFrom('device')
          .select('secret_hash')
          .where('code', '=', code)
          .executeTakeFirstOrThrow()
      ).secret_hash
    expect((await hashOf('LOST2')).equals(hashSecret(secret))).toBe(true)
    expect((await hashOf('LOST1')).equals(hashSecret(old[0] ?? ''))).toBe(true)

    await app.database.pool.query(
      `UPDATE device_state SET is_online = true, online_changed_at = now()
       WHERE device_id = (SELECT id FROM device WHERE code = 'LOST2')`,
    )
    expect((await renew(id, token)).status).toBe(409)
    expect((await renew('999999', token)).status).toBe(404)
  })
})

describe('a user with a narrow scope', () => {
  test('cannot name objects out of scope, not even by code', async () => {
    const organizationId = await insertOrganization(app.db)
    const own = await insertPlace({ organizationId })
    const { token } = await app.asUser({ organizationId, functionCodes: ['equip:import'] })
    const { report } = await send(await sheet([rowOf('SCOPE1')]), { dryRun: true, token })
    expect(report.problems.map(({ message }) => message)).toEqual([`运营商“${place.operator}”不存在`])
    const file = await sheet([{ ...rowOf('SCOPE1'), 运营商: own.operator }])
    expect((await send(file, { token })).status).toBe(200)
  })

  test('does not learn which codes exist out of scope, except for a conflicting one, which is recorded', async () => {
    expect((await send(await sheet([rowOf('FOREIGN1'), rowOf('FOREIGN2')]))).status).toBe(200)
    const organizationId = await insertOrganization(app.db)
    const own = await insertPlace({ organizationId })
    const { token, id } = await app.asUser({ organizationId, functionCodes: ['equip:import'] })
    const named = (code: string, more = {}) => ({ ...rowOf(code), 运营商: own.operator, ...more })
    const tried = await sheet([named('FOREIGN1'), named('FREE1'), named('FOREIGN2')])
    expect((await send(tried, { dryRun: true, token })).report.problems).toEqual([])
    const entries = await app.db.selectFrom('operation_log').selectAll().where('user_id', '=', id).execute()
    expect(entries.map(({ target }) => target)).toContain('校验设备 3 台（设备.xlsx），其中 0 处有误')

    const spoilt = await sheet([named('FOREIGN1'), named('FREE1', { 业务状态: '随便' })])
    expect((await send(spoilt, { token })).answer?.message).not.toContain('已存在')
    const { status, answer } = await send(tried, { token })
    expect(status).toBe(400)
    expect(JSON.stringify(answer)).toContain('FOREIGN1')
    expect(JSON.stringify(answer)).not.toContain('FOREIGN2')
  })

  // proves: call GET /equip/import/template
  test('finds only own operators in the template', async () => {
    const organizationId = await insertOrganization(app.db)
    await insertOperator(app.db, { organizationId, name: '自家运营商' })
    const { token } = await app.asUser({ organizationId, functionCodes: ['equip:import'] })
    const response = await fetch(`${app.url}/api/equip/import/template`, {
      headers: { authorization: token },
    })
    expect(decodeURIComponent(response.headers.get('content-disposition') ?? '')).toContain(
      '设备导入模板.xlsx',
    )
    const bytes = Buffer.from(await response.arrayBuffer())
    expect((await rowsIn(bytes))[0]?.cells).toEqual(titles)
  })
})

describe('a file is refused with a message', () => {
  const many = async () => sheet(Array.from({ length: importRowLimit + 1 }, () => ({ 设备编号: 'A' })))
  test.each<[what: string, make: () => Blob | null | Promise<Blob>, status: number, message: RegExp]>([
    ['that is missing', () => null, 400, /请选择要导入的文件/],
    ['that is empty', () => new Blob([]), 400, /文件是空的|请选择/],
    ['of another kind', () => new Blob([Buffer.from('89504e470d0a1a0a00', 'hex')]), 415, /不支持的文件类型/],
    ['with other columns', () => new Blob(['a,b\n1,2']), 400, /缺少列：设备编号、运营商、设备型号、地区/],
    ['without rows', () => sheet([]), 400, /没有设备/],
    ['of too many rows', many, 400, /最多导入 20000 台/],
    ['that is too large', () => new Blob([Buffer.alloc(11 * 1024 * 1024, 'a,')]), 413, /不能超过 10 MB/],
  ])('%s', async (_, make, status, message) => {
    const { status: answered, answer } = await send(await make())
    expect(answer?.message).toMatch(message)
    expect(answered).toBe(status)
  })

  test('for any value in place of a file', async () => {
    const answer = await app.request('/api/equip/import?file=/etc/passwd', {
      method: 'POST',
      headers: { authorization: admin, 'content-type': 'application/json' },
      body: JSON.stringify({ file: { path: '/etc/passwd', fileName: 'a.csv', sizeBytes: 1 } }),
    })
    expect(answer).toMatchObject({ status: 400, message: '请选择要导入的文件' })
  })

  test('and calls without files refuse multipart forms', async () => {
    const form = new FormData()
    form.append('file', new Blob(['a']))
    const answer = await app.request('/api/equip/list', {
      method: 'POST',
      headers: { authorization: admin },
      body: form,
    })
    expect(answer).toMatchObject({ status: 415, message: '不支持的内容类型' })
  })
})
