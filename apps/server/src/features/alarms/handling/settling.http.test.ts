// What people did about alarms that are over is settled and counted: lists by handling agree with the rules, whatever
// comes between.
import {
  ackAlarms,
  alarmHandlings,
  assignAlarms,
  claimAlarms,
  closeAlarms,
  countHistoryLevels,
  type InputFor,
  listAlarmHistory,
  listAlarms,
  noteAlarm,
  unackAlarms,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import { insertAlarm, insertDevice, insertOperator, insertOrganization } from '../../../../test/factories.ts'
import { truncate } from '../../../../test/truncate.ts'
import { foldDeltas, recount, recountLevels, recountUncounted } from '../../../domain/history/counters.ts'
import { recountGroups } from '../../../domain/history/groups.ts'
import { deleteHistory, moveHistory } from '../../../domain/history/index.ts'
import { settleAll } from './handling.jobs.ts'
import { deleteHandlings, lockHandlings } from './handling.queries.ts'
import { handlingOf, untouched } from './handling.states.ts'

const functionCodes = [
  'alarm:page',
  'alarm:history',
  'alarm:ack',
  'alarm:assign',
  'alarm:close',
  'equip:list',
]

const app = await appOfTests()
const { db } = app
const organizationId = await insertOrganization(db)
const operators = [
  await insertOperator(db, { organizationId }),
  await insertOperator(db, { organizationId }),
  await insertOperator(db, { organizationId }),
]
const me = await app.asUser({ organizationId, functionCodes })
const colleague = await app.asUser({ organizationId, functionCodes })
const codes = await sql<{ code: string }>`
  SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND analysis_type = 'BIT' AND alarm_level IS NOT NULL
  ORDER BY alarm_level % 3, code LIMIT 12`
  .execute(db)
  .then(({ rows }) => rows.map(({ code }) => code))

let state = 11
const below = (n: number) => {
  state = (state * 48_271) % 2_147_483_647
  return state % n
}
const oneOf = <T>(list: readonly T[]) => list[below(list.length)] as T

interface Expected {
  id: string
  handling: string
  isActive: boolean
  deviceId: number
  operatorId: number
  code: string
  level: number | null
  assigneeId: number | null
}

/** Every episode, newest first, with what the rules say of it as if nothing was settled. */
async function everyEpisode(): Promise<Expected[]> {
  return await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{
      id: string
      occurredAt: string
      deviceId: number
      operatorId: number
      code: string
      level: number | null
      isActive: boolean
    }>`
      SELECT h.id::text AS id, h.occurred_at::text AS "occurredAt", h.device_id AS "deviceId",
        d.operator_id AS "operatorId", h.semaphore_code AS code, e.alarm_level AS level,
        h.recovered_at IS NULL AS "isActive"
      FROM alarm_history h JOIN device d ON d.id = h.device_id
      LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = h.semaphore_code
      ORDER BY h.occurred_at DESC, h.id DESC`.execute(trx)
    const locked = new Map(
      (
        await lockHandlings(
          trx,
          rows.map((row) => ({ ...row, isSeen: true })),
        )
      ).map((one) => [one.id, one]),
    )
    const nowMs = Date.now()
    return rows.map(({ occurredAt: _, ...row }) => {
      const touched = locked.get(row.id)
      const people = { ...(touched?.people ?? untouched), settled: null }
      const unknown = row.isActive ? 'unacknowledged' : 'recoveredUnacknowledged'
      return {
        ...row,
        handling: touched ? handlingOf(touched.device, people, nowMs) : unknown,
        assigneeId: people.assignee?.id ?? null,
      }
    })
  })
}

type Asked = Pick<
  InputFor<typeof listAlarmHistory>,
  | 'handling'
  | 'assigneeId'
  | 'status'
  | 'operatorId'
  | 'semaphoreCode'
  | 'alarmLevel'
  | 'equipId'
  | 'sortOrder'
>

const passes = (asked: Asked, one: Expected) =>
  (asked.handling === undefined || (asked.handling as string[]).includes(one.handling)) &&
  (asked.assigneeId === undefined || one.assigneeId === (asked.assigneeId === 'me' ? me.id : colleague.id)) &&
  (asked.status === undefined || (asked.status === 1) === one.isActive) &&
  (asked.operatorId === undefined || String(one.operatorId) === asked.operatorId) &&
  (asked.semaphoreCode === undefined || (asked.semaphoreCode as string[]).includes(one.code)) &&
  (asked.alarmLevel === undefined || (asked.alarmLevel as number[]).includes(one.level ?? 0)) &&
  (asked.equipId === undefined || String(one.deviceId) === asked.equipId)

function ask(all: readonly Expected[]): Asked {
  const chosen = alarmHandlings.filter(() => below(3) === 0)
  return {
    ...(chosen.length > 0 ? { handling: chosen } : { assigneeId: below(2) ? 'me' : String(colleague.id) }),
    ...(below(6) === 0 && { assigneeId: 'me' }),
    ...(below(4) === 0 && { status: oneOf([0, 1] as const) }),
    ...(below(4) === 0 && { operatorId: String(oneOf(operators)) }),
    ...(below(5) === 0 && { semaphoreCode: [oneOf(codes), oneOf(codes)] }),
    ...(below(5) === 0 && { alarmLevel: [1 + below(3)] as [1 | 2 | 3] }),
    ...(below(8) === 0 && { equipId: String(all[0]?.deviceId) }),
    ...(below(3) === 0 && { sortOrder: 'asc' as const }),
  }
}

