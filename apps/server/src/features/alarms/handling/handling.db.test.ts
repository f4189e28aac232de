// What people do about alarms beside real reports of devices, on a real database.

import type { AlarmReport } from '@voltkeep/contract/topics/index'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../../test/database.ts'
import { insertDevice, insertUser } from '../../../../test/factories.ts'
import { times } from '../../../../test/long.ts'
import { createRowIds } from '../../../domain/history/row-ids.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db } from '../../../platform/database/database.ts'
import { createWriteLanes } from '../../../platform/devices/ingest/write-lanes.ts'
import type { Outcome } from '../../../platform/devices/ingest/writer.ts'
import { createLog } from '../../../platform/process/log.ts'
import { readEpisodes } from '../alarm-history.queries.ts'
import { countStates, listStateKeys, readStates } from '../current-alarms.queries.ts'
import { createAlarmWriter } from '../intake/alarms.intake.ts'
import { readQuiet } from '../shelves/quiet.queries.ts'
import { settleAll } from './handling.jobs.ts'
import { deleteHandlings, lockHandlings } from './handling.queries.ts'
import { createHandling } from './handling.service.ts'
import { handlingOf } from './handling.states.ts'

const database = await databaseOfTests({ isSeeded: true, poolSize: 12 })
const { db } = database
const notices = { publish() {} }
const handling = createHandling({ db, notices, lasts: { criticalMs: 1_800_000, otherMs: 14_400_000 } })

const lanes = createWriteLanes({ pool: database.pool, log: createLog({ level: 'silent' }), laneCount: 2 })
const writer = createAlarmWriter({ notices, rowIds: createRowIds(), dayBudget: { written() {} } })
const report = (deviceId: number, code: string, value: number, timeMs: number) =>
  new Promise<Outcome>((resolve) => {
    const id = `${Math.random()}`
    lanes.put({
      deviceId,
      writer,
      entry: {
        deviceId,
        payload: { id, time: timeMs, code, value } as AlarmReport,
        occurredAtMs: timeMs,
        receivedAtMs: timeMs,
        clockLimitMs: null,
        refuse() {},
      },
      messageId: id,
      done: resolve,
    })
  })

