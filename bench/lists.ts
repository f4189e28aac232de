// `npm run bench:lists [-- --alarms 10000000 --events 2500000 --calls 300]`: how long the lists over history take to
// answer any page with its exact total, over HTTP from the real server while devices keep reporting, with fresh random
// filters; beside the same queries by plain OFFSET and count(*); and, with the devices silent, whether both give the
// same answers.
//
// Filling takes longest: with --data-dir DIR the data are kept, and a later run with the same DIR reuses them.
// Smaller and quicker: --alarms 300000 --events 100000 --days 60 --devices 5000 --calls 60
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import {
  alarmHandlings,
  countHistoryLevels,
  type Endpoint,
  listAlarmCauses,
  listAlarmHistory,
  listAlarms,
  listDevices,
  listEvents,
  readHistorySums,
} from '@voltkeep/contract'
import { createRandom } from '@voltkeep/simulator/random'
import { sql } from 'kysely'
import {
  type HistoryFilter,
  historySources,
  passes,
  resolveFilter,
} from '../apps/server/src/domain/history/index.ts'
import type { Actor } from '../apps/server/src/platform/calls/actor.ts'
import type { OpenDatabase } from '../apps/server/src/platform/database/database.ts'
import { historyRange } from '../apps/server/src/platform/process/clock.ts'
import { deviceCodeOf, fillHandling, settleHandling } from './lists-fill.ts'
import {
  fillWorld,
  historyOptions,
  historySize,
  inWorld,
  signInAll,
  startReports,
  timeAt,
  timesText,
  type WorldUser as User,
  worldUsers as users,
  type World,
} from './world.ts'

const { values } = parseArgs({
  options: {
    ...historyOptions,
    calls: { type: 'string', default: '300' },
    'plain-calls': { type: 'string', default: '40' },
    checks: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    slowest: { type: 'string', default: '5' },
    'scope-calls': { type: 'string', default: '60' },
  },
})
const size = historySize(values)

/** Seeded, so that a run can be repeated. */
const { next: random } = createRandom(Number(values.seed))
/** The page sizes of the pager, with its default twice. */
const pageSizes = [10, 10, 20, 30, 50, 100]
const below = (n: number) => Math.floor(random() * n)
const oneOf = <T>(list: readonly T[]) => list[below(list.length)] as T
const perhaps = (chance: number) => random() < chance

interface Choices {
  operators: string[]
  models: string[]
  types: string[]
  regions: string[]
  codes: string[]
}

