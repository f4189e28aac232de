// From entries of single devices to transactions: batches by lanes, retries, and the outcome of each entry.

import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { errorFields, isDiskFull } from '../../database/database.ts'
import { createComplaints } from '../../process/complaints.ts'
import type { DiskWatch } from '../../process/disk/disk-watch.ts'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import { traced, tracedBatches } from '../../process/telemetry/tracing.ts'
import { createDefects, WriterDefect } from './defects.ts'
import { createLanes } from './lanes.ts'
import { isRepeated } from './receipts.queries.ts'
import { isForTheData, isTooSlow, writeBatch } from './write-batch.ts'
import { type Outcome, type Pending, StaleBatch } from './writer.ts'

export interface WriteLanes {
  put<Entry>(pending: Pending<Entry>): void
  /** How many entries wait for `done`. */
  readonly pendingCount: number
  /** For how long the oldest of them has waited, ms; 0 where none waits. */
  readonly lagMs: number
  /**
   * Resolves when no entry waits; entries that the database does not accept at present are waited for, those of devices
   * whose writing takes too long are not.
   */
  drained(): Promise<void>
  /** Gives up what still waits: it was not acknowledged, so the devices send it again. */
  close(): void
}

const batchSize = 1_000
const lingerMs = 5
const firstPauseMs = 20
const longestPauseMs = 2_000
const fullDiskPauseMs = 250
/** So often a batch takes too long before it is halved. */
const slowTries = 2
const firstSlowPauseMs = 1_000
const longestSlowPauseMs = 600_000
/**
 * No statement of a batch takes more than a second, except one that waits for a device whose history is being moved.
 * After this time the connection is taken for dead and the batch is done again on another: receipts tell which messages
 * were written.
 */
const usualQueryLimitMs = 30_000

/**
 * All writes that devices cause go through here: gathered by lanes, one transaction a batch, `done` after the commit.
 *
 * - While the disk is nearly full nothing is tried: entries wait, unacknowledged.
 * - A database that is away, or refuses for the moment, is asked again without end.
 * - An entry that the database never accepts is found by halving the batch: `unstorable`.
 * - Entries of one device that take too long are found by halving, and wait alone, tried again after longer and longer
 *   pauses: its later ones wait behind them, other devices do not.
 * - An entry on which its writer throws is found the same way, among those of its writer: `unwritten`. The entries of
 *   other writers go on.
 */