async function makeActor(): Promise<Actor> {
  const { id, loginName } = await insertUser(db, { roleIds: [1] })
  return {
    userId: id,
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
}

/** Repeatable numbers from 0 up to below 1. */
function random(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const pairs = times(200, 1_000)
test(`${pairs} interleavings of a device and two people leave the device’s half as it is without people, and every action once`, {
  timeout: 600_000,
}, async () => {
  const next = random(20_261_124)
  const below = (n: number) => Math.floor(next() * n)
  const people = [await makeActor(), await makeActor()]
  const startMs = Date.now() - 3_600_000
  const codes = 20
  const done = new Map<string, number>()
  const devices = await Promise.all(
    Array.from({ length: pairs / codes }, async () => ({
      touched: (await insertDevice(db)).id,
      alone: (await insertDevice(db)).id,
    })),
  )
  const idsOf = async (deviceId: number, code: string) => {
    const { rows } = await sql<{ id: string }>`
      SELECT episode_id::text AS id FROM alarm_state
      WHERE device_id = ${deviceId} AND semaphore_code = ${code} AND episode_id IS NOT NULL`.execute(db)
    return rows.map(({ id }) => id)
  }
  const act = async (actor: Actor, ids: string[], kind: number) => {
    const chosen = { ids }
    const other = String(people[kind % 2]?.userId)
    const answer = await [
      () => handling.ackAlarms(actor, chosen),
      () => handling.unackAlarms(actor, chosen),
      () => handling.claimAlarms(actor, chosen),
      () => handling.assignAlarms(actor, { ...chosen, userId: other }),
      () => handling.releaseAlarms(actor, chosen),
      () => handling.closeAlarms(actor, { ...chosen, cause: 'other' }),
      () =>
        handling
          .noteAlarm(actor, { id: ids[0] as string, note: '看过' })
          .then(() => ({ done: 1, skippedCount: 0 })),
    ][kind]?.()
    expect((answer?.done ?? 0) + (answer?.skippedCount ?? 0)).toBe(1)
    const [id = ''] = ids
    done.set(id, (done.get(id) ?? 0) + (answer?.done ?? 0))
  }
  const interleave = async (pair: number) => {
    const { touched, alone } = devices[Math.floor(pair / codes)] as (typeof devices)[number]
    const code = `H${pair % codes}`
    await Promise.all([report(touched, code, 2, startMs), report(alone, code, 2, startMs)])
    // Values of bits that come and go, recoveries, and reports that come late.
    const told = Array.from({ length: 3 + below(4) }, (_, n) => ({
      value: below(3) === 0 ? 0 : 1 + below(7),
      timeMs: startMs + (below(5) === 0 ? n * 500 : (n + 1) * 1_000),
    }))
    const device = async () => {
      for (const { value, timeMs } of told) {
        await Promise.all([report(touched, code, value, timeMs), report(alone, code, value, timeMs)])
      }
    }
    const person = async (actor: Actor, kinds: number[]) => {
      for (const kind of kinds) {
        const ids = await idsOf(touched, code)
        if (ids.length > 0) await act(actor, ids, kind)
      }
    }
    const kinds = () => Array.from({ length: 3 }, () => below(7))
    await Promise.all([device(), ...people.map((actor) => person(actor, kinds()))])
  }
  const all = Array.from({ length: pairs }, (_, n) => n)
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let pair = all.pop(); pair !== undefined; pair = all.pop()) await interleave(pair)
    }),
  )

  const halves = async (which: 'touched' | 'alone') => {
    const ids = devices.map((one) => one[which])
    const { rows: states } = await sql`
      SELECT array_position(${ids}::int[], device_id) AS n, semaphore_code, is_active, value, occurred_at, reported_at,
        recovered_at, recovery_method, recovered_by, note
      FROM alarm_state WHERE device_id = ANY(${ids}::int[]) ORDER BY 1, 2`.execute(db)
    const { rows: episodes } = await sql`
      SELECT array_position(${ids}::int[], device_id) AS n, semaphore_code, occurred_at, first_value, value,
        recovered_at, recovery_method, recovered_by, note, late_reports
      FROM alarm_history WHERE device_id = ANY(${ids}::int[]) ORDER BY 1, 2, 3, first_value, value, recovered_at`.execute(
      db,
    )
    return { states, episodes }
  }
  const [with_, without] = [await halves('touched'), await halves('alone')]
  expect(with_.states).toHaveLength(pairs)
  expect(with_).toEqual(without)

  const { rows } = await sql<{ id: string; version: number; actions: number }>`
    SELECT p.episode_id::text AS id, p.version,
      (SELECT count(*)::int FROM alarm_handling_action a WHERE a.episode_id = p.episode_id) AS actions
    FROM alarm_handling p`.execute(db)
  const counted = new Map(rows.map(({ id, version, actions }) => [id, `${version} ${actions}`]))
  const wanted = new Map([...done].filter(([, n]) => n > 0).map(([id, n]) => [id, `${n} ${n}`]))
  expect(counted).toEqual(wanted)
  expect(rows.reduce((sum, { actions }) => sum + actions, 0)).toBeGreaterThan(pairs)
  // Each action begins where the one before ended: none was computed from a state that was gone.
  const { rows: broken } = await sql`
    SELECT * FROM (
      SELECT before ->> 'assigneeName' AS was, before ->> 'causeName' AS cause,
        lag(after ->> 'assigneeName') OVER w AS became, lag(after ->> 'causeName') OVER w AS caused,
        row_number() OVER w AS n
      FROM alarm_handling_action WINDOW w AS (PARTITION BY episode_id ORDER BY id)
    ) AS step WHERE n > 1 AND (was IS DISTINCT FROM became OR cause IS DISTINCT FROM caused)`.execute(db)
  expect(broken).toEqual([])
})