/** Random filters of a list: none, one or several. */
function randomFilter(choices: Choices, isAlarm: boolean): Record<string, string> {
  const filter: Record<string, string> = {}
  if (perhaps(0.3)) filter.operatorId = oneOf(choices.operators)
  if (perhaps(0.25)) filter.equipTypeId = oneOf(choices.types)
  else if (perhaps(0.15)) filter.equipModelId = oneOf(choices.models)
  if (perhaps(0.3)) filter.regionCode = oneOf(choices.regions)
  const semaphore = random()
  if (semaphore < 0.2) {
    filter.semaphoreName = oneOf(['过温', '欠压', '测试1', '通信', 'B00', '测试77', '没有'])
  } else if (semaphore < 0.36) {
    filter.semaphoreCode = Array.from({ length: 1 + below(3) }, () => oneOf(choices.codes)).join()
  } else if (semaphore < 0.5 && isAlarm) filter.alarmLevel = perhaps(0.5) ? '1' : '1,2'
  if (perhaps(0.06))
    filter.code = Array.from({ length: 1 + below(4) }, () => deviceCodeOf(1 + below(size.devices))).join()
  if (perhaps(0.5)) {
    const end = below(size.days)
    const start = Math.min(size.days, end + 1 + below(perhaps(0.5) ? 30 : size.days))
    const day = (age: number) => {
      const at = new Date(Date.now() - age * 86_400_000)
      return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`
    }
    const clock = () => ` ${String(below(24)).padStart(2, '0')}:${String(below(60)).padStart(2, '0')}:00`
    const withClock = perhaps(0.4)
    filter.startTime = day(start) + (withClock ? clock() : '')
    filter.endTime = day(end) + (withClock ? clock() : '')
  }
  return filter
}

interface Measured {
  endpoint: string
  user: User
  where: 'near' | 'far'
  ms: number
  question: Record<string, unknown>
  total: number
}

const lists = [
  { endpoint: listAlarmHistory as Endpoint, source: historySources.alarm },
  { endpoint: listEvents as Endpoint, source: historySources.event },
] as const

await inWorld({ keptDataDir: values['data-dir'] }, main)

async function main(world: World): Promise<void> {
  const { server, database } = world
  await fillWorld(world, size)
  await fillHandling(database)
  const settlingAt = performance.now()
  const settled = await settleHandling(database)
  console.log(
    `${settled} handled alarms settled in ${((performance.now() - settlingAt) / 1000).toFixed(0)} s`,
  )
  console.log(`${await sizes(database)}\n`)
  const choices = await readChoices(database)
  const tokens = await signInAll(world)
  const ask = async (endpoint: Endpoint, user: User, question: Record<string, unknown>) => {
    const at = performance.now()
    const answer = await server.client.call(endpoint, question, tokens[user])
    if (answer.code !== 200) throw new Error(`${endpoint.path} ${JSON.stringify(question)}: ${answer.text}`)
    return { ms: performance.now() - at, rows: answer.data as { id: string }[], total: answer.total ?? 0 }
  }

  for (const { endpoint } of lists) for (let i = 0; i < 10; i += 1) await ask(endpoint, 'admin', {})
  const load = startReports(world, { devices: size.devices, ratePerSecond: Number(values.rate) })
  await new Promise((resolve) => setTimeout(resolve, 12_000))
  const measured: Measured[] = []
  const plain: { ms: number; ours: number }[] = []
  const callCount = Number(values.calls)
  for (let n = 0; n < callCount; n += 1) {
    const { endpoint, source } = lists[n % 2] as (typeof lists)[number]
    const user = users[Math.floor(n / 2) % 3] as User
    const filter = randomFilter(choices, source === historySources.alarm)
    const pageSize = oneOf(pageSizes)
    const near = { ...filter, pageSize, pageNum: 1 + below(5) }
    const nearAnswer = await ask(endpoint, user, near)
    const keep = (
      where: 'near' | 'far',
      question: Record<string, unknown>,
      { ms, total }: { ms: number; total: number },
    ) => measured.push({ endpoint: endpoint.path, user, where, ms, question, total })
    keep('near', near, nearAnswer)
    if (endpoint === listAlarmHistory) {
      // The chips above the list: four more totals like its own.
      const { alarmLevel: _level, ...others } = filter
      const { ms } = await ask(countHistoryLevels as Endpoint, user, others)
      const { path } = countHistoryLevels
      measured.push({ endpoint: path, user, where: 'near', ms, question: others, total: nearAnswer.total })
      // The same by days, with a mean where few rows are read for it.
      const sums = await ask(readHistorySums as Endpoint, user, filter)
      measured.push({
        endpoint: readHistorySums.path,
        user,
        where: 'near',
        ms: sums.ms,
        question: filter,
        total: nearAnswer.total,
      })
    }
    const far = { ...filter, pageSize, pageNum: 1 + below(Math.ceil(nearAnswer.total / pageSize) || 1) }
    const farAnswer = await ask(endpoint, user, far)
    keep('far', far, farAnswer)
    if (n % Math.ceil(callCount / Number(values['plain-calls'])) === 0) {
      const at = performance.now()
      await plainAnswer(database, source, user, far)
      plain.push({ ms: performance.now() - at, ours: farAnswer.ms })
    }
  }
  for (const user of users) {
    for (let i = 0; i < callCount / 10; i += 1) {
      const question = { pageSize: 10, pageNum: 1 + below(3) }
      const { ms, total } = await ask(listAlarms as Endpoint, user, question)
      measured.push({ endpoint: listAlarms.path, user, where: 'near', ms, question, total })
    }
  }
  // With what people have done, and with what is folded, as the page asks for them.
  for (const user of users) {
    for (let i = 0; i < callCount / 5; i += 1) {
      const page = { pageSize: oneOf(pageSizes), pageNum: 1 + below(3) }
      const handling = oneOf(alarmHandlings)
      for (const [name, endpoint, question] of [
        ['rows beside lines', listAlarms, { ...page, isCaused: '0' }],
        ['current by handling', listAlarms, { ...page, isCaused: '0', handling }],
        ['current of mine', listAlarms, { ...page, assigneeId: 'me' }],
        ['history by handling', listAlarmHistory, { ...page, handling }],
        ['history of mine', listAlarmHistory, { ...page, assigneeId: 'me' }],
        ['lines of causes', listAlarmCauses, {}],
      ] as const) {
        const { ms, total } = await ask(endpoint as Endpoint, user, question)
        measured.push({ endpoint: name, user, where: 'near', ms, question, total })
      }
      // With any other filter, and any page of it.
      const { alarmLevel, ...filter } = randomFilter(choices, true)
      const narrowed = { ...filter, ...(alarmLevel !== undefined && { alarmLevel }), handling }
      const { pageSize } = page
      for (const where of ['near', 'far'] as const) {
        const last = measured.at(-1)?.total ?? 0
        const pageNum = where === 'near' ? page.pageNum : 1 + below(Math.ceil(last / pageSize) || 1)
        const question = { ...narrowed, pageSize, pageNum }
        const { ms, total } = await ask(listAlarmHistory as Endpoint, user, question)
        measured.push({ endpoint: 'history by handling, filtered', user, where, ms, question, total })
      }
      const { ms } = await ask(countHistoryLevels as Endpoint, user, { ...filter, handling })
      measured.push({ endpoint: 'levels by handling', user, where: 'near', ms, question: filter, total: 0 })
    }
  }
  const scoped = await measureScope(
    choices,
    async (endpoint, user, question) => (await ask(endpoint, user, question)).ms,
  )
  load.kill('SIGTERM')

  const paths = [
    ...lists.map(({ endpoint }) => endpoint.path),
    countHistoryLevels.path,
    readHistorySums.path,
    ...new Set(measured.map(({ endpoint }) => endpoint).filter((name) => !name.startsWith('/'))),
    listAlarms.path,
  ]
  for (const path of paths) {
    report(
      path,
      measured.filter(({ endpoint }) => endpoint === path),
    )
    for (const user of users) {
      report(
        `  ${user}`,
        measured.filter((one) => one.endpoint === path && one.user === user),
      )
    }
    for (const where of ['near', 'far'] as const) {
      report(
        `  ${where} pages`,
        measured.filter((one) => one.endpoint === path && one.where === where),
      )
    }
  }
  const ratio = plain.reduce((sum, { ms }) => sum + ms, 0) / plain.reduce((sum, { ours }) => sum + ours, 0)
  console.log('')
  report('plain OFFSET and count(*)', plain)
  report(
    'the same questions, counted',
    plain.map(({ ours }) => ({ ms: ours })),
  )
  console.log(`plain takes ${ratio.toFixed(1)} times as long\n`)

  reportScope(scoped)

  console.log('slowest:')
  for (const one of measured.toSorted((a, b) => b.ms - a.ms).slice(0, Number(values.slowest))) {
    console.log(
      `  ${one.ms.toFixed(0)} ms ${one.endpoint} ${one.user} ${one.total} found ${JSON.stringify(one.question)}`,
    )
  }

  await new Promise((resolve) => setTimeout(resolve, 3_000))
  let equal = 0
  const checks = Number(values.checks)
  for (let n = 0; n < checks; n += 1) {
    const { endpoint, source } = lists[n % 2] as (typeof lists)[number]
    const user = oneOf(users)
    const filter = { ...randomFilter(choices, source === historySources.alarm), pageSize: 20 }
    const { total } = await ask(endpoint, user, filter)
    const question = { ...filter, pageNum: 1 + below(Math.ceil(total / 20) || 1) }
    const [ours, theirs] = [
      await ask(endpoint, user, question),
      await plainAnswer(database, source, user, question),
    ]
    const isEqual = ours.total === theirs.total && ours.rows.map(({ id }) => id).join() === theirs.ids.join()
    if (isEqual) equal += 1
    else
      console.log(
        `DIFFERENT: ${endpoint.path} ${user} ${JSON.stringify(question)} ${ours.total} ${theirs.total}`,
      )
  }
  console.log(`\n${equal} of ${checks} answers are those of plain SQL`)
  if (equal < checks) process.exitCode = 1
}

type Asked = { path: string; user: User; ms: number }

/** The same queries by users with and without data permissions, alternating. */
async function measureScope(
  choices: Choices,
  ask: (endpoint: Endpoint, user: User, question: Record<string, unknown>) => Promise<number>,
): Promise<Asked[]> {
  const asked: Asked[] = []
  const all: { endpoint: Endpoint; filter: () => Record<string, string> }[] = [
    ...lists.map(({ endpoint, source }) => ({
      endpoint,
      filter: () => randomFilter(choices, source === historySources.alarm),
    })),
    { endpoint: listAlarms as Endpoint, filter: () => ({}) },
    { endpoint: listDevices as Endpoint, filter: () => deviceFilter(choices) },
  ]
  for (let n = 0; n < Number(values['scope-calls']); n += 1) {
    for (const { endpoint, filter } of all) {
      const question = { ...filter(), pageSize: 10, pageNum: 1 + below(5) }
      // The first query reads cold pages, so users alternate.
      for (let turn = 0; turn < users.length; turn += 1) {
        const user = users[(n + turn) % users.length] as User
        asked.push({ path: endpoint.path, user, ms: await ask(endpoint, user, question) })
      }
    }
  }
  return asked
}

function deviceFilter(choices: Choices): Record<string, string> {
  const filters: Record<string, string>[] = [
    {},
    { regionCode: oneOf(choices.regions) },
    { equipTypeId: oneOf(choices.types) },
    { operatorId: oneOf(choices.operators) },
    { isOnline: '0' },
    { hasAlarm: '1' },
  ]
  return oneOf(filters)
}

function reportScope(asked: readonly Asked[]): void {
  for (const path of new Set(asked.map((one) => one.path))) {
    const p95 = (user: User) =>
      timeAt(
        asked.filter((one) => one.path === path && one.user === user).map(({ ms }) => ms),
        0.95,
      )
    const unscoped = p95('admin')
    const ratios = users.slice(1).map((user) => `${user} ${(p95(user) / unscoped).toFixed(2)}`)
    console.log(
      `${path.padEnd(24)} p95 scoped ÷ unscoped: ${ratios.join(', ')} (unscoped ${unscoped.toFixed(0)} ms)`,
    )
  }
  console.log('')
}

async function plainAnswer(
  { db }: OpenDatabase,
  source: (typeof lists)[number]['source'],
  loginName: User,
  question: Record<string, unknown>,
): Promise<{ total: number; ids: string[] }> {
  const { rows: actors } = await sql<Actor>`
    SELECT id AS "userId", organization_id AS "organizationId", login_name = 'admin' AS "isSystem", NULL AS "makerId"
    FROM app_user WHERE login_name = ${loginName}`.execute(db)
  const { semaphoreName, semaphoreCode, alarmLevel, code, ...asked } = question as Record<string, string>
  const list = (text: string | undefined) => text?.split(',')
  const filter: HistoryFilter = {
    ...(await resolveFilter(db, actors[0] as Actor, source === historySources.alarm ? 'ALARM' : 'EVENT', {
      ...asked,
      code: list(code),
      semaphoreName,
      semaphoreCode: list(semaphoreCode),
      alarmLevel: list(alarmLevel)?.map(Number),
    })),
    range: historyRange(asked),
  }
  const from = sql`FROM ${sql.table(source.table)}
    WHERE ${passes(filter)} AND occurred_at >= ${filter.range.from} AND occurred_at < ${filter.range.to}`
  const { rows: counts } = await sql<{ n: string }>`SELECT count(*) AS n ${from}`.execute(db)
  const pageSize = Number(question.pageSize)
  const { rows } = await sql<{ id: string }>`
    SELECT id ${from} ORDER BY occurred_at DESC, id DESC
    OFFSET ${(Number(question.pageNum ?? 1) - 1) * pageSize} LIMIT ${pageSize}`.execute(db)
  return { total: Number(counts[0]?.n), ids: rows.map(({ id }) => id) }
}

async function readChoices({ pool }: OpenDatabase): Promise<Choices> {
  const column = async (text: string) => (await pool.query(text)).rows.map(({ v }) => String(v))
  return {
    operators: await column(`SELECT id AS v FROM operator WHERE code LIKE 'BENCH-%'`),
    models: await column('SELECT DISTINCT model_id AS v FROM device'),
    types: await column(
      'SELECT DISTINCT m.equip_type_id AS v FROM equip_model m WHERE id IN (SELECT model_id FROM device)',
    ),
    regions: await column(`
      SELECT DISTINCT r.code AS v FROM region r
      WHERE EXISTS (SELECT FROM bench_district b JOIN region l ON l.id = b.id WHERE l.path LIKE r.path || '%')`),
    codes: await column(`SELECT code AS v FROM dictionary_entry WHERE code LIKE 'B___' AND type = 'ALARM'`),
  }
}

function report(what: string, measured: { ms: number }[]): void {
  console.log(`${what.padEnd(32)} ${timesText(measured.map(({ ms }) => ms))}  ${measured.length} calls`)
}

async function sizes({ pool }: OpenDatabase): Promise<string> {
  const { rows } = await pool.query(`
    SELECT name, pg_size_pretty(sum(bytes)) AS size, sum(n)::bigint AS n FROM (
      SELECT p.relname AS name, pg_total_relation_size(c.oid) AS bytes, c.reltuples AS n
      FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent JOIN pg_class c ON c.oid = i.inhrelid
      WHERE p.relname IN ('alarm_history', 'event_history', 'history_count') AND p.relkind = 'p'
    ) AS piece GROUP BY name ORDER BY name`)
  return rows.map(({ name, size, n }) => `${name} ${n} rows ${size}`).join(', ')
}
