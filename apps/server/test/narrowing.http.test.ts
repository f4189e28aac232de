// What a write reaches is said, never left out: emptied and misspelt filters over HTTP, where empty texts count as absent.
import {
  createAdvertisement,
  insertParameterBatch,
  insertUpgradeTask,
  listDevices,
  previewParameterBatch,
  previewUpgradeTask,
  recoverAlarms,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from './app.ts'
import { endpoints } from './endpoints.ts'
import { insertDevice } from './factories.ts'

const soc = '02121005'
const entitys = [{ id: soc, value: 80 }]
const paramSetRule = { upgradeCount: 1, interval: 3 }
const period = { adStartTime: '2030-01-01 00:00:00', adEndTime: '2030-01-02 00:00:00' }
const annex = { annexUrl: 'a', fileMame: 'a.png' }

const app = await appOfTests()
const token = await app.asAdmin()
for (let n = 0; n < 3; n += 1) await insertDevice(app.db)

const made = async () => {
  const { rows } = await sql<Record<string, number>>`
    SELECT (SELECT count(*)::int FROM parameter_batch) AS batches, (SELECT count(*)::int FROM upgrade_task) AS tasks,
      (SELECT count(*)::int FROM advertisement) AS advertisements,
      (SELECT count(*)::int FROM alarm_recovery) AS recoveries`.execute(app.db)
  return rows[0]
}

/** The writes that choose devices, and the calls that show what they would do. */
const choosing: [name: string, field: string, send: (choice: unknown) => Promise<unknown>][] = [
  [
    'a batch',
    'queryParam',
    (queryParam) => app.call(insertParameterBatch, { paramSetRule, entitys, queryParam }, token),
  ],
  [
    'the preview of a batch',
    'queryParam',
    (queryParam) => app.call(previewParameterBatch, { entitys, queryParam }, token),
  ],
  [
    'an upgrade',
    'devices',
    (devices) =>
      app.call(
        insertUpgradeTask,
        { softwareVersionId: '1', upgradeTime: '2030-01-01 00:00:00', devices: devices as object },
        token,
      ),
  ],
  [
    'the preview of an upgrade',
    'devices',
    (devices) => app.call(previewUpgradeTask, { softwareVersionId: '1', devices: devices as object }, token),
  ],
  [
    'an advertisement',
    'cabinets',
    (cabinets) =>
      app.call(
        createAdvertisement,
        { adName: 'A', ...period, ...annex, cabinets: cabinets as object },
        token,
      ),
  ],
]

describe.each(choosing)('%s', (_, field, send) => {
  test.each([
    [{}],
    [{ filters: {} }],
    [{ filters: { operatorId: '', address: null } }],
    [{ codes: '' }],
    [{ codes: [] }],
    [{ codes: '%，_' }],
    [''],
    [null],
  ])('for %j is refused and makes nothing', async (choice) => {
    const before = await made()
    expect(await send(choice)).toMatchObject({
      status: 400,
      data: expect.arrayContaining([expect.objectContaining({ field: expect.stringMatching(`^${field}`) })]),
    })
    expect(await made()).toEqual(before)
  })

  test('with a misspelt filter is refused by its name, also beside others', async () => {
    for (const filters of [{ organId: '99' }, { isOnline: 0, organId: '99' }])
      expect(await send({ filters })).toMatchObject({
        status: 400,
        data: expect.arrayContaining([
          { field: `${field}.filters.organId`, message: '未知的筛选条件 organId' },
        ]),
      })
  })
})

test.each([
  [{ code: '' }],
  [{ organId: '99' }],
  [{ code: '', organizationId: '', pageNum: 1 }],
  [{ isOnline: 1, organId: '9' }],
])('a batch whose filter is %j, as the specification sends it, is refused', async (queryParam) => {
  const before = await made()
  const answer = await app.call(insertParameterBatch, { paramSetRule, entitys, queryParam }, token)
  expect(answer).toMatchObject({ status: 400 })
  expect(await made()).toEqual(before)
})

test('a batch for all devices says so, and its preview shows the same number', async () => {
  const queryParam = { isAll: 1 }
  const { data: shown } = await app.call(previewParameterBatch, { entitys, queryParam }, token)
  const { data } = await app.call(insertParameterBatch, { paramSetRule, entitys, queryParam }, token)
  expect([shown.devices, data.deviceCount]).toEqual([3, 3])
})

test('a recovery of alarms for an emptied or misspelt filter is refused', async () => {
  const before = await made()
  const call = (filter: object) => app.call(recoverAlarms, { ...filter, count: 1, note: '处理' }, token)
  for (const filter of [
    {},
    { code: '' },
    { code: '%' },
    { alarmLevel: [] },
    { ids: [] },
    { ids: '' },
    { isAll: 1, alarmLevel: 1 },
  ])
    expect(await call(filter), JSON.stringify(filter)).toMatchObject({ status: 400 })
  expect(await call({ alarmLevel: 1, organId: '9' })).toMatchObject({
    status: 400,
    message: '未知的筛选条件 organId',
  })
  expect(await call({ isAll: 1 })).toMatchObject({ status: 409, refusal: 'noActiveAlarm' })
  expect(await made()).toEqual(before)
})

test('every field that limits a write is refused where it is sent empty', async () => {
  const limited = endpoints.flatMap(({ endpoint }) => (endpoint.narrows ? [endpoint] : []))
  expect(limited.length).toBeGreaterThan(6)
  for (const endpoint of limited)
    for (const name of endpoint.narrows ?? [])
      for (const empty of ['', null]) {
        const ids = Object.fromEntries([...endpoint.path.matchAll(/:(\w+)/g)].map(([, id = '']) => [id, '1']))
        const answer = await app.call(endpoint, { ...ids, [name]: empty }, token)
        const fields = (answer.data as { field: string }[] | null)?.map(({ field }) => field.split('.')[0])
        expect([endpoint.path, answer.status, fields?.includes(name)]).toEqual([endpoint.path, 400, true])
      }
})

test('a search for separators alone finds no device', async () => {
  expect((await app.call(listDevices, {}, token)).total).toBe(3)
  for (const filter of [{ keyword: '，、' }, { address: ';' }])
    expect((await app.call(listDevices, filter, token)).total).toBe(0)
})
