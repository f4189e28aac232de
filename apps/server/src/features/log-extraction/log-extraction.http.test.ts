import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import {
  cancelLogExtraction,
  deleteDevice,
  deleteLogLevel,
  deleteUser,
  downloadExtractedLog,
  extractLog,
  formatDateTime,
  insertLogLevel,
  type LiveEvent,
  listLogEntries,
  listLogExtractions,
  listLogLevels,
  liveLogExtractions,
  openLiveStream,
  readExtractedLog,
  startLogExtraction,
  updateLogLevel,
  updateUser,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertDevice, insertModel, insertOperator, insertOrganization } from '../../../test/factories.ts'
import { logExtractionJobs } from './log-extraction.jobs.ts'

const functionCodes = ['logextract:list', 'logextract:insert', 'logextract:read', 'loglevel:edit']

const app = await appOfTests({ LOG_FILE_LIMIT_MB: '1' })
const token = await app.asAdmin()
const modelId = await insertModel(app.db)

/** A device that is connected according to the tables; nothing answers for it. */
async function deviceOnline(place: { operatorId?: number } = {}) {
  const device = await insertDevice(app.db, { modelId, ...place })
  await sql`UPDATE device_state SET is_online = true WHERE device_id = ${device.id}`.execute(app.db)
  return device
}

const daysAgo = (days: number) => formatDateTime(new Date(Date.now() - days * 86_400_000)).slice(0, 10)
const formOf = (equipCode: string, param: object = {}, more: object = {}) => ({
  equipCode,
  equipClassify: 'EC',
  logExtractParam: { level: 'RUN', fileType: 'txt', startTime: daysAgo(1), endTime: daysAgo(0), ...param },
  ...more,
})
const start = async (code: string, as = token, param: object = {}) => {
  const answer = await app.call(startLogExtraction, formOf(code, param), as)
  if (answer.code !== 200) throw new Error(answer.message)
  return answer.data.id
}
/** The body of the command, which is never delivered. */
async function commandOf(id: string) {
  const { rows } = await sql<{ body: { url: string; maxBytes: number } & Record<string, unknown> }>`
    SELECT c.body FROM device_command c JOIN log_extraction x ON x.command_id = c.id WHERE x.id = ${id}
  `.execute(app.db)
  if (!rows[0]) throw new Error('there is no command')
  return { ...rows[0].body, url: rows[0].body.url.replace(/^http:\/\/[^/]+/, '') }
}
const put = async (id: string, body: BodyInit, headers: Record<string, string> = {}) =>
  app.request((await commandOf(id)).url, { method: 'PUT', body, headers })
const rowsBy = async (filter: object, as = token) => (await app.call(listLogExtractions, filter, as)).data

