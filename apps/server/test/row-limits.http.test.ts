// Rows that cost others something: nobody makes them without end, by one call after another or by many at once.
import {
  draftHandover,
  dutiesAtMost,
  handoversAtMost,
  insertDuty,
  insertMapping,
  insertNotifyChannel,
  insertNotifyRule,
  insertReportSubscription,
  mappingsAtMost,
  notifyChannelsAtMost,
  notifyContactsAtMost,
  notifyReceiversAtMost,
  notifyRulesAtMost,
  type RefusalName,
  reportSubscriptionsAtMost,
  saveNotifyContact,
  updateNotifyRule,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { hasRoom } from '../src/domain/access/row-limits.ts'
import { appOfTests } from './app.ts'
import { insertModel, insertOrganization, insertRole } from './factories.ts'

const app = await appOfTests({ NOTIFY_NETWORKS: '127.0.0.0/8' })
const admin = await app.asAdmin()
const functionCodes = [
  ...['notifyRule', 'notifyChannel', 'duty'].flatMap((noun) => [`${noun}:list`, `${noun}:insert`]),
  'notifyRule:update',
  ...['report:subscribe', 'report:alarm', 'report:availability', 'report:export', 'handover:draft'],
]
let count = 0
const fresh = (word: string) => `${word}${++count}`

interface World {
  organizationId: number
  channelId: string
  users: { id: number; token: string }[]
}
async function world(parentId = 1): Promise<World> {
  const organizationId = await insertOrganization(app.db, { parentId })
  const user = () => app.asUser({ organizationId, functionCodes })
  const users = [await user(), await user()]
  const channelId = (await made.channel({ organizationId, channelId: '', users }, 0)).data.id
  return { organizationId, channelId, users }
}
const tokenOf = ({ users }: World, n: number) => users[n]?.token ?? ''

const made = {
  channel: (here: World, n: number) =>
    app.call(
      insertNotifyChannel,
      {
        kind: 'mail',
        name: fresh('渠道'),
        address: 'boss@example.com',
        settings: { host: '127.0.0.1', port: 25, isTls: false, from: 'ops@example.com' },
      },
      tokenOf(here, n),
    ),
  rule: (here: World, n: number) =>
    app.call(
      insertNotifyRule,
      {
        name: fresh('规则'),
        when: ['raised'],
        alarmLevels: [1],
        channelIds: [here.channelId],
        groupWaitS: 0,
      },
      tokenOf(here, n),
    ),
  subscription: (here: World, n: number) =>
    app.call(
      insertReportSubscription,
      {
        name: fresh('订阅'),
        kind: 'alarm',
        groupBy: 'operator',
        every: 'day',
        hour: 0,
        channelId: here.channelId,
      },
      tokenOf(here, n),
    ),
  duty: (here: World, n: number) =>
    app.call(
      insertDuty,
      {
        name: fresh('值班表'),
        timeZone: 'Asia/Shanghai',
        startsOn: '2026-01-01',
        handoverAt: '08:00',
        lengthHours: 12,
        memberIds: [String(here.users[0]?.id)],
      },
      tokenOf(here, n),
    ),
  page: (here: World, n: number) => {
    count += 1
    const text = (ms: number) =>
      new Date(Date.now() + 8 * 3_600_000 + ms).toISOString().slice(0, 19).replace('T', ' ')
    return app.call(
      draftHandover,
      { startTime: text(-3_600_000 - count * 1_000), endTime: text(0) },
      tokenOf(here, n),
    )
  },
}

/** As if so many more were there like this row, of others where the column is theirs. */
const more = (table: string, id: string, times: number, changes: object = {}) =>
  sql`
    INSERT INTO ${sql.table(table)}
    SELECT (jsonb_populate_record(r, ${JSON.stringify(changes)}::jsonb || jsonb_build_object(
      'id', r.id + n * 1000 + (SELECT max(id) FROM ${sql.table(table)}),
      'name', r.id || ' ' || n, 'from_at', now() - n * interval '1 minute' - interval '1 day'))).*
    FROM ${sql.table(table)} r, generate_series(1, ${times}) AS n WHERE r.id = ${id}`.execute(app.db)

type Noun = keyof typeof made
interface AtMost {
  ofUser: number
  ofOrganization: number
}

describe.each<[Noun, string, string, AtMost, RefusalName]>([
  ['channel', 'notify_channel', 'decided_by', notifyChannelsAtMost, 'tooManyNotifyChannels'],
  ['rule', 'notify_rule', 'decided_by', notifyRulesAtMost, 'tooManyNotifyRules'],
  [
    'subscription',
    'report_subscription',
    'decided_by',
    reportSubscriptionsAtMost,
    'tooManyReportSubscriptions',
  ],
  ['duty', 'duty', 'made_by', dutiesAtMost, 'tooManyDuties'],
  ['page', 'handover', 'drafted_by', handoversAtMost, 'tooManyHandovers'],
])('a %s', (noun, table, by, { ofUser, ofOrganization }, refusal) => {
  const full = { status: 409, refusal }
  const rest = (here: World) => (noun === 'channel' ? [here.channelId] : [])

  test('is made so many times by one organization, also by calls at the same time', async () => {
    const here = await world()
    const first = await made[noun](here, 1)
    expect(first).toMatchObject({ code: 200 })
    await more(table, first.data.id, ofOrganization - 2 - rest(here).length, { [by]: 1 })
    const answers = await Promise.all([0, 1, 0].map((n) => made[noun](here, n)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect(answers.filter(({ status }) => status === 409)).toMatchObject([full, full])
    expect(await made[noun](await world(), 0)).toMatchObject({ code: 200 })
  })

  test('is made so many times by one user', async () => {
    const here = await world()
    const first = await made[noun](here, 1)
    await more(table, first.data.id, ofUser - 1)
    expect(await made[noun](here, 1)).toMatchObject(full)
    expect(await made[noun](here, 0)).toMatchObject({ code: 200 })
    await sql`DELETE FROM ${sql.table(table)} WHERE id = ${first.data.id}`.execute(app.db)
    expect(await made[noun](here, 1)).toMatchObject({ code: 200 })
  })
})

test('a user has so many own addresses for notices, also by calls at the same time, and changes each', async () => {
  const here = await world()
  const token = tokenOf(here, 0)
  await more('notify_channel', here.channelId, notifyContactsAtMost + 1)
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM notify_channel WHERE organization_id = ${here.organizationId} ORDER BY id`.execute(app.db)
  const ids = rows.map(({ id }) => String(id))
  const save = (channelId = '') =>
    app.call(saveNotifyContact, { channelId, address: `${fresh('me')}@example.com` }, token)
  for (const id of ids.slice(0, notifyContactsAtMost - 1)) expect(await save(id)).toMatchObject({ code: 200 })
  const answers = await Promise.all(ids.slice(notifyContactsAtMost - 1).map(save))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  expect(answers.filter(({ status }) => status === 409)).toMatchObject(
    [0, 1].map(() => ({ refusal: 'tooManyNotifyContacts' })),
  )
  expect(await save(ids[0])).toMatchObject({ code: 200 })
})

test('a rule tells so many addresses by each step; one whose role has grown beyond is switched off still', async () => {
  const here = await world()
  const roleId = await insertRole(app.db, {})
  const joins = (count: number) =>
    sql`
    WITH made AS (
      INSERT INTO app_user (organization_id, user_name, login_name, password_hash)
      SELECT ${here.organizationId}, n, ${fresh('grown')} || '-' || n, '' FROM generate_series(1, ${count}) AS n
      RETURNING id
    ), role AS (
      INSERT INTO user_role (user_id, role_id) SELECT id, ${roleId} FROM made
    )
    INSERT INTO notify_contact (user_id, channel_id, address)
    SELECT id, ${here.channelId}, 'a@example.com' FROM made`.execute(app.db)
  await joins(notifyReceiversAtMost)
  const form = { when: ['raised' as const], alarmLevels: [1 as const], groupWaitS: 0 }
  const insert = (targets: object) =>
    app.call(insertNotifyRule, { ...form, name: fresh('规则'), ...targets }, tokenOf(here, 0))
  const full = { status: 409, refusal: 'tooManyNotifyReceivers' }
  const many = { roleIds: [String(roleId)] }
  const made = await insert(many)
  expect(made).toMatchObject({ code: 200 })
  expect(await insert({ ...many, channelIds: [here.channelId] })).toMatchObject(full)
  await joins(1)
  expect(await insert(many)).toMatchObject(full)
  const steps = [{ afterMinutes: 5, ...many }]
  expect(await insert({ channelIds: [here.channelId], steps })).toMatchObject(full)
  const change = { ...form, ...many, id: made.data.id, name: fresh('规则') }
  expect(await app.call(updateNotifyRule, change, tokenOf(here, 0))).toMatchObject(full)
  expect(await app.call(updateNotifyRule, { ...change, isEnabled: 0 }, tokenOf(here, 0))).toMatchObject({
    code: 200,
  })
})

test('pages of shifts of a day ago are not counted', async () => {
  const here = await world()
  const first = await made.page(here, 0)
  await more('handover', first.data.id, handoversAtMost.ofUser - 1)
  expect(await made.page(here, 0)).toMatchObject({ refusal: 'tooManyHandovers' })
  await sql`UPDATE handover SET created_at = now() - interval '25 hours' WHERE id = ${first.data.id}`.execute(
    app.db,
  )
  expect(await made.page(here, 0)).toMatchObject({ code: 200 })
})

describe('of all rules', () => {
  const full = { status: 409, refusal: 'tooManyNotifyRules' }
  /** As if so many rules were there, with these of an organization. */
  const fill = async (here: World, upTo: number) => {
    const first = await made.rule(here, 0)
    const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM notify_rule`.execute(app.db)
    await more('notify_rule', first.data.id, upTo - (rows[0]?.n ?? 0), { decided_by: 1 })
  }

  test('one branch of organizations has half of what the others leave, however many it is of', async () => {
    await sql`DELETE FROM notify_rule`.execute(app.db)
    const here = await world()
    const below = await Promise.all([1, 2].map(() => world(here.organizationId)))
    for (const [n, one] of below.entries()) await fill(one, (notifyRulesAtMost.inAll / 4) * (n + 1))
    expect(await made.rule(await world(here.organizationId), 0)).toMatchObject(full)
    expect(await made.rule(here, 1)).toMatchObject(full)
    expect(await made.rule(await world(), 0)).toMatchObject({ code: 200 })
  })

  test('each branch has some, whatever the others have, and no more by further organizations within it', async () => {
    await sql`DELETE FROM notify_rule`.execute(app.db)
    await fill(await world(), notifyRulesAtMost.inAll)
    const here = await world()
    const first = await made.rule(here, 0)
    expect(first).toMatchObject({ code: 200 })
    await more('notify_rule', first.data.id, notifyRulesAtMost.ofEachBranch - 2, { decided_by: 1 })
    expect(await made.rule(await world(here.organizationId), 0)).toMatchObject({ code: 200 })
    expect(await made.rule(await world(here.organizationId), 0)).toMatchObject(full)
    expect(await made.rule(here, 1)).toMatchObject(full)
  })
})

test('an organization leaves those within it some of the share of its branch, and has all of it where there are none', async () => {
  const head = await insertOrganization(app.db)
  const alone = await insertOrganization(app.db)
  const below = await insertOrganization(app.db, { parentId: head })
  const left = (organizationId: number, of: number, count: number) =>
    app.db
      .transaction()
      .execute((trx) => hasRoom(trx, organizationId, [{ organizationId: of, count }], { inAll: 100 }))
  expect(await left(alone, alone, 49)).toBe(true)
  expect(await left(alone, alone, 50)).toBe(false)
  expect(await left(head, head, 24)).toBe(true)
  expect(await left(head, head, 25)).toBe(false)
  expect(await left(below, head, 25)).toBe(true)
  // What those within it have leaves it half of the rest.
  expect(await left(head, below, 47)).toBe(true)
  expect(await left(head, below, 49)).toBe(false)
})

test('there are so many mappings', async () => {
  const insert = async () =>
    app.call(
      insertMapping,
      {
        name: fresh('映射'),
        modelIds: [String(await insertModel(app.db))],
        topic: 'acme/{code}/up',
        format: 'json',
        rules: [
          {
            target: 'alarm',
            when: 'msg.type == "alarm"',
            fields: { code: { path: '/code', table: { E17: '01110002' } }, value: { path: '/level' } },
          },
        ],
      },
      admin,
    )
  const first = await insert()
  expect(first).toMatchObject({ code: 200 })
  await more('mapping', first.data.id, mappingsAtMost - 1)
  expect(await insert()).toMatchObject({ status: 409, refusal: 'tooManyMappings' })
})