export function createWriteLanes({
  pool,
  log,
  disk,
  laneCount = Math.min(Math.max(availableParallelism(), 2), 8),
  queryLimitMs = usualQueryLimitMs,
  now = Date.now,
}: {
  pool: pg.Pool
  log: Log
  /** Entries wait while the disk is nearly full; it is told when the database says that its own disk is. */
  disk?: Pick<DiskWatch, 'isIntakeStopped' | 'databaseIsFull'>
  laneCount?: number
  queryLimitMs?: number
  /** By the clock that all processes have, ms since 1970. */
  now?: () => number
}): WriteLanes {
  let pendingCount = 0
  let isClosed = false
  const complain = createComplaints((error) =>
    log.error(
      { ...errorFields(error), pendingCount },
      spoken({
        zh: '设备报文暂时无法入库，等待重试（设备不会收到确认，不会丢失）',
        en: 'messages of devices cannot be written for now and are tried again (not acknowledged, so none is lost)',
      }),
    ),
  )
  /** A device may send such entries without end; the refusals say what was wrong with each. */
  const warnOfUnstorable = createComplaints((error, count) =>
    log.warn(
      { err: error, count },
      spoken({
        zh: '有设备报文无法入库，已记录并跳过',
        en: 'messages of devices could not be written and were recorded and skipped',
      }),
    ),
  )
  const defects = createDefects({ log })
  const lanes = createLanes<Pending>({
    count: laneCount,
    batchSize,
    lingerMs,
    run: (entries) => store(entries),
  })

  /** What waits of devices whose writing takes too long, oldest first. */
  const slow = new Map<number, Pending[]>()

  async function store(entries: Pending[], tries = slowTries): Promise<void> {
    const [batch, suspended] = partition(entries, ({ writer }) => !defects.isSuspended(writer.name))
    finish(suspended, 'unwritten')
    const ready = batch.filter((pending) => !slow.get(pending.deviceId)?.push(pending))
    if (ready.length === 0 || (await persist(ready, tries))) return
    const [{ deviceId }] = ready as [Pending]
    if (ready.some((pending) => pending.deviceId !== deviceId)) return await storeHalves(ready, 1)
    slow.set(deviceId, ready)
    void storeSlow(deviceId, ready)
  }

  /** One entry after the other, as any of them may be what takes so long. */
  async function storeSlow(deviceId: number, waiting: Pending[]): Promise<void> {
    for (let pauseMs = firstSlowPauseMs; waiting[0] && !isClosed; ) {
      await delay(pauseMs, undefined, { ref: false })
      if (await persist(waiting.slice(0, 1), 1)) {
        waiting.shift()
        pauseMs = 0
      } else {
        pauseMs = Math.min(Math.max(pauseMs * 2, firstSlowPauseMs), longestSlowPauseMs)
      }
    }
    slow.delete(deviceId)
    pendingCount -= waiting.length
  }

  /** False where the batch took too long so many times: nothing of it is written. */
  async function persist(batch: Pending[], tries: number): Promise<boolean> {
    let pauseMs = firstPauseMs
    let slowCount = 0
    let isCareful = false
    while (!isClosed) {
      if (disk?.isIntakeStopped) {
        await delay(fullDiskPauseMs)
        continue
      }
      const { afterCommit, error } = await attempt(batch, isCareful)
      if (afterCommit) {
        disk?.databaseIsFull(false)
        for (const { name } of new Set(batch.map(({ writer }) => writer))) defects.worked(name)
        finish(batch, 'stored')
        for (const act of afterCommit) {
          try {
            act()
          } catch (err) {
            failedAfterwards(err)
          }
        }
        return true
      }
      if (error instanceof WriterDefect) {
        await storeWithoutDefect(batch, error)
        return true
      }
      if (error instanceof StaleBatch || isRepeated(error)) {
        // After the first attempt it is known what has to be read again.
        if (!isCareful) {
          isCareful = true
          continue
        }
      } else if (isForTheData(error)) {
        await storeApart(batch, error)
        return true
      } else {
        if (isDiskFull(error)) disk?.databaseIsFull(true)
        complain(error)
        if (isTooSlow(error) && ++slowCount >= tries) return false
      }
      await delay(pauseMs)
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    }
    pendingCount -= batch.length
    return true
  }

  /** Only the transaction: what fails after the commit must not have the batch stored again. */
  async function attempt(
    batch: Pending[],
    isCareful: boolean,
  ): Promise<{ afterCommit?: (() => void)[]; error?: unknown }> {
    try {
      const write = () => writeBatch(pool, batch, { isCareful, queryLimitMs, now: new Date(now()) })
      return { afterCommit: await traced(tracedBatches, () => aboutBatch(batch), write) }
    } catch (error) {
      return { error }
    }
  }

  /** Halves a batch until the entry that the database refuses is alone. */
  async function storeApart(batch: Pending[], error: unknown): Promise<void> {
    if (batch.length === 1) {
      warnOfUnstorable(error)
      finish(batch, 'unstorable', error)
      return
    }
    await storeHalves(batch)
  }

  /** Stores the entries of other writers, and halves those of the defective one. */
  async function storeWithoutDefect(batch: Pending[], defect: WriterDefect): Promise<void> {
    const [own, others] = partition(batch, ({ writer }) => writer.name === defect.writerName)
    if (others.length > 0) await store(others)
    const [only] = own
    if (only && own.length === 1) {
      defects.failed(only.deviceId, defect)
      finish(own, 'unwritten')
      return
    }
    await storeHalves(own)
  }

  async function storeHalves(batch: Pending[], tries = slowTries): Promise<void> {
    const half = Math.ceil(batch.length / 2)
    await store(batch.slice(0, half), tries)
    await store(batch.slice(half), tries)
  }

  function finish(batch: Pending[], outcome: Outcome, error?: unknown): void {
    pendingCount -= batch.length
    for (const pending of batch) {
      try {
        pending.done(outcome, error)
      } catch (err) {
        failedAfterwards(err)
      }
    }
  }

  function failedAfterwards(err: unknown): void {
    log.error(
      { err },
      spoken({
        zh: '设备报文入库之后的处理出错',
        en: 'what follows the writing of device messages has failed',
      }),
    )
  }

  return {
    put(pending) {
      pendingCount += 1
      lanes.put(pending.deviceId, pending as Pending)
    },
    get pendingCount() {
      return pendingCount
    },
    get lagMs() {
      return lanes.lagMs
    },
    drained: () => lanes.drained(),
    close() {
      isClosed = true
    },
  }
}

const aboutBatch = (batch: readonly Pending[]) => ({
  count: batch.length,
  kinds: [...new Set(batch.map(({ writer }) => writer.name))],
})

export function observeLag(lanes: Pick<WriteLanes, 'lagMs'>, metrics: Registry): void {
  new Gauge({
    name: 'voltkeep_intake_lag_seconds',
    help: 'For how long the oldest report of a device waits to be committed',
    registers: [metrics],
    collect() {
      this.set(lanes.lagMs / 1_000)
    },
  })
}

function partition<T>(list: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  const first: T[] = []
  const rest: T[] = []
  for (const one of list) (isFirst(one) ? first : rest).push(one)
  return [first, rest]
}
