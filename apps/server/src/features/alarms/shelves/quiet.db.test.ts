// What SQL keeps quiet, against a plain model, and the watch that writes it down.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../../test/database.ts'
import { insertAlarm, insertDevice, insertOperator, insertUser } from '../../../../test/factories.ts'
import type { Notice } from '../../../platform/database/notices/notices.ts'
import { countStates, listStateKeys, type StateFilter } from '../current-alarms.queries.ts'
import { isNothing, readQuiet, readShelved } from './quiet.queries.ts'
import { watchOnce } from './shelf-watch.ts'

const { db } = await databaseOfTests({ isSeeded: true })

/** Repeatable numbers from 0 up to below 1. */
function random(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const everything: Omit<StateFilter, 'shelved' | 'kind'> = {
  operatorIds: null,
  modelIds: null,
  regionIds: null,
  topRegionIds: null,
  deviceIds: null,
  codes: null,
  from: null,
  to: null,
  handled: { handling: null, assigneeId: null },
}

interface Shelf {
  devices: { id: number; code: string | null }[] | null
  operatorId: number | null
  codes: string[] | null
  levels: number[] | null
}

const clear = () =>
  sql`DELETE FROM alarm_shelf`.execute(db).then(() => sql`DELETE FROM alarm_state`.execute(db))

test('what is quiet, what is left and what lists count agree with a plain model, over random shelves and alarms', async () => {
  const next = random(75)
  const below = (count: number) => Math.floor(next() * count)
  const one = <Item>(of: readonly Item[]) => of[below(of.length)] as Item
  const { rows: entries } = await sql<{ code: string; level: number; isFire: boolean }>`
    SELECT code, alarm_level AS level, is_fire AS "isFire" FROM dictionary_entry WHERE type = 'ALARM' ORDER BY code
    LIMIT 12`.execute(db)
  const byCode = new Map(entries.map((entry) => [entry.code, entry]))
  const codes = [...byCode.keys(), 'UNKNOWN']
  const operators = await Promise.all([insertOperator(db), insertOperator(db), insertOperator(db)])
  const devices: { id: number; operatorId: number }[] = []
  for (let n = 0; n < 30; n += 1) {
    const operatorId = one(operators)
    devices.push({ id: (await insertDevice(db, { operatorId })).id, operatorId })
  }
  const { id: maker } = await insertUser(db, {
    functionCodes: ['alarm:shelve', 'alarm:shelve:long'],
  })
  const alarms: { id: string; device: (typeof devices)[number]; code: string }[] = []
  for (const device of devices)
    for (const code of codes)
      if (below(3) === 0) alarms.push({ id: await insertAlarm(db, device as never, code, 1), device, code })
  for (let round = 0; round < 40; round += 1) {
    await sql`DELETE FROM alarm_shelf`.execute(db)
    const shelves = Array.from({ length: 1 + below(5) }, (): Shelf => {
      const isNamed = below(2) === 0
      const isOfPairs = isNamed && below(2) === 0
      return {
        devices: isNamed
          ? Array.from({ length: 1 + below(4) }, () => ({
              id: one(devices).id,
              code: isOfPairs ? one(codes) : null,
            }))
          : null,
        operatorId: isNamed || below(3) === 0 ? null : one(operators),
        codes: !isOfPairs && below(2) === 0 ? [one(codes), one(codes)] : null,
        levels: !isOfPairs && below(3) === 0 ? [1 + below(4)] : null,
      }
    })
    for (const shelf of shelves) {
      const filter = shelf.operatorId === null ? {} : { operatorId: String(shelf.operatorId) }
      const { rows } = await sql<{ id: number }>`
        INSERT INTO alarm_shelf (kind, organization_id, filter, semaphore_codes, alarm_levels, reason, start_at, end_at,
          decided_by, decided_by_name)
        VALUES ('shelve', 1, ${shelf.devices ? null : JSON.stringify(filter)}::jsonb, ${shelf.codes}::text[],
          ${shelf.levels}::int[], '试验', now() - interval '1 hour', now() + interval '1 hour', ${maker}, 'maker')
        RETURNING id`.execute(db)
      for (const { id, code } of shelf.devices ?? [])
        await sql`INSERT INTO alarm_shelf_target (shelf_id, device_id, semaphore_code)
          VALUES (${rows[0]?.id}, ${id}, ${code})`.execute(db)
    }
    const isQuiet = ({ device, code }: (typeof alarms)[number]) =>
      shelves.some((shelf) => {
        const entry = byCode.get(code)
        if (entry?.isFire) return false
        const isOfShelf =
          (shelf.codes === null || shelf.codes.includes(code)) &&
          (shelf.levels === null || (entry !== undefined && shelf.levels.includes(entry.level)))
        if (!shelf.devices)
          return isOfShelf && (shelf.operatorId === null || shelf.operatorId === device.operatorId)
        return shelf.devices.some(
          (target) =>
            target.id === device.id && (target.code === null ? isOfShelf : isOfShelf && target.code === code),
        )
      })
    const expected = alarms.filter(isQuiet).map(({ id }) => id)
    const quiet = await readQuiet(db)
    const shelved = await readShelved(
      db,
      quiet,
      alarms.map(({ id }) => id),
    )
    expect([...shelved.keys()].toSorted(), JSON.stringify(shelves)).toEqual(expected.toSorted())
    for (const kind of ['1', 'all'] as const) {
      for (const wanted of ['1', '0', 'all'] as const) {
        const filter: StateFilter = { ...everything, kind, shelved: { wanted, quiet } }
        const count =
          wanted === 'all'
            ? alarms.length
            : wanted === '1'
              ? expected.length
              : alarms.length - expected.length
        expect(await countStates(db, filter)).toBe(count)
        expect(await listStateKeys(db, filter, { limit: 10_000 })).toHaveLength(count)
      }
    }
  }
})

test('the watch says which alarms a shelf has left while they lasted, once, and nothing of others', async () => {
  await clear()
  const published: [string, readonly unknown[] | null][] = []
  const notices = {
    publish: <Id extends string | number>({ name }: Notice<Id>, ids: readonly Id[] | null) =>
      void published.push([name, ids as readonly unknown[] | null]),
  }
  const { id: maker } = await insertUser(db, { functionCodes: ['alarm:shelve'] })
  const device = await insertDevice(db)
  const stays = await insertAlarm(db, device, 'W1', 5)
  const ends = await insertAlarm(db, device, 'W2', 5)
  await insertAlarm(db, await insertDevice(db), 'W1', 5)
  const { rows } = await sql<{ id: number }>`
    INSERT INTO alarm_shelf (kind, organization_id, reason, start_at, end_at, decided_by, decided_by_name)
    VALUES ('shelve', 1, '试验', now() - interval '1 hour', now() + interval '1 hour', ${maker}, 'maker')
    RETURNING id`.execute(db)
  await sql`INSERT INTO alarm_shelf_target (shelf_id, device_id) VALUES (${rows[0]?.id}, ${device.id})`.execute(
    db,
  )
  const looked = await watchOnce({ db, notices })
  expect(looked.count).toBe(1)
  expect(looked.edgeMs).toBeLessThanOrEqual(3_600_005)
  expect(published.map(([name, ids]) => [name, ids?.toSorted()])).toEqual([
    ['alarmsChanged', [stays, ends].toSorted()],
  ])
  published.length = 0
  await watchOnce({ db, notices })
  expect(published).toEqual([])
  await sql`UPDATE alarm_state SET is_active = false, recovered_at = now() WHERE episode_id = ${ends}`.execute(
    db,
  )
  // Whoever made it may not decide any more.
  await sql`UPDATE app_user SET is_enabled = false WHERE id = ${maker}`.execute(db)
  expect(isNothing(await readQuiet(db))).toBe(true)
  await watchOnce({ db, notices })
  expect(published).toEqual([
    ['alarmsChanged', [stays]],
    ['alarmsUnshelved', [stays]],
  ])
  published.length = 0
  await watchOnce({ db, notices })
  expect(published).toEqual([])
  await sql`UPDATE app_user SET is_enabled = true WHERE id = ${maker}`.execute(db)
  await watchOnce({ db, notices })
  expect(published).toEqual([])
  const { rows: shelf } = await sql<{ matched: number }>`SELECT matched FROM alarm_shelf`.execute(db)
  expect(shelf).toEqual([{ matched: 2 }])
})
