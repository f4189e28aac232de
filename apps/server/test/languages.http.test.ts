// The language of a call is that of its page; the language of a user goes along to other browsers.
import {
  apiKeyPrefix,
  compartmentsNamed,
  exportDevices,
  exportDeviceTimeline,
  exportOperations,
  insertApiKey,
  insertRole,
  insertUser as insertUserCall,
  listAlarms,
  listDevices,
  listKeyFunctions,
  listMenus,
  listOperations,
  listReadings,
  listRegions,
  type MenuRecord,
  readCurrentUser,
  readDevice,
  readDeviceTimeline,
  readEnums,
  saveLanguage,
  searchRoles,
} from '@voltkeep/contract'
import { seedsInEnglish } from '@voltkeep/contract/english/seeds'
import { expect, test } from 'vitest'
import { shownMenuName } from '../src/features/menus/menu-names.ts'
import { seededMeaning } from '../src/platform/process/language/seeded-names.ts'
import { speaking } from '../src/platform/process/language/speech.ts'
import { appOfTests } from './app.ts'
import { clientOf } from './client.ts'
import { insertAlarm, insertDevice } from './factories.ts'
import { rowsOfSheet } from './sheets.ts'

const app = await appOfTests()
const inEnglish = clientOf(app.url, { cookie: 'voltkeep_language=en' })
const han = /\p{Script=Han}/u

test('a refusal and what is wrong with an input are told in the language of the page, Chinese by default', async () => {
  const { token } = await app.asUser()
  const admin = await app.asAdmin()
  expect((await app.call(readDevice, { id: '99' }, admin)).message).toBe('设备不存在')
  expect((await inEnglish.call(readDevice, { id: '99' }, admin)).message).toBe('The device does not exist')
  // What a browser would like by itself is not asked.
  const accepting = clientOf(app.url, { 'accept-language': 'en-US,en;q=0.9' })
  expect((await accepting.call(readDevice, { id: '99' }, admin)).message).toBe('设备不存在')
  const wrong = await inEnglish.call(insertUserCall, { userName: '' }, admin)
  expect(wrong.code).toBe(400)
  expect(JSON.stringify(wrong.data)).not.toMatch(han)
  expect((await inEnglish.call(insertRole, {}, token)).message).toBe('You lack the right to do this')
})

test('a user keeps a language, which the next sign-in tells the browser', async () => {
  const user = await app.asUser()
  const languageAtSignIn = async () => {
    const answer = await app.request('/api/user/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ loginname: user.loginName, password: user.password }),
    })
    return /voltkeep_language=(\w+)/.exec(answer.headers.getSetCookie().join('\n'))?.[1]
  }
  expect(await languageAtSignIn()).toBe('zh')
  expect(await app.call(saveLanguage, { language: 'en' }, user.token)).toMatchObject({ code: 200 })
  expect(await languageAtSignIn()).toBe('en')
  expect(await app.call(saveLanguage, { language: 'de' }, user.token)).toMatchObject({ code: 400 })
  expect(await languageAtSignIn()).toBe('en')
})

test('the menu is in English, unless somebody has named a page', async () => {
  const admin = await app.asAdmin()
  await app.database.pool.query(`UPDATE menu SET name = '我们的告警' WHERE name = '告警管理'`)
  const { data } = await inEnglish.call(readCurrentUser, {}, admin)
  const names = JSON.stringify(data.tree)
  expect(names).toContain('"Devices"')
  expect(names).toContain('我们的告警')
  expect(names).not.toContain('设备列表')
  expect(JSON.stringify((await app.call(readCurrentUser, {}, admin)).data.tree)).toContain('设备列表')
})

test('the operation log and an export are in the language of who reads them', async () => {
  const admin = await app.asAdmin()
  await insertDevice(app.db, { code: 'ENG1' })
  await app.database.pool.query(`UPDATE device SET name = '一号柜' WHERE code = 'ENG1'`)
  const { data } = await inEnglish.call(listOperations, { pageSize: 100 }, admin)
  expect(data.map(({ summary }) => summary)).toContain('Sign in')
  expect(data.map(({ target }) => target)).toContain('User admin')
  const response = await fetch(`${app.url}/api${exportDevices.path}?code=ENG1`, {
    headers: { authorization: admin, cookie: 'voltkeep_language=en' },
  })
  expect(response.headers.get('content-disposition')).toContain('Device_')
  const [titles, row] = await rowsOfSheet(response)
  expect(titles?.join()).not.toMatch(han)
  expect(row).toContain('一号柜')
  expect(row).toContain('Never online')
})

