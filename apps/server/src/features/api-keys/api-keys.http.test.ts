// API keys over HTTP: what a key may do and see beside its maker, how it ends, and what nobody learns of it.
import {
  insertOperator as addOperator,
  agreeApproval,
  assignAlarms,
  changePassword,
  deleteApiKey,
  deleteUser,
  describeStop,
  endAlarmShelf,
  grantSystem,
  insertAlarmShelf,
  insertApiKey,
  insertParameterBatch,
  listApiKeys,
  listApprovals,
  listDevices,
  listKeyFunctions,
  listNotifyDeliveries,
  listOperations,
  listOperators,
  listOrganizations,
  listUsers,
  readCurrentUser,
  readPermissions,
  renewDeviceSecret,
  resetUserPassword,
  rotateApiKey,
  type StoppedDecider,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { everyKeyFunction, makeKey, ofOperators } from '../../../test/api-keys.ts'
import { appOfTests } from '../../../test/app.ts'
import { endpoints } from '../../../test/endpoints.ts'
import {
  insertAlarm,
  insertDevice,
  insertOperator,
  insertOrganization,
  insertRegion,
  insertRole,
  testPassword,
} from '../../../test/factories.ts'
import { scopes } from '../../../test/proofs.ts'
import { makeWorld, type WorldUser } from '../../../test/scope-world.ts'
import { standingScope, standingScopes } from '../../domain/access/deciders.ts'
import { decidedIn, mayCallAny } from '../../domain/access/granted.ts'
import { readHoldings } from '../../domain/access/holdings.ts'
import { scopesOfPeople, standInsOf } from '../../domain/access/reaches.ts'
import * as queries from './api-keys.queries.ts'

const app = await appOfTests({ CONSENT_DEVICES: '1' })
const { db } = app
const admin = await app.asAdmin()
const makerCodes = [...everyKeyFunction, 'apiKey:insert', 'apiKey:rotate', 'apiKey:delete', 'user:insert']
const roleId = await insertRole(db, { functionCodes: makerCodes })

/** An organization with two operators and a device of each, and a user of it who makes keys. */
async function world() {
  const organizationId = await insertOrganization(db)
  const place = async () => {
    const operatorId = await insertOperator(db, { organizationId })
    return { operatorId, device: await insertDevice(db, { operatorId }) }
  }
  const [near, far] = [await place(), await place()]
  return { organizationId, near, far, maker: await app.asUser({ organizationId, roleIds: [roleId] }) }
}
const codesSeenBy = async (secret: string) => {
  const { code, data } = await app.call(listDevices, { pageSize: 500 }, secret)
  return code === 200 ? data.map((device) => device.code).sort() : code
}
const setAuthority = (userId: number, type: string, value: string) =>
  sql`INSERT INTO user_authority (user_id, authority_type, value) VALUES (${userId}, ${type}, ${value})`.execute(
    db,
  )

describe('the secret', () => {
  test('is in the answer that makes it and nowhere else', async () => {
    const { maker } = await world()
    const { id, secret } = await makeKey(app, maker.token)
    expect(secret).toMatch(/^vk_[0-9A-Za-z]{38}$/)
    const { rows } = await sql<{ text: string }>`
      SELECT (SELECT jsonb_agg(to_jsonb(k)) FROM api_key k)::text
        || (SELECT jsonb_agg(to_jsonb(s)) FROM api_key_secret s)::text
        || (SELECT jsonb_agg(to_jsonb(u)) FROM app_user u)::text
        || (SELECT jsonb_agg(to_jsonb(o)) FROM operation_log o)::text AS text`.execute(db)
    expect(rows[0]?.text).not.toContain(secret)
    expect(app.logged.join()).not.toContain(secret)
    const list = await app.call(listApiKeys, {}, maker.token)
    expect(list.text).not.toContain(secret)
    expect(list.data).toMatchObject([
      { id, secrets: [{ hint: secret.slice(-4), endTime: null }], isOwn: true },
    ])
  })

  test('is none with one letter changed, and neither a row of the table nor a cookie is a key', async () => {
    const { maker } = await world()
    const { secret } = await makeKey(app, maker.token)
    const changed = secret.slice(0, 10) + (secret[10] === 'a' ? 'b' : 'a') + secret.slice(11)
    const stored = await db.selectFrom('api_key_secret').select('hash').executeTakeFirstOrThrow()
    for (const wrong of [changed, 'vk_', `${secret}x`, `vk_${stored.hash.toString('hex').slice(0, 38)}`])
      expect(await app.call(listDevices, {}, wrong)).toMatchObject({ status: 401, refusal: 'tokenUnknown' })
    const byCookie = await app.request('/api/user/info', {
      headers: { cookie: `token=${secret}; vk=${secret}` },
    })
    expect(byCookie).toMatchObject({ status: 401, refusal: 'notSignedIn' })
  })
})

describe('what a key may do and see', () => {
  test('is chosen from what its maker has, and not more', async () => {
    const { maker, near } = await world()
    const { near: foreign } = await world()
    const refused = await app.call(
      insertApiKey,
      { name: '多', functionCodes: ['server:info'] },
      (await app.asUser({ functionCodes: ['apiKey:insert', 'equip:list'] })).token,
    )
    expect(refused).toMatchObject({ code: 403, refusal: 'cannotGrant' })
    const form = { name: '外', functionCodes: ['equip:list'], ...ofOperators(foreign.operatorId) }
    expect(await app.call(insertApiKey, form, maker.token)).toMatchObject({ refusal: 'cannotGrant' })
    expect(
      await app.call(insertApiKey, { name: '人', functionCodes: ['user:insert'] }, maker.token),
    ).toMatchObject({ code: 400, data: [{ field: 'functionCodes' }] })
    const { secret } = await makeKey(app, maker.token, {
      functionCodes: ['equip:list'],
      ...ofOperators(near.operatorId),
    })
    expect(await codesSeenBy(secret)).toEqual([near.device.code])
    expect(await app.call(listOperators, {}, secret)).toMatchObject({
      data: [{ id: String(near.operatorId) }],
    })
    expect(await app.call(renewDeviceSecret, { id: String(near.device.id) }, secret)).toMatchObject({
      refusal: 'notPermitted',
    })
    expect((await app.call(readCurrentUser, {}, secret)).data.functionCodes).toEqual(['equip:list'])
    const offered = (await app.call(listKeyFunctions, {}, maker.token)).data.map(({ code }) => code)
    expect(offered).toContain('equip:list')
    expect(offered).not.toContain('user:insert')
  })

  test('of a user with data permissions has these where none are chosen', async () => {
    const { organizationId, near } = await world()
    const narrow = await app.asUser({
      organizationId,
      roleIds: [roleId],
      authorities: [['O', String(near.operatorId)]],
    })
    const { secret } = await makeKey(app, narrow.token)
    expect(await codesSeenBy(secret)).toEqual([near.device.code])
    await sql`DELETE FROM user_authority WHERE user_id = ${narrow.id}`.execute(db)
    expect(await codesSeenBy(secret)).toEqual([near.device.code])
  })

  test('shrinks with its maker at the next call, by each kind of limit', async () => {
    const { organizationId, maker, near, far } = await world()
    const { secret } = await makeKey(app, maker.token)
    expect(await codesSeenBy(secret)).toEqual([near.device.code, far.device.code].sort())
    await setAuthority(maker.id, 'O', String(far.operatorId))
    expect(await codesSeenBy(secret)).toEqual([far.device.code])
    const region = await insertRegion(db)
    const { code } = await db
      .selectFrom('region')
      .select('code')
      .where('id', '=', region)
      .executeTakeFirstOrThrow()
    await setAuthority(maker.id, 'R', code)
    expect(await codesSeenBy(secret)).toEqual([])
    await sql`DELETE FROM user_authority WHERE user_id = ${maker.id}`.execute(db)
    const elsewhere = await insertOrganization(db)
    await sql`UPDATE app_user SET organization_id = ${elsewhere} WHERE id = ${maker.id}`.execute(db)
    expect(await codesSeenBy(secret)).toBe(401)
    await sql`UPDATE app_user SET organization_id = ${organizationId} WHERE id = ${maker.id}`.execute(db)
    await sql`DELETE FROM user_role WHERE user_id = ${maker.id}`.execute(db)
    expect(await codesSeenBy(secret)).toBe(403)
  })

  test('ends while its maker is disabled, and with its maker', async () => {
    const { maker } = await world()
    const { secret } = await makeKey(app, maker.token)
    await sql`UPDATE app_user SET is_enabled = false WHERE id = ${maker.id}`.execute(db)
    expect(await app.call(listDevices, {}, secret)).toMatchObject({ status: 401, refusal: 'keyStopped' })
    await sql`UPDATE app_user SET is_enabled = true WHERE id = ${maker.id}`.execute(db)
    expect((await app.call(listDevices, {}, secret)).code).toBe(200)
    await app.call(deleteUser, { id: String(maker.id) }, admin)
    expect(await app.call(listDevices, {}, secret)).toMatchObject({ status: 401, refusal: 'tokenUnknown' })
    const kept = await sql`
      SELECT FROM former_user_reach f JOIN operation_log o ON o.user_id = f.user_id
      WHERE f.user_id >= ${maker.id}`.execute(db)
    expect(kept.rows.length).toBeGreaterThan(0)
  })

  test('is stopped while its maker is in another organization, and is of the lower one where one lies in the other', async () => {
    const { maker, organizationId } = await world()
    const { secret, id } = await makeKey(app, maker.token)
    const goTo = (organization: number) =>
      sql`UPDATE app_user SET organization_id = ${organization} WHERE id = ${maker.id}`.execute(db)
    const organizationsOf = async () =>
      (await app.call(listOrganizations, {}, secret)).data?.map((one) => Number(one.id))
    const below = await insertOrganization(db, { parentId: organizationId })
    expect(await organizationsOf()).toEqual([organizationId])
    await goTo(await insertOrganization(db))
    // Rows without a device are of an organization alone.
    for (const [call, input] of [
      [listOrganizations, {}],
      [listNotifyDeliveries, {}],
      [addOperator, { name: '钥', code: 'KEYS', organizationId: String(organizationId) }],
    ] as const)
      expect(await app.call(call, input, secret)).toMatchObject({ status: 401, refusal: 'keyStopped' })
    expect((await app.call(listApiKeys, {}, admin)).data.find((one) => one.id === id)).toMatchObject({
      state: 'stopped',
    })
    await goTo(below)
    expect(await organizationsOf()).toEqual([below])
    await goTo(organizationId)
    expect(await organizationsOf()).toEqual([organizationId])
  })

  test('is narrowed with its maker also where rows are of an organization and not of a device', async () => {
    const { maker, near, organizationId } = await world()
    const colleague = await app.asUser({ organizationId, roleIds: [roleId] })
    const { secret } = await makeKey(app, maker.token)
    const shelf = await app.call(
      insertAlarmShelf,
      { kind: 'shelve', filter: {}, semaphoreCodes: ['01110001'], minutes: 30, reason: '检修' },
      colleague.token,
    )
    expect(shelf).toMatchObject({ code: 200 })
    const { rows } = await sql<{ id: string }>`
      INSERT INTO notify_delivery
        (channel_name, kind, rule_names, decided_by, decided_in, state, title, message, alarm_count, attempts)
      VALUES ('群', 'wecom', '{值班}', ARRAY[${colleague.id}::int], ARRAY[${organizationId}::int], 'delivered', '告警', '{}', 1, 1)
      RETURNING id`.execute(db)
    const seen = async () =>
      (await app.call(listNotifyDeliveries, { pageSize: 500 }, secret)).data.map((one) => one.id)
    expect(await seen()).toEqual(rows.map((row) => row.id))
    await setAuthority(maker.id, 'O', String(near.operatorId))
    expect(await seen()).toEqual([])
    expect(await app.call(endAlarmShelf, { id: String(shelf.data.id) }, secret)).toMatchObject({
      refusal: 'notPermitted',
    })
    const operator = { name: '钥', code: `K${organizationId}`, organizationId: String(organizationId) }
    expect(await app.call(addOperator, operator, secret)).toMatchObject({ refusal: 'operatorsAreLimited' })
  })

  test('of a SYSTEM user’s is that of the organization alone, and never SYSTEM', async () => {
    const { organizationId, near, far } = await world()
    const { secret } = await makeKey(app, admin, { organizationId: String(organizationId) })
    expect(await codesSeenBy(secret)).toEqual([near.device.code, far.device.code].sort())
    const ofSystem = endpoints.filter(({ endpoint }) => endpoint.access === 'system')
    for (const { endpoint } of ofSystem)
      expect((await app.call(endpoint, { id: '1' }, secret)).code).toBe(403)
  })

  test('does not reach what needs a person', async () => {
    const { maker } = await world()
    const { secret } = await makeKey(app, maker.token)
    const form = { oldPassword: testPassword, newPassword: 'Neu-12345' }
    expect(await app.call(changePassword, form, secret)).toMatchObject({ code: 403, refusal: 'notForKeys' })
    expect(await app.call(insertApiKey, { name: 'x', functionCodes: ['equip:list'] }, secret)).toMatchObject({
      code: 403,
      refusal: 'notForKeys',
    })
  })
})

test('random lists of 40 keys hold what the model of data permissions says of the key and of its maker', {
  timeout: 240_000,
}, async () => {
  const wide = await makeWorld(db, { seed: 25, devices: 120, users: 60, functionCodes: makerCodes })
  const makers = await Promise.all(
    wide.users
      .filter(({ authorities }) => authorities.every(([, value]) => value !== '999999999'))
      .slice(0, 12)
      .map(async (maker) => ({ maker, token: await app.signIn(maker.loginName, testPassword) })),
  )
  const keys: { user: WorldUser; maker: WorldUser; secret: string }[] = []
  for (let n = 0; n < 40; n += 1) {
    const { maker, token } = wide.oneOf(makers)
    const { id, secret } = await makeKey(app, token, {
      ...(maker.isSystem && { organizationId: String(maker.organizationId) }),
    })
    // Whatever the key itself says, it stays within its maker.
    const authorities = wide.below(2) === 0 ? [] : wide.oneOf(wide.users).authorities
    await sql`DELETE FROM user_authority WHERE user_id = ${Number(id)}`.execute(db)
    for (const [type, value] of authorities) await setAuthority(Number(id), type, value)
    const organizationId = wide.below(3) > 0 ? maker.organizationId : wide.oneOf(wide.organizations).id
    await sql`UPDATE app_user SET organization_id = ${organizationId} WHERE id = ${Number(id)}`.execute(db)
    const user = { id: Number(id), loginName: id, organizationId, isSystem: false, authorities }
    keys.push({ user, maker, secret })
  }
  const makerOf = new Map(keys.map(({ user, maker }) => [user, maker]))
  const both = {
    ...wide,
    sees: (user: WorldUser, device: (typeof wide.devices)[number]) =>
      wide.sees(user, device) && wide.sees(makerOf.get(user) ?? user, device),
  }
  const lists = endpoints.flatMap(({ name, endpoint }) => {
    const model = scopes[name]?.model
    return typeof model === 'object' && model.isNarrowed ? [{ endpoint, model }] : []
  })
  let found = 0
  for (let n = 0; n < 160; n += 1) {
    const { user, secret } = wide.oneOf(keys)
    const { endpoint, model } = lists[n % lists.length] as (typeof lists)[number]
    const answer = await app.call(endpoint, { pageSize: 500 }, secret)
    // Of a maker who is elsewhere, the key is stopped: nobody expects a row.
    const data = answer.refusal === 'keyStopped' ? [] : (answer.data as Record<string, unknown>[])
    const rows = data.map(model.nameOf).sort()
    const ours = model.isKnown ? rows.filter((name) => model.isKnown?.(wide, name)) : rows
    expect([endpoint.path, ours]).toEqual([
      endpoint.path,
      model.expected(both, user, { input: {}, passes: () => true }).sort(),
    ])
    found += ours.length > 0 ? 1 : 0
  }
  expect(found).toBeGreaterThan(20)
  // The same is true of decisions that act later, one by one and together.
  const deciders = keys.map(({ user }) => ({
    userId: user.id,
    name: '',
    role: '',
    functionCodes: ['equip:list'],
  }))
  const together = await standingScopes(db, deciders)
  for (const [n, decider] of deciders.entries()) {
    const { scope } = await standingScope(db, [decider])
    expect(together[n]).toEqual(scope)
    const { user } = keys[n] as (typeof keys)[number]
    const seen = wide.devices.filter((device) => both.sees(user, device))
    // Null: the key is stopped, as its calls are.
    const within = wide.devices.filter(
      ({ operatorId, modelId, regionId }) =>
        scope !== null &&
        (scope.operatorIds?.includes(operatorId) ?? true) &&
        (scope.equipTypeIds?.includes(wide.models.find(({ id }) => id === modelId)?.equipTypeId ?? 0) ??
          true) &&
        (scope.regionIds?.includes(regionId) ?? true),
    )
    expect(within).toEqual(seen)
  }
  // What is compared between people says no more than this either.
  const holdings = await readHoldings(
    db,
    keys.map(({ user }) => user.id),
  )
  for (const { user } of keys) {
    const held = holdings.get(user.id)
    const cut = {
      ...user,
      organizationId: held?.organizationId ?? 0,
      authorities: (['O', 'ET', 'R'] as const).flatMap((type) =>
        (held?.authorities[type] ?? []).map((value) => [type, value] as const),
      ),
    }
    expect(wide.devices.filter((device) => wide.sees(cut, device))).toEqual(
      wide.devices.filter((device) => both.sees(user, device)),
    )
  }
})

describe('a decision of a key', () => {
  test('stands within the key and its maker, and no longer than either', async () => {
    const { maker, near, far } = await world()
    const { id } = await makeKey(app, maker.token, ofOperators(near.operatorId))
    const decider = { userId: Number(id), name: 'x', role: '创建人', functionCodes: ['equip:list'] }
    const scope = async () => (await standingScope(db, [decider])).scope?.operatorIds
    const stopped = async () => (await standingScope(db, [decider])).stopped?.reason
    expect(await scope()).toEqual([near.operatorId])
    await setAuthority(maker.id, 'O', String(far.operatorId))
    expect(await scope()).toEqual([])
    await sql`UPDATE app_user SET is_enabled = false WHERE id = ${maker.id}`.execute(db)
    expect(await stopped()).toBe('disabled')
    expect(await standingScopes(db, [decider])).toEqual([null])
    await sql`UPDATE app_user SET is_enabled = true WHERE id = ${maker.id}`.execute(db)
    await app.call(deleteApiKey, { id }, maker.token)
    expect(await stopped()).toBe('deleted')
  })

  test('that was revoked reaches no further than its maker does by now, who stands for it', async () => {
    const { maker, near, far } = await world()
    const { id } = await makeKey(app, maker.token, ofOperators(near.operatorId))
    await app.call(deleteApiKey, { id }, maker.token)
    const userId = Number(id)
    const scope = async () =>
      (await scopesOfPeople(db, [{ userId, name: 'x', reach: null }])).map(({ operatorIds }) => operatorIds)
    expect(await scope()).toEqual([[near.operatorId]])
    expect(await standInsOf(db, [userId, 0])).toEqual(new Map([[userId, maker.id]]))
    await setAuthority(maker.id, 'O', String(far.operatorId))
    expect(await scope()).toEqual([[]])
  })

  test('stays in the organization that the key acts in, though its maker rises again', async () => {
    const { maker, organizationId } = await world()
    const { id } = await makeKey(app, maker.token)
    const below = await insertOrganization(db, { parentId: organizationId })
    const goTo = (organization: number) =>
      sql`UPDATE app_user SET organization_id = ${organization} WHERE id = ${maker.id}`.execute(db)
    const decided = async (userId: number) =>
      (await sql<{ at: number | null }>`SELECT ${decidedIn(userId)} AS at`.execute(db)).rows[0]?.at
    expect(await decided(Number(id))).toBe(organizationId)
    await goTo(below)
    expect(await decided(Number(id))).toBe(below)
    expect(await decided(maker.id)).toBe(below)
    await goTo(await insertOrganization(db))
    // It is stopped, and null would be nowhere.
    expect(await decided(Number(id))).toBe(organizationId)
    const { id: everywhere } = await makeKey(app, admin)
    expect(await decided(Number(everywhere))).toEqual(expect.any(Number))
  })

  test('stops with the key’s time, as that of a revoked one does, and its maker stands for its bytes', async () => {
    const { maker } = await world()
    const { id } = await makeKey(app, maker.token)
    const userId = Number(id)
    const decider = { userId, name: 'x', role: '创建人', functionCodes: ['equip:list'] }
    const stopped = async () => (await standingScope(db, [decider])).stopped
    expect(await stopped()).toBeNull()
    expect(await standInsOf(db, [userId])).toEqual(new Map([[userId, userId]]))
    await sql`UPDATE api_key SET expires_at = now() WHERE user_id = ${userId}`.execute(db)
    expect(describeStop((await stopped()) as StoppedDecider)).toBe('创建人 x 已过期')
    expect(await standingScopes(db, [decider])).toEqual([null])
    expect(await mayCallAny(db, userId, ['equip:list'])).toBe(false)
    expect(await standInsOf(db, [userId])).toEqual(new Map([[userId, maker.id]]))
    await app.call(rotateApiKey, { id, validDays: 30 }, maker.token)
    expect(await stopped()).toBeNull()
  })

  test('stops while its maker is in another organization, as its calls do', async () => {
    const { maker, organizationId } = await world()
    const { id } = await makeKey(app, maker.token)
    const decider = { userId: Number(id), name: 'x', role: '创建人', functionCodes: [] }
    const goTo = (organization: number) =>
      sql`UPDATE app_user SET organization_id = ${organization} WHERE id = ${maker.id}`.execute(db)
    const stopped = async () => (await standingScope(db, [decider])).stopped?.reason
    await goTo(await insertOrganization(db))
    expect(await stopped()).toBe('disabled')
    await goTo(organizationId)
    expect(await stopped()).toBeUndefined()
  })

  test('that needs a second person has none in its maker, nor in another key', async () => {
    const { maker, near, far, organizationId } = await world()
    const { secret } = await makeKey(app, maker.token)
    const other = await app.asUser({ organizationId, roleIds: [roleId] })
    const otherKey = await makeKey(app, other.token)
    const asked = await app.call(
      insertParameterBatch,
      {
        paramSetRule: { upgradeCount: 1, interval: 3 },
        entitys: [{ id: '02121005', value: 80 }],
        queryParam: { codes: [near.device.code, far.device.code] },
      },
      secret,
    )
    const id = asked.data.approvalId ?? ''
    expect(id).not.toBe('')
    expect(await app.call(agreeApproval, { id }, maker.token)).toMatchObject({ refusal: 'approvalOwn' })
    expect(await app.call(agreeApproval, { id }, otherKey.secret)).toMatchObject({ refusal: 'notForKeys' })
    expect((await app.call(listApprovals, {}, maker.token)).data).toMatchObject([
      { isOwn: true, mayDecide: false },
    ])
    expect((await app.call(agreeApproval, { id }, other.token)).code).toBe(200)
  })
})

describe('a key', () => {
  test('works from its networks alone', async () => {
    const { maker } = await world()
    const { secret } = await makeKey(app, maker.token, {
      networks: ['10.20.0.0/16', '2001:db8::/32', '192.0.2.7'],
    })
    for (const [address, code] of [
      ['10.20.3.4', 200],
      ['192.0.2.7', 200],
      ['2001:db8::1', 200],
      ['10.21.3.4', 403],
      ['192.0.2.8', 403],
    ] as const) {
      const answer = await app.from(address).call(listDevices, {}, secret)
      expect([address, answer.code]).toEqual([address, code])
      if (code === 403) expect(answer.refusal).toBe('keyFromElsewhere')
    }
    for (const networks of [['10.0.0.0/33'], ['example.com'], '', []])
      expect(
        await app.call(insertApiKey, { name: 'n', functionCodes: ['equip:list'], networks }, maker.token),
      ).toMatchObject({ code: 400 })
  })

  test('expires, and can be had anew by a rotation', async () => {
    const { maker } = await world()
    const { id, secret } = await makeKey(app, maker.token, { validDays: 1 })
    await sql`UPDATE api_key SET expires_at = now() WHERE user_id = ${Number(id)}`.execute(db)
    expect(await app.call(listDevices, {}, secret)).toMatchObject({ status: 401, refusal: 'keyExpired' })
    expect((await app.call(listApiKeys, { state: 'expired' }, maker.token)).data).toMatchObject([{ id }])
    await app.call(rotateApiKey, { id, validDays: 30 }, maker.token)
    expect((await app.call(listDevices, {}, secret)).code).toBe(200)
  })

  test('has two secrets for a while after a rotation, and never three', async () => {
    const { maker } = await world()
    const first = await makeKey(app, maker.token)
    const { id } = first
    const rotate = async (overlapHours: number) =>
      (await app.call(rotateApiKey, { id, overlapHours }, maker.token)).data.secret
    const codeOf = async (secret: string) => (await app.call(listDevices, {}, secret)).refusal ?? 'works'
    const second = await rotate(24)
    expect([await codeOf(first.secret), await codeOf(second)]).toEqual(['works', 'works'])
    await sql`UPDATE api_key_secret SET ends_at = now() WHERE key_id = ${Number(id)} AND ends_at IS NOT NULL`.execute(
      db,
    )
    expect([await codeOf(first.secret), await codeOf(second)]).toEqual(['keyReplaced', 'works'])
    const third = await rotate(1)
    expect([first.secret, second, third].length).toBe(3)
    expect([await codeOf(first.secret), await codeOf(second), await codeOf(third)]).toEqual([
      'tokenUnknown',
      'works',
      'works',
    ])
    const fourth = await rotate(0)
    expect([await codeOf(second), await codeOf(third), await codeOf(fourth)]).toEqual([
      'tokenUnknown',
      'keyReplaced',
      'works',
    ])
  })

  test('says when it was used last, which is written once a minute at most', async () => {
    const { maker } = await world()
    const { id, secret } = await makeKey(app, maker.token)
    const seen = async () => (await app.call(listApiKeys, {}, maker.token)).data[0]
    expect((await seen())?.lastUsedTime).toBeNull()
    await app.from('192.0.2.9').call(listDevices, {}, secret)
    await expect.poll(async () => (await seen())?.lastUsedAddress).toBe('192.0.2.9')
    const written = async () => queries.writeUse(db, Number(id), '192.0.2.10')
    expect(await written()).toBe(false)
    await sql`UPDATE api_key SET used_at = now() - interval '61 seconds' WHERE user_id = ${Number(id)}`.execute(
      db,
    )
    expect([await written(), await written()]).toEqual([true, false])
  })

  test('stands in the operation log with its maker, and so do its own writes', async () => {
    const { maker, near } = await world()
    const { name, secret } = await makeKey(app, maker.token, { name: '工单系统' })
    expect((await app.call(renewDeviceSecret, { id: String(near.device.id) }, secret)).code).toBe(200)
    const { data } = await app.call(listOperations, { pageSize: 10 }, maker.token)
    expect(data.map(({ loginName, target }) => [loginName, target])).toEqual(
      expect.arrayContaining([
        [`密钥 工单系统（${maker.loginName}）`, `设备 ${near.device.code}`],
        [maker.loginName, `API 密钥 ${name}`],
      ]),
    )
  })

  test('is revoked by its maker and by whoever manages that user, and is nobody else’s', async () => {
    const { maker, organizationId } = await world()
    const { id } = await makeKey(app, maker.token)
    const stranger = (await world()).maker
    const weaker = await app.asUser({
      organizationId,
      functionCodes: ['apiKey:delete', 'apiKey:rotate', 'apiKey:list'],
    })
    expect(await app.call(deleteApiKey, { id }, stranger.token)).toMatchObject({ refusal: 'apiKeyNotFound' })
    expect(await app.call(deleteApiKey, { id }, weaker.token)).toMatchObject({ refusal: 'holdsMore' })
    expect(await app.call(rotateApiKey, { id }, weaker.token)).toMatchObject({ refusal: 'apiKeyNotFound' })
    expect(await app.call(rotateApiKey, { id }, admin)).toMatchObject({ refusal: 'apiKeyNotFound' })
    expect((await app.call(listApiKeys, {}, stranger.token)).data).toEqual([])
    expect((await app.call(listApiKeys, {}, weaker.token)).data).toMatchObject([
      { id, isManageable: false, authorityEntities: null },
    ])
    expect((await app.call(deleteApiKey, { id }, admin)).code).toBe(200)
    expect((await app.call(listApiKeys, {}, maker.token)).data).toEqual([])
  })

  test('has a name of its own among its maker’s', async () => {
    const { maker } = await world()
    const form = { name: '重名', functionCodes: ['equip:list'] }
    expect((await app.call(insertApiKey, form, maker.token)).code).toBe(200)
    expect(await app.call(insertApiKey, form, maker.token)).toMatchObject({
      refusal: 'apiKeyNameTaken',
      data: [{ field: 'name' }],
    })
  })

  test('is no user: in no list of people, and nobody’s to change as one', async () => {
    const { maker, near } = await world()
    const { id } = await makeKey(app, maker.token)
    expect((await app.call(listUsers, { ids: [id] }, admin)).data).toEqual([])
    expect(await app.call(readPermissions, { userId: id }, admin)).toMatchObject({ refusal: 'userNotFound' })
    for (const endpoint of [deleteUser, resetUserPassword, grantSystem])
      expect(await app.call(endpoint, { id }, admin)).toMatchObject({ refusal: 'userNotFound' })
    const alarm = await insertAlarm(db, near.device, '01110002', 5)
    const assigned = await app.call(assignAlarms, { ids: [alarm], userId: id }, admin)
    expect(assigned.code).not.toBe(200)
    const names = await db
      .selectFrom('app_user')
      .select('login_name')
      .where('id', '=', Number(id))
      .executeTakeFirst()
    await expect(app.signIn(names?.login_name ?? '', '')).rejects.toThrow()
  })
})
