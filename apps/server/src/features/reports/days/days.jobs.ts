// The jobs of the reports: days that are over are added up once, and again when something is written about them.
import { firstKeptMonth } from '../../../domain/history/index.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import type { Job } from '../../../platform/database/jobs/jobs.ts'
import { atDay, startOfDay } from '../../../platform/process/clock.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import { keepDay, readFirstTouched } from '../availability/device-days.queries.ts'
import { divideDays } from '../availability/device-days.ts'
import { connectionDays, keepKnownFrom } from '../availability/device-spans.queries.ts'
import { keepPlans } from '../availability/plans.ts'
import {
  followMoves,
  forgetSums,
  listSummedDays,
  sumDay,
  sumDaysAgain,
} from '../availability/sums.queries.ts'
import { foldAlarmDeltas, sumAlarmDay } from '../quality/alarm-days.queries.ts'
import {
  beat,
  deleteDays,
  listMissing,
  listUnsummed,
  markKept,
  readOldestAlarm,
  readOldestDevice,
  takeTouchedDay,
  takeTouchedDevices,
  takeTouchedUpTo,
} from './days.queries.ts'

/** A day is added up when every transaction that took it for the present one has ended. */
const settledMs = 15 * 60_000
const beatMs = 10_000
/** The server counts as off where its beat was missing for longer. */
const missedS = 60

export interface DayNeeds {
  db: Db
  zone: string
  retentionDays: number
  now?: () => Date
}

export const reportJobs = ({ db, zone, retentionDays, now = sharedNow }: DayNeeds): Job[] => [
  { name: 'reports.beat', everyMs: beatMs, run: () => beat(db, missedS) },
  {
    name: 'reports.sumUp',
    everyMs: 60_000,
    async run(signal) {
      const end = startOfDay(new Date(now().getTime() - settledMs))
      await sumAlarms({ db, zone, end, signal })
      await keepDeviceDays({ db, zone, end, signal })
      await sumDevices({ db, zone, signal })
    },
  },
  {
    name: 'reports.forget',
    everyMs: 3_600_000,
    deletesByAge: true,
    run: () => deleteDays(db, firstKeptMonth(now(), retentionDays)),
  },
]

interface Work {
  db: Db
  zone: string
  /** The first day that is not over. */
  end: Date
  signal: AbortSignal
}

/** The newest days first: they are asked for most. */
async function sumAlarms({ db, zone, end, signal }: Work): Promise<void> {
  await inSnapshot(db, (trx) => foldAlarmDeltas(trx, zone))
  const oldest = await readOldestAlarm(db)
  if (!oldest) return
  for (const day of (await listMissing(db, 'alarms', { from: oldest, to: end }, zone)).reverse()) {
    if (signal.aborted) return
    await inSnapshot(db, async (trx) => {
      await foldAlarmDeltas(trx, zone)
      await sumAlarmDay(trx, atDay(day), zone)
    })
  }
}

/**
 * Earliest first: a day begins as the one before ended. Days of single devices that were touched come last, since a day
 * that is added up as a whole touches those that it ends otherwise for.
 */
async function keepDeviceDays({ db, zone, end, signal }: Work): Promise<void> {
  await keepKnownFrom(db)
  const oldest = await readOldestDevice(db)
  if (oldest) {
    const from = new Date(Math.max(oldest.getTime(), startOfDay(end, 1 - connectionDays).getTime()))
    for (const day of await listMissing(db, 'devices', { from, to: end }, zone)) {
      if (signal.aborted) return
      await inSnapshot(db, async (trx) => {
        await keepDayOf(trx, atDay(day), null)
        await forgetSums(trx, day)
        await markKept(trx, 'devices', atDay(day), zone)
        await takeTouchedDay(trx, atDay(day))
      })
    }
  }
  let last = ''
  while (!signal.aborted) {
    const day = await keepFirstTouched({ db, zone })
    // One that was touched again meanwhile is taken the next time: whoever goes on writing keeps no other job waiting.
    if (day === null || day <= last) return
    last = day
  }
}

/** The first day that single devices were touched on, a transaction of its own: what is done of many stays done. Null: none. */
async function keepFirstTouched({ db, zone }: Pick<Work, 'db' | 'zone'>): Promise<string | null> {
  return await inSnapshot(db, async (trx) => {
    const first = await readFirstTouched(trx)
    if (!first) {
      await takeTouchedDevices(trx)
      return null
    }
    const { day, deviceIds } = first
    const range = { from: atDay(day), to: startOfDay(atDay(day), 1) }
    await followMoves(trx)
    const summed = await listSummedDays(trx, range, zone)
    await takeTouchedUpTo(trx, first)
    await keepDayOf(trx, range.from, deviceIds)
    if (summed.includes(day)) await sumDaysAgain(trx, day, deviceIds)
    return day
  })
}

const inSnapshot = <T>(db: Db, write: (trx: Trx) => Promise<T>) =>
  db.transaction().setIsolationLevel('repeatable read').execute(write)

/** The day of these devices, or of all. */
async function keepDayOf(trx: Trx, from: Date, deviceIds: readonly number[] | null): Promise<void> {
  const range = { from, to: startOfDay(from, 1) }
  await keepPlans(trx, range)
  await keepDay(trx, from, await divideDays(trx, range, deviceIds), deviceIds)
}

/** A move that comes meanwhile stays written down, and is followed before the next day. */
async function sumDevices({ db, zone, signal }: Omit<Work, 'end'>): Promise<void> {
  await inSnapshot(db, followMoves)
  for (const day of await listUnsummed(db, zone)) {
    if (signal.aborted) return
    await inSnapshot(db, async (trx) => {
      await followMoves(trx)
      await sumDay(trx, atDay(day))
      await markKept(trx, 'groups', atDay(day), zone)
    })
  }
}