/** All pages of a list, or one after the other of the current one. */
async function agree(asked: Asked, all: readonly Expected[]) {
  const wanted = all.filter((one) => passes(asked, one)).map(({ id }) => id)
  const listed: string[] = []
  const pageSize = 10
  const pages = Math.max(1, Math.ceil(wanted.length / pageSize))
  for (let pageNum = 1; pageNum <= pages; pageNum += 1) {
    const page = await app.call(listAlarmHistory, { ...asked, pageNum, pageSize }, me.token)
    expect([asked, page.total]).toEqual([asked, wanted.length])
    listed.push(...page.data.map(({ id }) => id))
  }
  expect([asked, listed]).toEqual([asked, asked.sortOrder === 'asc' ? wanted.toReversed() : wanted])

  const { alarmLevel: _, sortOrder, ...others } = asked
  const levels = (await app.call(countHistoryLevels, others, me.token)).data.levels
  const counted = new Map(levels.map(({ level, count }) => [level as number, count]))
  for (const level of [1, 2, 3, 4])
    expect([others, level, counted.get(level) ?? 0]).toEqual([
      others,
      level,
      all.filter((one) => one.level === level && passes(others, one)).length,
    ])

  // Every episode here is its alarm's newest.
  const { status = 'all', ...current } = asked
  const states = await app.call(
    listAlarms,
    { ...current, status: `${status}` as '0' | '1' | 'all', pageSize: 500 },
    me.token,
  )
  expect([asked, states.total]).toEqual([asked, wanted.length])
  expect(states.data.map(({ id }) => id)).toEqual(listed)
}

async function lists(count: number) {
  const all = await everyEpisode()
  for (const handling of alarmHandlings) await agree({ handling: [handling] }, all)
  for (let n = 0; n < count; n += 1) await agree(ask(all), all)
}

const devices: { id: number; operatorId: number }[] = []
for (let n = 0; n < 5; n += 1) {
  const operatorId = oneOf(operators)
  const device = await insertDevice(db, { operatorId })
  devices.push({ id: device.id, operatorId })
  for (const code of codes)
    await insertAlarm(db, device, code, 65 + below(20 * 1440), {
      recovered: below(6) > 0,
      value: 1 + below(3),
    })
}

const settledCount = async () => {
  const { rows } = await sql<{ marked: number; rows: number; deltas: number }>`
    SELECT (SELECT count(*)::int FROM alarm_handling WHERE settled IS NOT NULL) AS marked,
      (SELECT count(*)::int FROM alarm_settled) AS rows,
      coalesce((SELECT sum(n)::int FROM history_delta WHERE source >= 3), 0) + coalesce((
        SELECT sum(n)::int FROM history_count, unnest(days) AS n
        WHERE source >= 3 AND operator_id = 0 AND model_id = 0 AND region_id = 0 AND semaphore_code = ''), 0) AS deltas`.execute(
    db,
  )
  return rows[0] as { marked: number; rows: number; deltas: number }
}

async function act(): Promise<void> {
  const ids = await sql<{ id: string }>`SELECT id::text AS id FROM alarm_history ORDER BY id`
    .execute(db)
    .then(({ rows }) => Array.from({ length: 1 + below(5) }, () => oneOf(rows).id))
  const chosen = { ids: [...new Set(ids)] }
  const { token } = oneOf([me, colleague])
  const answer = await oneOf([
    () => app.call(ackAlarms, chosen, token),
    () => app.call(ackAlarms, chosen, token),
    () => app.call(claimAlarms, chosen, token),
    () => app.call(unackAlarms, chosen, token),
    () => app.call(closeAlarms, { ...chosen, cause: 'other' }, token),
    () => app.call(assignAlarms, { ...chosen, userId: String(oneOf([me, colleague]).id) }, token),
    () => app.call(noteAlarm, { id: chosen.ids[0] as string, note: '看过' }, token),
  ])()
  expect(answer.code).toBe(200)
}

