import {
  createAdvertisement,
  deleteAdvertisement,
  deleteDevice,
  endAdvertisement,
  listAdvertisements,
  listDeliveries,
  listFailureReasons,
  previewAdvertisement,
  previewDeliveries,
  retryDeliveries,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { png, postAnnex, uploadAnnex } from '../../../test/annex.ts'
import { appOfTests } from '../../../test/app.ts'
import { insertDevice, insertModel, insertOperator, insertOrganization } from '../../../test/factories.ts'
import { rowsOfSheet } from '../../../test/sheets.ts'

const functionCodes = ['ad:page', 'ad:create', 'ad:delete', 'ad:retry']

const app = await appOfTests()
const organizationId = await insertOrganization(app.db)
const operators = [
  await insertOperator(app.db, { organizationId }),
  await insertOperator(app.db, { organizationId }),
] as const
const other = await insertOrganization(app.db)
const modelId = await insertModel(app.db)
const cabinets: { id: number; code: string }[] = [
  await insertDevice(app.db, { operatorId: operators[0], modelId }),
  await insertDevice(app.db, { operatorId: operators[1], modelId }),
]
// No cabinet and no screen: never gets an advertisement.
const battery = await insertModel(app.db, { classify: 'BAT' })
await insertDevice(app.db, { operatorId: operators[0], modelId: battery })
const { code: theirs } = await insertDevice(app.db, {
  operatorId: await insertOperator(app.db, { organizationId: other }),
  modelId,
})
const token = (await app.asUser({ organizationId, functionCodes })).token
/** A user of the same organization who sees one of its two operators. */
const narrow = (
  await app.asUser({ organizationId, functionCodes, authorities: [['O', String(operators[0])]] })
).token
/** A user of another organization with its own cabinets. */
const stranger = (await app.asUser({ organizationId: other, functionCodes })).token

const period = { adStartTime: '2026-01-01 00:00:00', adEndTime: '2099-12-31 23:59:59' }
const formOf = async (changes: object = {}, as = token) => {
  const { annexUrl, fileMame } = await uploadAnnex(app, as)
  return { adName: '春节', ...period, annexUrl, fileMame, ...changes }
}
const publish = async (changes: object = {}, as = token) => {
  const answer = await app.call(createAdvertisement, await formOf(changes, as), as)
  expect(answer).toMatchObject({ code: 200, message: '创建成功' })
  return answer.data
}

describe('uploading the file of an advertisement', () => {
  test('has the name of its file without characters that are not seen', async () => {
    const answer = await postAnnex(app, token, png, '春\u200b节\u202egpj.exe\u202c.png')
    expect(answer.data).toMatchObject({ fileMame: '春节gpj.exe.png' })
  })

  // proves: call POST /ad/upload/annex
  test('accepts pictures and videos by their content', async () => {
    expect(await uploadAnnex(app, token)).toMatchObject({
      fileMame: '春节.png',
      contentType: 'image/png',
      sizeBytes: png.length,
    })
    const mp4 = Buffer.from('0000001866747970697366f6d00000200', 'hex')
    expect((await postAnnex(app, token, mp4, '片.txt')).data).toMatchObject({ contentType: 'video/mp4' })
  })

  test('refuses other content with such a name, and stores nothing', async () => {
    const before = await countFiles()
    const answer = await postAnnex(app, token, Buffer.from('<html>not a picture</html>'), '春节.png')
    expect(answer).toMatchObject({
      status: 400,
      data: [{ field: 'file', message: '仅支持 JPG、PNG、GIF、WebP 图片和 MP4、WebM 视频' }],
    })
    expect(await countFiles()).toBe(before)
  })

  test('requires a file', async () => {
    const answer = await app.request('/api/ad/upload/annex', {
      method: 'POST',
      body: new FormData(),
      headers: { authorization: `Bearer ${token}` },
    })
    expect(answer).toMatchObject({ status: 400, message: '请上传文件' })
  })

  const countFiles = async () => (await app.db.selectFrom('stored_file').select('id').execute()).length
})

describe('publishing', () => {
  // proves: call POST /ad/create; call GET /ad/page; screen 15
  test('reaches the cabinets that the creator sees, and is recorded', async () => {
    const { id, cabinetCount } = await publish()
    expect(cabinetCount).toBe(2)
    const page = await app.call(listAdvertisements, { adName: '春' }, token)
    expect(page.data.find((row) => row.id === id)).toMatchObject({
      adName: '春节',
      fileMame: '春节.png',
      ...period,
      fgDelete: 0,
      status: 'running',
      contentType: 'image/png',
      counts: { total: 2 },
    })
    expect(await app.call(listAdvertisements, { adName: '没有这个' }, token)).toMatchObject({
      data: [],
      total: 0,
    })
    const [logged] = await app.db
      .selectFrom('operation_log')
      .select(['summary', 'target', 'changes'])
      .where('call', '=', '/ad/create')
      .where('result_code', '=', 200)
      .execute()
    expect(logged).toMatchObject({
      summary: '发布广告',
      target: '广告 春节',
      changes: { after: { cabinetCount: 2 } },
    })
  })

  test('also works with codes, and treats codes that the creator does not see as unknown', async () => {
    const one = { cabinets: { codes: [cabinets[1]?.code] } }
    expect((await publish(one)).cabinetCount).toBe(1)
    expect(await app.call(createAdvertisement, await formOf(one, narrow), narrow)).toMatchObject({
      status: 400,
      message: '没有符合条件的柜机',
    })
  })

  test('is previewed with the cabinets that it would reach, by type, and the devices that have no screen', async () => {
    const all = await app.call(previewDeliveries, {}, token)
    expect(all.data).toMatchObject({ chosen: 2, devices: 2, offline: 2, types: [{ devices: 2 }] })
    const { rows } = await sql<{ code: string }>`
      SELECT code FROM device WHERE model_id IN (${battery}, ${modelId})`.execute(app.db)
    const chosen = await app.call(
      previewDeliveries,
      { cabinets: { codes: rows.map(({ code }) => code) } },
      token,
    )
    expect(chosen.data).toMatchObject({ chosen: 3, devices: 2 })
    const leftOut = async (choice: object, as: string) => {
      const file = await fetch(`${app.url}/api/ad/create/preview/export`, {
        method: 'POST',
        body: JSON.stringify({ cabinets: choice }),
        headers: { authorization: as, 'content-type': 'application/json' },
      })
      return (await rowsOfSheet(file)).slice(1).map((cells) => [cells[0], cells.at(-1)])
    }
    const codes = rows.map(({ code }) => code)
    const screenless = rows.find(
      ({ code }) => cabinets.every((each) => each.code !== code) && code !== theirs,
    )
    expect(await leftOut({ codes }, token)).toEqual([[screenless?.code, '不是柜机']])
    expect(await leftOut({ codes }, stranger)).toEqual([])
    expect(await leftOut({ isAll: 1 }, token)).toEqual([])
    expect((await app.call(previewDeliveries, {}, narrow)).data).toMatchObject({ chosen: 1, devices: 1 })
  })

  // proves: rule advertisement.adName; message 请输入广告名称
  test.each([
    ['no name', { adName: '' }, 'adName', '请输入广告名称'],
    ['no file', { annexUrl: '' }, 'annexUrl', '请上传文件'],
    ['an end before the start', { adEndTime: '2025-01-01 00:00:00' }, 'adEndTime', '结束时间应晚于开始时间'],
    [
      'an end that is past',
      { adStartTime: '2025-01-01', adEndTime: '2025-02-01' },
      'adEndTime',
      '结束时间应晚于当前时间',
    ],
    ['a file that is none', { annexUrl: 'annex/0' }, 'annexUrl', '文件不存在或已失效，请重新上传'],
  ])('is refused for %s', async (_, changes, field, message) => {
    const answer = await app.call(createAdvertisement, await formOf(changes), token)
    expect(answer).toMatchObject({ status: 400, data: [{ field, message }] })
  })

  test('uses a file once, and only the user’s own upload', async () => {
    const form = await formOf()
    const refused = { status: 400, data: [{ field: 'annexUrl' }] }
    expect(await app.call(createAdvertisement, form, stranger)).toMatchObject(refused)
    expect(await app.call(createAdvertisement, form, token)).toMatchObject({ code: 200 })
    expect(await app.call(createAdvertisement, form, token)).toMatchObject(refused)
  })

  test('cannot replace an advertisement that the creator does not see', async () => {
    const { id } = await publish()
    const replacing = async (as: string) =>
      app.call(createAdvertisement, await formOf({ replacedAdId: id }, as), as)
    expect(await replacing(stranger)).toMatchObject({ status: 400, data: [{ field: 'replacedAdId' }] })
    expect(await replacing(narrow)).toMatchObject({ status: 403, refusal: 'advertisementReachesBeyond' })
    expect(await replacing(token)).toMatchObject({ code: 200 })
  })
})

describe('what others see', () => {
  test('another organization sees nothing, and everything is answered as if it did not exist', async () => {
    const { id } = await publish()
    expect((await app.call(listAdvertisements, { ids: [id] }, stranger)).total).toBe(0)
    const missing = { status: 404, message: '广告不存在' }
    for (const call of [
      () => app.call(deleteAdvertisement, { id }, stranger),
      () => app.call(previewAdvertisement, { adId: id }, stranger),
      () => app.call(listDeliveries, { adId: id }, stranger),
      () => app.call(listFailureReasons, { adId: id }, stranger),
      () => app.call(retryDeliveries, { id }, stranger),
    ]) {
      expect(await call()).toMatchObject(missing)
    }
  })

  test('a user with a narrower scope sees their own cabinets, and cannot delete what reaches further', async () => {
    const { id } = await publish()
    expect((await app.call(listAdvertisements, { ids: [id] }, narrow)).data[0]?.counts.total).toBe(1)
    const page = await app.call(listDeliveries, { adId: id }, narrow)
    expect(page.data.map(({ code }) => code)).toEqual([cabinets[0]?.code])
    expect(page.total).toBe(1)
    expect(await app.call(deleteAdvertisement, { id }, narrow)).toMatchObject({
      status: 403,
      refusal: 'advertisementReachesBeyond',
    })
    expect(await app.call(deleteAdvertisement, { id }, token)).toMatchObject({
      code: 200,
      message: '删除成功!',
    })
    expect(await app.call(deleteAdvertisement, { id }, token)).toMatchObject({ status: 404 })
  })
})

describe('the preview', () => {
  // proves: call GET /ad/advertising/preview
  test('returns the file itself, inline and in ranges', async () => {
    const { id } = await publish()
    const get = (headers: Record<string, string> = {}) =>
      fetch(`${app.url}/api/ad/advertising/preview?adId=${id}`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      })
    const whole = await get()
    expect(whole.headers.get('content-type')).toBe('image/png')
    expect(whole.headers.get('content-disposition')).toMatch(/^inline/)
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(png)
    const part = await get({ range: 'bytes=0-7' })
    expect(part.status).toBe(206)
    expect(Buffer.from(await part.arrayBuffer())).toEqual(png.subarray(0, 8))
  })
})

