// What a look costs: statements by what there is to tell, and not by the rules of others or by how many are told.
import { listParameterBatches, listUpgradeTasks, notifyReceiversAtMost } from '@voltkeep/contract'
import { type KyselyPlugin, sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { databaseOfTests } from '../../../../test/database.ts'
import {
  insertAlarm,
  insertDevice,
  insertOperator,
  insertOrganization,
  insertRole,
  insertUser,
  type TestDevice,
} from '../../../../test/factories.ts'
import { writeRaised } from './follower.ts'
import { writeOthers } from './others.ts'

const { db } = await databaseOfTests({ isSeeded: true })
/** By bits, of level 2. */
const code = '01110001'
const functionCodes = [
  'notifyRule:insert',
  'notifyChannel:insert',
  'alarm:page',
  String(listUpgradeTasks.access),
  String(listParameterBatches.access),
]
const roleId = await insertRole(db, { functionCodes })

let statements = 0
const counting: KyselyPlugin = {
  transformQuery({ node }) {
    statements += 1
    return node
  },
  transformResult: async ({ result }) => result,
}
async function costOf(work: (counted: typeof db) => Promise<void>): Promise<number> {
  statements = 0
  await work(db.withPlugin(counting))
  return statements
}

let count = 0
const fresh = (word: string) => `${word}${++count}`
beforeEach(() => sql`UPDATE notify_rule SET is_enabled = false`.execute(db))

interface World {
  organizationId: number
  operatorId: number
  userId: number
}
async function world(): Promise<World> {
  const organizationId = await insertOrganization(db)
  const operatorId = await insertOperator(db, { organizationId })
  const { id: userId } = await insertUser(db, { organizationId, roleIds: [roleId] })
  return { organizationId, operatorId, userId }
}

/** People with an address through each of so many channels, all of which a rule names. */
async function told(
  { organizationId, userId }: World,
  { people = 1, channels = 1, narrow = null as number | null },
) {
  const { rows } = await sql<{ id: number }>`
    INSERT INTO notify_channel (organization_id, kind, name, address, address_hint, decided_by, decided_by_name, decided_in)
    SELECT ${organizationId}, 'dingtalk', ${fresh('渠道')} || n, '', '', ${userId}, '', ${organizationId}
    FROM generate_series(1, ${channels}) AS n RETURNING id`.execute(db)
  const userIds: number[] = []
  for (let n = 0; n < people; n += 1) {
    const authorities = narrow === null ? [] : [['O', String(narrow)] as const]
    userIds.push((await insertUser(db, { organizationId, roleIds: [roleId], authorities })).id)
  }
  await sql`
    INSERT INTO notify_contact (user_id, channel_id, address)
    SELECT u, c, '13800000001' FROM unnest(${userIds}::int[]) AS u, unnest(${rows.map(({ id }) => id)}::int[]) AS c`.execute(
    db,
  )
  return userIds
}

async function rule(
  { organizationId, userId }: World,
  userIds: readonly number[],
  { events = ['raised'], steps = [] as object[], filter = {} } = {},
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    INSERT INTO notify_rule (organization_id, name, events, alarm_levels, filter, steps, repeat_s, group_wait_s,
      offline_minutes, is_enabled, enabled_at, decided_by, decided_by_name, decided_in)
    VALUES (${organizationId}, ${fresh('规则')}, ${events}, '{1,2}', ${JSON.stringify(filter)}, ${JSON.stringify(steps)}, 0, 0,
      10, true, now() - interval '1 hour', ${userId}, '', ${organizationId}) RETURNING id`.execute(db)
  const id = rows[0]?.id ?? 0
  await sql`
    INSERT INTO notify_rule_target (rule_id, step, user_id)
    SELECT ${id}, 0, u FROM unnest(${userIds}::int[]) AS u`.execute(db)
  return id
}
async function raise(device: TestDevice, value = 1): Promise<string> {
  await sql`DELETE FROM alarm_state WHERE device_id = ${device.id} AND semaphore_code = ${code}`.execute(db)
  return insertAlarm(db, device, code, 0, { value })
}
const itemsOf = async (ruleId: number) =>
  (
    await sql<{ userId: number; subjectId: string; event: string; repeats: number }>`
      SELECT user_id AS "userId", subject_id AS "subjectId", event, repeats FROM notify_item
      WHERE rule_id = ${ruleId} ORDER BY id`.execute(db)
  ).rows

test('rules of other tenants cost nothing at an alarm, however many there are and whomever they name', async () => {
  const [here, other] = [await world(), await world()]
  const alarm = await raise(await insertDevice(db, { operatorId: here.operatorId }))
  const people = await told(other, { people: 4, channels: 5 })
  await rule(other, people)
  const one = await costOf((counted) => writeRaised(counted, [alarm], new Date()))
  for (let n = 0; n < 30; n += 1) await rule(other, people)
  const many = await costOf((counted) => writeRaised(counted, [alarm], new Date()))
  expect(many).toBe(one)
  expect(many).toBeLessThan(5)
})

test('nor do rules of the own tenant about other alarms', async () => {
  const here = await world()
  const device = await insertDevice(db, { operatorId: here.operatorId })
  const alarm = await raise(device)
  const people = await told(here, { people: 2 })
  const { rows } = await sql<{ code: string }>`
    SELECT code FROM region WHERE id NOT IN (SELECT region_id FROM device WHERE id = ${device.id})
      AND parent_id IS NOT NULL LIMIT 1`.execute(db)
  const elsewhere = await insertOperator(db, { organizationId: here.organizationId })
  for (const filter of [
    { operatorId: String(elsewhere) },
    { organizationId: String((await world()).organizationId) },
    { equipTypeId: '999999' },
    { equipModelId: '999999' },
    { regionCode: rows[0]?.code },
    { regionCode: 'nowhere' },
    { semaphoreCode: ['01110002'] },
  ])
    await rule(here, people, { filter })
  expect(await costOf((counted) => writeRaised(counted, [alarm], new Date()))).toBeLessThan(5)
})

test('rules are about what lies within what they name', async () => {
  const here = await world()
  const device = await insertDevice(db, { operatorId: here.operatorId })
  const { rows } = await sql<{ modelId: number; typeId: number; regionCode: string; above: string | null }>`
    SELECT m.id AS "modelId", m.equip_type_id AS "typeId", r.code AS "regionCode", p.code AS above
    FROM device d JOIN equip_model m ON m.id = d.model_id JOIN region r ON r.id = d.region_id
    LEFT JOIN region p ON p.id = r.parent_id WHERE d.id = ${device.id}`.execute(db)
  const place = rows[0]
  const { rows: above } = await sql<{ id: number }>`
    SELECT parent_id AS id FROM organization WHERE id = ${here.organizationId} AND parent_id IS NOT NULL`.execute(
    db,
  )
  const people = await told(here, {})
  const ruleIds: number[] = []
  for (const filter of [
    { operatorId: String(here.operatorId) },
    { organizationId: String(here.organizationId) },
    ...above.map(({ id }) => ({ organizationId: String(id) })),
    { equipTypeId: String(place?.typeId), equipModelId: String(place?.modelId) },
    { regionCode: place?.regionCode },
    ...(place?.above ? [{ regionCode: place.above }] : []),
    { semaphoreCode: [code, '01110002'] },
  ])
    ruleIds.push(await rule(here, people, { filter }))
  const alarm = await raise(device)
  await writeRaised(db, [alarm], new Date())
  for (const id of ruleIds)
    expect(await itemsOf(id)).toMatchObject([{ subjectId: alarm, userId: people[0], event: 'raised' }])
})

test('many are told by as many statements as one, by each rule', async () => {
  const here = await world()
  const device = await insertDevice(db, { operatorId: here.operatorId })
  await rule(here, await told(here, {}))
  const alone = await raise(device)
  const one = await costOf((counted) => writeRaised(counted, [alone], new Date()))
  await sql`UPDATE notify_rule SET is_enabled = false`.execute(db)
  const people = await told(here, { people: 6, channels: 10 })
  const first = await rule(here, people)
  const alarm = await raise(device)
  expect(await costOf((counted) => writeRaised(counted, [alarm], new Date()))).toBe(one)
  expect(await itemsOf(first)).toHaveLength(60)
  const others = [await rule(here, people), await rule(here, people), await rule(here, people)]
  const next = await raise(device, 2)
  const four = await costOf((counted) => writeRaised(counted, [next], new Date()))
  // What the rules have in common is asked once.
  expect(four).toBeLessThan(4 * one)
  for (const id of others) expect(await itemsOf(id)).toHaveLength(60)
})

test('the look that repeats asks once for a rule that has nothing to tell', async () => {
  const here = await world()
  const people = await told(here, { people: 4, channels: 4 })
  for (let n = 0; n < 5; n += 1) await rule(here, people)
  const five = await costOf((counted) => writeRaised(counted, null, new Date()))
  for (let n = 0; n < 5; n += 1) await rule(here, people)
  expect((await costOf((counted) => writeRaised(counted, null, new Date()))) - five).toBe(5)
})

test('each is told of what each sees, in one look', async () => {
  const here = await world()
  const operatorId = await insertOperator(db, { organizationId: here.organizationId })
  const devices = [
    await insertDevice(db, { operatorId: here.operatorId }),
    await insertDevice(db, { operatorId }),
  ]
  const [wide] = await told(here, {})
  const narrow = await told(here, { people: 2, narrow: operatorId })
  const ruleId = await rule(here, [wide ?? 0, ...narrow])
  const [unseen, seen] = [await raise(devices[0] as TestDevice), await raise(devices[1] as TestDevice)]
  await writeRaised(db, [unseen, seen], new Date())
  const items = await itemsOf(ruleId)
  expect(items.filter(({ userId }) => userId === wide).map(({ subjectId }) => subjectId)).toEqual([
    unseen,
    seen,
  ])
  expect(items.filter(({ subjectId }) => subjectId === unseen)).toHaveLength(1)
  for (const userId of narrow)
    expect(items.filter((item) => item.userId === userId)).toMatchObject([{ subjectId: seen }])
})

test('the same trouble again counts for each receiver by itself', async () => {
  const here = await world()
  const device = await insertDevice(db, { operatorId: here.operatorId })
  const [told1, told2] = await told(here, { people: 2 })
  const ruleId = await rule(here, [told1 ?? 0, told2 ?? 0])
  const first = await raise(device)
  await writeRaised(db, [first], new Date())
  // One of the two has been told by now.
  const { rows } = await sql<{ id: string }>`
    INSERT INTO notify_delivery (channel_name, kind, rule_names, decided_by, decided_in, state, title, message,
      alarm_count, attempts)
    VALUES ('', 'wecom', '{}', '{}', '{}', 'delivered', '', '{}', 1, 1) RETURNING id`.execute(db)
  await sql`
    UPDATE notify_item SET delivery_id = ${rows[0]?.id} WHERE rule_id = ${ruleId} AND user_id = ${told1}`.execute(
    db,
  )
  const second = await raise(device)
  await writeRaised(db, [second], new Date(Date.now() + 1_000))
  const items = await itemsOf(ruleId)
  expect(
    items.filter(({ subjectId }) => subjectId === second).toSorted((a, b) => a.userId - b.userId),
  ).toEqual([
    { userId: told1, subjectId: second, event: 'repeated', repeats: 2 },
    { userId: told2, subjectId: second, event: 'raised', repeats: 2 },
  ])
  expect(items.filter(({ subjectId }) => subjectId === first).map(({ userId }) => userId)).toEqual([told1])
  // A look again changes nothing.
  await writeRaised(db, [first, second], new Date(Date.now() + 2_000))
  expect(await itemsOf(ruleId)).toEqual(items)
})

test('of a rule whose role has grown beyond the bound so many are told, and it is said', async () => {
  const here = await world()
  const role = await insertRole(db, {})
  await sql`
    WITH made AS (
      INSERT INTO app_user (organization_id, user_name, login_name, password_hash)
      SELECT ${here.organizationId}, n, ${fresh('grown')} || '-' || n, '' FROM generate_series(1, ${notifyReceiversAtMost + 1}) AS n
      RETURNING id
    ), roles AS (
      INSERT INTO user_role (user_id, role_id) SELECT id, r FROM made, unnest(ARRAY[${role}, ${roleId}]::int[]) AS r
    ), channel AS (
      INSERT INTO notify_channel (organization_id, kind, name, address, address_hint, decided_by, decided_by_name, decided_in)
      VALUES (${here.organizationId}, 'dingtalk', ${fresh('渠道')}, '', '', ${here.userId}, '', ${here.organizationId}) RETURNING id
    )
    INSERT INTO notify_contact (user_id, channel_id, address) SELECT made.id, channel.id, '13800000001' FROM made, channel`.execute(
    db,
  )
  const ruleId = await rule(here, [])
  await sql`INSERT INTO notify_rule_target (rule_id, step, role_id) VALUES (${ruleId}, 0, ${role})`.execute(
    db,
  )
  const alarm = await raise(await insertDevice(db, { operatorId: here.operatorId }))
  const complaints: number[] = []
  await writeRaised(db, [alarm], new Date(), (id) => complaints.push(id))
  expect(await itemsOf(ruleId)).toHaveLength(notifyReceiversAtMost)
  expect(complaints).toEqual([ruleId])
})

test('devices and tasks are told to many by as many statements as to one', async () => {
  const here = await world()
  const hourAgo = () => new Date(Date.now() - 3_600_000)
  const events = ['deviceOffline', 'taskPaused']
  const look = () => costOf((counted) => writeOthers(counted, new Date(), hourAgo()))
  async function goes() {
    await sql`UPDATE notify_rule SET is_enabled = false`.execute(db)
    const device = await insertDevice(db, { operatorId: here.operatorId })
    await sql`
      INSERT INTO device_state (device_id, is_online, online_changed_at)
      VALUES (${device.id}, false, now() - interval '15 min')
      ON CONFLICT (device_id) DO UPDATE SET is_online = false, online_changed_at = excluded.online_changed_at`.execute(
      db,
    )
    const { rows } = await sql<{ id: number }>`
      INSERT INTO parameter_batch (code, kind, state, wanted, devices, max_attempts, interval_minutes, ends_at,
        created_by, created_by_name, organization_id, trial_count, trial_ended_at, next_at)
      VALUES (${fresh('B')}, 'set', 'paused', '[]', '{}', 1, 1, now(), 1, 'a', ${here.organizationId}, 1, now(),
        now() + interval '1 day') RETURNING id`.execute(db)
    await sql`
      INSERT INTO parameter_target (batch_id, device_id, state, former)
      VALUES (${rows[0]?.id}, ${device.id}, 'succeeded', '[]')`.execute(db)
  }
  await goes()
  const first = await rule(here, await told(here, {}), { events })
  const one = await look()
  expect((await itemsOf(first)).map(({ event }) => event)).toEqual(['deviceOffline', 'taskPaused'])
  const quiet = await look()
  expect(quiet).toBeLessThan(one)
  await goes()
  const second = await rule(here, await told(here, { people: 6, channels: 5 }), { events })
  expect(await look()).toBe(one)
  expect(await itemsOf(second)).toHaveLength(4 * 30)
  expect(await look()).toBe(quiet)
})