describe('levels of logs', () => {
  // proves: call GET /loglevel/all
  test('are listed for all users, by family of devices, with their file type', async () => {
    const { token: anybody } = await app.asUser()
    const { data } = await app.call(listLogLevels, { equipClassify: 'EC' }, anybody)
    expect(data).toMatchObject([
      { code: 'RUN', name: '运行日志', fileType: 'txt' },
      { code: 'FAULT', name: '故障日志', fileType: 'txt' },
      { code: 'COMM', name: '通信日志', fileType: 'gz' },
      { code: 'ALL', name: '全部日志', fileType: 'zip' },
    ])
    expect((await app.call(listLogLevels, {}, anybody)).data.length).toBeGreaterThan(data.length)
    // LOG_FILE_LIMIT_MB: what ends an extraction is known before it begins.
    expect(data.map(({ limitBytes }) => limitBytes)).toEqual(data.map(() => 1024 * 1024))
    expect((await app.call(listLogLevels, { equipClassify: 'XX' }, anybody)).data).toEqual([])
  })

  test('are edited by administrators; the operation log records it', async () => {
    const form = {
      equipClassify: 'BAT',
      code: 'CELL',
      name: '电芯日志',
      fileType: 'gz',
      orderNum: 9,
    } as const
    const user = await app.asUser({ functionCodes: ['loglevel:edit'] })
    const { data } = await app.call(insertLogLevel, form, user.token)
    expect(await app.call(insertLogLevel, form, user.token)).toMatchObject({
      status: 409,
      refusal: 'logLevelTaken',
    })
    const changed = { ...form, id: data.id, version: 1, name: '单体日志', fileType: 'zip' as const }
    expect(await app.call(updateLogLevel, changed, user.token)).toMatchObject({ code: 200 })
    expect(await app.call(updateLogLevel, changed, user.token)).toMatchObject({
      status: 409,
      refusal: 'conflict',
    })
    expect((await app.call(listLogLevels, { equipClassify: 'BAT' }, token)).data.at(-1)).toMatchObject({
      name: '单体日志',
      fileType: 'zip',
    })
    expect(await app.call(deleteLogLevel, { id: data.id }, user.token)).toMatchObject({ code: 200 })
    expect(await app.call(deleteLogLevel, { id: data.id }, user.token)).toMatchObject({
      status: 404,
      refusal: 'logLevelNotFound',
    })
    const logged = await app.db
      .selectFrom('operation_log')
      .select(['target', 'summary'])
      .where('call', 'like', '/loglevel/%')
      .where('result_code', '=', 200)
      .orderBy('id')
      .execute()
    expect(logged).toEqual([
      { target: '日志级别 BAT CELL', summary: '新增日志级别' },
      { target: '日志级别 BAT CELL', summary: '修改日志级别' },
      { target: '日志级别 BAT CELL', summary: '删除日志级别' },
    ])
  })

  test('are changed by nobody who does not see all devices, since their codes go to every organization’s', async () => {
    const organizationId = await insertOrganization(app.db)
    const operatorId = await insertOperator(app.db)
    const form = {
      equipClassify: 'EC',
      code: 'RUN2',
      name: '运行日志',
      fileType: 'txt',
      orderNum: 9,
    } as const
    const { data } = await app.call(listLogLevels, { equipClassify: 'EC' }, token)
    const { id, version, ...level } = data[0] as (typeof data)[0]
    for (const options of [{ organizationId }, { authorities: [['O', String(operatorId)]] as const }]) {
      const { token: narrow } = await app.asUser({ functionCodes: ['loglevel:edit'], ...options })
      for (const answer of [
        await app.call(insertLogLevel, form, narrow),
        await app.call(updateLogLevel, { ...level, id, version, code: 'SHADOW' }, narrow),
        await app.call(deleteLogLevel, { id }, narrow),
      ])
        expect(answer).toMatchObject({ status: 403, refusal: 'logLevelReachesBeyond' })
    }
    expect((await app.call(listLogLevels, { equipClassify: 'EC' }, token)).data).toEqual(data)
  })

  test.each([
    ['a family that does not exist', { equipClassify: 'XX' }, 'equipClassify', '设备类别不存在'],
    ['an unknown file type', { fileType: 'rar' }, 'fileType', '文件类型只能是 txt、gz、zip'],
    ['a code with other characters', { code: '运行' }, 'code', '级别编码只能是字母、数字、下划线和短横线'],
    ['no name', { name: '' }, 'name', '请输入级别名称'],
  ])('are refused for %s', async (_, changes, field, message) => {
    const form = { equipClassify: 'EC', code: 'X1', name: '某日志', fileType: 'txt', ...changes }
    expect(await app.call(insertLogLevel, form, token)).toMatchObject({
      status: 400,
      data: [{ field, message }],
    })
  })
})

