import {
  deleteSavedFilter,
  insertSavedFilter,
  listBatteries,
  listDevices,
  listDictionary,
  listOperations,
  listParameterBatches,
  listSavedFilters,
  savedFiltersAtMost,
  searchOperators,
  updateSavedFilter,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertBatteries, insertDevice, insertOperator, insertOrganization } from '../../../test/factories.ts'
import { everything } from '../../domain/access/data-scope.ts'
import { listPartsSeen } from './saved-filters.queries.ts'

const list = listDevices.path
const functionCodes = [listDevices.access]

const app = await appOfTests()
const organizationId = await insertOrganization(app.db)
const other = await insertOrganization(app.db)
const me: { token: string } = await app.asUser({ organizationId, functionCodes })
const colleague: { token: string } = await app.asUser({ organizationId, functionCodes })
const stranger: { token: string } = await app.asUser({ organizationId: other, functionCodes })

const save = (
  name: string,
  isShared: 0 | 1,
  token = me.token,
  values: Record<string, string> = { isOnline: '0' },
) => app.call(insertSavedFilter, { list, name, values, isShared }, token)
const namesOf = async ({ token }: { token: string }) =>
  (await app.call(listSavedFilters, { list }, token)).data.map(({ name }) => name)

test('a private filter is visible to its owner only, a shared one to the organization', async () => {
  expect(await save('离线设备', 0)).toMatchObject({ code: 200, message: '创建成功' })
  expect(await save('本组织离线', 1)).toMatchObject({ code: 200 })
  expect(await namesOf(me)).toEqual(expect.arrayContaining(['离线设备', '本组织离线']))
  const theirs = (await app.call(listSavedFilters, { list }, colleague.token)).data
  expect(theirs).toMatchObject([
    { name: '本组织离线', isOwn: false, isShared: true, values: { isOnline: '0' } },
  ])
  expect(await namesOf(stranger)).toEqual([])
})

test('a shared filter narrows the user’s own list, and names no device that the user does not see', async () => {
  const organizationId = await insertOrganization(app.db)
  const [ownOperator, otherOperator] = [
    await insertOperator(app.db, { organizationId }),
    await insertOperator(app.db, { organizationId }),
  ]
  await insertDevice(app.db, { operatorId: ownOperator, code: 'SEEN0001' })
  await insertDevice(app.db, { operatorId: otherOperator, code: 'HIDDEN01' })
  const wide = await app.asUser({ organizationId, functionCodes })
  const narrow = await app.asUser({
    organizationId,
    functionCodes,
    authorities: [['O', String(ownOperator)]],
  })
  await save('两台', 1, wide.token, { code: 'SEEN0001,hidden01', isOnline: '0' })
  await save('别人的设备', 1, wide.token, { code: 'HIDDEN01' })
  await save('编号的一段', 1, wide.token, { code: 'seen' })
  const readBy = async ({ token }: { token: string }) =>
    (await app.call(listSavedFilters, { list }, token)).data.map(({ name, values }) => [name, values])
  expect(await readBy(wide)).toHaveLength(3)
  expect(await readBy(narrow)).toEqual([
    ['两台', { code: 'SEEN0001', isOnline: '0' }],
    ['编号的一段', { code: 'seen' }],
  ])
  for (const [, values] of await readBy(narrow)) {
    const { data } = await app.call(listDevices, values as object, narrow.token)
    expect(data.filter(({ code }) => code !== 'SEEN0001')).toEqual([])
  }
})

test('colleagues cannot tell the code of a foreign device from an invented one', async () => {
  const organizationId = await insertOrganization(app.db)
  const operatorId = await insertOperator(app.db, { organizationId: await insertOrganization(app.db) })
  await insertDevice(app.db, { operatorId, code: 'FOREIGN01' })
  const [asking, reading] = [
    await app.asUser({ organizationId, functionCodes }),
    await app.asUser({ organizationId, functionCodes }),
  ]
  const known = { foreign: 'FOREIGN01', part: 'foreign', invented: 'INVENTED1' }
  for (const [name, code] of Object.entries(known)) {
    await save(name, 1, asking.token, { code })
    await save(`${name}, typed`, 1, asking.token, { keyword: code })
  }
  await save('all of them', 1, asking.token, { code: Object.values(known).join('\n'), isOnline: '1' })
  expect(await namesOf(reading)).toEqual([])
  await save('a word and a code', 1, asking.token, { keyword: '东门 FOREIGN01' })
  await save('words', 1, asking.token, { keyword: '东门' })
  expect(await namesOf(reading)).toEqual(['words'])
  const own = (await app.call(listSavedFilters, { list }, asking.token)).data
  expect(own.map(({ values }) => values.code)).toEqual(
    expect.arrayContaining([...Object.values(known), 'FOREIGN01\nforeign\nINVENTED1']),
  )
})

