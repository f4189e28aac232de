import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  functionCodesOf,
  listLogNames,
  listMenus,
  listNodes,
  login,
  readLog,
  readServerInfo,
} from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { endpoints } from '../../../test/endpoints.ts'
import { eventually } from '../../../test/eventually.ts'

const app = await appOfTests()
const admin = await app.asAdmin()
const logs = join(app.config.dataDir, 'logs')
mkdirSync(logs, { recursive: true })
writeFileSync(join(app.config.dataDir, 'outside.log'), 'outside\n')
writeFileSync(join(logs, 'seen.log'), 'eins\nzwei\n')
symlinkSync(join(app.config.dataDir, 'outside.log'), join(logs, 'link.log'))

describe('the server tells SYSTEM users', () => {
  test('which processes there are, and what each does', async () => {
    await app.database.owner.query(`
      INSERT INTO node (name, address, roles, version, started_at, leased_at, lease_until, stopped_at, succeeded_by, device_count)
      VALUES
        ('lost', 'b', '{ingest}', '0.9.0', now(), now(), now() - interval '1 minute', NULL, NULL, 7),
        ('stopped', 'c', '{ingest}', '0.9.0', now(), now(), now() - interval '1 minute', now(), NULL, 7),
        ('replaced', 'd', '{ingest}', '0.9.0', now(), now(), now() - interval '1 minute', NULL, 1, 7),
        ('long ago', 'e', '{ingest}', '0.9.0', now(), now(), now() - interval '2 days', NULL, NULL, 7)`)
    const { code, data } = await app.call(listNodes, {}, admin)
    expect(code).toBe(200)
    expect(data.map(({ name, state, deviceCount }) => [name, state, deviceCount]).slice(1)).toEqual([
      ['lost', 'lost', null],
      ['stopped', 'stopped', null],
    ])
    // It says so when it renews its lease next.
    await eventually(async () =>
      expect((await app.call(listNodes, {}, admin)).data[0]).toMatchObject({
        state: 'serving',
        roles: ['api', 'ingest', 'jobs'],
        deviceCount: 0,
        lagMs: 0,
        address: expect.stringContaining(`mqtt ${app.ports.mqttPort}`),
      }),
    )
  })

  // proves: call GET /server/info
  test('its version, environment and state', async () => {
    const { code, data } = await app.call(readServerInfo, {}, admin)
    expect(code).toBe(200)
    expect(data).toMatchObject({
      nodeVersion: process.version,
      roles: ['api', 'ingest', 'jobs'],
      zone: 'Asia/Shanghai',
      database: { isReachable: true, version: expect.stringMatching(/^\d+/) },
      broker: {
        isEmbedded: true,
        isHere: true,
        isReachable: true,
        connectionCount: 0,
        messageCount: 0,
        unwritten: [],
      },
      disk: { path: app.config.dataDir },
      readings: {
        stores: [
          { level: 'open', keptDays: null },
          { level: 'raw', keptDays: 30 },
          { level: 'hour', keptDays: 400 },
          { level: 'day', keptDays: 1_825 },
        ],
      },
    })
    for (const { sizeBytes } of data.readings?.stores ?? []) expect(sizeBytes).toBeGreaterThan(0)
    expect(data.disk.freeBytes).toBeGreaterThan(0)
    expect(data.memory.processBytes).toBeGreaterThan(0)
    expect(data.database.sizeBytes).toBeGreaterThan(0)
    await expect
      .poll(async () => (await app.call(readServerInfo, {}, admin)).data.jobs.map(({ name }) => name))
      .toContain('history.keep')
  })

  test('its limits, their use and how often they were reached', async () => {
    const client = app.from('10.9.9.9')
    const wrong = { loginname: 'nobody', password: 'Wrong-1234' }
    for (let attempt = 0; attempt < 6; attempt += 1) await client.call(login, wrong)
    const { data } = await app.call(readServerInfo, {}, admin)
    const limitOf = (name: string) => data.limits.find((limit) => limit.name === name)
    const connections = limitOf('网页和接口的连接')
    expect(connections).toMatchObject({ most: expect.any(Number), metCount: 0 })
    expect(connections?.presentCount).toBeGreaterThan(0)
    expect(limitOf('同一地址到网页和接口的连接')).toMatchObject({
      presentCount: null,
      most: 1_000,
      metCount: 0,
    })
    expect(limitOf('同时进行的登录')).toMatchObject({ presentCount: 0, most: 256, metCount: 0 })
    expect(limitOf('登录失败的次数')).toMatchObject({ metCount: 1 })
    expect(limitOf('一个用户的实时更新')).toMatchObject({ most: 20, metCount: 0 })
    expect(limitOf('请求内容和上传的速度')).toMatchObject({ metCount: 0 })
    expect(limitOf('设备接入的连接')).toMatchObject({ presentCount: 0, metCount: 0 })
    expect(limitOf('尚未登录的设备连接')?.most).toBeGreaterThan(0)
    // Without TLS there are no handshakes, and without a limit rows are not counted.
    expect([limitOf('TLS 握手'), limitOf('当天的历史记录')]).toEqual([undefined, undefined])
  })

  test('no secrets', async () => {
    const { text } = await app.call(readServerInfo, {}, admin)
    expect(text).not.toContain(app.config.adminPassword)
    expect(text).not.toMatch(/password|secret|token/i)
  })

  test('and users with the page’s function too, but without log lines', async () => {
    const { token } = await app.asUser({ functionCodes: ['server:info'] })
    const { code, data } = await app.call(readServerInfo, {}, token)
    expect([code, data.database.isReachable]).toEqual([200, true])
    const { token: other } = await app.asUser({ functionCodes: ['operation:page'] })
    expect((await app.call(readServerInfo, {}, other)).status).toBe(403)

    const functionCodes = endpoints.flatMap(({ endpoint }) => functionCodesOf(endpoint))
    const { token: every } = await app.asUser({ functionCodes: [...new Set<string>(functionCodes)] })
    for (const endpoint of [listLogNames, readLog]) {
      expect((await app.call(endpoint, { name: 'seen.log' }, every)).status).toBe(403)
    }
  })

  test('the function belongs to the page, where administrators of roles can grant it', async () => {
    const { data } = await app.call(listMenus, {}, admin)
    const pages = data.flatMap((menu) => [menu, ...menu.children])
    const page = pages.find(({ url }) => url === 'system/server')
    expect(page?.children.map(({ type, remark }) => [type, remark])).toEqual([['F', 'server:info']])
  })
})

