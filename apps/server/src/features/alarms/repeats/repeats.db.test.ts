// Alarms that come again, by real reports of devices, on a real database.
import type { AlarmReport } from '@voltkeep/contract/topics/index'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { databaseOfTests } from '../../../../test/database.ts'
import { eventually } from '../../../../test/eventually.ts'
import { insertDevice, insertUser } from '../../../../test/factories.ts'
import { createRowIds } from '../../../domain/history/row-ids.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { openNotices } from '../../../platform/database/notices/notices.ts'
import { createWriteLanes } from '../../../platform/devices/ingest/write-lanes.ts'
import type { Outcome } from '../../../platform/devices/ingest/writer.ts'
import { createLog } from '../../../platform/process/log.ts'
import { readEpisodes } from '../alarm-history.queries.ts'
import { alarmsRepeated } from '../alarms.notices.ts'
import { readStates } from '../current-alarms.queries.ts'
import { listActions } from '../handling/handling.queries.ts'
import { createHandling } from '../handling/handling.service.ts'
import { createAlarmWriter } from '../intake/alarms.intake.ts'
import { createRepeatFold, foldAllSince, foldRepeats } from './repeat-fold.ts'
import { repeatKeyOf } from './repeat-names.ts'
import { deleteRepeats } from './repeats.queries.ts'

const database = await databaseOfTests({ isSeeded: true, poolSize: 8 })
const { db } = database
const log = createLog({ level: 'silent' })
const notices = await openNotices({ pool: database.pool, log })
afterAll(() => notices.close())

const handling = createHandling({
  db,
  notices,
  lasts: { criticalMs: 1_800_000, otherMs: 14_400_000 },
})
/** What ingest has named, since it was taken. */
let named: string[] = []
const heard = {
  publish: ((kind: { name: string }, ids: readonly string[] | null) => {
    if (kind.name === alarmsRepeated.name) named.push(...(ids ?? []))
  }) as typeof notices.publish,
}
const lanes = createWriteLanes({ pool: database.pool, log, laneCount: 1 })
const writerOf = (told: Pick<typeof notices, 'publish'>) =>
  createAlarmWriter({ notices: told, rowIds: createRowIds(), dayBudget: { written() {} } })
const heardWriter = writerOf(heard)
const toldWriter = writerOf(notices)