describe('an extraction', () => {
  // proves: rule logExtract.equipCode; rule logExtract.equipClassify; rule logExtract.level
  test('reports each missing field', async () => {
    expect(await app.call(startLogExtraction, { logExtractParam: {} }, token)).toMatchObject({
      status: 400,
      data: [
        { field: 'equipCode', message: '请输入设备编号' },
        { field: 'equipClassify', message: '请选择设备类别' },
        { field: 'logExtractParam.level', message: '请选择日志级别' },
        { field: 'logExtractParam.startTime', message: '请选择开始时间' },
        { field: 'logExtractParam.endTime', message: '请选择结束时间' },
      ],
    })
    expect(await app.call(extractLog, {}, token)).toMatchObject({ status: 400, message: '请输入设备编号' })
  })

  // proves: rule logExtract.range; constant log extraction window
  test.each([
    ['begins more than 15 days ago', { startTime: daysAgo(16) }, 'startTime', '只能提取最近 15 天内的日志'],
    ['ends tomorrow', { endTime: daysAgo(-1) }, 'endTime', '结束时间不能晚于今天'],
    [
      'ends before it begins',
      { startTime: daysAgo(1), endTime: daysAgo(2) },
      'endTime',
      '结束时间不能早于开始时间',
    ],
    ['is of no calendar', { startTime: '2026-02-30' }, 'startTime', '开始时间不是有效的日期'],
    ['is of an unknown level', { level: 'NONE' }, 'level', '该设备类别没有此日志级别'],
    ['asks for another file type', { fileType: 'zip' }, 'fileType', '该级别的文件类型是txt'],
  ])('is refused where it %s', async (_, param, field, message) => {
    const { code } = await deviceOnline()
    expect(await app.call(startLogExtraction, formOf(code, param), token)).toMatchObject({
      status: 400,
      data: [{ field: `logExtractParam.${field}`, message }],
    })
    expect(await rowsBy({ code })).toEqual([])
  })

  test('may reach from 15 days ago to the end of today', async () => {
    const { code } = await deviceOnline()
    const id = await start(code, token, { startTime: daysAgo(15) })
    expect(await rowsBy({ ids: [id] })).toMatchObject([
      { startTime: `${daysAgo(15)} 00:00:00`, endTime: `${daysAgo(0)} 23:59:59`, state: 'waiting' },
    ])
    expect(await commandOf(id)).toMatchObject({
      extractionId: id,
      level: 'RUN',
      fileType: 'txt',
      startTime: new Date(`${daysAgo(15)}T00:00:00`).getTime(),
      endTime: new Date(`${daysAgo(-1)}T00:00:00`).getTime(),
      maxBytes: 1024 * 1024,
    })
  })

  test('of an offline device is refused at once', async () => {
    const { code } = await insertDevice(app.db, { modelId })
    const answer = await app.call(extractLog, formOf(code), token)
    expect(answer).toMatchObject({
      status: 409,
      refusal: 'logDeviceOffline',
      message: '设备不在线，无法提取日志',
    })
    expect(answer.headers.get('content-disposition')).toBeNull()
  })

  test('must name the device’s own family', async () => {
    const { code } = await deviceOnline()
    const form = formOf(code, {}, { equipClassify: 'BAT' })
    expect(await app.call(startLogExtraction, form, token)).toMatchObject({
      status: 400,
      data: [{ field: 'equipClassify', message: '设备不属于该类别' }],
    })
  })

  test('accepts one upload, which ends it', async () => {
    const { code } = await deviceOnline()
    const id = await start(code)
    expect(await put(id, '2026-01-01 08:00:00.000 [INFO ] 一切正常\n')).toMatchObject({
      status: 200,
      message: '上传成功',
    })
    expect(await put(id, 'once more')).toMatchObject({ status: 409, refusal: 'uploadAddressUsed' })
    expect(await rowsBy({ ids: [id] })).toMatchObject([{ state: 'done', hasFile: true }])
    expect(await app.call(readExtractedLog, { id }, token)).toMatchObject({
      status: 200,
      text: '2026-01-01 08:00:00.000 [INFO ] 一切正常\n',
    })
    expect((await app.call(downloadExtractedLog, { id }, token)).headers.get('content-type')).toBe(
      'application/octet-stream',
    )
    const logged = await app.db
      .selectFrom('operation_log')
      .select(['summary', 'target', 'changes'])
      .where('target', '=', `设备 ${code}`)
      .execute()
    expect(logged).toMatchObject([{ summary: '开始提取日志', changes: { after: { level: '运行日志' } } }])
  })

  test('waits for another upload after a damaged one', async () => {
    const { code } = await deviceOnline()
    const id = await start(code)
    const damaged = await put(id, 'x', { 'x-content-sha256': '0'.repeat(64) })
    expect(damaged).toMatchObject({ status: 400, refusal: 'uploadDamaged' })
    expect(await rowsBy({ ids: [id] })).toMatchObject([
      { state: 'taken', reason: '上传的文件校验失败（SHA-256 不一致）', deadline: expect.any(String) },
    ])
    expect(await put(id, 'x')).toMatchObject({ status: 200 })
  })

  test('of a gzip file that was cut short or damaged shows what is readable, and then says why there is no more', async () => {
    const text = Array.from({ length: 20_000 }, (_, n) => `${n} ${randomUUID()}\n`).join('')
    const whole = gzipSync(text)
    const damaged = Buffer.from(whole)
    damaged.writeUInt32LE((damaged.readUInt32LE(whole.length - 8) ^ 1) >>> 0, whole.length - 8)
    for (const [bytes, reason] of [
      [whole.subarray(0, -4), '压缩包被截断'],
      [whole.subarray(0, whole.length / 2), '压缩包被截断'],
      [damaged, '压缩包校验失败'],
    ] as const) {
      const { code } = await deviceOnline()
      const id = await start(code, token, { level: 'COMM', fileType: 'gz' })
      expect(await put(id, bytes)).toMatchObject({ status: 200 })
      const read = (query: string) =>
        fetch(`${app.url}/api${readExtractedLog.path}?id=${id}${query}`, {
          headers: { authorization: `Bearer ${token}` },
        })
      const pieces: Uint8Array[] = []
      const broken = await (async () => {
        for await (const piece of (await read('')).body ?? []) pieces.push(piece)
      })().catch((error: unknown) => error)
      const seen = Buffer.concat(pieces).toString()
      expect(broken).toBeInstanceOf(Error)
      expect([seen.length > text.length / 3, text.startsWith(seen)]).toEqual([true, true])
      const readable = Buffer.from(await (await read('&untilDamage=1')).arrayBuffer()).toString()
      expect([readable.length > text.length / 3, text.startsWith(readable)]).toEqual([true, true])
      if (bytes === damaged) expect(readable).toBe(text)
      const rest = await read(`&from=${Number.MAX_SAFE_INTEGER}&limit=1`)
      expect([rest.status, await rest.json()]).toEqual([
        409,
        expect.objectContaining({ refusal: 'archiveUnreadable', message: reason }),
      ])
      const download = await app.call(downloadExtractedLog, { id }, token)
      expect([download.status, download.headers.get('content-length')]).toEqual([200, `${bytes.length}`])
    }
  })

  test.each([
    [
      'a wrong checksum',
      (bytes: Buffer) => bytes.writeUInt8(bytes.readUInt8(bytes.length - 8) ^ 1, bytes.length - 8),
      0,
      '压缩包校验失败',
    ],
    ['no end', () => undefined, 3, '压缩包被截断'],
  ] as const)(
    'of a small gzip file with %s shows its text, and then says why there is no more',
    async (_, damage, cut, reason) => {
      const text = 'one line\nand another\n'
      const whole = gzipSync(text)
      damage(whole)
      const id = await start((await deviceOnline()).code, token, { level: 'COMM', fileType: 'gz' })
      expect(await put(id, whole.subarray(0, whole.length - cut))).toMatchObject({ status: 200 })
      const pieces: Uint8Array[] = []
      const response = await fetch(`${app.url}/api${readExtractedLog.path}?id=${id}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      const broken = await (async () => {
        for await (const piece of response.body ?? []) pieces.push(piece)
      })().catch((error: unknown) => error)
      expect([Buffer.concat(pieces).toString(), broken]).toEqual([text, expect.any(Error)])
      expect(
        await app.call(readExtractedLog, { id, from: Number.MAX_SAFE_INTEGER, limit: 1 }, token),
      ).toMatchObject({ status: 409, refusal: 'archiveUnreadable', message: reason })
    },
  )

  test('ends with a log that is too large: 413, with that reason, and the address takes nothing more', async () => {
    const { code } = await deviceOnline()
    const waiting = app.call(extractLog, formOf(code), token)
    await expect.poll(async () => (await rowsBy({ code })).length).toBe(1)
    const [{ id } = { id: '' }] = await rowsBy({ code })
    const reason = '日志文件超过上限 1 MB，提取已结束'
    expect((await commandOf(id)).maxBytes).toBe(1024 * 1024)
    expect(await put(id, 'x'.repeat(1024 * 1024 + 1))).toMatchObject({ status: 413, refusal: 'bodyTooLarge' })
    expect(await waiting).toMatchObject({ status: 409, refusal: 'logExtractionFailed', message: reason })
    expect(await rowsBy({ ids: [id] })).toMatchObject([{ state: 'failed', reason, hasFile: false }])
    expect(await put(id, 'x')).toMatchObject({ status: 409, refusal: 'uploadAddressUsed' })
  })

  test('accepts an empty log, and a text in GB 18030', async () => {
    for (const content of [Buffer.alloc(0), Buffer.from('c4cec9bd0a', 'hex')]) {
      const id = await start((await deviceOnline()).code)
      expect(await put(id, content)).toMatchObject({ status: 200 })
      const answer = await fetch(`${app.url}/api${readExtractedLog.path}?id=${id}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(content)
    }
  })

  test('accepts a text that begins with the letters of a file signature', async () => {
    for (const text of ['ID3 reader started\n', 'BZh bus: ok\n', 'GIF89a display\n']) {
      const id = await start((await deviceOnline()).code)
      expect(await put(id, text)).toMatchObject({ status: 200 })
      expect(await app.call(readExtractedLog, { id }, token)).toMatchObject({ status: 200, text })
    }
  })

  test('of text accepts no binary file', async () => {
    const id = await start((await deviceOnline()).code)
    expect(await put(id, Buffer.from([1, 2, 0, 3]))).toMatchObject({ status: 415 })
    expect(await rowsBy({ ids: [id] })).toMatchObject([
      { state: 'failed', reason: '设备上传的不是 txt 文件' },
    ])
  })

  test('with an archive inside an archive is kept for download, and says so when it is opened', async () => {
    const twice = gzipSync(gzipSync('一切正常'))
    const id = await start((await deviceOnline()).code, token, { level: 'COMM', fileType: 'gz' })
    expect(await put(id, twice)).toMatchObject({ status: 200 })
    for (const from of [0, 10]) {
      expect(await app.call(readExtractedLog, { id, from }, token)).toMatchObject({
        status: 409,
        refusal: 'archiveUnreadable',
        message: '压缩包中的文件仍是压缩包，请下载后查看',
      })
    }
    expect(await app.call(downloadExtractedLog, { id }, token)).toMatchObject({ status: 200 })
  })

  test('with a damaged archive is kept for download, and reports the damage when it is opened', async () => {
    const packed = gzipSync(Buffer.from('一切正常'.repeat(1_000)))
    packed.fill(0xff, 10, 30)
    const id = await start((await deviceOnline()).code, token, { level: 'COMM', fileType: 'gz' })
    expect(await put(id, packed)).toMatchObject({ status: 200 })
    expect(await app.call(readExtractedLog, { id }, token)).toMatchObject({
      status: 409,
      refusal: 'archiveUnreadable',
    })
    expect(await app.call(downloadExtractedLog, { id }, token)).toMatchObject({ status: 200 })
    const zipped = await start((await deviceOnline()).code, token, { level: 'ALL', fileType: 'zip' })
    expect(await put(zipped, Buffer.from('PK\x03\x04 and nothing more'))).toMatchObject({ status: 200 })
    expect(await app.call(listLogEntries, { id: zipped }, token)).toMatchObject({
      status: 409,
      refusal: 'archiveUnreadable',
    })
  })
})

