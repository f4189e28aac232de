// Counts refused connections and messages in memory and writes them to intake_refusal every second, with a limit on
// memory and rows.
import { Counter, type Registry } from 'prom-client'
import { type Db, isDatabaseAway } from '../../platform/database/database.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import { spoken } from '../../platform/process/sentences.ts'
import { countRefusals, insertRefusals, type RefusalRow } from './intake.queries.ts'

export interface IntakeRefusal extends Omit<RefusalRow, 'count' | 'firstAt' | 'lastAt'> {
  /** Follows the detail in the row: where in its payload. Refusals that differ in it alone are equal. */
  place?: () => string
}

export interface Refusals {
  record(refusal: IntakeRefusal): void
  /** Writes everything that was recorded before. */
  flush(): Promise<void>
  close(): Promise<void>
}

const flushMs = 1_000
/** Equal refusals within this time are one row. */
const togetherMs = 10 * 60_000
/**
 * The most rows that one flush and one hour may add. Refusals beyond (a flood of random client ids) are counted in one
 * row for each reason. Registered devices and strangers have a budget each, so that strangers cannot crowd out a
 * device's refusals; one device may use a part of the devices' budget.
 */
const rowsPerFlush = 100
const rowsPerHour = 3_000
const rowsPerHourOfDevice = 60
const rememberedRows = 2_000
const hourMs = 3_600_000
const textLimit = 200
const detailLimit = 1_000

/** The row for all refusals beyond the limits. */
const strangers = { deviceCode: '*', deviceId: null }
const flooded = {
  topic: null,
  detail: '同类拒绝过多，只计数，不再逐条记录',
  payload: null,
}

/** A topic or field name may contain characters that PostgreSQL refuses; one such row would block all others. */
const storable = (text: string) => text.replace(/\p{C}/gu, '·')

/** Copies the text: a slice keeps its whole source in memory, a topic of 65 KB for each row. */
const cut = (text: string, limit: number) => Buffer.from(storable(text.slice(0, limit))).toString()

const keyOf = ({ deviceCode, reason, topic, detail }: IntakeRefusal) =>
  [deviceCode, reason, topic, detail].join('\n')

interface Tally extends RefusalRow {
  /** Set when the row is written. */
  id?: string
  unwritten: number
}

/** The rows of one kind of senders, and how many may be added. */
class Budget {
  /** By device, reason, topic and detail; the oldest entry first. */
  readonly #tallies = new Map<string, Tally>()
  /** By id of the device. */
  readonly #newInHourOf = new Map<number, number>()
  #newInFlush = 0
  #newInHour = 0
  #hourStartedMs = Date.now()

  recent(refusal: IntakeRefusal, now: Date): Tally | undefined {
    const tally = this.#tallies.get(keyOf(refusal))
    return tally && Math.abs(now.getTime() - tally.firstAt.getTime()) < togetherMs ? tally : undefined
  }

