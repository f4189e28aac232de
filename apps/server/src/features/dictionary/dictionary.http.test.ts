import { listCodes, listDictionary, listSemaphores, readEnums } from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'

const app = await appOfTests()
const token = (await app.asUser({ functionCodes: ['enum:list'] })).token

// proves: call POST /enum/all
test('an empty request reads every enumeration with the whole dictionary', async () => {
  const { data } = await app.call(readEnums, {}, token)
  for (const type of [
    'EQUIP_CLASSIFY',
    'UPGRADE_STATUS',
    'SEMAPHORE_TYPE',
    'ALARM_ANALYSIS_TYPE',
    'USER_TYPE',
  ]) {
    expect(data[type]?.length, type).toBeGreaterThan(1)
  }
  expect(data.ALARM?.length).toBeGreaterThanOrEqual(24)
  expect(data.EVENT?.length).toBeGreaterThanOrEqual(10)
  expect(data.PARAM?.map(({ code }) => code)).toEqual(
    Array.from({ length: 11 }, (_, index) => `021210${String(index + 1).padStart(2, '0')}`),
  )
})

// proves: call POST /enum/all
test('the requested types are returned, an unknown one empty', async () => {
  const { data } = await app.call(readEnums, { types: ['EQUIP_CLASSIFY', 'NO_SUCH'], type: 'PARAM' }, token)
  expect(Object.keys(data).sort()).toEqual(['EQUIP_CLASSIFY', 'NO_SUCH', 'PARAM'])
  expect(data.NO_SUCH).toEqual([])
  expect(data.EQUIP_CLASSIFY?.map(({ code, name }) => [code, name])).toEqual([
    ['EC', '换电柜'],
    ['BAT', '电池'],
    ['ESS', '储能设备'],
  ])
})

test('an alarm has the meaning of its bits per family of devices; other entries have no definitions', async () => {
  const { data } = await app.call(readEnums, { types: 'ALARM,EVENT' }, token)
  const smoke = data.ALARM?.find(({ code }) => code === '01110002')
  expect(smoke).toMatchObject({ name: '烟感告警', alarmLevel: 1, analysisType: 'BIT' })
  expect(smoke?.definitions).toContainEqual({ bitPosition: 0, equipClassify: 'EC', name: '柜顶烟感触发' })
  expect(smoke?.definitions).toContainEqual({ bitPosition: 0, equipClassify: 'ESS', name: '电池舱烟感触发' })
  expect(data.EVENT?.[0]).not.toHaveProperty('definitions')
})

test('anyone signed in may read codes with their names, of requested types or of all', async () => {
  const user = (await app.asUser({ functionCodes: [] })).token
  const { data } = await app.call(listCodes, { type: 'EQUIP_CLASSIFY' }, user)
  expect(data.map(({ code, name }) => [code, name])).toEqual([
    ['EC', '换电柜'],
    ['BAT', '电池'],
    ['ESS', '储能设备'],
  ])
  const all = await app.call(listCodes, {}, user)
  expect(new Set(all.data.map(({ type }) => type))).toEqual(
    new Set(Object.keys((await app.call(readEnums, {}, user)).data)),
  )
  expect(all.data[0]).not.toHaveProperty('definitions')
})

test('semaphores are read by type and code, with their meaning for one family of devices', async () => {
  const { data } = await app.call(listSemaphores, { codes: '01110002', equipClassify: 'EC' }, token)
  expect(data.map(({ code, type }) => [code, type])).toEqual([['01110002', 'ALARM']])
  expect(new Set(data[0]?.definitions?.map(({ equipClassify }) => equipClassify))).toEqual(new Set(['EC']))
  const params = await app.call(listSemaphores, { type: 'PARAM' }, token)
  expect(params.data).toHaveLength(11)
  expect(params.data[0]).not.toHaveProperty('definitions')
  // A type of the dictionary that is not a type of semaphore.
  expect((await app.call(listSemaphores, { type: 'EQUIP_CLASSIFY' }, token)).data).toEqual([])
})

// proves: call GET /enum/list
test('the dictionary is searched by type, code and name, and paged', async () => {
  const list = async (input: Record<string, unknown>) => app.call(listDictionary, input, token)
  const params = await list({ type: 'PARAM', pageSize: 500 })
  expect(params.total).toBe(11)
  expect(params.data).toHaveLength(11)
  const page = await list({ type: 'PARAM', pageNum: 3, pageSize: 5 })
  expect(page).toMatchObject({ total: 11 })
  expect(page.data.map(({ code }) => code)).toEqual(['02121011'])
  expect((await list({ code: '21210', name: '过温' })).data.map(({ name }) => name)).toEqual(['过温点'])
  expect((await list({ type: 'ALARM', name: 'bms' })).total).toBe(2)
  expect((await list({ name: '%' })).total).toBe(0)
})

// proves: constant dictionary page size; call GET /enum/list
test('the dictionary is read 500 entries at a time, and no more', async () => {
  await sql`
    INSERT INTO dictionary_entry (type, code, name, order_num)
    SELECT 'STATUS', 'PAGE' || n, '状态' || n, 100 + n FROM generate_series(1, 600) AS n`.execute(app.db)
  const first = await app.call(listDictionary, { type: 'STATUS', code: 'PAGE', pageSize: 500 }, token)
  expect(first.total).toBe(600)
  expect(first.data.map(({ code }) => code)).toEqual(Array.from({ length: 500 }, (_, n) => `PAGE${n + 1}`))
  const second = await app.call(
    listDictionary,
    { type: 'STATUS', code: 'PAGE', pageSize: 500, pageNum: 2 },
    token,
  )
  expect(second.data).toHaveLength(100)
  expect(await app.call(listDictionary, { pageSize: 501 }, token)).toMatchObject({
    status: 400,
    message: '每页条数不能大于 500',
  })
})