describe('an extraction under way whose user', () => {
  const gone = {
    'was disabled': {
      leave: ({ id }: { id: number }) => app.call(updateUser, { id: String(id), isEnabled: 0 }, token),
      reason: (name: string) => `提取人 ${name} 已停用`,
    },
    'was deleted': {
      leave: ({ id }: { id: number }) => app.call(deleteUser, { id: String(id) }, token),
      reason: (name: string) => `提取人 ${name} 已不存在`,
    },
    'has lost the function': {
      leave: ({ id }: { id: number }) => sql`DELETE FROM user_role WHERE user_id = ${id}`.execute(app.db),
      reason: (name: string) => `提取人 ${name} 已没有所需的权限`,
    },
    'does not see the device any more': {
      leave: async (_: { id: number }, code: string) =>
        sql`UPDATE device SET operator_id = ${await insertOperator(app.db)} WHERE code = ${code}`.execute(
          app.db,
        ),
      reason: () => '设备已不在提取人的数据范围内',
    },
  }

  test.each(Object.entries(gone))(
    '%s ends, with its command, its address and the open request',
    async (_, { leave, reason }) => {
      const organizationId = await insertOrganization(app.db)
      const { code } = await deviceOnline({ operatorId: await insertOperator(app.db, { organizationId }) })
      const user = await app.asUser({ organizationId, functionCodes })
      const waiting = app.call(extractLog, formOf(code), user.token)
      await expect.poll(async () => (await rowsBy({ code })).length).toBe(1)
      const [{ id } = { id: '' }] = await rowsBy({ code })
      await leave(user, code)
      const why = reason(user.loginName)
      expect(await waiting).toMatchObject({ status: 409, refusal: 'logExtractionFailed', message: why })
      expect(await rowsBy({ ids: [id] })).toMatchObject([{ state: 'failed', reason: why, hasFile: false }])
      expect(await put(id, 'x')).toMatchObject({ status: 409, refusal: 'uploadAddressUsed' })
      const { rows } = await sql`
      SELECT c.state, c.result FROM device_command c JOIN log_extraction x ON x.command_id = c.id WHERE x.id = ${id}`.execute(
        app.db,
      )
      expect(rows).toEqual([{ state: 'finished', result: 'cancelled' }])
    },
  )

  test('was disabled takes no upload, whatever else has not looked yet', async () => {
    const user = await app.asUser({ functionCodes })
    const id = await start((await deviceOnline()).code, user.token)
    await sql`UPDATE app_user SET is_enabled = false WHERE id = ${user.id}`.execute(app.db)
    expect(await put(id, 'x')).toMatchObject({ status: 409, refusal: 'uploadAddressUsed' })
    expect(await rowsBy({ ids: [id] })).toMatchObject([{ state: 'failed', hasFile: false }])
  })
})