test('colleagues are told no code of a foreign device by a shared filter of the operation log', async () => {
  const organizationId = await insertOrganization(app.db)
  const [near, far] = [
    await insertOperator(app.db, { organizationId }),
    await insertOperator(app.db, { organizationId }),
  ]
  await insertDevice(app.db, { operatorId: near, code: 'NEARLOG01' })
  await insertDevice(app.db, { operatorId: far, code: 'FARLOG01' })
  const codes = [listOperations.access]
  const wide = await app.asUser({ organizationId, functionCodes: codes })
  const narrow = await app.asUser({
    organizationId,
    functionCodes: codes,
    authorities: [['O', String(near)]],
  })
  const targets = {
    own: '设备 NEARLOG01',
    'a part of it': '设备nearlog',
    word: '广告',
    foreign: '设备 FARLOG01',
    'foreign without a space': '设备FARLOG01',
    'in small letters, after a mark': '设备：farlog01',
    'own and foreign': 'NEARLOG01-FARLOG01',
    invented: '设备 NOWHERE01',
  }
  for (const [name, target] of Object.entries(targets)) {
    const saved = { list: listOperations.path, name, values: { target, isOk: '1' }, isShared: 1 as const }
    expect(await app.call(insertSavedFilter, saved, wide.token)).toMatchObject({ code: 200 })
  }
  const readBy = async ({ token }: { token: string }) =>
    (await app.call(listSavedFilters, { list: listOperations.path }, token)).data.map(({ name }) => name)
  expect((await readBy(narrow)).sort()).toEqual(['a part of it', 'own', 'word'])
  expect((await readBy(wide)).sort()).toEqual(Object.keys(targets).sort())
})

test('colleagues are told no code of a battery, a batch or an operator that they do not see', async () => {
  const organizationId = await insertOrganization(app.db)
  const [near, far] = [
    await insertOperator(app.db, { organizationId }),
    await insertOperator(app.db, { organizationId }),
  ]
  for (const [id, code] of [
    [near, 'NEAROP01'],
    [far, 'FAROP01'],
  ] as const)
    await sql`UPDATE operator SET code = ${code} WHERE id = ${id}`.execute(app.db)
  const devices = [
    await insertDevice(app.db, { operatorId: near }),
    await insertDevice(app.db, { operatorId: far }),
  ]
  const [seen = '', hidden = ''] = await insertBatteries(
    app.db,
    devices.map(({ id }) => id),
    (id) => `CELL${id}X`,
  )
  await sql`
    INSERT INTO parameter_batch (code, kind, wanted, devices, max_attempts, interval_minutes, ends_at, created_by,
      created_by_name, organization_id, next_at)
    SELECT c, 'set', '[]', '{}', 1, 1, now(), 1, 'a', o, now()
    FROM unnest(ARRAY['BOWN1', 'BOTHER1'], ARRAY[${organizationId}, ${other}]::int[]) AS m (c, o)`.execute(
    app.db,
  )
  const codes = [listBatteries, listParameterBatches, searchOperators].map(({ access }) => String(access))
  const wide = await app.asUser({ organizationId, functionCodes: codes })
  const narrow = await app.asUser({
    organizationId,
    functionCodes: codes,
    authorities: [['O', String(near)]],
  })
  let named = 0
  const share = async (path: string, values: Record<string, string>) =>
    expect(
      await app.call(
        insertSavedFilter,
        { list: path, name: `共享${++named}`, values, isShared: 1 },
        wide.token,
      ),
    ).toMatchObject({ code: 200 })
  const readBy = async (path: string, token = narrow.token) =>
    (await app.call(listSavedFilters, { list: path }, token)).data.map(({ values }) => values)
  const cases: { path: string; shown: Record<string, string>[]; left: Record<string, string>[] }[] = [
    {
      path: listBatteries.path,
      shown: [{ code: seen.toLowerCase() }, { codes: seen, state: 'full' }, { state: 'full' }],
      left: [{ code: hidden }, { code: 'NOCELL' }, { codes: `${seen},${hidden}` }],
    },
    { path: listParameterBatches.path, shown: [{ code: 'bown' }], left: [{ code: 'BOTHER1' }] },
    { path: searchOperators.path, shown: [{ code: 'nearop' }], left: [{ code: 'FAROP01' }] },
  ]
  for (const { path, shown, left } of cases) {
    for (const values of [...shown, ...left]) await share(path, values)
    const told = await readBy(path)
    expect(told).toHaveLength(shown.length)
    expect(told).toEqual(expect.arrayContaining(shown))
    expect(await readBy(path, wide.token)).toHaveLength(shown.length + left.length)
  }

  // What is no whole code is searched in all that the reader sees: so many parts a call, and those of short filters first.
  const many = Array.from({ length: 300 }, (_, n) => `zq${n}`).join(',')
  await share(listBatteries.path, { codes: many })
  expect(await readBy(listBatteries.path)).toHaveLength(cases[0]?.shown.length as number)
  const reader = { actor: { isSystem: true, organizationId }, scope: everything }
  const parts = [seen.slice(0, 3), seen.slice(0, 4), seen.slice(0, 5), seen]
  expect(await listPartsSeen(app.db, reader, 'battery', parts, 2)).toEqual(
    new Set([parts[0], parts[1], seen]),
  )
})

