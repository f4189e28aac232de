// How messages leave where much waits.
import { createServer, type Socket } from 'node:net'
import {
  insertNotifyChannel,
  insertNotifyRule,
  listAlarms,
  listNotifyDeliveries,
  testNotifyChannel,
} from '@voltkeep/contract'
import type { KyselyPlugin } from 'kysely'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import { insertAlarm, insertDevice, insertOperator, insertOrganization } from '../../../../test/factories.ts'
import { type Imitation, imitateWecom } from '../../../../test/robots.ts'
import { forgetUndecided } from './undecided.ts'

const app = await appOfTests({ NOTIFY_NETWORKS: '127.0.0.0/8' })
const admin = await app.asAdmin()
const code = '01110002'
const channelCodes = ['notifyChannel:insert', 'notifyRule:insert']

const open: Imitation[] = []
afterEach(async () => {
  for (const robot of open.splice(0)) await robot.close()
  await sql`UPDATE notify_rule SET is_enabled = false`.execute(app.db)
})
async function robotOf(made: Promise<Imitation>): Promise<Imitation> {
  const robot = await made
  open.push(robot)
  return robot
}
let count = 0
const fresh = (word: string) => `${word}${++count}`
async function channel(robot: Imitation, token = admin): Promise<string> {
  const form = { kind: 'wecom' as const, name: fresh('渠道'), address: robot.url }
  return (await app.call(insertNotifyChannel, form, token)).data.id
}
const rule = async (channelIds: string[], fallbackChannelId?: string) =>
  (
    await app.call(
      insertNotifyRule,
      {
        name: fresh('规则'),
        when: ['raised'],
        alarmLevels: [1, 2, 3, 4],
        channelIds,
        groupWaitS: 0,
        ...(fallbackChannelId !== undefined && { fallbackChannelId }),
      },
      admin,
    )
  ).data.id
async function raise(): Promise<string> {
  const id = await insertAlarm(app.db, await insertDevice(app.db), code, 0)
  await sql`SELECT pg_notify('voltkeep', ${JSON.stringify({ name: 'alarmsOpened', ids: [id] })})`.execute(
    app.db,
  )
  return id
}

test('a channel that takes its time holds up nobody else’s messages', async () => {
  const slow = await robotOf(imitateWecom())
  const others = [await robotOf(imitateWecom()), await robotOf(imitateWecom())]
  const [slowId, ...otherIds] = await Promise.all(
    [slow, ...others].map(async (robot) => {
      const organizationId = await insertOrganization(app.db)
      const { token } = await app.asUser({ organizationId, functionCodes: channelCodes })
      return await channel(robot, token)
    }),
  )
  if (slowId === undefined) throw new Error('three channels were made')
  await sql`
    INSERT INTO notify_rate (key, tokens) SELECT rate_key, 6 FROM notify_channel WHERE id = ${slowId}`.execute(
    app.db,
  )
  // Admin's alarms are told through channels of users who see none: their setters become SYSTEM.
  await sql`
    UPDATE notify_channel SET decided_by = (SELECT id FROM app_user ORDER BY id LIMIT 1), decided_in = NULL
    WHERE id = ANY(${[slowId, ...otherIds]}::int[])`.execute(app.db)
  await app.db.transaction().execute(async (trx) => {
    await sql`
      SELECT FROM notify_rate WHERE key = (SELECT rate_key FROM notify_channel WHERE id = ${slowId}) FOR UPDATE`.execute(
      trx,
    )
    await rule([slowId, ...otherIds])
    await raise()
    for (const robot of others)
      await expect.poll(() => robot.shown.length, { interval: 50, timeout: 5_000 }).toBe(1)
    expect(slow.shown).toEqual([])
  })
  await expect.poll(() => slow.shown.length, { interval: 50, timeout: 5_000 }).toBe(1)
})