/** Alarms in all states of both halves, told by nobody: every combination that the columns allow. */
async function insertRandomHalves(count: number, next: () => number, firstId = 8_000_000) {
  const { id } = await insertDevice(db)
  const { rows: entries } = await sql<{ code: string }>`
    (SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND analysis_type = 'VALUE' LIMIT 3)
    UNION ALL (SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND analysis_type = 'BIT' LIMIT 5)`.execute(
    db,
  )
  const known = entries.map(({ code }) => code)
  const { id: userId } = await insertUser(db)
  const rows = Array.from({ length: count }, (_, n) => {
    const below = (limit: number) => Math.floor(next() * limit)
    const isActive = below(2) === 0
    const isAcked = below(4) > 0
    const isClosed = isAcked && below(3) === 0
    return {
      id: firstId + n,
      // Half of them have a code of the dictionary, which only one state of a device can have: they are told apart by device.
      code: below(2) === 0 ? (known[below(known.length)] ?? 'X') : `X${n}`,
      is_active: isActive,
      value: 1 + below(7),
      minutes: 1 + below(2_000),
      recovered: isActive ? null : below(300) - 100,
      touched: below(5) > 0,
      acked: isAcked,
      seen: 1 + below(7),
      level: below(3) === 0 ? null : 1 + below(4),
      lasts: below(400) - 200,
      assignee: below(2) === 0 ? userId : null,
      closed: isClosed,
    }
  })
  await sql`
    WITH made AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS m (id bigint, code text, is_active bool,
        value bigint, minutes int, recovered int, touched bool, acked bool, seen bigint, level int, lasts int,
        assignee int, closed bool)
    ), placed AS (
      SELECT m.*, now() - m.minutes * interval '1 minute' AS at,
        CASE WHEN NOT m.is_active THEN now() + m.recovered * interval '1 minute' END AS ended,
        d.operator_id, d.model_id, d.region_id, d.id AS device_id
      FROM made m, device d WHERE d.id = ${id}
    ), history AS (
      INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code,
        first_value, value, recovered_at, recovery_method)
      SELECT id, at, device_id, operator_id, model_id, region_id, code, value, value, ended,
        CASE WHEN ended IS NOT NULL THEN 1 END
      FROM placed
    ), state AS (
      INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
        recovered_at, recovery_method, operator_id, model_id, region_id)
      SELECT device_id, code, id, is_active, CASE WHEN is_active THEN value ELSE 0 END, at, at, ended,
        CASE WHEN ended IS NOT NULL THEN 1 END, operator_id, model_id, region_id
      FROM (SELECT DISTINCT ON (code) * FROM placed ORDER BY code, id) AS newest
    )
    INSERT INTO alarm_handling (episode_id, occurred_at, device_id, version, acked_at, acked_by_name, seen_value,
      seen_level, lasts_until, assignee_id, closed_at, cause, cause_name)
    SELECT id, at, device_id, 1, CASE WHEN acked THEN now() END, CASE WHEN acked THEN '张三' END,
      CASE WHEN acked THEN seen END, CASE WHEN acked THEN level END,
      CASE WHEN acked THEN now() + lasts * interval '1 minute' END, assignee,
      CASE WHEN closed THEN now() END, CASE WHEN closed THEN 'other' END, CASE WHEN closed THEN '其他' END
    FROM placed WHERE touched`.execute(db)
  return id
}

test('what SQL shows is what the rules say, for the current list and for the history', async () => {
  const count = 3_000
  const deviceId = await insertRandomHalves(count, random(7))
  const shown = new Map<string, number>()
  await db.transaction().execute(async (trx) => {
    const { rows: moment } = await sql<{ now: Date }>`SELECT now() AS now`.execute(trx)
    const nowMs = moment[0]?.now.getTime() ?? 0
    const { rows: keys } = await sql<{ id: string; occurredAt: string; deviceId: number }>`
      SELECT id::text AS id, occurred_at::text AS "occurredAt", device_id AS "deviceId" FROM alarm_history
      WHERE id BETWEEN 8000000 AND 8999999 ORDER BY occurred_at DESC, id DESC`.execute(trx)
    expect(keys).toHaveLength(count)
    const locked = new Map(
      (
        await lockHandlings(
          trx,
          keys.map((key) => ({ ...key, isSeen: true })),
        )
      ).map((one) => [one.id, one]),
    )
    const expected = (id: string, isActive: boolean) => {
      const one = locked.get(id)
      if (!one) return isActive ? 'unacknowledged' : 'recoveredUnacknowledged'
      return handlingOf(one.device, one.people, nowMs)
    }
    for (const { id, handling: said, isActive } of await readEpisodes(trx, keys)) {
      expect([id, said]).toEqual([id, expected(id, isActive)])
      shown.set(said, (shown.get(said) ?? 0) + 1)
    }
    const filter = {
      operatorIds: null,
      modelIds: null,
      regionIds: null,
      topRegionIds: null,
      deviceIds: [deviceId],
      codes: null,
      from: null,
      to: null,
      kind: 'all' as const,
      shelved: { wanted: 'all' as const, quiet: await readQuiet(trx) },
    }
    const any = { handling: null, assigneeId: null }
    const states = await readStates(
      trx,
      await listStateKeys(trx, { ...filter, handled: any }, { limit: 100_000 }),
    )
    for (const { id, handling: said, isActive } of states)
      expect([id, said]).toEqual([id, expected(id, isActive)])
    // What a list is filtered by is what its rows show.
    for (const handled of [
      ['unacknowledged'],
      ['recoveredUnacknowledged', 'inProgress'],
      ['closed'],
    ] as const) {
      for (const kind of ['1', '0', 'all'] as const) {
        const found = await listStateKeys(
          trx,
          { ...filter, kind, handled: { handling: handled, assigneeId: null } },
          { limit: 100_000 },
        )
        const wanted = states.filter(
          (one) =>
            (handled as readonly string[]).includes(one.handling) &&
            (kind === 'all' || one.isActive === (kind === '1')),
        )
        expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
      }
    }
  })
  expect([...shown.keys()].sort()).toEqual([
    'acknowledged',
    'closed',
    'inProgress',
    'recoveredUnacknowledged',
    'unacknowledged',
  ])
  expect(Math.min(...shown.values())).toBeGreaterThan(20)
}, 60_000)