describe('the address for an upload', () => {
  const putTo = (url: string) => app.request(url, { method: 'PUT', body: 'forged' })

  test('takes nothing once the device is deleted, also where its code is registered again', async () => {
    const device = await deviceOnline()
    const { url } = await commandOf(await start(device.code))
    expect(await app.call(deleteDevice, { id: String(device.id) }, token)).toMatchObject({ code: 200 })
    expect(await putTo(url)).toMatchObject({ status: 409, refusal: 'uploadAddressUsed' })
    const again = await insertDevice(app.db, { modelId, code: device.code })
    await sql`UPDATE device_state SET is_online = true WHERE device_id = ${again.id}`.execute(app.db)
    const id = await start(again.code)
    expect(await putTo(url)).toMatchObject({ status: 409, refusal: 'uploadAddressUsed' })
    expect(await rowsBy({ ids: [id] })).toMatchObject([{ state: 'waiting', hasFile: false }])
    await app.call(cancelLogExtraction, { id }, token)
  })

  test('of one extraction takes no log for another, of one device none for another', async () => {
    const [device, other] = [await deviceOnline(), await deviceOnline()]
    const [first, second] = [await start(device.code), await start(other.code)]
    const { url } = await commandOf(first)
    for (const forged of [
      url.replace(`/${first}/`, `/${second}/`),
      url.replace(`/${device.code}?`, `/${other.code}?`),
      url.replace(`/${first}/${device.code}?`, `/${second}/${other.code}?`),
    ])
      expect(await putTo(forged)).toMatchObject({ status: 403, refusal: 'uploadAddressInvalid' })
    expect(await rowsBy({ ids: [second] })).toMatchObject([{ state: 'waiting', hasFile: false }])
    for (const id of [first, second]) await app.call(cancelLogExtraction, { id }, token)
  })
})

