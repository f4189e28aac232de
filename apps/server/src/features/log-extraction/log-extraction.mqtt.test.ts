import {
  cancelLogExtraction,
  downloadExtractedLog,
  extractLog,
  formatDateTime,
  type LogExtractionRow,
  listLogEntries,
  listLogExtractions,
  readExtractedLog,
  startLogExtraction,
  updateUser,
} from '@voltkeep/contract'
import type { LogOptions } from '@voltkeep/simulator/commands/logs'
import { inTurn, type LogTroubleName } from '@voltkeep/simulator/commands/trouble'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { createTestBucket } from '../../../test/bucket.ts'
import { insertDevice, insertModel } from '../../../test/factories.ts'

let app: TestApp
let token: string
let modelId: number
const running: VirtualDevice[] = []

const openApp = async (environment: NodeJS.ProcessEnv = {}) => {
  app = await createTestApp({ LOG_FILE_LIMIT_MB: '1', ...environment })
  token = await app.asAdmin()
  modelId = await insertModel(app.db)
}
afterEach(() => {
  for (const device of running.splice(0)) device.cutPower()
})

/** A cabinet that is online. */
async function cabinet(logs: LogOptions = {}, ...troubles: (LogTroubleName | undefined)[]) {
  const { id, code, secret } = await insertDevice(app.db, { modelId })
  const device = new VirtualDevice(
    { code, secret },
    {
      broker: { host: '127.0.0.1', port: app.ports.mqttPort as number, isTls: false },
      random: createRandom(1),
      reconnectMs: [50, 200],
      commands: { logs: { uploadRetryMs: [20, 50], trouble: inTurn(...troubles), ...logs } },
    },
  )
  running.push(device)
  device.start()
  await device.whenOnline()
  await expect
    .poll(() => sql`SELECT FROM device_state WHERE device_id = ${id} AND is_online`.execute(app.db))
    .toMatchObject({ rows: [{}] })
  return { id, code, device }
}

const hoursAgo = (hours: number) => formatDateTime(new Date(Date.now() - hours * 3_600_000))
const formOf = (equipCode: string, level = 'RUN', param: object = {}) => ({
  equipCode,
  equipClassify: 'EC',
  logExtractParam: { level, startTime: hoursAgo(2), endTime: hoursAgo(0), ...param },
})

const start = async (code: string, level?: string): Promise<string> => {
  const answer = await app.call(startLogExtraction, formOf(code, level), token)
  expect(answer).toMatchObject({ code: 200, message: '已开始提取' })
  return answer.data.id
}
const rowOf = async (id: string) =>
  (await app.call(listLogExtractions, { ids: [id] }, token)).data[0] as LogExtractionRow
const becomes = (id: string, expected: Partial<LogExtractionRow>) =>
  expect.poll(() => rowOf(id), { timeout: 20_000, interval: 50 }).toMatchObject(expected)
/** Makes the deadline pass. */
const passDeadline = async (id: string) => {
  await sql`UPDATE log_extraction SET deadline = now(), next_at = now() WHERE id = ${id}`.execute(app.db)
  await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["log_extraction 0"]}')`.execute(app.db)
}
const bytesFrom = async (path: string, query: object) => {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return fetch(`${app.url}/api${path}?${search}`, { headers: { authorization: `Bearer ${token}` } })
}