test('the code of a list of other things than devices is shared as it was saved', async () => {
  const organizationId = await insertOrganization(app.db)
  const codes = [listDictionary.access]
  const [owner, reading] = [
    await app.asUser({ organizationId, functionCodes: codes }),
    await app.asUser({ organizationId, functionCodes: codes }),
  ]
  const saved = {
    list: listDictionary.path,
    name: '一个编码',
    values: { code: '02121001' },
    isShared: 1 as const,
  }
  await app.call(insertSavedFilter, saved, owner.token)
  const { data } = await app.call(listSavedFilters, { list: listDictionary.path }, reading.token)
  expect(data).toMatchObject([{ values: { code: '02121001' } }])
})

test('only its owner renames, unshares and deletes it; the operation log records shared ones, and no private ones', async () => {
  const { id } = (await save('会改名', 1)).data
  for (const endpoint of [updateSavedFilter, deleteSavedFilter]) {
    expect(await app.call(endpoint, { id, name: '夺走' }, colleague.token)).toMatchObject({
      code: 404,
      refusal: 'savedFilterNotFound',
    })
  }
  expect(await app.call(updateSavedFilter, { id, name: '改了名', isShared: 0 }, me.token)).toMatchObject({
    code: 200,
  })
  expect(await namesOf(me)).toContain('改了名')
  expect(await namesOf(colleague)).not.toContain('改了名')
  await save('只是我的', 0)
  expect(await app.call(deleteSavedFilter, { id }, me.token)).toMatchObject({
    code: 200,
    message: '删除成功!',
  })
  expect(await namesOf(me)).not.toContain('改了名')
  const log = (await app.call(listOperations, { pageSize: 100 }, await app.asAdmin())).data.map(
    (row) => row.target,
  )
  expect(log.filter((target) => target === '常用筛选 会改名')).toHaveLength(2)
  expect(log).not.toContain('常用筛选 只是我的')
})

test('a user who may not open the list has none of its filters, and cannot add any', async () => {
  const { token } = await app.asUser({ functionCodes: [] })
  expect(await app.call(listSavedFilters, { list }, token)).toMatchObject({ code: 403 })
  expect(await save('x', 0, token)).toMatchObject({ code: 403 })
})

test.each([
  ['a list that does not exist', { list: '/no/such' }, '列表不存在'],
  ['a write in place of a list', { list: '/equip/insert' }, '列表不存在'],
  ['no name', { name: '' }, '请输入名称'],
  ['a field that is none', { values: { '<b>': '1' } }, undefined],
])('%s is refused', async (_what, wrong, message) => {
  const input = { list, name: '错的', values: {}, isShared: 0 as const, ...wrong }
  const answer = await app.call(insertSavedFilter, input, me.token)
  expect(answer).toMatchObject({ code: 400, ...(message ? { message } : {}) })
})

test('a name is unique per user and list', async () => {
  await save('重名', 0)
  expect(await save('重名', 1)).toMatchObject({ code: 409, message: '已有同名的常用筛选' })
  expect(await save('重名', 0, colleague.token)).toMatchObject({ code: 200 })
})

test('the number of a user’s filters per list is limited', async () => {
  const { token } = await app.asUser({ functionCodes })
  for (let at = 0; at < savedFiltersAtMost; at += 1) await save(`n${at}`, 0, token)
  expect(await save('one more', 0, token)).toMatchObject({ code: 409, refusal: 'tooManySavedFilters' })
})