describe('log files', () => {
  // proves: call GET /loglevel/logNames
  test('are those of the log directory', async () => {
    const { data } = await app.call(listLogNames, {}, admin)
    const names = data.map(({ name }) => name)
    expect(names).toContain('seen.log')
    expect(names).toContain('voltkeep.log')
    expect(names).not.toContain('link.log')
  })

  // proves: call GET /loglevel/readLog
  test('are read from the end, by lines and words, and upwards from an offset', async () => {
    const last = await app.call(readLog, { name: 'seen.log', lines: 1 }, admin)
    expect(last.data).toMatchObject({ name: 'seen.log', lines: ['zwei'], before: 5 })
    const first = await app.call(readLog, { name: 'seen.log', before: 5 }, admin)
    expect(first.data).toMatchObject({ lines: ['eins'], before: null })
    expect((await app.call(readLog, { name: 'seen.log', text: 'EINS' }, admin)).data.lines).toEqual(['eins'])
    appendFileSync(join(logs, 'seen.log'), 'drei\n')
    expect((await app.call(readLog, { name: 'seen.log', lines: 1 }, admin)).data.lines).toEqual(['drei'])
  })

  test.each([
    '../outside.log',
    '..%2Foutside.log',
    '..%252Foutside.log',
    '%2Fetc%2Fpasswd',
    '..\\outside.log',
    '..%5Coutside.log',
    'link.log',
    'seen.log%00.txt',
    '%00',
    '.',
    '..',
    '',
    'logs',
    'seen.log/',
    'none.log',
    '%E5%A4%96.log',
    'a&name=seen.log',
    'file:///etc/passwd',
    'CON',
    `${'a'.repeat(300)}`,
  ])('outside of it cannot be reached by name=%s', async (name) => {
    const answer = await app.request(`/api/loglevel/readLog?name=${name}`, {
      headers: { authorization: admin },
    })
    expect([400, 404]).toContain(answer.status)
    expect(answer.message).toMatch(/[\u4e00-\u9fff]/)
    expect(answer.text).not.toContain('root:')
    expect(answer.text).not.toContain('outside\\n')
  })

  test.each([{ lines: 0 }, { lines: 1001 }, { lines: 'x' }, { before: -1 }])(
    'are refused for parameters out of bounds: %o',
    async (wrong) => {
      expect((await app.call(readLog, { name: 'seen.log', ...wrong }, admin)).status).toBe(400)
    },
  )
})
