import { createServer, type Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { readMail, startMailServer } from '../../../../test/mail-server.ts'
import {
  dingtalkSecret,
  feishuSecret,
  type Imitation,
  imitate,
  imitateDingtalk,
  imitateFeishu,
  imitateWecom,
} from '../../../../test/robots.ts'
import { allowingPublicAnd, createOutgoing } from '../../../platform/http/outgoing/index.ts'
import { speaking } from '../../../platform/process/language/speech.ts'
import { amongNetworks } from '../../../platform/process/networks.ts'
import { createSenders } from './index.ts'
import { bodyOf, markdown, type NoticeEntry, type NoticeMessage, titleOf } from './message.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
const opened = async <One extends { close(): unknown }>(one: Promise<One> | One): Promise<One> => {
  const made = await one
  open.push(made)
  return made
}

function senders(...networks: string[]) {
  const isAllowed = allowingPublicAnd(networks)
  const outgoing = createOutgoing(isAllowed)
  open.push(outgoing)
  return createSenders({ outgoing, isAllowed, isInside: amongNetworks(networks), nowMs: Date.now })
}
const here = () => senders('127.0.0.0/8')

const entry: NoticeEntry = {
  event: 'raised',
  kind: 'alarm',
  repeats: 1,
  level: 1,
  what: '仓位过温 · 4号仓',
  deviceCode: 'EC0001',
  deviceName: '科技园一号柜',
  place: '中国/广东省/深圳市 科技园路 1 号',
  at: new Date('2026-11-24T12:00:00+08:00'),
  link: 'https://console/alarm/1',
}
const one: NoticeMessage = {
  id: 'n-1',
  entries: [entry],
  raisedByLevel: new Map([[1, 1]]),
  recovered: 0,
  escalated: 0,
  offline: 0,
  online: 0,
  tasks: 0,
  link: 'https://console/alarms',
}
const many: NoticeMessage = {
  ...one,
  entries: Array.from({ length: 20 }, (_, index) => ({
    ...entry,
    deviceName: `柜${'长'.repeat(60)}${index}`,
  })),
  raisedByLevel: new Map([
    [2, 980],
    [1, 20],
    [null, 3],
  ]),
  recovered: 7,
}

describe('a message', () => {
  test('of one alarm says what, where and when', () => {
    expect(titleOf(one)).toBe('【紧急告警】仓位过温 · 4号仓')
    expect(bodyOf(one, markdown, { limitBytes: 4_000, separator: '\n' }).split('\n')).toEqual([
      '设备：科技园一号柜 EC0001',
      '位置：中国/广东省/深圳市 科技园路 1 号',
      '发生：2026-11-24 12:00:00',
      '[查看告警](https://console/alarm/1)',
    ])
    const over = {
      ...one,
      raisedByLevel: new Map(),
      recovered: 1,
      entries: [{ ...entry, event: 'recovered' as const }],
    }
    expect(titleOf(over)).toBe('【告警恢复】仓位过温 · 4号仓')
  })

  test('of many names the first, counts the rest, and keeps to the limit between two lines', () => {
    expect(titleOf(many)).toBe('【告警 1010 条】紧急 20，重要 980，未定级 3，已恢复 7')
    for (const limitBytes of [300, 1_000, 4_096, 100_000]) {
      const body = bodyOf(many, markdown, { limitBytes, separator: '\n\n' })
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(limitBytes)
      const lines = body.split('\n\n')
      expect(lines.at(-1)).toBe(`另有 ${1010 - lines.length + 1} 条，[查看全部](https://console/alarms)`)
    }
  })

  test('of devices and tasks says so', () => {
    const none = { ...one, raisedByLevel: new Map() }
    const offline: NoticeEntry = {
      ...entry,
      event: 'deviceOffline',
      kind: 'device',
      level: null,
      what: '设备离线',
    }
    expect(titleOf({ ...none, offline: 1, entries: [offline] })).toBe('【设备离线】科技园一号柜 EC0001')
    expect(titleOf({ ...none, offline: 1200, online: 3, entries: [offline] })).toBe(
      '【设备离线 1200 台，恢复在线 3 台】',
    )
    expect(titleOf({ ...many, offline: 2 })).toBe(
      '【告警 1010 条】紧急 20，重要 980，未定级 3，已恢复 7，设备离线 2 台',
    )
    const task: NoticeEntry = {
      ...offline,
      event: 'taskPaused',
      kind: 'upgrade',
      what: '升级任务 换电柜（12 台）',
      deviceCode: '',
      deviceName: null,
      place: '',
    }
    const paused = { ...none, tasks: 1, entries: [task] }
    expect(titleOf(paused)).toBe('【任务暂停】升级任务 换电柜（12 台）')
    expect(bodyOf(paused, markdown, { limitBytes: 4_000, separator: '\n' }).split('\n')).toEqual([
      '发生：2026-11-24 12:00:00',
      '[查看任务](https://console/alarm/1)',
    ])
    const repeated = {
      ...one,
      entries: [{ ...entry, event: 'recovered' as const, repeats: 12 }],
      recovered: 1,
    }
    expect(titleOf({ ...repeated, raisedByLevel: new Map() })).toBe('【告警恢复】仓位过温 · 4号仓（12 次）')
  })

  test('gives nobody’s name a meaning', () => {
    const evil = { ...one, entries: [{ ...entry, deviceName: '[点我](http://evil) <@all> **x**\n# 标题' }] }
    const [device] = bodyOf(evil, markdown, { limitBytes: 4_000, separator: '\n' }).split('\n')
    expect(device).toBe('设备：［点我］(http://evil) ＜＠all＞ ＊＊x＊＊ ＃ 标题 EC0001')
  })
})

const robots = [
  ['wecom', imitateWecom, null],
  ['dingtalk', imitateDingtalk, dingtalkSecret],
  ['feishu', imitateFeishu, feishuSecret],
] as const

describe.each(robots)('the robot of %s', (kind, imitation, secret) => {
  const sendTo = (robot: Imitation, message: NoticeMessage, given: string | null = secret) =>
    here().send({ kind, settings: null }, { address: robot.url, secret: given }, message)

  test('takes one alarm, and many', async () => {
    const robot = await opened(imitation())
    expect(await sendTo(robot, one)).toEqual({ kind: 'delivered', code: '0', message: '已送达' })
    expect(await sendTo(robot, many)).toMatchObject({ kind: 'delivered' })
    expect(robot.shown[0]).toContain('仓位过温 · 4号仓')
    expect(robot.shown[0]).toContain('科技园一号柜 EC0001')
    expect(robot.shown[1]).toMatch(/另有 \d+ 条/)
  })

  test('says so, with HTTP 200, where too much is sent: that is tried again after a pause', async () => {
    const robot = await opened(imitation(1))
    await sendTo(robot, one)
    expect(await sendTo(robot, one)).toMatchObject({ kind: 'again', pauseMs: expect.any(Number) })
  })

  test('is not believed by its HTTP status', async () => {
    const other = await opened(imitate('/', () => ({ body: '{"ok":true}' })))
    expect(await sendTo(other, one)).toMatchObject({ kind: 'refused', code: 'FORMAT' })
    const page = await opened(imitate('/', () => ({ body: '<html>sign in</html>' })))
    expect(await sendTo(page, one)).toMatchObject({ kind: 'refused', code: 'FORMAT' })
    const busy = await opened(imitate('/', () => ({ status: 502, body: 'secret of a neighbour' })))
    expect(await sendTo(busy, one)).toEqual({ kind: 'again', code: 'HTTP 502', message: '对方返回 HTTP 502' })
  })

  test('is not asked where the address is of this machine', async () => {
    const robot = await opened(imitation())
    const result = await senders().send({ kind, settings: null }, { address: robot.url, secret }, one)
    expect(result).toMatchObject({ kind: 'refused', code: 'ADDRESS' })
    expect(robot.received).toEqual([])
  })
})

test('the robot of Feishu mentions people by the ids that it knows, and by no mailbox', async () => {
  const feishu = await opened(imitateFeishu())
  const people = ['ou_84aad35d', 'b6xxxxg8', 'a@example.com']
  const target = { address: feishu.url, secret: feishuSecret }
  await here().send({ kind: 'feishu', settings: null }, target, { ...one, people })
  expect(feishu.shown[0]).toContain('<at id=ou_84aad35d></at> <at id=b6xxxxg8></at>')
  expect(feishu.shown[0]).not.toContain('@example.com')
})

test('a wrong signature is said to be one', async () => {
  const ding = await opened(imitateDingtalk())
  const wrong = { address: ding.url, secret: 'SECother' }
  expect(await here().send({ kind: 'dingtalk', settings: null }, wrong, one)).toMatchObject({
    kind: 'refused',
    code: '310000',
  })
  const feishu = await opened(imitateFeishu())
  expect(
    await here().send({ kind: 'feishu', settings: null }, { address: feishu.url, secret: null }, one),
  ).toMatchObject({ kind: 'refused', code: '19021' })
})

describe('a webhook', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const sendTo = (address: string) =>
    here().send({ kind: 'webhook', settings: null }, { address, secret }, one)

  test('is verified by the reference library', async () => {
    const receiver = await opened(imitate('/hook', () => ({ status: 204, body: '' })))
    expect(await sendTo(receiver.url)).toMatchObject({ kind: 'delivered', code: '204' })
    const [received] = receiver.received
    const verified = new Webhook(secret).verify(
      received?.text ?? '',
      received?.headers as Record<string, string>,
    )
    expect(verified).toMatchObject({ type: 'alarm.notice', data: { alarms: [{ equipCode: 'EC0001' }] } })
    expect(received?.headers['webhook-id']).toBe('n-1')
  })

  test.each([
    [302, 'again'],
    [400, 'again'],
    [410, 'refused'],
    [500, 'again'],
  ])('that answers %d is tried again or not: %s', async (status, kind) => {
    const receiver = await opened(imitate('/', () => ({ status, body: '' })))
    expect(await sendTo(receiver.url)).toMatchObject({ kind })
  })

  test('that asks for a pause gets it', async () => {
    const receiver = await opened(
      imitate('/', () => ({ status: 429, headers: { 'retry-after': '90' }, body: '' })),
    )
    expect(await sendTo(receiver.url)).toMatchObject({ kind: 'again', pauseMs: 90_000 })
  })

  test('that is not there is tried again', async () => {
    const receiver = await imitate('/', () => ({ body: '' }))
    await receiver.close()
    expect(await sendTo(receiver.url)).toMatchObject({ kind: 'again', code: 'ECONNREFUSED' })
  })
})