let messages = 0
const report = (deviceId: number, code: string, value: number, timeMs: number, writer = heardWriter) =>
  new Promise<Outcome>((resolve) => {
    const id = `r${++messages}`
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

/** Folds what ingest has named since. */
const fold = async (handledIds: readonly string[] = []) => {
  const keys = named.map(repeatKeyOf)
  named = []
  const { changed, left } = await foldRepeats(db, { keys, handledIds })
  expect(left).toEqual([])
  return changed
}

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

const current = async (deviceId: number, code: string) => {
  const [row] = await readStates(db, [{ deviceId, semaphoreCode: code, occurredAt: '', id: '' }])
  if (!row) throw new Error('the alarm has no state')
  return row
}
const past = async (deviceId: number, code: string) => {
  const { rows } = await sql<{ occurredAt: string; id: string }>`
    SELECT occurred_at::text AS "occurredAt", id::text AS id FROM alarm_history
    WHERE device_id = ${deviceId} AND semaphore_code = ${code} ORDER BY occurred_at DESC, id DESC`.execute(db)
  return (await readEpisodes(db, rows)).reverse()
}

const minuteMs = 60_000
const code = 'R1'

test('an alarm that comes again is one trouble in both lists, and counts as what it is', async () => {
  const { id } = await insertDevice(db)
  const startMs = Date.now() - 60 * minuteMs
  const times = [0, 4, 8, 20, 22]
  for (const at of times) {
    await report(id, code, 2, startMs + at * minuteMs)
    await report(id, code, 0, startMs + (at + 1) * minuteMs)
  }
  await report(id, code, 2, startMs + 25 * minuteMs)
  expect(named.length).toBe(4)
  await fold()
  const row = await current(id, code)
  expect(row).toMatchObject({ repeatCount: 3, chatter: null, isActive: true })
  expect(row.repeatFirstTime?.getTime()).toBe(startMs + 20 * minuteMs)
  expect(row.repeatLastTime?.getTime()).toBe(startMs + 25 * minuteMs)
  expect((await past(id, code)).map(({ repeatCount }) => repeatCount)).toEqual([3, 3, 3, 3, 3, 3])
  // Two troubles of three.
  expect((await past(id, code)).map(({ repeatFirstTime }) => repeatFirstTime?.getTime())).toEqual([
    ...Array(3).fill(startMs),
    ...Array(3).fill(startMs + 20 * minuteMs),
  ])
})

test('looking again changes nothing, and finds what no notice named', async () => {
  const { id } = await insertDevice(db)
  const startMs = Date.now() - 60 * minuteMs
  for (let n = 0; n < 5; n += 1) {
    await report(id, code, 1, startMs + n * 20_000)
    await report(id, code, 0, startMs + n * 20_000 + 5_000)
  }
  named = []
  const changed: string[] = []
  for await (const some of foldAllSince(db, new Date(startMs - minuteMs))) changed.push(...some)
  const row = await current(id, code)
  expect(changed).toContain(row.id)
  expect(row).toMatchObject({ repeatCount: 5, chatter: 'chattering' })
  expect(await foldRepeats(db, { keys: [{ deviceId: id, code, lateMs: null }], handledIds: [] })).toEqual({
    changed: [],
    left: [],
  })
  expect(await current(id, code)).toMatchObject({ repeatCount: 5 })
})

test('what a late report has put together anew is taken by many transactions', async () => {
  const { id } = await insertDevice(db)
  const startMs = Date.now() - 60 * minuteMs
  await report(id, code, 0, startMs + 59 * minuteMs)
  await report(id, code, 1, startMs + 59 * minuteMs + 1)
  const first = await current(id, code)
  await sql`
    INSERT INTO alarm_history (device_id, semaphore_code, operator_id, model_id, region_id, id, occurred_at, first_value,
      value, recovered_at, recovery_method)
    SELECT device_id, semaphore_code, operator_id, model_id, region_id, id - 5000 + n,
      ${new Date(startMs)}::timestamptz + n * interval '500 ms', 1, 1,
      ${new Date(startMs)}::timestamptz + n * interval '500 ms' + interval '10 ms', 1
    FROM alarm_history h, generate_series(1, 4500) AS n WHERE h.id = ${first.id}`.execute(db)
  const key = { deviceId: id, code }
  let keys = [{ ...key, lateMs: startMs as number | null }]
  const rounds: number[] = []
  while (keys.length > 0) {
    const { left } = await foldRepeats(db, { keys, handledIds: [] })
    const { rows } = await sql<{ n: number }>`
      SELECT sum(occurrences)::int AS n FROM alarm_repeat WHERE device_id = ${id}`.execute(db)
    rounds.push(rows[0]?.n ?? 0)
    keys = left
  }
  expect(rounds).toEqual([2_000, 4_000, 4_500])
  const late = Array.from({ length: 25 }, (_, n) => ({ deviceId: id, code: `L${n}`, lateMs: startMs }))
  expect((await foldRepeats(db, { keys: late, handledIds: [] })).left).toEqual(late.slice(10))
})

test('ingest names nothing where an alarm recovered longer ago, or never was', async () => {
  const { id } = await insertDevice(db)
  const startMs = Date.now() - 60 * minuteMs
  named = []
  await report(id, code, 1, startMs)
  await report(id, code, 0, startMs + minuteMs)
  await report(id, code, 1, startMs + 6 * minuteMs + 1)
  expect(named).toEqual([])
  await report(id, code, 0, startMs + 7 * minuteMs)
  await report(id, code, 1, startMs + 8 * minuteMs)
  expect(named).toEqual([`${id}  ${code}`])
  await fold()
  expect(await current(id, code)).toMatchObject({ repeatCount: 2 })
})

test('a late report that falls between joins what was taken for two', async () => {
  const { id } = await insertDevice(db)
  const startMs = Date.now() - 60 * minuteMs
  await report(id, code, 1, startMs)
  await report(id, code, 0, startMs + minuteMs)
  await report(id, code, 1, startMs + 10 * minuteMs)
  await report(id, code, 0, startMs + 11 * minuteMs)
  await report(id, code, 1, startMs + 12 * minuteMs)
  await fold()
  expect(await current(id, code)).toMatchObject({ repeatCount: 2 })
  await report(id, code, 1, startMs + 4 * minuteMs)
  await report(id, code, 0, startMs + 6 * minuteMs)
  await fold()
  expect(await current(id, code)).toMatchObject({ repeatCount: 4 })
})

test('an acknowledgement and whoever has the alarm go on with the trouble, as an action of nobody', async () => {
  const { id } = await insertDevice(db)
  const actor = await makeActor()
  const startMs = Date.now() - 10 * minuteMs
  await report(id, code, 2, startMs)
  const first = await current(id, code)
  await handling.claimAlarms(actor, { ids: [first.id] })
  const claimed = await current(id, code)
  await report(id, code, 0, startMs + minuteMs)
  await report(id, code, 2, startMs + 2 * minuteMs)
  expect((await current(id, code)).handling).toBe('unacknowledged')
  const changed = await fold()
  const again = await current(id, code)
  expect(changed).toContain(again.id)
  expect(again).toMatchObject({
    handling: 'inProgress',
    assigneeId: actor.userId,
    ackTime: claimed.ackTime,
    handlingVersion: 1,
    repeatCount: 2,
  })
  expect(await listActions(db, again.id, 10)).toMatchObject([
    { kind: 'carry', source: 'system', userName: '系统', after: { handling: 'inProgress' } },
  ])
  // And on, to those that came and went between two looks.
  await report(id, code, 0, startMs + 3 * minuteMs)
  for (const at of [4, 6]) {
    await report(id, code, 2, startMs + at * minuteMs)
    await report(id, code, 0, startMs + (at + 1) * minuteMs)
  }
  await fold()
  expect((await past(id, code)).map((one) => one.handling)).toEqual(Array(4).fill('inProgress'))
})

test('news stands unacknowledged although the trouble was seen: another bit', async () => {
  const { id } = await insertDevice(db)
  const startMs = Date.now() - 10 * minuteMs
  await report(id, code, 2, startMs)
  await handling.ackAlarms(await makeActor(), { ids: [(await current(id, code)).id] })
  await report(id, code, 0, startMs + minuteMs)
  await report(id, code, 6, startMs + 2 * minuteMs)
  await fold()
  expect(await current(id, code)).toMatchObject({ handling: 'unacknowledged', repeatCount: 2 })
})

test('what somebody closed, took back or left unseen is open when it comes again', async () => {
  const actor = await makeActor()
  const startMs = Date.now() - 10 * minuteMs
  for (const act of [
    (alarmId: string) => handling.closeAlarms(actor, { ids: [alarmId], cause: 'other' }),
    async (alarmId: string) => {
      await handling.ackAlarms(actor, { ids: [alarmId] })
      await handling.unackAlarms(actor, { ids: [alarmId] })
    },
    (alarmId: string) => handling.noteAlarm(actor, { id: alarmId, note: '看过' }),
  ]) {
    const { id } = await insertDevice(db)
    await report(id, code, 2, startMs)
    await act((await current(id, code)).id)
    await report(id, code, 0, startMs + minuteMs)
    await report(id, code, 2, startMs + 2 * minuteMs)
    await fold()
    expect(await current(id, code)).toMatchObject({ handling: 'unacknowledged', handlingVersion: 0 })
  }
})

test('an acknowledgement that is forgotten is not carried on: it counts from when it was given', async () => {
  const { id } = await insertDevice(db)
  const startMs = Date.now() - 10 * minuteMs
  await report(id, code, 2, startMs)
  await handling.ackAlarms(await makeActor(), { ids: [(await current(id, code)).id] })
  await report(id, code, 0, startMs + minuteMs)
  await report(id, code, 2, startMs + 2 * minuteMs)
  await fold()
  await sql`UPDATE alarm_handling SET lasts_until = now() - interval '1 second' WHERE device_id = ${id}`.execute(
    db,
  )
  expect((await current(id, code)).handling).toBe('unacknowledged')
  await report(id, code, 0, startMs + 3 * minuteMs)
  await report(id, code, 2, startMs + 4 * minuteMs)
  await fold()
  expect(await current(id, code)).toMatchObject({ handling: 'unacknowledged', handlingVersion: 0 })
})

test('an acknowledgement that comes when the alarm has come again covers what has come, and no other person’s', async () => {
  const { id } = await insertDevice(db)
  const [one, other] = [await makeActor(), await makeActor()]
  const startMs = Date.now() - 10 * minuteMs
  await report(id, code, 2, startMs)
  const first = await current(id, code)
  await report(id, code, 0, startMs + minuteMs)
  await report(id, code, 2, startMs + 2 * minuteMs)
  await fold()
  await handling.ackAlarms(one, { ids: [first.id] })
  await fold([first.id])
  expect(await current(id, code)).toMatchObject({ handling: 'acknowledged', handlingVersion: 1 })
  // Somebody who has the present one keeps it.
  const present = await current(id, code)
  await handling.claimAlarms(other, { ids: [present.id] })
  await handling.unackAlarms(one, { ids: [first.id] })
  await fold([first.id])
  expect(await current(id, code)).toMatchObject({ handling: 'inProgress', assigneeId: other.userId })
})

test('the worker follows reports and people by their notices, and what it missed while it was away', async () => {
  const { id } = await insertDevice(db)
  const actor = await makeActor()
  const startMs = Date.now() - 10 * minuteMs
  await report(id, code, 2, startMs, toldWriter)
  await report(id, code, 0, startMs + minuteMs, toldWriter)
  await report(id, code, 2, startMs + 2 * minuteMs, toldWriter)
  const fold = createRepeatFold({ db, notices, log })
  fold.start()
  try {
    await eventually(async () => expect(await current(id, code)).toMatchObject({ repeatCount: 2 }))
    await handling.ackAlarms(actor, { ids: [(await current(id, code)).id] })
    await report(id, code, 0, startMs + 3 * minuteMs, toldWriter)
    await report(id, code, 2, startMs + 4 * minuteMs, toldWriter)
    await eventually(async () =>
      expect(await current(id, code)).toMatchObject({ repeatCount: 3, handling: 'acknowledged' }),
    )
    // Too many to name.
    const [earlier] = (await past(id, code)).slice(-1)
    await handling.unackAlarms(actor, { ids: [earlier?.id ?? ''] })
    await report(id, code, 0, startMs + 5 * minuteMs)
    await report(id, code, 2, startMs + 6 * minuteMs)
    notices.publish(alarmsRepeated, null)
    await eventually(async () =>
      expect(await current(id, code)).toMatchObject({ repeatCount: 4, handling: 'unacknowledged' }),
    )
  } finally {
    await fold.stop()
  }
})

test('troubles leave with the months of their episodes', async () => {
  const { id } = await insertDevice(db)
  const startMs = Date.now() - 10 * minuteMs
  await report(id, code, 2, startMs)
  await report(id, code, 0, startMs + minuteMs)
  await report(id, code, 2, startMs + 2 * minuteMs)
  await fold()
  expect(await deleteRepeats(db, { before: new Date(startMs - 86_400_000), limit: 1_000 })).toBe(0)
  expect(await deleteRepeats(db, { before: new Date(), limit: 1_000 })).toBeGreaterThan(0)
  expect(await current(id, code)).toMatchObject({ repeatCount: 1, repeatFirstTime: null })
})
