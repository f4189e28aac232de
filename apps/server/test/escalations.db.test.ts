/**
 * Escalations by a simulated clock: people acknowledge and close, devices recover, the process is away, and rules are
 * edited meanwhile. What was told is compared with a plain model, which knows the moments alone.
 */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createHandling } from '../src/features/alarms/handling/handling.service.ts'
import { readStandings } from '../src/features/alarms/handling/standing.queries.ts'
import { createEscalations } from '../src/features/notifications/escalations/escalations.ts'
import { writeRaised, writeRecovered } from '../src/features/notifications/outbox/follower.ts'
import { createRules } from '../src/features/notifications/rules/rules.service.ts'
import type { Actor } from '../src/platform/calls/actor.ts'
import { databaseOfTests } from './database.ts'
import { insertAlarm, insertDevice, insertOperator, insertRole, insertUser } from './factories.ts'
import { times } from './long.ts'

const { db } = await databaseOfTests({ isSeeded: true })
const handling = createHandling({
  db,
  notices: { publish() {} },
  lasts: { criticalMs: 86_400_000, otherMs: 86_400_000 },
})
const rules = createRules({ db })
const { id: userId, loginName } = await insertUser(db, { roleIds: [1] })
const actor: Actor = {
  userId,
  loginName,
  organizationId: 1,
  isSystem: true,
  makerId: null,
  functionCodes: new Set(),
  mustChangePassword: false,
  tokenHash: Buffer.alloc(32),
  client: {
    address: '127.0.0.1',
    userAgent: 'test',
    requestId: 'test',
    call: '/alarm/ack',
    summary: '确认告警',
  },
}