describe('mail', () => {
  const mailServer = (answer: { code?: number } = {}) => opened(startMailServer(answer))
  const sendTo = (port: number, secret: string | null, user?: string) =>
    here().send(
      { kind: 'mail', settings: { host: '127.0.0.1', port, isTls: false, user, from: 'ops@example.com' } },
      { address: 'a@example.com,b@example.com', secret },
      one,
    )

  test('goes to all receivers', async () => {
    const { letters, port } = await mailServer()
    expect(await sendTo(port, 'right', 'ops')).toMatchObject({ kind: 'delivered', code: '250' })
    expect(letters).toHaveLength(1)
    expect(letters[0]).toContain('To: a@example.com, b@example.com')
    expect(letters[0]).toContain('Message-ID: <n-1@voltkeep>')
    expect(readMail(letters[0] ?? '').subject).toBe(titleOf(one))
  })

  test('says what the server does not like', async () => {
    const { port } = await mailServer()
    expect(await sendTo(port, 'wrong', 'ops')).toMatchObject({
      kind: 'refused',
      message: '登录名或密码不正确',
    })
    expect(await sendTo((await mailServer({ code: 550 })).port, null)).toMatchObject({
      kind: 'refused',
      code: '550',
    })
    expect(await sendTo((await mailServer({ code: 451 })).port, null)).toMatchObject({
      kind: 'again',
      code: '451',
    })
  })

  /** Answers each line of a client by these; `drip`: and goes on with that for ever. */
  async function scripted(answers: Readonly<Record<string, string>>, drip?: string): Promise<SmtpServer> {
    const sockets = new Set<Socket>()
    const heard: string[] = []
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined).write('220 here\r\n')
      socket.on('data', (bytes: Buffer) => {
        for (const line of bytes.toString().split('\r\n')) {
          if (line === '') continue
          heard.push(line)
          const answer = answers[line.slice(0, 4)]
          if (answer !== undefined) socket.write(`${answer}\r\n`)
          else if (drip !== undefined && heard.length === 1) setInterval(() => socket.write(drip), 20).unref()
        }
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const close = () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
    return await opened({ port: (server.address() as { port: number }).port, heard, close })
  }
  interface SmtpServer {
    port: number
    heard: string[]
    close(): void
  }
  const sendWithin = (ms: number, port: number) => {
    const settings = { host: '127.0.0.1', port, isTls: false, from: 'ops@example.com' }
    const target = { address: 'a@example.com', secret: null }
    return here().send({ kind: 'mail', settings }, target, one, AbortSignal.timeout(ms))
  }

  test('ends at its limit, also at a server that never ceases to answer', async () => {
    const { port } = await scripted({}, '250-more\r\n')
    expect(await sendWithin(300, port)).toMatchObject({ kind: 'again', code: 'TIMEOUT' })
  })

  test('is handed over in half a minute', async () => {
    const { port, heard } = await scripted({}, '250-more\r\n')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const sent = sendTo(port, null)
      await vi.waitFor(() => expect(heard).toHaveLength(1))
      vi.advanceTimersByTime(30_000)
      expect(await sent).toMatchObject({ kind: 'again', code: 'TIMEOUT' })
    } finally {
      vi.useRealTimers()
    }
  })

  test('that its server has got and not answered may have arrived', async () => {
    const answers = { EHLO: '250 here', MAIL: '250 ok', RCPT: '250 ok' }
    const silent = await scripted({ ...answers, DATA: '354 go on' })
    expect(await sendWithin(300, silent.port)).toMatchObject({ kind: 'again', code: 'UNANSWERED' })
    expect(silent.heard).toContain('.')
    const before = await scripted(answers)
    expect(await sendWithin(300, before.port)).toMatchObject({ kind: 'again', code: 'TIMEOUT' })
  })

  test('gives no password to a server without encryption, but within the networks of the installation', async () => {
    const { port, heard } = await scripted({ EHLO: '250 AUTH PLAIN', STAR: '502 no', AUTH: '235 ok' })
    const settings = { host: '127.0.0.1', port, isTls: false, user: 'ops', from: 'ops@example.com' }
    const target = { address: 'a@example.com', secret: 'right' }
    const outside = createSenders({
      outgoing: createOutgoing(() => true),
      isAllowed: () => true,
      isInside: () => false,
      nowMs: Date.now,
    })
    expect(await outside.send({ kind: 'mail', settings }, target, one)).toMatchObject({
      kind: 'refused',
      code: 'STARTTLS',
      message: '邮件服务器不提供加密（STARTTLS），没有向其发送登录名和密码',
    })
    expect(heard.join()).not.toContain('AUTH')
    await here().send({ kind: 'mail', settings }, target, one, AbortSignal.timeout(300))
    expect(heard.join()).toContain('AUTH PLAIN')
  })

  test('does not reach this machine where that is not allowed', async () => {
    const { port, letters } = await mailServer()
    for (const host of ['127.0.0.1', 'localhost']) {
      const settings = { host, port, isTls: false, from: 'ops@example.com' }
      expect(
        await senders().send({ kind: 'mail', settings }, { address: 'a@example.com', secret: null }, one),
      ).toMatchObject({ kind: 'refused', code: 'ADDRESS' })
    }
    expect(letters).toEqual([])
  })
})

