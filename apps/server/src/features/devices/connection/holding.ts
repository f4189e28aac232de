/**
 * Which devices this process has, as against the other processes on the same database. Each CONNECT of a device claims it:
 * its row names this process and counts the connection. From then on nothing that a process says of an earlier connection
 * changes the row, and the process that had the device is told and closes its connection.
 *
 * Claims and releases go through the device's lane, so thousands of them are one statement.
 */
import type pg from 'pg'
import { pulseOf } from '../../../platform/database/connections/pulse.ts'
import type { Nodes } from '../../../platform/database/nodes/nodes.ts'
import { createNoticeFollower } from '../../../platform/database/notices/notice-follower.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import type { WriteLanes } from '../../../platform/devices/ingest/write-lanes.ts'
import type { Outcome, Writer } from '../../../platform/devices/ingest/writer.ts'
import type { Log } from '../../../platform/process/log.ts'
import { devicesOnline, devicesTaken } from '../devices.notices.ts'
import {
  adoptDevices,
  claimDevices,
  listHeld,
  listTaken,
  releaseAbandoned,
  releaseDevices,
} from './holding.queries.ts'

/** A connection as far as it can be closed. */
export interface Line {
  close(): void
}

/** One connection of a device to this process. */
export interface Held {
  /** The lease under which it was made. */
  nodeId: number
  /** Which connection of the device it is; null until it is written. */
  epoch: number | null
  line: Line
}

type Entry = { deviceId: number; atMs: number; held: Held } & (
  | { kind: 'claim'; address: string | null }
  | { kind: 'release' }
)

export interface Holding {
  /** The device has connected, over this line. */
  claim(deviceId: number, of: { line: Line; address: string | null }): Held
  /** That connection is gone, and no other has come in its place. */
  release(deviceId: number, held: Held, atMs: number): void
  /** Now, by the clock that all processes have. */
  now(): number
  /**
   * For how long devices that have lost their connection may still be on their way here, ms. While the database is away
   * nobody can sign in, so until one keepalive after it that they are not here says nothing.
   */
  graceMs(): number
  /** Those of the devices that are connected to another process. */
  listElsewhere(deviceIds: readonly number[]): Promise<number[]>
  start(): void
  stop(): Promise<void>
}

const releasedAtOnce = 1_000