describe('the live stream', () => {
  test('sends extractions in the user’s scope, when they are created and when they change', async () => {
    const organizationId = await insertOrganization(app.db)
    const operatorId = await insertOperator(app.db, { organizationId })
    const reader = await app.asUser({ organizationId, functionCodes })
    const gone = new AbortController()
    const response = await fetch(`${app.url}/api${openLiveStream.path}`, {
      headers: { authorization: `Bearer ${reader.token}` },
      signal: gone.signal,
    })
    const events: LiveEvent[] = []
    const reading = (async () => {
      let text = ''
      for await (const chunk of response.body as ReadableStream<Uint8Array>) {
        text += Buffer.from(chunk).toString()
        const parts = text.split('\n\n')
        text = parts.pop() ?? ''
        for (const part of parts) if (part.startsWith('data: ')) events.push(JSON.parse(part.slice(6)))
      }
    })().catch(() => undefined)
    await expect.poll(() => events).toContainEqual({ type: 'ready' })
    const named = (kind: 'added' | 'changed') =>
      events.flatMap((event) =>
        event.type === 'changed' && event.noun === liveLogExtractions.noun ? event[kind] : [],
      )

    const foreign = await start((await deviceOnline()).code)
    const own = await start((await deviceOnline({ operatorId })).code)
    await expect.poll(() => named('added')).toEqual([own])
    await put(foreign, 'x')
    await put(own, 'x')
    await expect.poll(() => named('changed')).toContain(own)
    await expect.poll(() => rowsBy({ ids: [own] }, reader.token)).toMatchObject([{ state: 'done' }])
    expect([...named('added'), ...named('changed')]).not.toContain(foreign)
    gone.abort()
    await reading
  })
})

