// The history of readings: what of status reports is kept, how it is packed, and how it is read.

import type pg from 'pg'
import { partitionsWanted } from '../../../domain/history/index.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { errorFields } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import type { TableName } from '../../../platform/database/platform-tables.ts'
import type { Parts } from '../../../platform/feature.ts'
import type { Api } from '../../../platform/http/mount.ts'
import { createComplaints } from '../../../platform/process/complaints.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import { createDeviceRules, type RulesFor } from './device-rules.ts'
import { createFigures } from './figures.ts'
import { createHistoryConsumer } from './history.intake.ts'
import { readingHistoryJobs } from './history.jobs.ts'
import { createKeyBudget, keyLimits } from './key-budget.ts'
import { makeReadingPartitions, type ReadingRetention } from './partitions-of-readings.ts'
import { firstNamedId } from './reading-ids.ts'
import {
  createBatterySeries,
  createSeries,
  keptReadings,
  mountSeries,
  type StaysOf,
  type WordsByKey,
} from './series/index.ts'
import { createThinning, type Thinned } from './thinning.ts'

export { wordsBy } from './series/index.ts'

export const readingHistoryTables = [
  'reading_day',
  'reading_hour',
  'reading_key',
  'reading_month',
  'reading_open',
  'reading_rollup',
  'reading_sealing',
] as const satisfies readonly TableName[]

export type ReadingHistory = ReturnType<typeof createReadingHistory>

export interface ReadingHistoryNeeds
  extends Pick<Parts, 'db' | 'pool' | 'owner' | 'log' | 'metrics' | 'notices'> {
  config: Pick<Parts['config'], 'readingsRawDays' | 'readingsHourDays' | 'readingsDayYears' | 'mqttUrl'>
  /** How the readings of an equipment type are thinned; the ordinary rule for all where it is left out. */
  rulesFor?: RulesFor
  /** Resolves when they are known. */
  rulesKnown?(): Promise<void>
  /** How the readings of a device are called. */
  wordsOf(deviceId: number): Promise<WordsByKey>
  /** The code of a device of the caller's scope. */
  findCode(actor: Actor, deviceId: number): Promise<string | undefined>
  /** Where a battery was. */
  staysOf: StaysOf
}

export function createReadingHistory({
  config,
  db,
  pool,
  owner,
  log,
  metrics,
  notices,
  rulesFor,
  rulesKnown,
  wordsOf,
  findCode,
  staysOf,
}: ReadingHistoryNeeds) {
  const retention: ReadingRetention = {
    rawDays: config.readingsRawDays,
    hourDays: config.readingsHourDays,
    dayYears: config.readingsDayYears,
  }
  const keys = createKeyBudget({
    db,
    complain: (names, count) =>
      log.warn(
        { names: names.slice(0, 10), count },
        spoken({
          zh: '设备读数的名称过多，更多名称的历史不再保存',
          en: 'too many names of readings: the history of further names is not kept',
        }),
      ),
  })
  const thinning = createThinning({
    isThinning: !isShared(config.mqttUrl),
    namesOfDevice: keyLimits.ofDevice,
    firstNamedId,
  })
  const rules = createDeviceRules({
    pool,
    rulesFor: rulesFor ?? null,
    rulesKnown: async () => rulesKnown?.(),
    nameOf: keys.nameOf,
  })
  const figures = createFigures({ db, metrics, remembered: () => thinning.size, retention })
  const kept = keptReadings(pool, retention)
  const rulesOf = rules.byKeyOf
  const series = createSeries({ db, kept, findCode, rulesOf, wordsOf, retention })
  const batterySeries = createBatterySeries({ kept, rulesOf, staysOf, retention })
  const complain = createComplaints((deviceId, count) =>
    log.warn(
      { deviceId, count },
      spoken({
        zh: '设备一小时内上报的读数过多，超出部分不再保存',
        en: 'a device reports more readings in an hour than are kept: what is beyond is left out',
      }),
    ),
  )
  const count = (counts: Readonly<Thinned>, crowded: Iterable<number>) => {
    figures.count(counts)
    for (const deviceId of crowded) complain(deviceId)
  }
  if (owner) makeWhenWanted({ owner, notices, log, retention })

  return {
    /** Role ingest: takes the reports' readings. */
    consumer: createHistoryConsumer({ keys, thinning, ruleOf: rules.ofDevices, count }),
    jobs: owner ? readingHistoryJobs({ pool, owner, log, retention, count }) : [],
    /** Before anything is opened. */
    prepare: async (): Promise<void> => {
      if (owner) await makeReadingPartitions(owner, { at: [new Date()], retention })
    },
    /** Devices that came back may have been another process's meanwhile; null: nobody knows which. */
    forget: thinning.forget,
    /** Called when the rules of thinning have changed. */
    rulesChanged: rules.changed,
    mount: (api: Api) => mountSeries(api, series, batterySeries),
    readFigures: figures.read,
    retention,
  }
}

/** Processes that divide the messages of one device cannot know what the others have kept. */
const isShared = (mqttUrl: string | undefined) =>
  mqttUrl !== undefined && new URL(mqttUrl).searchParams.has('share')

/** Makes partitions for a clock that has jumped, where any process asks for some. */
function makeWhenWanted({
  owner,
  notices,
  log,
  retention,
}: {
  owner: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  retention: ReadingRetention
}): void {
  const complain = createComplaints((error, count) =>
    log.error(
      { ...errorFields(error), count },
      spoken({
        zh: '设备读数的分区暂时无法建立',
        en: 'partitions of the readings cannot be made for now',
      }),
    ),
  )
  let isMaking = false
  const make = async () => {
    isMaking = true
    try {
      const { rows } = await owner.query<{ now: Date }>('SELECT now()')
      await makeReadingPartitions(owner, { at: [new Date(), ...rows.map(({ now }) => now)], retention })
    } catch (error) {
      complain(error)
    } finally {
      isMaking = false
    }
  }
  notices.subscribe(partitionsWanted, () => {
    if (!isMaking) void make()
  })
}