test('what people have written stays as it is for a reader of English', async () => {
  const admin = await app.asAdmin()
  const note = '离线，已派人'
  const device = await insertDevice(app.db)
  await insertAlarm(app.db, device, '01110002', 5)
  await app.database.pool.query('UPDATE alarm_history SET note = $2 WHERE device_id = $1', [device.id, note])
  const { data } = await inEnglish.call(
    readDeviceTimeline,
    { id: String(device.id), kinds: ['alarm'] },
    admin,
  )
  expect(data.entries).toMatchObject([{ detail: note }])
  const headers = { authorization: admin, cookie: 'voltkeep_language=en' }
  const path = exportDeviceTimeline.path.replace(':id', String(device.id))
  const [, entry] = await rowsOfSheet(await fetch(`${app.url}/api${path}?kinds=alarm`, { headers }))
  expect(entry).toContain(note)

  await app.call(insertRole, { name: '误报', code: 'ENG', remark: note }, admin)
  const [, ...rows] = await rowsOfSheet(await fetch(`${app.url}/api${exportOperations.path}`, { headers }))
  const changes = rows.flatMap((cells) => cells.filter((cell) => cell?.includes(note)))
  expect(changes).toEqual([`Code：ENG\nName：误报\nNote：${note}`])
})

test('an API key, which has no page, says its language itself', async () => {
  const admin = await app.asAdmin()
  const { data } = await app.call(
    insertApiKey,
    { name: 'MES', functionCodes: ['equip:list'], validDays: 1 },
    admin,
  )
  expect(data.secret.startsWith(apiKeyPrefix)).toBe(true)
  const other = clientOf(app.url, { 'accept-language': 'en' })
  expect((await other.call(readDevice, { id: '99' }, data.secret)).message).toBe('The device does not exist')
  expect((await app.call(readDevice, { id: '99' }, data.secret)).message).toBe('设备不存在')
})

test('names with which an installation starts are in English, unless somebody has given them another', async () => {
  const admin = await app.asAdmin()
  const { pool } = app.database
  const { rows } = await pool.query(`
    SELECT name FROM dictionary_entry
    UNION SELECT name FROM equip_type WHERE code IN ('EC', 'CC', 'BAT', 'ESS')
    UNION SELECT name FROM equip_model WHERE code LIKE 'VK-%' UNION SELECT name FROM part_type
    UNION SELECT name FROM role WHERE id <= 2 UNION SELECT remark FROM role WHERE id <= 2
    UNION SELECT name FROM reading_definition UNION SELECT group_name FROM reading_definition
    UNION SELECT unit FROM reading_definition WHERE unit IS NOT NULL
    UNION SELECT name FROM log_level UNION SELECT name FROM region WHERE code ~ '^(\\d{2}|\\d{4}00)$'
    ORDER BY name`)
  expect(rows.length).toBeGreaterThan(580)
  expect(rows.filter(({ name }) => han.test(name) && !(name in seedsInEnglish))).toEqual([])
  expect(Object.values(seedsInEnglish).filter((name) => han.test(name))).toEqual([])

  const [model] = (await pool.query(`SELECT id FROM equip_model WHERE code = 'VK-EC12'`)).rows
  const device = await insertDevice(app.db, { modelId: model.id })
  await insertAlarm(app.db, device, '01110002', 5)
  const read = async (client: Pick<typeof app, 'call'>) => {
    const [shown] = (await client.call(listDevices, { code: [device.code] }, admin)).data
    const [alarm] = (await client.call(listAlarms, { code: [device.code] }, admin)).data
    return [shown?.equipTypeName, shown?.equipModelName, alarm?.semaphoreName]
  }
  expect(await read(app)).toEqual(['换电柜', '12仓换电柜', '烟感告警'])
  expect(await read(inEnglish)).toEqual([
    'Battery swap cabinet',
    'Swap cabinet, 12 compartments',
    'Smoke detected',
  ])
  await pool.query(`UPDATE equip_model SET name = '新柜' WHERE id = $1`, [model.id])
  await pool.query(`UPDATE dictionary_entry SET name = '烟雾' WHERE type = 'ALARM' AND code = '01110002'`)
  expect(await read(inEnglish)).toEqual(['Battery swap cabinet', '新柜', '烟雾'])
})