describe('a message in English', () => {
  const inEnglish = <Text>(say: () => Text) => speaking('en', say)
  const limits = { limitBytes: 4_000, separator: '\n' }

  test('of one alarm says what it is, and leaves names as they are that somebody has given', () => {
    expect(inEnglish(() => titleOf(one))).toBe('[Critical alarm] Compartment overtemperature · Compartment 4')
    const [entry] = one.entries
    const named = { ...one, entries: entry ? [{ ...entry, what: '四号柜过热 · 4号仓、5号仓' }] : [] }
    expect(inEnglish(() => titleOf(named))).toBe('[Critical alarm] 四号柜过热 · Compartment 4, Compartment 5')
    expect(titleOf(named)).toBe('【紧急告警】四号柜过热 · 4号仓、5号仓')
    expect(inEnglish(() => bodyOf(one, markdown, limits)).split('\n')).toEqual([
      'Device: 科技园一号柜 EC0001',
      'Place: 中国/广东省/深圳市 科技园路 1 号',
      expect.stringMatching(/^Occurred: 2026-11-24 /),
      '[View alarm](https://console/alarm/1)',
    ])
  })

  test('of several has their numbers', () => {
    const title = inEnglish(() =>
      titleOf({
        ...one,
        raisedByLevel: new Map([
          [1, 2],
          [2, 1],
        ]),
        recovered: 1,
        offline: 3,
      }),
    )
    expect(title).toBe('[4 alarms] Critical 2, Major 1, 1 recovered, 3 devices offline')
  })
})