/** What else may happen to alarms that are over. */
const happenings: Record<string, () => Promise<unknown>> = {
  settle: () => settleAll(db),
  fold: () => foldDeltas(db),
  'late value': () =>
    sql`UPDATE alarm_history SET value = value # 4 WHERE recovered_at IS NOT NULL AND id % 7 = ${below(7)}`.execute(
      db,
    ),
  'late recovery': () =>
    sql`UPDATE alarm_history SET recovered_at = recovered_at + interval '1 minute'
      WHERE recovered_at IS NOT NULL AND id % 7 = ${below(7)}`.execute(db),
  // As a release writes that does not know of settling.
  'older release': () =>
    sql`UPDATE alarm_handling SET version = version + 1, acked_at = NULL, acked_by_name = NULL, seen_value = NULL,
      seen_level = NULL, lasts_until = NULL, assignee_id = NULL, closed_at = NULL, cause = NULL, cause_name = NULL
      WHERE episode_id % 9 = ${below(9)}`.execute(db),
  async move() {
    const device = oneOf(devices)
    device.operatorId = oneOf(operators)
    await db.transaction().execute(async (trx) => {
      await sql`UPDATE device SET operator_id = ${device.operatorId} WHERE id = ${device.id}`.execute(trx)
      const { rows } = await sql<{ modelId: number; regionId: number }>`
        SELECT model_id AS "modelId", region_id AS "regionId" FROM device WHERE id = ${device.id}`.execute(
        trx,
      )
      const [place] = rows as [{ modelId: number; regionId: number }]
      await moveHistory(trx, device.id, { ...place, operatorId: device.operatorId })
    })
  },
}

describe('lists by handling', () => {
  test('agree with the rules after every kind of act and report, settled or not, folded or not', {
    timeout: 240_000,
  }, async () => {
    for (let n = 0; n < 12; n += 1) await act()
    await settleAll(db)
    const before = await settledCount()
    expect(before.marked).toBeGreaterThan(5)
    for (const happening of Object.values(happenings)) {
      await happening()
      await lists(2)
      await act()
      await lists(2)
      await settleAll(db)
      await lists(3)
    }
    const { marked, rows, deltas } = await settledCount()
    expect([rows, deltas]).toEqual([marked, marked])
  })

  test('agree with them after all of it at once', { timeout: 240_000 }, async () => {
    for (let round = 0; round < 6; round += 1) {
      await Promise.all([
        (async () => {
          for (let n = 0; n < 6; n += 1) await act()
        })(),
        (async () => {
          for (let n = 0; n < 6; n += 1) await oneOf(Object.values(happenings))()
        })(),
        (async () => {
          for (let n = 0; n < 6; n += 1) await settleAll(db)
        })(),
      ])
      await lists(4)
      const { marked, rows, deltas } = await settledCount()
      expect([round, rows, deltas]).toEqual([round, marked, marked])
    }
  })

  test('agree with them after everything was counted anew, and levels and organizations were', async () => {
    await settleAll(db)
    await foldDeltas(db)
    await recountLevels(db)
    await recountGroups(db)
    await sql`UPDATE dictionary_entry SET alarm_level = 1 + alarm_level % 3 WHERE type = 'ALARM' AND code = ${codes[0]}`.execute(
      db,
    )
    // What was seen before by another level counts as it did: it is over.
    const shown = async () =>
      (
        await app.call(
          listAlarmHistory,
          { handling: ['closed', 'inProgress'], pageSize: 500, status: 0 },
          me.token,
        )
      ).total
    const before = await shown()
    await recountLevels(db)
    expect(await shown()).toBe(before)
    await sql`UPDATE alarm_handling SET version = version + 1`.execute(db)
    await lists(4)
    await settleAll(db)
    await lists(6)
    await recount(db)
    await lists(6)
  })

  test('agree with them after who had alarms was deleted, and after a device was', async () => {
    const leaving = await app.asUser({ organizationId, functionCodes })
    const { rows } = await sql<{ id: string }>`
      SELECT id::text AS id FROM alarm_history WHERE recovered_at IS NOT NULL AND id % 3 = 0`.execute(db)
    await app.call(unackAlarms, { ids: rows.map(({ id }) => id) }, me.token)
    await app.call(claimAlarms, { ids: rows.map(({ id }) => id) }, leaving.token)
    await settleAll(db)
    const held = await settledCount()
    await db.deleteFrom('app_user').where('id', '=', leaving.id).execute()
    expect((await settledCount()).marked).toBeLessThan(held.marked)
    await lists(4)
    await settleAll(db)
    await lists(4)

    const gone = devices.splice(2, 1)[0] as (typeof devices)[number]
    await db.transaction().execute(async (trx) => {
      await trx.deleteFrom('device').where('id', '=', gone.id).execute()
      await deleteHistory(trx, gone.id)
    })
    await lists(4)
    await foldDeltas(db)
    await lists(4)
    const { marked, rows: kept, deltas } = await settledCount()
    expect([kept, deltas]).toEqual([marked, marked])
  })

  test('of a month that has left count nothing more, and what was settled of it goes without a count', async () => {
    await settleAll(db)
    await foldDeltas(db)
    const before = await settledCount()
    expect(before.marked).toBeGreaterThan(0)
    // Partitions and their counters are dropped before people's half is deleted.
    await truncate(db, ['alarm_history', 'alarm_state', 'history_count', 'history_delta'])
    // Counting anew may come between the two: emptying the counters has marked the settled sources as uncounted.
    await recountUncounted(db)
    expect(await settledCount()).toEqual({ ...before, deltas: 0 })
    while ((await deleteHandlings(db, { before: new Date(), limit: 1_000 })) > 0);
    expect(await settledCount()).toEqual({ marked: 0, rows: 0, deltas: 0 })
  })
})