test('what waits for many people by many rules is asked about in a few statements', async () => {
  const organizationId = await insertOrganization(app.db)
  const operatorId = await insertOperator(app.db, { organizationId })
  const { token } = await app.asUser({ organizationId, functionCodes: channelCodes })
  const channelId = await channel(await robotOf(imitateWecom()), token)
  await sql`UPDATE notify_channel SET paused_until = now() + interval '1 hour' WHERE id = ${channelId}`.execute(
    app.db,
  )
  const seeing = await app.asUser({ organizationId, functionCodes: [String(listAlarms.access)] })
  const blind = await app.asUser({ organizationId, functionCodes: [] })
  const device = await insertDevice(app.db, { operatorId })
  const hidden = await insertDevice(app.db)
  const ruleIds: string[] = []
  for (let n = 0; n < 6; n += 1) ruleIds.push(await rule([channelId]))
  await sql`
    INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, level, what, device_id,
      device_code, place, at, due_at, is_open)
    SELECT r, ${channelId}, u, 'u' || u, 1000 + n, 'raised', 1, '', d, '', '', now(), now(), true
    FROM unnest(${ruleIds}::int[]) r, unnest(${[seeing.id, blind.id]}::int[]) u,
      unnest(${[device.id, hidden.id]}::int[]) WITH ORDINALITY AS x (d, n)`.execute(app.db)
  let statements = 0
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const told = { channelId: Number(channelId), deliveryId: null }
  await app.db.transaction().execute(async (trx) => {
    const settling = { settleIn: async () => [] }
    await forgetUndecided(trx.withPlugin(counting) as typeof trx, settling as never, told, new Date())
  })
  const { rows } = await sql<{ n: string; userId: number; deviceId: number }>`
    SELECT count(*)::int AS n, user_id AS "userId", device_id AS "deviceId" FROM notify_item
    WHERE channel_id = ${channelId} GROUP BY 2, 3`.execute(app.db)
  expect(rows).toEqual([{ n: ruleIds.length, userId: Number(seeing.id), deviceId: device.id }])
  expect(statements).toBeLessThan(8)
})

/** A message of a channel with another one beside it, whose last attempt has ended like this. */
async function leftBy(state: 'sending' | 'retrying', code: string | null, attempts: number) {
  const [robot, other] = [await robotOf(imitateWecom(0)), await robotOf(imitateWecom())]
  const id = await channel(robot)
  await rule([id], await channel(other))
  await raise()
  const row = async () => (await app.call(listNotifyDeliveries, { channelId: id }, admin)).data[0]
  await expect.poll(async () => (await row())?.state).toBe('retrying')
  await sql`
    UPDATE notify_delivery SET state = ${state}, provider_code = ${code}, attempts = ${attempts},
      retry_at = CASE WHEN ${state === 'retrying'} THEN now() END
    WHERE channel_id = ${id}`.execute(app.db)
  await sql`
    UPDATE notify_channel SET busy_until = now(), paused_until = NULL, next_at = now() WHERE id = ${id}`.execute(
    app.db,
  )
  await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["notify_channel 0"]}')`.execute(app.db)
  await expect.poll(async () => (await row())?.state, { timeout: 5_000 }).toBe('givenUp')
  return { robot, other, last: await row() }
}

test('a message whose senders die is told by the other channel after the last attempt', async () => {
  const { robot, other, last } = await leftBy('sending', null, 9)
  await expect.poll(() => other.shown.length, { timeout: 5_000 }).toBe(1)
  expect(robot.received).toHaveLength(1)
  expect(last).toMatchObject({ providerCode: 'DIED', attempts: 9 })
})

test('a message that may have arrived is tried once more, and told by no other channel', async () => {
  const { robot, other, last } = await leftBy('retrying', 'UNANSWERED', 1)
  expect(robot.received).toHaveLength(2)
  expect(last).toMatchObject({ attempts: 2, passedTo: [] })
  expect(other.received).toEqual([])
})

test('a user has two tests under way at most', async () => {
  const silent = createServer()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const sockets: Socket[] = []
  silent.on('connection', (socket) => sockets.push(socket))
  const { port } = silent.address() as { port: number }
  const settings = { host: '127.0.0.1', port, isTls: false, from: 'ops@example.com' }
  const ids: string[] = []
  for (let n = 0; n < 3; n += 1) {
    const form = { kind: 'mail' as const, name: fresh('邮件'), address: 'a@example.com', settings }
    ids.push((await app.call(insertNotifyChannel, form, admin)).data.id)
  }
  const [first = '', second = '', third = ''] = ids
  const tested = (id: string) => app.call(testNotifyChannel, { id }, admin)
  const begun = [tested(first), tested(second)]
  await expect.poll(() => sockets.length).toBe(2)
  expect(await tested(third)).toMatchObject({ refusal: 'notifyTestedTooOften' })
  silent.close()
  for (const socket of sockets) socket.destroy()
  expect(await Promise.all(begun)).toMatchObject([
    { data: { isDelivered: false } },
    { data: { isDelivered: false } },
  ])
  expect((await tested(third)).data).toMatchObject({ isDelivered: false, code: 'ESOCKET' })
})