describe.each([
  ['on disk', async () => ({ environment: {}, remove: async () => undefined })],
  ['in a bucket', createTestBucket],
])('the log of a device, kept %s,', (_, openStore) => {
  let store: { environment: object; remove(): Promise<void> }
  beforeAll(async () => {
    store = await openStore()
    await openApp({ ...store.environment })
  })
  afterAll(async () => {
    await app.close()
    await store.remove()
  })

  // proves: call POST /logextraction/insert/new
  test('is the answer of the open request, under its name', async () => {
    const { code } = await cabinet()
    const response = await fetch(`${app.url}/api${extractLog.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(formOf(code)),
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    const disposition = response.headers.get('content-disposition') ?? ''
    expect(decodeURIComponent(disposition)).toMatch(
      new RegExp(`^attachment; .*filename\\*=UTF-8''${code}_运行日志_\\d{8}(-\\d{8})?\\.txt$`),
    )
    const text = await response.text()
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
    expect(text).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3} \[(DEBUG|INFO |WARN |ERROR)\] run\//)
    const { data } = await app.call(listLogExtractions, { code }, token)
    expect(data).toMatchObject([
      {
        equipCode: code,
        level: 'RUN',
        levelName: '运行日志',
        fileType: 'txt',
        state: 'done',
        reason: null,
        hasFile: true,
        createBy: 'admin',
        sizeBytes: Buffer.byteLength(text),
        receivedBytes: Buffer.byteLength(text),
        deadline: null,
      },
    ])
  })

  test('is read as a whole, in portions and by ranges', async () => {
    const { code } = await cabinet()
    const id = await start(code)
    await becomes(id, { state: 'done' })
    const whole = Buffer.from(await (await bytesFrom(downloadExtractedLog.path, { id })).arrayBuffer())
    expect((await app.call(listLogEntries, { id }, token)).data).toEqual({
      entries: [{ index: 0, name: (await rowOf(id)).fileName, sizeBytes: whole.length, problem: null }],
      entryCount: 1,
    })
    for (const [from, limit] of [
      [0, 100],
      [100, 100],
      [whole.length - 10, 100],
      [whole.length + 5, 100],
    ] as const) {
      const portion = await bytesFrom(readExtractedLog.path, { id, from, limit })
      expect(Buffer.from(await portion.arrayBuffer())).toEqual(whole.subarray(from, from + limit))
    }
    const range = await fetch(`${app.url}/api${downloadExtractedLog.path}?id=${id}`, {
      headers: { authorization: `Bearer ${token}`, range: 'bytes=5-9' },
    })
    expect(range.status).toBe(206)
    expect(Buffer.from(await range.arrayBuffer())).toEqual(whole.subarray(5, 10))
  })

  test('is decompressed in the page: a gzip file', async () => {
    const { code } = await cabinet()
    const id = await start(code, 'COMM')
    await becomes(id, { state: 'done', fileType: 'gz' })
    const { data } = await app.call(listLogEntries, { id }, token)
    expect(data.entries).toMatchObject([{ index: 0, name: expect.stringMatching(/\.txt$/), problem: null }])
    const text = Buffer.from(await (await bytesFrom(readExtractedLog.path, { id })).arrayBuffer())
    expect(text.length).toBe(data.entries[0]?.sizeBytes)
    const portion = await bytesFrom(readExtractedLog.path, { id, from: 70_000, limit: 50 })
    expect(Buffer.from(await portion.arrayBuffer())).toEqual(text.subarray(70_000, 70_050))
  })

  test('is decompressed in the page: a ZIP archive', async () => {
    const { code } = await cabinet()
    const id = await start(code, 'ALL')
    await becomes(id, { state: 'done', fileType: 'zip' })
    const { data } = await app.call(listLogEntries, { id }, token)
    expect(data).toMatchObject({
      entryCount: 2,
      entries: [
        { index: 0, name: '日志/运行日志.log', problem: null },
        { index: 1, name: '日志/故障日志.log', problem: null },
      ],
    })
    const faults = await (await bytesFrom(readExtractedLog.path, { id, entry: 1 })).text()
    expect(Buffer.byteLength(faults)).toBe(data.entries[1]?.sizeBytes)
    expect(faults.split('\n').every((line) => line === '' || /\[(WARN |ERROR)\]/.test(line))).toBe(true)
    expect(await app.call(readExtractedLog, { id, entry: 2 }, token)).toMatchObject({
      status: 404,
      refusal: 'archiveEntryNotFound',
    })
  })

  test('is uploaded again after a lost connection', async () => {
    const { code, device } = await cabinet({}, 'cut-upload')
    const id = await start(code)
    await becomes(id, { state: 'done', hasFile: true, reason: null })
    expect(device.deliveredLogCount).toBe(1)
  })
})

describe('an extraction', () => {
  beforeAll(() => openApp())
  afterAll(() => app.close())

  test.each([
    ['refuses', 'COMM', '该时段没有日志'],
    ['wrong-type', 'RUN', '设备上传的不是 txt 文件'],
    ['wrong-type', 'ALL', '设备上传的不是 zip 文件'],
    ['too-large', 'RUN', '日志文件超过上限 1 MB，提取已结束'],
  ] as const)('fails with its reason where the device %s (%s)', async (trouble, level, reason) => {
    const { code } = await cabinet({}, trouble)
    const answer = await app.call(extractLog, formOf(code, level), token)
    expect(answer).toMatchObject({ status: 409, refusal: 'logExtractionFailed', message: reason })
    expect(answer.headers.get('content-disposition')).toBeNull()
    const { data } = await app.call(listLogExtractions, { code }, token)
    expect(data).toMatchObject([{ state: 'failed', reason, hasFile: false, keptUntil: null }])
    // The store has no file without a row.
    const { rows } = await sql`
      SELECT FROM stored_file f WHERE NOT EXISTS (SELECT FROM log_extraction x WHERE x.file_id = f.id)
    `.execute(app.db)
    expect(rows).toEqual([])
  })

  test.each(['never-answers', 'goes-silent'] as const)(
    'ends at its deadline where the device %s',
    async (trouble) => {
      const { code } = await cabinet({}, trouble)
      const waiting = app.call(extractLog, formOf(code), token)
      const state = trouble === 'goes-silent' ? 'taken' : 'waiting'
      await expect
        .poll(async () => (await app.call(listLogExtractions, { code }, token)).data)
        .toMatchObject([{ state, deadline: expect.any(String) }])
      const [row] = (await app.call(listLogExtractions, { code }, token)).data
      await passDeadline(row?.id as string)
      const answer = await waiting
      expect(answer).toMatchObject({ status: 504, message: '设备未在 280 秒内上传日志', data: null })
      expect(answer.headers.get('content-disposition')).toBeNull()
      expect(await rowOf(row?.id as string)).toMatchObject({
        state: 'failed',
        reason: '设备未在 280 秒内上传日志',
      })
    },
  )

  test('continues without the browser that started it', async () => {
    const { code } = await cabinet({ prepareMs: 300 })
    const leaving = new AbortController()
    const request = fetch(`${app.url}/api${extractLog.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(formOf(code)),
      signal: leaving.signal,
    })
    await expect.poll(async () => (await app.call(listLogExtractions, { code }, token)).total).toBe(1)
    leaving.abort()
    await expect(request).rejects.toThrow()
    await expect
      .poll(async () => (await app.call(listLogExtractions, { code }, token)).data, { timeout: 20_000 })
      .toMatchObject([{ state: 'done', hasFile: true }])
  })

  test('is limited to one at a time per device', async () => {
    const { code } = await cabinet({}, 'goes-silent')
    await start(code)
    expect(await app.call(startLogExtraction, formOf(code), token)).toMatchObject({
      status: 409,
      refusal: 'logExtractionRunning',
    })
  })

  test('that is cancelled accepts no upload, and answers the open request', async () => {
    const { code, device } = await cabinet({ uploadMs: 60_000 })
    const waiting = app.call(extractLog, formOf(code), token)
    await expect
      .poll(async () => (await app.call(listLogExtractions, { code }, token)).data, { timeout: 20_000 })
      .toMatchObject([{ state: 'uploading', receivedBytes: expect.any(Number) }])
    const [{ id } = { id: '' }] = (await app.call(listLogExtractions, { code }, token)).data
    expect(await app.call(cancelLogExtraction, { id }, token)).toMatchObject({ code: 200 })
    expect(await waiting).toMatchObject({ status: 409, message: '日志提取已取消' })
    expect(await rowOf(id)).toMatchObject({ state: 'cancelled', hasFile: false })
    expect(await app.call(cancelLogExtraction, { id }, token)).toMatchObject({
      status: 409,
      refusal: 'logExtractionOver',
    })
    expect(device.deliveredLogCount).toBe(0)
  })

  test('whose user is disabled during the upload is cut off, and answers the open request', async () => {
    const user = await app.asUser({ functionCodes: ['logextract:insert'] })
    const { code, device } = await cabinet({ uploadMs: 60_000 })
    const waiting = app.call(extractLog, formOf(code), user.token)
    await expect
      .poll(async () => (await app.call(listLogExtractions, { code }, token)).data, { timeout: 20_000 })
      .toMatchObject([{ state: 'uploading' }])
    await app.call(updateUser, { id: String(user.id), isEnabled: 0 }, token)
    const reason = `提取人 ${user.loginName} 已停用`
    expect(await waiting).toMatchObject({ status: 409, message: reason })
    const [{ id } = { id: '' }] = (await app.call(listLogExtractions, { code }, token)).data
    expect(await rowOf(id)).toMatchObject({ state: 'failed', reason, hasFile: false })
    expect(device.deliveredLogCount).toBe(0)
  })

  test('reports the received bytes during the upload', async () => {
    const { code } = await cabinet({ uploadMs: 5_000 })
    const id = await start(code)
    const seen = new Set<number>()
    await expect
      .poll(
        async () => {
          const row = await rowOf(id)
          if (row.state === 'uploading') seen.add(row.receivedBytes)
          return row.state
        },
        { timeout: 20_000, interval: 100 },
      )
      .toBe('done')
    const { sizeBytes } = await rowOf(id)
    expect([...seen].filter((bytes) => bytes > 0 && bytes < (sizeBytes ?? 0)).length).toBeGreaterThan(0)
  })

  test('is limited to five at a time per user', async () => {
    const user = await app.asUser({ functionCodes: ['logextract:insert', 'logextract:list'] })
    for (let count = 1; count <= 5; count += 1) {
      const { code } = await cabinet({}, 'goes-silent')
      expect(await app.call(startLogExtraction, formOf(code), user.token)).toMatchObject({ code: 200 })
    }
    const { code } = await cabinet({}, 'goes-silent')
    expect(await app.call(startLogExtraction, formOf(code), user.token)).toMatchObject({
      status: 429,
      refusal: 'tooManyLogExtractions',
    })
    expect(await app.call(startLogExtraction, formOf(code), token)).toMatchObject({ code: 200 })
  })
})