test('deliveries are filtered by state, code and id', async () => {
  const { id } = await publish()
  const codesBy = async (filter: object) =>
    (await app.call(listDeliveries, { adId: id, ...filter }, token)).data.map(({ code }) => code)
  const [first, second] = cabinets
  expect(await codesBy({})).toEqual([first?.code, second?.code])
  expect(await codesBy({ code: second?.code })).toEqual([second?.code])
  expect(await codesBy({ states: 'failed,refused' })).toEqual([])
  expect(await codesBy({ states: 'waiting,sent' })).toHaveLength(2)
  expect(await codesBy({ pageNum: 2, pageSize: 1 })).toEqual([second?.code])
  expect(await app.call(listDeliveries, { adId: id, states: 'lost' }, token)).toMatchObject({
    status: 400,
    message: '投放状态无效',
  })
})

describe('an open advertisement comes to cabinets that are registered later, and', () => {
  /** Two operators of an organization, the first with a cabinet; who sees that one alone, and who sees all. */
  async function world() {
    const own = await insertOrganization(app.db)
    const [first, second] = [
      await insertOperator(app.db, { organizationId: own }),
      await insertOperator(app.db, { organizationId: own }),
    ]
    await insertDevice(app.db, { operatorId: first, modelId })
    const as = async (authorities: ['O' | 'R', string][]) =>
      (await app.asUser({ organizationId: own, functionCodes, authorities })).token
    return {
      first,
      second,
      wide: await as([]),
      colleague: await as([]),
      seesFirst: await as([['O', String(first)]]),
    }
  }
  const refused = {
    status: 403,
    refusal: 'advertisementReachesBeyond',
    message: '广告已投放或将投放到无权查看的设备，不能结束、删除或替换',
  }
  const deeds = async (id: string, as: string) => [
    await app.call(endAdvertisement, { id }, as),
    await app.call(createAdvertisement, await formOf({ replacedAdId: id }, as), as),
    await app.call(deleteAdvertisement, { id }, as),
  ]

  test.each([
    ['all', (_: number) => ({ isAll: 1 })],
    ['a filter', (_: number) => ({ filters: { equipModelId: String(modelId) } })],
    [
      'a filter that names another operator',
      (second: number) => ({ filters: { operatorId: String(second) } }),
    ],
  ])(
    'by %s is not ended, replaced or deleted by who sees its present cabinets alone',
    async (_, cabinets) => {
      const { first, second, wide, colleague, seesFirst } = await world()
      // Of the other operator there is a cabinet for a moment, so that there is an advertisement at all.
      const { id: passing } = await insertDevice(app.db, { operatorId: second, modelId })
      const { id } = await publish({ cabinets: cabinets(second) }, wide)
      await app.call(deleteDevice, { id: String(passing) }, await app.asAdmin())
      for (const answer of await deeds(id, seesFirst)) expect(answer).toMatchObject(refused)
      expect(await app.call(endAdvertisement, { id }, colleague)).toMatchObject({ code: 200 })
      // What is over comes to nobody any more.
      expect(await app.call(deleteAdvertisement, { id }, seesFirst)).toMatchObject({ code: 200 })
      expect(first).toBeGreaterThan(0)
    },
  )

  test('is ended by who reaches all that its choice may come to have', async () => {
    const { first, wide, seesFirst } = await world()
    const { id } = await publish({ cabinets: { filters: { operatorId: String(first) } } }, wide)
    expect((await deeds(id, seesFirst))[0]).toMatchObject({ code: 200 })
  })

  test('by codes, or a state of the moment, is ended by who sees its cabinets', async () => {
    const { first, wide, seesFirst } = await world()
    const { code } = await insertDevice(app.db, { operatorId: first, modelId })
    for (const cabinets of [{ codes: [code] }, { filters: { hasConnected: 0 } }]) {
      const { id } = await publish({ cabinets }, wide)
      expect(await app.call(endAdvertisement, { id }, seesFirst)).toMatchObject({ code: 200 })
    }
  })

  test('by codes that name none of the seen cabinets is not ended by who does not reach what is registered by them', async () => {
    const { first, wide, colleague, seesFirst } = await world()
    const { code } = await insertDevice(app.db, { operatorId: first, modelId })
    const { id } = await publish({ cabinets: { codes: [code, 'LATER0001'] } }, wide)
    for (const answer of await deeds(id, seesFirst)) expect(answer).toMatchObject(refused)
    expect(await app.call(endAdvertisement, { id }, colleague)).toMatchObject({ code: 200 })
  })

  test('that comes back to a cabinet with the creator’s reach is not ended by who does not see that one', async () => {
    const { first, second, wide, colleague, seesFirst } = await world()
    const { id: left } = await insertDevice(app.db, { operatorId: second, modelId })
    const { id } = await publish({ cabinets: { filters: { hasConnected: 0 } } }, wide)
    await sql`
      UPDATE advertisement_delivery SET state = 'removed', withdrawal = 'leftScope', next_at = NULL
      WHERE advertisement_id = ${id} AND device_id = ${left}`.execute(app.db)
    for (const answer of await deeds(id, seesFirst)) expect(answer).toMatchObject(refused)
    expect(first).toBeGreaterThan(0)
    expect(await app.call(endAdvertisement, { id }, colleague)).toMatchObject({ code: 200 })
  })

  test('of a SYSTEM user is not ended by a user of one organization, unless its choice stays in it', async () => {
    const { first, wide } = await world()
    const admin = await app.asAdmin()
    const { id: everywhere } = await publish({ cabinets: { isAll: 1 } }, admin)
    const { id: here } = await publish({ cabinets: { filters: { operatorId: String(first) } } }, admin)
    await sql`UPDATE advertisement SET organization_id = (
      SELECT organization_id FROM operator WHERE id = ${first}) WHERE id IN (${everywhere}, ${here})`.execute(
      app.db,
    )
    await sql`DELETE FROM advertisement_delivery WHERE advertisement_id = ${everywhere}`.execute(app.db)
    expect(await app.call(endAdvertisement, { id: everywhere }, wide)).toMatchObject(refused)
    expect(await app.call(endAdvertisement, { id: here }, wide)).toMatchObject({ code: 200 })
  })
})