  begin(refusal: IntakeRefusal, now: Date): Tally {
    this.#newInFlush += 1
    this.#newInHour += 1
    const { place, ...first } = refusal
    const { deviceId } = refusal
    if (deviceId !== null) this.#newInHourOf.set(deviceId, (this.#newInHourOf.get(deviceId) ?? 0) + 1)
    const detail = place ? `${first.detail}：${place()}` : first.detail
    const tally: Tally = { ...first, detail, count: 0, unwritten: 0, firstAt: now, lastAt: now }
    const key = keyOf(refusal)
    this.#tallies.delete(key)
    this.#tallies.set(key, tally)
    if (this.#tallies.size > rememberedRows) this.#tallies.delete(this.#tallies.keys().next().value as string)
    return tally
  }

  hasRoomFor({ deviceId }: IntakeRefusal, now: Date): boolean {
    if (Math.abs(now.getTime() - this.#hourStartedMs) > hourMs) {
      this.#hourStartedMs = now.getTime()
      this.#newInHour = 0
      this.#newInHourOf.clear()
    }
    return !this.isSpentBy(deviceId) && this.#newInFlush < rowsPerFlush && this.#newInHour < rowsPerHour
  }

  /** Whether this device has used its part. */
  isSpentBy(deviceId: number | null): boolean {
    return deviceId !== null && (this.#newInHourOf.get(deviceId) ?? 0) >= rowsPerHourOfDevice
  }

  flushed(): void {
    this.#newInFlush = 0
  }
}

export function createRefusals({ db, log, metrics }: { db: Db; log: Log; metrics: Registry }): Refusals {
  const counter = new Counter({
    name: 'voltkeep_intake_refusals_total',
    help: 'Connections and messages of devices that were turned away',
    labelNames: ['reason'],
    registers: [metrics],
  })
  const ofStrangers = new Budget()
  const ofDevices = new Budget()
  let unwritten = new Set<Tally>()
  let flushing: Promise<void> | undefined
  const complain = createComplaints((err, times) =>
    log.warn(
      { err, count: times },
      spoken({ zh: '拒绝记录暂未写入', en: 'records of refusals could not be written for now' }),
    ),
  )

  function record({ deviceCode, topic, detail, ...rest }: IntakeRefusal): void {
    const refusal: IntakeRefusal = {
      ...rest,
      deviceCode: cut(deviceCode, textLimit),
      topic: topic === null ? null : cut(topic, textLimit),
      detail: detail === null ? null : cut(detail, detailLimit),
    }
    counter.inc({ reason: refusal.reason })
    const now = new Date()
    const budget = refusal.deviceId === null ? ofStrangers : ofDevices
    const tally = budget.recent(refusal, now)
    if (tally) add(tally, now)
    else if (budget.hasRoomFor(refusal, now)) add(budget.begin(refusal, now), now)
    else {
      const { reason, address, deviceCode: ofCode, deviceId } = refusal
      const sender = budget.isSpentBy(deviceId) ? { deviceCode: ofCode, deviceId } : strangers
      const flood: IntakeRefusal = { ...flooded, ...sender, reason, address }
      add(budget.recent(flood, now) ?? budget.begin(flood, now), now)
    }
  }

  function add(tally: Tally, now: Date): void {
    tally.unwritten += 1
    tally.lastAt = now
    unwritten.add(tally)
  }

  async function flush(): Promise<void> {
    if (unwritten.size === 0) return
    const written = [...unwritten].map((tally) => ({ tally, count: tally.unwritten }))
    unwritten = new Set()
    ofStrangers.flushed()
    ofDevices.flushed()
    for (const { tally } of written) tally.unwritten = 0
    const known = written.filter(({ tally }) => tally.id !== undefined)
    const fresh = written.filter(({ tally }) => tally.id === undefined)
    try {
      const ids = await db.transaction().execute(async (trx) => {
        if (known.length > 0) {
          await countRefusals(
            trx,
            known.map(({ tally, count }) => ({ id: tally.id as string, count, lastAt: tally.lastAt })),
          )
        }
        return fresh.length > 0
          ? await insertRefusals(
              trx,
              fresh.map(({ tally, count }) => ({ ...tally, count })),
            )
          : []
      })
      for (const [index, { tally }] of fresh.entries()) tally.id = ids[index] as string
    } catch (err) {
      // They wait for the next flush and go on counting. Other parts report that the database is away.
      if (!isDatabaseAway(err)) complain(err)
      for (const { tally, count } of written) {
        tally.unwritten += count
        unwritten.add(tally)
      }
    }
  }

  const flushInTurn = () => {
    flushing = (flushing ?? Promise.resolve()).then(flush)
    return flushing
  }
  const timer = setInterval(() => void flushInTurn(), flushMs)

  return {
    record,
    flush: flushInTurn,
    async close() {
      clearInterval(timer)
      await flushInTurn()
    },
  }
}