test('every page and every function of the menu has an English name', async () => {
  const { rows } = await app.database.pool.query(`
    SELECT name FROM menu WHERE name <> '我们的告警' AND remark IN (
      SELECT remark FROM menu WHERE type <> 'F' OR position(':' in remark) > 0) AND name <> remark`)
  expect(rows.length).toBeGreaterThan(190)
  expect(
    rows.map(({ name }) => name).filter((name) => speaking('en', () => shownMenuName(name)) === name),
  ).toEqual([])
})

test('what an alarm means is in English as far as an installation starts with it', async () => {
  const { rows } = await app.database.pool.query('SELECT DISTINCT name FROM semaphore_definition')
  expect(rows.length).toBeGreaterThan(250)
  const english = (meaning: string) => speaking('en', () => seededMeaning(meaning))
  expect(rows.map(({ name }) => name).filter((name) => han.test(english(name)))).toEqual([])
  expect(english('2号仓、4号仓')).toBe('Compartment 2, Compartment 4')
  expect(english('柜顶烟感触发、压差大于300mV，建议停用')).toBe(
    'Smoke detector at the top, Cells more than 300 mV apart, better not used',
  )
  expect(english('3号门')).toBe('Door 3')
  // What somebody has written stays.
  expect(english('我们的第三位')).toBe('我们的第三位')
  expect(seededMeaning('2号仓、4号仓')).toBe('2号仓、4号仓')
  // The console finds compartments in either.
  for (const say of [(text: string) => text, english])
    expect(compartmentsNamed({ meaning: say('2号仓、4号仓'), semaphoreName: '' })).toEqual([2, 4])
})

test('roles, functions, places and readings are read in English, and their forms keep the name that was given', async () => {
  const admin = await app.asAdmin()
  const { data: roles } = await inEnglish.call(searchRoles, {}, admin)
  expect(roles.find(({ id }) => id === '1')).toMatchObject({
    name: '系统管理员',
    shownName: 'System administrator',
  })
  const { data: menus } = await inEnglish.call(listMenus, {}, admin)
  const all = (nodes: readonly MenuRecord[]): MenuRecord[] =>
    nodes.flatMap((node) => [node, ...all(node.children)])
  expect(all(menus).find(({ remark }) => remark === 'equip:insert')).toMatchObject({
    name: '新增设备',
    shownName: 'Add devices',
  })
  const { data: functions } = await inEnglish.call(listKeyFunctions, {}, admin)
  expect(functions.filter(({ name, page }) => han.test(name + page) && page !== '我们的告警')).toEqual([])
  const { data: tree } = await inEnglish.call(listRegions, {}, admin)
  const china = tree.find(({ code }) => code === '86')
  const guangdong = china?.childrens.find(({ code }) => code === '440000')
  expect(guangdong).toMatchObject({ name: '广东省', label: 'Guangdong' })
  expect(guangdong?.childrens.find(({ code }) => code === '440300')).toMatchObject({ label: 'Shenzhen' })
  expect((await app.call(listRegions, {}, admin)).data.find(({ code }) => code === '86')?.label).toBe('中国')
  const { data: enums } = await inEnglish.call(readEnums, { types: ['ALARM_CAUSE'] }, admin)
  expect(
    JSON.stringify(
      Object.values(enums)
        .flat()
        .map(({ name }) => name),
    ),
  ).not.toMatch(han)

  const [model] = (await app.database.pool.query(`SELECT id FROM equip_model WHERE code = 'VK-EC12'`)).rows
  const [region] = (await app.database.pool.query(`SELECT id FROM region WHERE code = '440300'`)).rows
  const device = await insertDevice(app.db, { modelId: model.id, regionId: region.id })
  const [shown] = (await inEnglish.call(listDevices, { code: [device.code] }, admin)).data
  expect(shown?.regionName).toMatch(/^China/)
  await app.database.pool.query(
    `UPDATE device_state SET status = $2, status_at = now(), compartments = $3 WHERE device_id = $1`,
    [device.id, JSON.stringify({ 柜内温度: 25, 我们的读数: 1 }), JSON.stringify([{ no: 3, voltage: 48.1 }])],
  )
  const { data: readings } = await inEnglish.call(listReadings, { id: String(device.id) }, admin)
  expect(readings.map(({ name, group }) => [name, group])).toEqual([
    ['Cabinet temperature', 'Environment'],
    ['我们的读数', null],
    ['Compartment 3 Voltage', 'Compartment'],
  ])
})
