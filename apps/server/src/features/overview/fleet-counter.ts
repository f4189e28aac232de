// Counts the kept figures again: soon after a notice that something changed, and only then.

import { mayTakeLong } from '../../platform/database/connections/query-limit.ts'
import { type Db, errorFields } from '../../platform/database/database.ts'
import { clockJumped, type NamedIds, type Notices } from '../../platform/database/notices/notices.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import { spoken } from '../../platform/process/sentences.ts'
import { alarmsChanged, alarmsOpened, readQuiet } from '../alarms/index.ts'
import { batteriesMoved } from '../batteries/index.ts'
import { devicesChanged, devicesOnline, versionsReported } from '../devices/index.ts'
import { dictionaryChanged } from '../dictionary/index.ts'
import { countFleet, msUntilNextAway } from './fleet.queries.ts'
import {
  alarmedFigure,
  alarmFigure,
  awayFigure,
  deviceFigure,
  type FleetFigure,
  levelFigure,
  lowStockFigure,
  shelvedFigure,
  versionFigure,
} from './fleet-figures.ts'
import { fleetCounted } from './overview.notices.ts'

/** Changes within this time are counted together. */
const gatherMs = 2_000
/**
 * The pause after a count that took so long. A count takes one sixtieth of the time, since in an alarm storm all
 * figures change all the time: at one twentieth the counts took a tenth of a core, which the intake needed. Where a
 * sixtieth would leave the figures older than ten seconds, a count takes up to one twentieth.
 */
const restMsAfter = (tookMs: number) => Math.min(tookMs * 60, Math.max(tookMs * 20, 10_000))
/** With more devices than these, counting everything is cheaper than counting their places. */
const mostDevices = 5_000
const retryMs = 10_000
/** So long after the first change everything is counted once more, since a notice may have been lost. */
const checkAfterMs = 3_600_000

/** Keeps the figures of the fleet up to date, in every process with the role jobs. An idle process queries nothing. */
export function createFleetCounter({
  db,
  notices,
  log,
}: {
  db: Db
  notices: Pick<Notices, 'subscribe' | 'publish'>
  log: Log
}): Worker {
  const complain = createComplaints((error, count) =>
    log.warn(
      { ...errorFields(error), count },
      spoken({
        zh: '首页统计暂时失败，将继续重试',
        en: 'the figures of the overview have failed for now, trying again',
      }),
    ),
  )
  const counting = (figure: FleetFigure) =>
    createCounting({
      count: (deviceIds) => mayTakeLong(() => countFleet(db, figure, deviceIds, readQuiet)),
      tellChanged: () => notices.publish(fleetCounted, []),
      complain,
    })
  const [device, version, low] = [counting(deviceFigure), counting(versionFigure), counting(lowStockFigure)]
  const level = counting(levelFigure)
  const ofAlarms = [counting(alarmFigure), level, counting(alarmedFigure), counting(shelvedFigure)]
  // A device gets into this figure by time alone: then it is counted without a notice.
  let awayTimer: NodeJS.Timeout | undefined
  const away = createCounting({
    count: () =>
      mayTakeLong(async () => {
        const changed = await countFleet(db, awayFigure, null, readQuiet)
        const nextMs = await msUntilNextAway(db)
        clearTimeout(awayTimer)
        if (nextMs !== null) awayTimer = setTimeout(() => away.ask(null), Math.max(0, nextMs)).unref()
        return changed
      }),
    tellChanged: () => notices.publish(fleetCounted, []),
    complain,
  })
  const all = [device, away, version, low, ...ofAlarms]
  const countAlarms = () => {
    for (const one of ofAlarms) one.ask(null)
  }
  // The notice does not say where a device was before it was moved or deleted.
  const countAll = () => {
    for (const one of all) one.ask(null)
  }
  let stops: (() => void)[] = []

  return {
    start() {
      stops = [
        notices.subscribe(devicesOnline, device.ask),
        notices.subscribe(devicesOnline, () => away.ask(null)),
        notices.subscribe(devicesOnline, low.ask),
        notices.subscribe(batteriesMoved, low.ask),
        notices.subscribe(versionsReported, version.ask),
        notices.subscribe(alarmsOpened, countAlarms),
        notices.subscribe(alarmsChanged, countAlarms),
        notices.subscribe(dictionaryChanged, () => level.ask(null)),
        notices.subscribe(devicesChanged, countAll),
        notices.subscribe(clockJumped, () => away.ask(null)),
      ]
      countAll()
    },
    async stop() {
      for (const stop of stops) stop()
      await Promise.all(all.map((one) => one.stop()))
      clearTimeout(awayTimer)
    },
  }
}

interface CountingNeeds {
  count(deviceIds: readonly number[] | null): Promise<number>
  tellChanged(): void
  complain(error: unknown): void
}

/** One figure: gathers the devices that changed, counts, rests. */
function createCounting({ count, tellChanged, complain }: CountingNeeds) {
  /** Null: all. */
  let stale: Set<number> | null = new Set()
  let timer: NodeJS.Timeout | undefined
  let checkTimer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let restUntilMs = 0
  let isStopped = false

  const isWaiting = () => stale === null || stale.size > 0

  const schedule = (delayMs: number) => {
    if (isStopped || running || timer || !isWaiting()) return
    timer = setTimeout(
      () => {
        timer = undefined
        running = run().finally(() => {
          running = undefined
          schedule(gatherMs)
        })
      },
      Math.max(delayMs, restUntilMs - performance.now()),
    )
  }

  async function run(): Promise<void> {
    const taken = stale
    stale = new Set()
    const beganMs = performance.now()
    try {
      if ((await count(taken && [...taken])) > 0) tellChanged()
      const endMs = performance.now()
      restUntilMs = endMs + restMsAfter(endMs - beganMs)
      if (taken) checkTimer ??= setTimeout(check, checkAfterMs).unref()
    } catch (error) {
      complain(error)
      add(taken && [...taken])
      restUntilMs = performance.now() + retryMs
    }
  }

  const check = () => {
    checkTimer = undefined
    ask(null)
  }

  const add = (deviceIds: NamedIds<number>) => {
    if (deviceIds === null) stale = null
    else for (const id of deviceIds) stale?.add(id)
    if (stale && stale.size > mostDevices) stale = null
  }

  const ask = (deviceIds: NamedIds<number>) => {
    add(deviceIds)
    schedule(gatherMs)
  }

  return {
    ask,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      clearTimeout(checkTimer)
      await running
    },
  }
}
