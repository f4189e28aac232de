// The operation log at receivers of syslog over TLS: a strict one, one that misbehaves, and rsyslogd.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { login, logout, updateOrganization } from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { createAuthority, skipsTls } from '../../../test/certificates.ts'
import { endWithFile } from '../../../test/database.ts'
import { eventually } from '../../../test/eventually.ts'
import { insertOrganization, insertUser } from '../../../test/factories.ts'
import {
  openSyslogReceiver,
  parseMessage,
  skipsRsyslog,
  startRsyslog,
} from '../../../test/syslog-receiver.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { type Entry, messageOf } from './message.rules.ts'
import { createSyslog } from './syslog.service.ts'

const origin = { host: 'cabinets', version: '1.0.0', enterpriseNumber: 32_473 }
const sd = 'voltkeep@32473'
const entry: Entry = {
  id: '7',
  at: new Date('2026-11-27T01:02:03.004Z'),
  userId: 3,
  loginName: 'wang',
  organizationId: 2,
  address: '10.1.2.3',
  requestId: 'r-1',
  call: '/equip/update/:id',
  summary: '修改设备',
  target: '设备 EC1',
  code: 200,
  message: null,
  changes: { before: { name: '甲' }, after: { name: '乙' } },
}
const parsed = (more: Partial<Entry>, of = origin) =>
  parseMessage(Buffer.from(messageOf({ ...entry, ...more }, of)))