/** Repeatable numbers from 0 up to below 1. */
function random(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
const next = random(20_261_127)
const below = (n: number) => Math.floor(next() * n)
const oneOf = <Value>(values: readonly Value[]) => values[below(values.length)] as Value

/** Of a rule as the model knows it; `tells` empty: nobody is there to be told. */
interface PlainChain {
  first: number[]
  steps: { after: number; unless: 'acknowledged' | 'closed'; tells: number[] }[]
  repeat: number
}
interface PlainAlarm {
  id: string
  ruleId: number
  chain?: PlainChain
  begun?: number
  acknowledged?: number
  closed?: number
  recovered?: number
}

const minute = 60
const count = times(60, 200)
const channelIds: number[] = []
for (const name of ['一', '二', '三', '四', '五']) {
  const { rows } = await sql<{ id: number }>`
    INSERT INTO notify_channel (organization_id, kind, name, address, address_hint, decided_by, decided_by_name)
    VALUES (1, 'wecom', ${name}, '', '', ${userId}, ${loginName}) RETURNING id`.execute(db)
  channelIds.push(...rows.map(({ id }) => id))
}
/** Nobody has it. */
const emptyRoleId = await insertRole(db)

const makeChain = (): PlainChain => {
  const some = () => channelIds.filter(() => below(3) === 0)
  const steps: PlainChain['steps'] = []
  for (let after = 0; steps.length < below(4); ) {
    after += 1 + below(20)
    steps.push({
      after: after * minute,
      unless: below(5) === 0 ? 'closed' : 'acknowledged',
      tells: some(),
    })
  }
  return { first: some(), steps, repeat: oneOf([0, 900, 3_600]) }
}
const idsOf = (tells: readonly number[]) => ({
  channelIds: tells.map(String),
  userIds: [],
  roleIds: tells.length === 0 ? [String(emptyRoleId)] : [],
})
const formOf = (name: string, operatorId: number, { first, steps, repeat }: PlainChain) => ({
  name,
  when: ['raised' as const, 'recovered' as const],
  alarmLevels: [1 as const, 2 as const, 3 as const, 4 as const],
  filter: { operatorId: String(operatorId) },
  ...idsOf(first),
  steps: steps.map(({ after, unless, tells }) => ({ afterMinutes: after / minute, unless, ...idsOf(tells) })),
  repeatS: repeat,
  groupWaitS: 0,
  offlineMinutes: 10,
  isEnabled: 1 as const,
})

/** What the model expects to be told of an alarm, by second: `<second> <event> <channel>`. */
function expectedOf(alarm: PlainAlarm, awake: (from: number) => number, until: number): string[] {
  const { chain, begun, acknowledged, closed, recovered } = alarm
  const told: string[] = []
  if (!chain || begun === undefined) return told
  const first = chain.first.map((channel) => `${begun} raised ${channel}`)
  told.push(...first)
  const isPatient = chain.steps.some(({ unless }) => unless === 'closed')
  const over = Math.min(
    recovered ?? until,
    closed ?? until,
    isPatient ? until : (acknowledged ?? until),
    until,
  )
  const isOn = (at: number, unless: string) =>
    at < over && (unless === 'closed' || acknowledged === undefined || at < acknowledged)
  // Of each step the moment: its own, or at once where the one before told nobody.
  let wasNobody = chain.first.length === 0
  let last = begun
  for (const { after, unless, tells } of chain.steps) {
    const at = wasNobody ? last : Math.max(last, awake(begun + after))
    if (isOn(at, unless)) told.push(...tells.map((channel) => `${at} escalated ${channel}`))
    wasNobody = isOn(at, unless) && tells.length === 0
    last = at
  }
  const final = chain.steps.at(-1) ?? { unless: 'acknowledged', tells: chain.first }
  if (chain.repeat > 0) {
    // A rule without steps that told nobody says so at once, which is its first repetition.
    let at = chain.steps.length === 0 && wasNobody ? last : awake(last + chain.repeat)
    for (; at < over; at = awake(at + chain.repeat))
      if (isOn(at, final.unless)) told.push(...final.tells.map((channel) => `${at} escalated ${channel}`))
  }
  if (recovered !== undefined) {
    const ended = awake(recovered)
    const channels = new Set(told.map((line) => line.split(' ')[2]))
    told.push(...[...channels].map((channel) => `${ended} recovered ${channel}`))
  }
  return told.toSorted()
}

test(`${count} escalations through acknowledgements, restarts and edited chains tell what a plain model tells, and nothing more`, {
  timeout: 300_000,
}, async () => {
  let escalations = createEscalations({ readStandings })
  const startMs = Math.ceil(Date.now() / 1_000) * 1_000
  const dateOf = (second: number) => new Date(startMs + second * 1_000)
  const until = 4 * 3_600

  // The moments at which the process is away, as [from, to).
  const away: [number, number][] = []
  for (let at = 600; at < until; at += 1_500 + 30 * below(100)) away.push([at, at + 30 + 30 * below(45)])
  const awayAt = (second: number) => away.find(([from, to]) => from <= second && second < to)
  const awake = (second: number): number => {
    const gone = awayAt(second)
    return gone ? awake(gone[1]) : second
  }

  const known: { ruleId: number; operatorId: number; chain: PlainChain }[] = []
  for (let n = 0; n < 8; n += 1) {
    const operatorId = await insertOperator(db)
    const chain = makeChain()
    const { id } = await rules.insertNotifyRule(actor, formOf(`规则${n}`, operatorId, chain))
    known.push({ ruleId: id, operatorId, chain })
  }
  await sql`UPDATE notify_rule SET enabled_at = now() - interval '1 hour'`.execute(db)

  const alarms: PlainAlarm[] = []
  type Act = () => Promise<void>
  const acts = new Map<number, Act[]>()
  // On common moments, so that an acknowledgement and a step meet.
  const plan = (at: number, act: Act) => {
    const second = Math.ceil(at / 30) * 30
    if (second < until) acts.set(second, [...(acts.get(second) ?? []), act])
  }
  /** What was named by notices since the last look. */
  const opened: string[] = []
  const changed: string[] = []
  let present = 0
  for (let n = 0; n < count; n += 1) {
    const rule = oneOf(known)
    const device = await insertDevice(db, { operatorId: rule.operatorId })
    const raisedAt = below(until - 7_200)
    plan(raisedAt, async () => {
      const alarm: PlainAlarm = { id: await insertAlarm(db, device, '01110002', 0), ruleId: rule.ruleId }
      alarms.push(alarm)
      opened.push(alarm.id)
      const ends = below(8)
      if (ends < 4)
        plan(present + 1 + below(5_400), async () => {
          await handling.ackAlarms(actor, { ids: [alarm.id] })
          alarm.acknowledged = present
          changed.push(alarm.id)
        })
      if (ends === 3 || ends === 4)
        plan(present + 1 + below(7_200), async () => {
          await handling.closeAlarms(actor, { ids: [alarm.id], cause: 'other' })
          alarm.acknowledged ??= present
          alarm.closed = present
          changed.push(alarm.id)
        })
      if (ends !== 5)
        plan(present + 1 + below(9_000), async () => {
          await sql`
            UPDATE alarm_state SET is_active = false, recovered_at = now() WHERE episode_id = ${alarm.id}`.execute(
            db,
          )
          alarm.recovered = present
          changed.push(alarm.id)
        })
    })
  }
  for (let n = 0; n < count / 5; n += 1)
    plan(below(until), async () => {
      const rule = oneOf(known)
      rule.chain = makeChain()
      const form = formOf(`规则${rule.ruleId} 改 ${n}`, rule.operatorId, rule.chain)
      await rules.updateNotifyRule(actor, { id: String(rule.ruleId), ...form })
    })

  const told = new Map<string, string[]>()
  const { rows: deliveries } = await sql<{ id: string }>`
    INSERT INTO notify_delivery (channel_name, kind, rule_names, decided_by, decided_in, state, title, message,
      alarm_count, attempts)
    VALUES ('', 'wecom', '{}', '{}', '{}', 'delivered', '', '{}', 1, 1) RETURNING id`.execute(db)

  /** What the process does at a moment at which it is not away. */
  async function work(second: number) {
    const now = dateOf(second)
    const wasAway = away.some(([, to]) => to === second)
    // A restart remembers nothing, and what notices said meanwhile is lost.
    if (wasAway) escalations = createEscalations({ readStandings })
    const [begun, ended] = [wasAway ? null : opened.splice(0), wasAway ? null : changed.splice(0)]
    if (wasAway) [opened.length, changed.length] = [0, 0]
    await writeRaised(db, begun, now)
    for (const alarm of alarms) {
      if (alarm.begun !== undefined || alarm.recovered !== undefined) continue
      alarm.begun = second
      alarm.chain = known.find(({ ruleId }) => ruleId === alarm.ruleId)?.chain as PlainChain
    }
    await escalations.settle(db, ended, now)
    await writeRecovered(db, ended)
    await db.transaction().execute(async (trx) => {
      const { rows: due } = await sql<{ id: string }>`
        SELECT id FROM notify_escalation WHERE next_at <= ${now} ORDER BY next_at`.execute(trx)
      await escalations.advance(
        trx,
        due.map(({ id }) => id),
        now,
      )
    })
    const { rows } = await sql<{ episodeId: string; event: string; channelId: number }>`
      UPDATE notify_item SET delivery_id = ${deliveries[0]?.id} WHERE delivery_id IS NULL
      RETURNING subject_id AS "episodeId", event, channel_id AS "channelId"`.execute(db)
    for (const { episodeId, event, channelId } of rows)
      told.set(episodeId, [...(told.get(episodeId) ?? []), `${second} ${event} ${channelId}`])
  }

  for (;;) {
    const { rows } = await sql<{ at: Date | null }>`SELECT min(next_at) AS at FROM notify_escalation`.execute(
      db,
    )
    const dueAt = rows[0]?.at ? Math.ceil((rows[0].at.getTime() - startMs) / 1_000) : until
    const planned = Math.min(until, ...[...acts.keys()].filter((second) => second > present))
    const returned = Math.min(until, ...away.map(([, to]) => to).filter((to) => to > present))
    present = Math.min(planned, returned, Math.max(dueAt, present + 1))
    if (awayAt(present)) present = Math.min(planned, awake(present))
    if (present >= until) break
    for (const act of acts.get(present) ?? []) await act()
    if (!awayAt(present)) await work(present)
  }

  expect(alarms).toHaveLength(count)
  const mine = Object.fromEntries(alarms.map(({ id }) => [id, (told.get(id) ?? []).toSorted()]))
  const plain = Object.fromEntries(alarms.map((alarm) => [alarm.id, expectedOf(alarm, awake, until)]))
  expect(mine).toEqual(plain)
  const lines = Object.values(mine).flat()
  for (const event of ['raised', 'escalated', 'recovered'])
    expect(lines.filter((line) => line.includes(event)).length).toBeGreaterThan(count / 4)
})