describe('the history', () => {
  test('is filtered by device, creator, state and time, newest first', async () => {
    const [one, two] = [await deviceOnline(), await deviceOnline()]
    const user = await app.asUser({ functionCodes, loginName: 'logreader' })
    const first = await start(one.code, user.token)
    await put(first, 'x')
    const second = await start(two.code, user.token)
    const ids = async (filter: object) => (await rowsBy(filter)).map(({ id }) => id)
    expect(await ids({ createBy: 'LOGREAD' })).toEqual([second, first])
    expect(await ids({ code: `${one.code}\n${two.code}` })).toEqual([second, first])
    expect(await ids({ createBy: 'logreader', states: 'done,failed' })).toEqual([first])
    expect(await ids({ createBy: 'logreader', startTime: daysAgo(0) })).toEqual([second, first])
    expect(await ids({ createBy: 'logreader', endTime: daysAgo(1) })).toEqual([])
    expect(await app.call(listLogExtractions, { createBy: 'logreader', pageSize: 1 }, token)).toMatchObject({
      total: 2,
      data: [{ id: second }],
    })
  })

  test('is limited to the data scope; anything else does not exist', async () => {
    const organizationId = await insertOrganization(app.db)
    const operatorId = await insertOperator(app.db, { organizationId })
    const other = await insertOperator(app.db, { organizationId })
    const device = await deviceOnline({ operatorId })
    const id = await start(device.code)
    await put(id, 'x')
    const owner = await app.asUser({ organizationId, functionCodes })
    const narrowed = await app.asUser({ organizationId, functionCodes, authorities: [['O', String(other)]] })
    const stranger = await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes })

    expect(await rowsBy({ ids: [id] }, owner.token)).toMatchObject([{ id, state: 'done' }])
    expect(await app.call(readExtractedLog, { id }, owner.token)).toMatchObject({ status: 200, text: 'x' })
    for (const { token: theirs } of [narrowed, stranger]) {
      expect(await rowsBy({ ids: [id] }, theirs)).toEqual([])
      for (const call of [downloadExtractedLog, listLogEntries, readExtractedLog, cancelLogExtraction])
        expect(await app.call(call, { id }, theirs)).toMatchObject({
          status: 404,
          refusal: 'logExtractionNotFound',
        })
      for (const call of [extractLog, startLogExtraction])
        expect(await app.call(call, formOf(device.code), theirs)).toMatchObject({
          status: 404,
          refusal: 'deviceNotFound',
        })
    }
  })

  test('is kept longer than the files', async () => {
    const [old, young] = [await start((await deviceOnline()).code), await start((await deviceOnline()).code)]
    await put(old, 'old')
    await put(young, 'young')
    await sql`UPDATE log_extraction SET created_at = now() - interval '31 days' WHERE id = ${old}`.execute(
      app.db,
    )
    const jobs = logExtractionJobs({
      db: app.db,
      retentionDays: 30,
      historyRetentionDays: 365,
      tellChanged: () => undefined,
    })
    for (const job of jobs) await job.run(new AbortController().signal)
    expect(await rowsBy({ ids: [old] })).toMatchObject([{ state: 'done', hasFile: false, keptUntil: null }])
    expect(await rowsBy({ ids: [young] })).toMatchObject([{ hasFile: true }])
    expect(await app.call(downloadExtractedLog, { id: old }, token)).toMatchObject({
      status: 404,
      refusal: 'logFileMissing',
    })
    await sql`UPDATE log_extraction SET created_at = now() - interval '366 days' WHERE id = ${old}`.execute(
      app.db,
    )
    for (const job of jobs) await job.run(new AbortController().signal)
    expect(await rowsBy({ ids: [old] })).toEqual([])
  })
})