describe('a message', () => {
  test('says who did what, and what it changed', () => {
    expect(parsed({})).toEqual({
      facility: 13,
      severity: 5,
      time: '2026-11-27T01:02:03.004Z',
      host: 'cabinets',
      app: 'voltkeep',
      procId: '-',
      messageId: 'OPERATION',
      data: {
        origin: { software: 'voltkeep', swVersion: '1.0.0' },
        meta: { language: 'zh' },
        [sd]: {
          id: '7',
          user: 'wang',
          userId: '3',
          organizationId: '2',
          address: '10.1.2.3',
          call: '/equip/update/:id',
          summary: '修改设备',
          target: '设备 EC1',
          code: '200',
          requestId: 'r-1',
          changes: '{"before":{"name":"甲"},"after":{"name":"乙"}}',
        },
      },
      text: 'wang 修改设备 设备 EC1 成功',
    })
  })

  test('of a sign-in has another facility, and of what was refused a greater severity', () => {
    const of = ({ facility, severity, messageId }: ReturnType<typeof parsed>) => [
      facility,
      severity,
      messageId,
    ]
    expect(of(parsed({ call: login.path }))).toEqual([10, 6, 'SIGNIN'])
    expect(of(parsed({ call: login.path, code: 400, message: '用户名或密码错误' }))).toEqual([
      10,
      4,
      'SIGNIN',
    ])
    expect(of(parsed({ code: 409, message: '已存在' }))).toEqual([13, 4, 'OPERATION'])
  })

  test.each([
    ['closes value and element', '"] [forged@1 user="admin"'],
    ['is full of escapes', '\\"]\\]"\\'],
    ['begins a line of its own', 'x\n<34>1 2026-11-27T00:00:00Z host su - - - forged'],
    ['has control characters', 'a\u0000b\u001b[31mc\u007fd\u0085e\u2028f\u202eg'],
    ['is half a character', 'a\ud800b'],
    ['is long', '柜'.repeat(9_000)],
  ])('is one message, on one line, also where a name %s', (_, loginName) => {
    const { data, text } = parsed({ loginName, call: login.path, code: 400, message: 'no' })
    expect(Object.keys(data)).toEqual(['origin', 'meta', sd])
    expect(data[sd]?.id).toBe('7')
    expect(`${data[sd]?.user}${text}`).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]/u)
    if (loginName.length < 40 && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}]/u.test(loginName))
      expect(data[sd]?.user).toBe(loginName)
  })

  test.each([4_000, 7_000, 7_500, 8_000, 20_000])(
    'is no longer than every receiver takes, with %i characters of changes',
    (length) => {
      for (const sign of ['x', '"', '柜', '🔋']) {
        const bytes = Buffer.from(
          messageOf({ ...entry, changes: { after: { note: sign.repeat(length) } } }, origin),
        )
        const { data } = parseMessage(bytes)
        expect(data[sd]?.changes).toMatch(/^\{"after":\{"note":"/)
        const isCut = data[sd]?.changesCut === 'true'
        expect(isCut).toBe(bytes.length > 8_192 - 8 || data[sd]?.changes?.endsWith('}}') === false)
      }
    },
  )

  test('has a host of printable letters, and the enterprise number that was set', () => {
    const { host, data } = parsed({}, { ...origin, host: '机柜 1', enterpriseNumber: 99 })
    expect(host).toBe('-1')
    expect(data['voltkeep@99']?.id).toBe('7')
  })
})

describe.skipIf(skipsTls)('the operation log', async () => {
  if (skipsTls) return
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-syslog-'))
  const authority = createAuthority(join(directory, 'ca'))
  const pair = authority.issue('localhost')
  const client = authority.issue('voltkeep', { use: 'client' })
  const receiver = await openSyslogReceiver(pair, { clientCa: authority.cert })
  endWithFile(() => receiver.close())
  const app = await appOfTests({
    SYSLOG_URL: receiver.url,
    SYSLOG_CA: authority.cert,
    SYSLOG_CERT: client.cert,
    SYSLOG_KEY: client.key,
    SYSLOG_ENTERPRISE_NUMBER: '4711',
    NODE_NAME: 'node-a',
    // Its jobs are run by the tests, but for the one that proves that they run.
    ROLES: 'api',
  })
  const { db } = app
  const logged: unknown[] = []
  const log = {
    info: (...said: unknown[]) => logged.push(said),
    warn: (...said: unknown[]) => logged.push(said),
  }
  const senderTo = (url: string, more: { ca?: string; cert?: string; key?: string } = {}) =>
    createSyslog({
      db,
      log: log as never,
      receiver: { url, ca: authority.cert, cert: client.cert, key: client.key, ...more },
      origin,
    })
  const signal = new AbortController().signal
  const pending = async () =>
    Number((await sql<{ n: string }>`SELECT count(*) AS n FROM syslog_pending`.execute(db)).rows[0]?.n)
  const empty = async () => {
    await sql`DELETE FROM syslog_pending`.execute(db)
    receiver.messages.length = 0
    receiver.behave('reads')
  }
  const actor = {
    userId: 1,
    loginName: 'admin',
    organizationId: 1,
    isSystem: true,
    client: { address: '::1', userAgent: null, requestId: 'r', call: '/test', summary: '试验' },
  }
  const write = (from: number, count: number) =>
    db.transaction().execute(async (trx) => {
      for (let n = from; n < from + count; n += 1) await recordOperation(trx, actor, { target: `第 ${n} 条` })
    })
  const targets = () => receiver.messages.map(({ data }) => data[sd]?.target)
  const wanted = (count: number) => Array.from({ length: count }, (_, n) => `第 ${n} 条`)

  test('leaves with sign-ins, those that failed, and changes, in its order', async () => {
    await empty()
    const user = await insertUser(db)
    const organizationId = await insertOrganization(db, { name: '从前' })
    await app.from('10.9.8.7').call(login, { loginname: user.loginName, password: 'Wrong-1234' })
    const token = await app.signIn(user.loginName, user.password)
    const admin = await app.asAdmin()
    const changed = await app.call(
      updateOrganization,
      { id: String(organizationId), name: '现在', code: 'SYSLOG', version: 1 },
      admin,
    )
    expect(changed.code).toBe(200)
    await app.call(logout, {}, token)
    await senderTo(receiver.url).send(signal)
    expect(receiver.problems).toEqual([])
    expect(
      receiver.messages.map(({ messageId, severity, data }) => [messageId, severity, data[sd]?.call]),
    ).toEqual([
      ['SIGNIN', 4, login.path],
      ['SIGNIN', 6, login.path],
      ['SIGNIN', 6, login.path],
      ['OPERATION', 5, updateOrganization.path],
      ['SIGNIN', 6, logout.path],
    ])
    expect(receiver.messages[0]?.data[sd]).toMatchObject({ user: user.loginName, address: '10.9.8.7' })
    expect(receiver.messages[3]?.data[sd]?.changes).toContain('现在')
    expect(JSON.stringify(receiver.messages)).not.toMatch(/Wrong-1234|password/)
    expect(await pending()).toBe(0)
  })

  test('waits while the receiver is away, and comes whole and once when it is back', async () => {
    await empty()
    const away = await openSyslogReceiver(pair)
    await away.close()
    const sender = senderTo(away.url)
    await write(0, 450)
    await sender.send(signal)
    expect(sender.warning()?.zh).toContain('450 条操作日志等待发送')
    expect(await pending()).toBe(450)
    // Another process, or this one after a start.
    await senderTo(receiver.url).send(signal)
    expect(targets()).toEqual(wanted(450))
    expect(await pending()).toBe(0)
  })

  test('is sent again where a connection breaks: nothing is lost, and what came twice has the same id', async () => {
    await empty()
    await write(0, 450)
    receiver.behave({ breaksAfter: 37 })
    const first = senderTo(receiver.url)
    await first.send(signal)
    expect(first.warning()).not.toBeNull()
    expect(receiver.messages.length).toBe(37)
    receiver.behave('reads')
    await senderTo(receiver.url).send(signal)
    const ids = receiver.messages.map(({ data }) => data[sd]?.id)
    expect([...new Set(targets())]).toEqual(wanted(450))
    expect([ids.length, new Set(ids).size]).toEqual([450 + 37, 450])
  })

  test('stays where a receiver takes it and does not say that it has read it', async () => {
    await empty()
    await write(0, 3)
    receiver.behave('is silent')
    const stopping = new AbortController()
    const sending = senderTo(receiver.url).send(stopping.signal)
    const before = receiver.connections
    await eventually(() => expect(receiver.connections).toBeGreaterThan(before - 1))
    stopping.abort()
    await sending
    expect(await pending()).toBe(3)
    receiver.behave('reads')
    await senderTo(receiver.url).send(signal)
    expect(targets()).toEqual(wanted(3))
  })

  test('goes to nobody whose certificate is of another authority, of another name or expired, nor without one of its own', async () => {
    await empty()
    await write(0, 1)
    const stranger = createAuthority(join(directory, 'other'))
    const tries: [string, Parameters<typeof senderTo>[1]][] = [
      [receiver.url, { ca: stranger.cert }],
      [receiver.url.replace('localhost', 'localhost.localdomain'), {}],
    ]
    const expired = await openSyslogReceiver(authority.issue('localhost', { days: [-9, -1] }))
    tries.push([expired.url, {}])
    for (const [url, more] of tries) await senderTo(url, more).send(signal)
    const foreign = stranger.issue('voltkeep', { use: 'client' })
    await senderTo(receiver.url, foreign).send(signal)
    await expired.close()
    expect([receiver.messages, expired.messages, await pending()]).toEqual([[], [], 1])
  })

  test('of a transaction that commits late is not passed', async () => {
    await empty()
    let isWritten = () => {}
    const written = new Promise<void>((resolve) => {
      isWritten = resolve
    })
    let commit = () => {}
    const late = db.transaction().execute(async (trx) => {
      await recordOperation(trx, actor, { target: '先' })
      isWritten()
      await new Promise<void>((resolve) => {
        commit = resolve
      })
    })
    await written
    await db.transaction().execute((trx) => recordOperation(trx, actor, { target: '后' }))
    await senderTo(receiver.url).send(signal)
    commit()
    await late
    await senderTo(receiver.url).send(signal)
    expect(targets()).toEqual(['后', '先'])
  })

  test('is noted while somebody sends it; what is left of before a week without anybody goes', async () => {
    await empty()
    await write(0, 1)
    await sql`UPDATE syslog_state SET wanted_at = now() - interval '8 days'`.execute(db)
    await write(1, 1)
    expect(await pending()).toBe(1)
    await senderTo(receiver.url).send(signal)
    await write(2, 1)
    await senderTo(receiver.url).send(signal)
    expect(targets()).toEqual(['第 2 条'])
  })

  test('is sent by one of several processes, as a job', async () => {
    await empty()
    const { createApp } = await import('../../app.ts')
    const { createLog } = await import('../../platform/process/log.ts')
    const config = { ...app.config, roles: new Set(['jobs'] as const) }
    const quiet = createLog({ level: 'silent' })
    const parts = { config, log: quiet, database: app.database, owner: app.database.owner }
    const others = [await createApp(parts), await createApp(parts)]
    for (const other of others) await other.listen()
    await write(0, 250)
    await eventually(async () => expect(await pending()).toBe(0))
    for (const other of others) await other.close()
    const own = 'voltkeep@4711'
    const ofTest = receiver.messages.filter(({ data }) => data[own]?.call === '/test')
    expect(ofTest.map(({ data }) => data[own]?.target)).toEqual(wanted(250))
    expect(new Set(ofTest.map(({ host }) => host))).toEqual(new Set(['node-a']))
  })

  test.skipIf(skipsRsyslog)('is read by rsyslogd as it is written, also after it was away', async () => {
    await empty()
    const rsyslog = await startRsyslog(pair, authority.cert)
    try {
      const name = '钱"]\\ x'
      await app.from('10.9.8.8').call(login, { loginname: name, password: 'Wrong-1234' })
      await write(0, 300)
      await senderTo(rsyslog.url).send(signal)
      expect(await pending()).toBe(0)
      await eventually(() => expect(rsyslog.received().length).toBe(301))
      const [first] = rsyslog.received()
      expect(first?.message).toBe('SIGNIN')
      expect(Number(first?.priority)).toBe(10 * 8 + 4)
      expect(first?.data).toContain(String.raw`user="钱\"\]\\ x"`)
      expect(first?.text).toContain(`${name} 登录`)
      await rsyslog.stop()
      await write(300, 50)
      await senderTo(rsyslog.url).send(signal)
      expect(await pending()).toBe(50)
      await rsyslog.start()
      await senderTo(rsyslog.url).send(signal)
      expect(await pending()).toBe(0)
      await eventually(() => {
        const read = rsyslog.received().flatMap(({ data }) => /target="([^"]*)"/.exec(data)?.[1] ?? [])
        expect(read.slice(-350)).toEqual(wanted(350))
      })
    } finally {
      await rsyslog.close()
    }
  })
})
