/**
 * A storm of alarms that people are told of by all kinds of channel, while the server is killed again and again; and an
 * account of it: what devices were acknowledged, what the server says that it told, and what the imitations of the
 * providers took. The imitations have the providers' limits of rate and size, signatures and codes.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { insertNotifyChannel, insertNotifyRule } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import { alarmSemaphores } from '../src/features/dictionary/alarm-semaphores.ts'
import { withDatabase } from './command-ledger.ts'
import { readMail, startMailServer } from './mail-server.ts'
import {
  dingtalkSecret,
  feishuSecret,
  type Imitation,
  imitateDingtalk,
  imitateFeishu,
  imitateWecom,
} from './robots.ts'
import type { ServerProcess } from './server-process.ts'

/** What the server of a storm is started with. A few devices send as much as a whole fleet. */
export const stormEnvironment = {
  LOG_LEVEL: 'error',
  NOTIFY_NETWORKS: '127.0.0.0/8',
  DEVICE_MESSAGES_PER_SECOND: '0',
  DEVICE_BYTES_PER_SECOND: '0',
}

interface Provider {
  kind: 'wecom' | 'dingtalk' | 'feishu' | 'mail'
  channelId: string
  robot: Imitation | null
  /** Title and text of each message that was taken, as often as it was. */
  taken(): string[]
  /** When a message was taken that names the device; undefined where none was. */
  takenAtMs(deviceCode: string): number | undefined
}

export interface Providers {
  providers: Provider[]
  close(): Promise<void>
}

/** Starts the imitations, and tells each of them of every alarm by one rule. */
export async function tellProviders(server: ServerProcess, token: string): Promise<Providers> {
  const [wecom, dingtalk, feishu, mail] = [
    await imitateWecom(),
    await imitateDingtalk(),
    await imitateFeishu(),
    await startMailServer(),
  ]
  const forms = [
    { kind: 'wecom', address: wecom.url },
    { kind: 'dingtalk', address: dingtalk.url, secret: dingtalkSecret },
    { kind: 'feishu', address: feishu.url, secret: feishuSecret },
    {
      kind: 'mail',
      address: 'ops@example.com',
      settings: { host: '127.0.0.1', port: mail.port, isTls: false, from: 'voltkeep@example.com' },
    },
  ] as const
  const channelIds: string[] = []
  for (const form of forms) {
    const { data } = await server.client.call(insertNotifyChannel, { name: form.kind, ...form }, token)
    channelIds.push(data.id)
  }
  await server.client.call(
    insertNotifyRule,
    { name: '全部告警', when: ['raised'], alarmLevels: [1, 2, 3, 4], channelIds, groupWaitS: 2 },
    token,
  )
  const robots = [wecom, dingtalk, feishu]
  return {
    providers: forms.map(({ kind }, at) => {
      const robot = robots[at] ?? null
      return {
        kind,
        channelId: channelIds[at] ?? '',
        robot,
        takenAtMs: (deviceCode) =>
          robot === null
            ? mail.takenAtMs[mail.letters.findIndex((letter) => readMail(letter).text.includes(deviceCode))]
            : robot.received.find(({ text }) => text.includes(deviceCode))?.atMs,
        // What tells a letter from another is its id, which is the same in every attempt.
        taken: () =>
          robot?.shown ??
          mail.letters.map(
            (letter) => `${readMail(letter).subject}\n${/^message-id: .*/im.exec(letter)?.[0]}`,
          ),
      }
    }),
    close: async () => {
      await Promise.all([...robots, mail].map((one) => one.close()))
    },
  }
}

/** The codes of alarms, by level: no device reports one twice, so that each report is an alarm of its own. */
const codesOf = (level: number) =>
  alarmSemaphores.filter((one) => one.level === level).map(({ code }) => code)

/** A device has one code of level 1 for about ten of the others. */
const codes = [...codesOf(1).slice(0, 2), ...codesOf(2), ...codesOf(3), ...codesOf(4)]
export const alarmsOfADevice = codes.length
export const criticalCode = codes[0] ?? ''

/** Raises the alarms evenly over the time, on one device after the other. Resolves when all are acknowledged. */
export async function raiseEvenly(
  devices: readonly VirtualDevice[],
  count: number,
  forMs: number,
): Promise<void> {
  const beganAtMs = Date.now()
  const outcomes: Promise<unknown>[] = []
  for (let n = 0; n < count; n += 1) {
    const device = devices[n % devices.length]
    const code = codes[Math.floor(n / devices.length) % codes.length]
    if (device && code) outcomes.push(device.raise(code, 1))
    const aheadMs = beganAtMs + (n * forMs) / count - Date.now()
    if (aheadMs > 5) await delay(aheadMs)
  }
  const lost = (await Promise.all(outcomes)).filter((outcome) => outcome !== 'acknowledged')
  if (lost.length > 0) throw new Error(`${lost.length} reports were not acknowledged`)
}