export function createHolding({
  lanes,
  notices,
  pool,
  nodes,
  log,
}: {
  lanes: Pick<WriteLanes, 'put'>
  notices: Pick<Notices, 'publish' | 'publishAtOnce' | 'subscribe'>
  pool: pg.Pool
  nodes: Pick<Nodes, 'id' | 'now' | 'others' | 'mayBeThere' | 'freeAfterMs' | 'onSucceeded' | 'onFreed'>
  log: Log
}): Holding {
  /** The newest connection of each device. */
  const devices = new Map<number, Held>()

  const writer: Writer<Entry> = {
    name: 'holding',
    async write(connection, entries) {
      const { claims, releases } = fold(entries)
      const claimed = claims.size === 0 ? [] : await claimDevices(connection, [...claims.values()])
      const released = releases.length === 0 ? [] : await releaseDevices(connection, releases)
      return () => {
        const epochs = new Map(claimed.map(({ deviceId, epoch }) => [deviceId, epoch]))
        for (const [deviceId, { held }] of claims) {
          const epoch = epochs.get(deviceId)
          // Not written, or under a lease that has been given up meanwhile: somebody else may have the device.
          if (epoch === undefined || held.nodeId !== nodes.id) held.line.close()
          held.epoch = epoch ?? null
        }
        const taken = claimed.flatMap(({ deviceId, takenFrom }) =>
          takenFrom !== null && nodes.mayBeThere(takenFrom) ? deviceId : [],
        )
        if (taken.length > 0) notices.publishAtOnce(devicesTaken, taken)
        const came = claimed.filter(
          ({ deviceId, changedAt }) => changedAt?.getTime() === claims.get(deviceId)?.atMs,
        )
        const changed = [...came.map(({ deviceId }) => deviceId), ...released]
        if (changed.length > 0) notices.publish(devicesOnline, changed)
      }
    },
  }

  const put = (entry: Entry) =>
    lanes.put({ deviceId: entry.deviceId, writer, entry, messageId: null, done: closeUnwritten(entry) })

  const listed = (deviceIds: Iterable<number>) =>
    [...deviceIds].flatMap((deviceId) => {
      const held = devices.get(deviceId)
      // One that is being written is newer than what was told.
      return held?.epoch == null ? [] : [{ deviceId, nodeId: held.nodeId, epoch: held.epoch }]
    })

  /** Notices are hints: the rows say who has the devices. */
  const follower = createNoticeFollower({
    notices,
    notice: devicesTaken,
    log,
    failed: {
      zh: '未能查明哪些设备已连到其他进程',
      en: 'it could not be found which devices have connected to other processes',
    },
    async work(ids) {
      const asked = listed(ids ?? devices.keys())
      if (asked.length === 0) return
      const before = new Map(asked.map(({ deviceId }) => [deviceId, devices.get(deviceId)]))
      for (const deviceId of await listTaken(pool, asked)) {
        const held = devices.get(deviceId)
        if (held === before.get(deviceId)) held?.line.close()
      }
    },
  })

  nodes.onSucceeded(async (formerId, id) => {
    const former = [...devices].filter(([, { nodeId }]) => nodeId === formerId)
    const asked = listed(former.map(([deviceId]) => deviceId))
    const kept = new Set(asked.length === 0 ? [] : await adoptDevices(pool, asked, { formerId, id }))
    for (const [deviceId, held] of former) {
      if (kept.has(deviceId)) held.nodeId = id
      else held.line.close()
    }
  })

  nodes.onFreed(async () => {
    for (;;) {
      const released = await releaseAbandoned(pool, { freeAfterMs: nodes.freeAfterMs, limit: releasedAtOnce })
      if (released.length > 0) notices.publish(devicesOnline, released)
      if (released.length < releasedAtOnce) return
    }
  })

  return {
    claim(deviceId, { line, address }) {
      const held: Held = { nodeId: nodes.id, epoch: null, line }
      devices.set(deviceId, held)
      put({ kind: 'claim', deviceId, atMs: nodes.now(), held, address })
      return held
    },
    release(deviceId, held, atMs) {
      if (devices.get(deviceId) === held) devices.delete(deviceId)
      put({ kind: 'release', deviceId, atMs, held })
    },
    now: nodes.now,
    graceMs() {
      const awayAtMs = pulseOf(pool)?.awayAtMs ?? Number.NEGATIVE_INFINITY
      return Math.max(0, awayAtMs + nodes.freeAfterMs - performance.now())
    },
    listElsewhere: async (deviceIds) =>
      nodes.others.size === 0 || deviceIds.length === 0 ? [] : await listHeld(pool, deviceIds),
    start: follower.start,
    stop: follower.stop,
  }
}

/** A claim that cannot be written leaves the device to nobody: it has to connect again. */
const closeUnwritten =
  ({ kind, held }: Entry) =>
  (outcome: Outcome) => {
    if (kind === 'claim' && outcome !== 'stored') held.line.close()
  }

/**
 * What has become of each device by the end of the batch: its last claim, and whether that connection is gone already; or
 * the end of a connection that an earlier batch has claimed.
 */
function fold(entries: readonly Entry[]) {
  const claims = new Map<
    number,
    { deviceId: number; nodeId: number; held: Held; isOnline: boolean; atMs: number; address: string | null }
  >()
  const ends = new Map<number, { deviceId: number; held: Held; atMs: number }>()
  for (const entry of entries) {
    const { deviceId, held, atMs } = entry
    const claim = claims.get(deviceId)
    if (entry.kind === 'claim') {
      const { nodeId } = held
      claims.set(deviceId, { deviceId, nodeId, held, isOnline: true, atMs, address: entry.address })
      ends.delete(deviceId)
    } else if (claim?.held === held) {
      claims.set(deviceId, { ...claim, isOnline: false, atMs })
    } else if (!claim) {
      ends.set(deviceId, { deviceId, held, atMs })
    }
  }
  // One whose claim was not written has no row to end.
  const releases = [...ends.values()].flatMap(({ deviceId, held: { nodeId, epoch }, atMs }) =>
    epoch === null ? [] : [{ deviceId, nodeId, epoch, atMs }],
  )
  return { claims, releases }
}