test('what is settled shows what it showed, in rows and to filters', async () => {
  const deviceId = await insertRandomHalves(2_000, random(8), 9_000_000)
  const { rows: keys } = await sql<{ id: string; occurredAt: string }>`
    SELECT id::text AS id, occurred_at::text AS "occurredAt" FROM alarm_history
    WHERE device_id = ${deviceId} AND recovered_at IS NOT NULL ORDER BY occurred_at DESC, id DESC`.execute(db)
  const shown = async () => (await readEpisodes(db, keys)).map(({ id, handling: said }) => [id, said])
  const before = await shown()
  expect(await settleAll(db)).toBeGreaterThan(50)
  expect(await settleAll(db)).toBe(0)
  expect(await shown()).toEqual(before)
  const { rows: wrong } = await sql`
    SELECT p.episode_id FROM alarm_handling p
    JOIN alarm_history h ON h.occurred_at = p.occurred_at AND h.id = p.episode_id
    LEFT JOIN alarm_settled x ON x.occurred_at = p.occurred_at AND x.id = p.episode_id
    WHERE p.settled IS DISTINCT FROM x.state OR p.assignee_id IS DISTINCT FROM x.assignee_id AND x.id IS NOT NULL
      OR (p.settled IS NOT NULL) <> coalesce(h.recovered_at < now() - interval '1 hour', false)`.execute(db)
  expect(wrong).toEqual([])

  const filter = {
    operatorIds: null,
    modelIds: null,
    regionIds: null,
    topRegionIds: null,
    deviceIds: [deviceId],
    codes: null,
    from: null,
    to: null,
    shelved: { wanted: 'all' as const, quiet: await readQuiet(db) },
  }
  const any = { handling: null, assigneeId: null }
  const states = await readStates(
    db,
    await listStateKeys(db, { ...filter, kind: 'all', handled: any }, { limit: 100_000 }),
  )
  for (const handled of [
    ['recoveredUnacknowledged'],
    ['closed'],
    ['inProgress', 'unacknowledged'],
    ['recoveredUnacknowledged', 'closed', 'acknowledged'],
  ] as const) {
    for (const kind of ['1', '0', 'all'] as const) {
      const asked = { ...filter, kind, handled: { handling: handled, assigneeId: null } }
      const found = await listStateKeys(db, asked, { limit: 100_000 })
      const wanted = states.filter(
        (one) =>
          (handled as readonly string[]).includes(one.handling) &&
          (kind === 'all' || one.isActive === (kind === '1')),
      )
      expect([handled, kind, found.map(({ id }) => id)]).toEqual([handled, kind, wanted.map(({ id }) => id)])
      expect(await countStates(db, asked)).toBe(wanted.length)
    }
  }
})

const countOf = async (connection: Db, table: string) => {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql.table(table)}`.execute(
    connection,
  )
  return rows[0]?.n ?? 0
}

test('what people did goes with its device, and with the month of its episode', async () => {
  const actor = await makeActor()
  const { id } = await insertDevice(db)
  await report(id, 'GONE', 3, Date.now())
  const { rows } = await sql<{ episode: string }>`
    SELECT episode_id::text AS episode FROM alarm_state WHERE device_id = ${id}`.execute(db)
  const episode = rows[0]?.episode ?? ''
  await handling.ackAlarms(actor, { ids: [episode], note: '看过' })
  const actions = await countOf(db, 'alarm_handling_action')
  await db.deleteFrom('device').where('id', '=', id).execute()
  expect(await countOf(db, 'alarm_handling_action')).toBe(actions - 1)

  const touched = await countOf(db, 'alarm_handling')
  expect(await deleteHandlings(db, { before: new Date(Date.now() - 86_400_000 * 40), limit: 100 })).toBe(0)
  let deleted = 0
  for (let n = -1; n !== 0; deleted += n) n = await deleteHandlings(db, { before: new Date(), limit: 1_000 })
  expect([deleted, await countOf(db, 'alarm_handling'), await countOf(db, 'alarm_handling_action')]).toEqual([
    touched,
    0,
    0,
  ])
})