/** Has everything been told that was to be? */
async function isTold(server: ServerProcess, alarms: number): Promise<boolean> {
  return await withDatabase(server, async (pool) => {
    const { rows } = await pool.query<{ items: number; open: number }>(`
      SELECT (SELECT count(*)::int FROM notify_item) AS items,
        (SELECT count(*)::int FROM notify_item i LEFT JOIN notify_delivery d ON d.id = i.delivery_id
          WHERE d.state IS NULL OR d.state IN ('sending', 'retrying')) AS open`)
    return rows[0]?.open === 0 && (rows[0]?.items ?? 0) >= alarms
  })
}

/**
 * Resolves when all is told. What a message that was under way costs when its sender dies, its channel's lease, is
 * shortened where `isHurried`.
 */
export async function whenTold(
  server: ServerProcess,
  { alarms, isHurried }: { alarms: number; isHurried: boolean },
): Promise<void> {
  for (let turn = 1; !(await isTold(server, alarms * 4)); turn += 1) {
    if (isHurried && turn % 10 === 0)
      await withDatabase(server, async (pool) => {
        await pool.query(`UPDATE notify_channel c SET busy_until = now(), next_at = now() WHERE busy_until > now()
          AND EXISTS (SELECT FROM notify_delivery d WHERE d.channel_id = c.id AND d.state = 'sending'
            AND d.created_at < now() - interval '10 s')`)
        await pool.query(`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["notify_channel 0"]}')`)
      })
    await delay(500)
  }
}

export interface Account {
  /** A line each. */
  faults: string[]
  /** Messages that were taken twice. */
  doubled: number
  /** Of each kind: messages, attempts, and the most attempts in any minute and second. */
  lines: string[]
}

/** What a title says of how many alarms its message has. */
const countOf = (title: string) => Number(/^[*]*【告警 (\d+) 条】/.exec(title)?.[1] ?? 1)

function mostWithin(atMs: readonly number[], spanMs: number): number {
  return Math.max(0, ...atMs.map((from) => atMs.filter((at) => at >= from && at < from + spanMs).length))
}

/** Compares what the imitations took with the alarms that the devices have raised. */
export async function accountOf(
  server: ServerProcess,
  { providers }: Providers,
  alarms: number,
): Promise<Account> {
  const faults: string[] = []
  const lines: string[] = []
  let doubled = 0
  const { rows: told } = await withDatabase(server, (pool) =>
    pool.query<{ channelId: string; state: string; title: string; alarmCount: number; items: number }>(`
      SELECT d.channel_id::text AS "channelId", d.state, d.title, d.alarm_count AS "alarmCount",
        (SELECT count(*)::int FROM notify_item i WHERE i.delivery_id = d.id) AS items
      FROM notify_delivery d ORDER BY d.id`),
  )
  for (const { kind, channelId, robot, taken } of providers) {
    const fault = (text: string) => faults.push(`${kind}: ${text}`)
    const deliveries = told.filter((one) => one.channelId === channelId)
    const times = new Map<string, number>()
    for (const text of taken()) times.set(text, (times.get(text) ?? 0) + 1)
    for (const [text, count] of times) {
      if (count > 2) fault(`${count} times: ${text.split('\n')[0]}`)
      if (count > 1) doubled += 1
    }
    const toldCount = [...times.keys()].reduce((sum, text) => sum + countOf(text), 0)
    if (toldCount !== alarms) fault(`${toldCount} alarms named or counted in what was taken, not ${alarms}`)
    const items = deliveries.reduce((sum, one) => sum + one.items, 0)
    if (items !== alarms) fault(`${items} alarms in the record of messages, not ${alarms}`)
    if (deliveries.length !== times.size)
      fault(`${deliveries.length} messages in the record, ${times.size} taken`)
    for (const { state, title, alarmCount, items: own } of deliveries) {
      if (state !== 'delivered') fault(`${state}: ${title}`)
      if (alarmCount !== own || countOf(title) !== own) fault(`${own} alarms in “${title}”`)
    }
    for (const answer of robot?.refused ?? []) fault(`refused: ${answer}`)
    const atMs = robot?.received.map((one) => one.atMs) ?? []
    const rate =
      robot === null
        ? ''
        : `, at most ${mostWithin(atMs, 60_000)} a minute and ${mostWithin(atMs, 1_000)} a second`
    lines.push(`${kind}: ${times.size} messages for ${toldCount} alarms${rate}`)
  }
  return { faults, doubled, lines }
}
