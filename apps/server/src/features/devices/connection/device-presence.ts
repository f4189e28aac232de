// Presence: which devices are online, and what their clocks show.

import type { Notices } from '../../../platform/database/notices/notices.ts'
import type { WriteLanes } from '../../../platform/devices/ingest/write-lanes.ts'
import type { Outcome, Writer } from '../../../platform/devices/ingest/writer.ts'
import {
  type PresenceChange,
  type Sighting,
  upsertPresence,
  upsertSightings,
} from '../device-intake.queries.ts'
import { devicesOnline } from '../devices.notices.ts'
import { clockAfter, createClocks, isCurrent } from './device-clock.ts'
import type { Held, Holding, Line } from './holding.ts'

/**
 * A device whose connection broke is offline after this time, unless it connects again, or could not have done so
 * (`Holding.graceMs`).
 */
const breakGraceMs = 5_000
const sightingPauseMs = 30_000

/** `unwritten`: the report must not be acknowledged. */
type Done = (outcome?: Outcome) => void

/** `done` is called when the change is written, or needs no writing. */
export interface Presence {
  /**
   * A device has connected, for the first time or in place of an earlier connection. `line` is that connection, where
   * it is one to this process.
   */
  connected(deviceId: number, address: string | null, done?: Done, line?: Line): void
  /** A connection has ended: with DISCONNECT (`isProper`), or broken. */
  disconnected(deviceId: number, isProper: boolean, done?: Done): void
  /**
   * A message of any kind was received. `clockOffsetMs` is the time in it minus the server's time; `isOfNow`: it was
   * written when it was sent. Returns what the device's clock shows now, ms since 1970; null where the message is late
   * by that clock, or nothing is known of the clock.
   */
  heard(deviceId: number, receivedAtMs: number, clockOffsetMs: number, isOfNow?: boolean): number | null
  /** From now on connections end because this process sends them away: the devices connect to another one. */
  leave(): void
  close(): void
}

interface Break {
  atMs: number
  timer: NodeJS.Timeout
  done: Done
}

interface Known {
  isConnected: boolean
  /** Its connection to this process. */
  held: Held | undefined
  /** The connection broke, and the device may connect again soon. */
  broken: Break | undefined
  heardWrittenAtMs: number
  /** The clock offset since the last write; the smallest lag counts. */
  clockOffsetMs: number | null
  /** How far the clock is ahead now. */
  clockMs: number | null
}

/** Which devices are online, from connections and last wills. All writes go through the device's lane. */
export function createPresence({
  lanes,
  notices,
  holding = null,
}: {
  lanes: Pick<WriteLanes, 'put'>
  notices: Pick<Notices, 'publish'>
  /**
   * Where devices are connected to this process. Null: at an external broker devices report their presence, and another
   * process may receive the next report of a device: so every report is written, and the database decides which one is
   * the newest.
   */
  holding?: Pick<Holding, 'claim' | 'release' | 'now' | 'graceMs'> | null
}): Presence {
  const devices = new Map<number, Known>()
  const clocks = createClocks()
  let isClosed = false
  let isLeaving = false

  const presenceWriter: Writer<PresenceChange> = {
    name: 'presence',
    async write(connection, changes) {
      const latest = new Map(changes.map((change) => [change.deviceId, change]))
      const deviceIds = await upsertPresence(connection, [...latest.values()])
      if (deviceIds.length === 0) return undefined
      return () => notices.publish(devicesOnline, deviceIds)
    },
  }
  const sightingWriter: Writer<Sighting> = {
    name: 'sighting',
    async write(connection, sightings) {
      const latest = new Map(sightings.map((sighting) => [sighting.deviceId, sighting]))
      await upsertSightings(connection, [...latest.values()])
      return undefined
    },
  }

  const known = (deviceId: number): Known => {
    let device = devices.get(deviceId)
    if (!device) {
      device = {
        isConnected: false,
        held: undefined,
        broken: undefined,
        heardWrittenAtMs: 0,
        clockOffsetMs: null,
        clockMs: null,
      }
      devices.set(deviceId, device)
    }
    return device
  }
  const now = holding?.now ?? Date.now
  const write = (entry: PresenceChange, done: Done) => {
    lanes.put({ deviceId: entry.deviceId, writer: presenceWriter, entry, messageId: null, done })
  }
  const leave = (deviceId: number, atMs: number, done: Done) => {
    const held = devices.get(deviceId)?.held
    devices.delete(deviceId)
    if (!holding) write({ deviceId, isOnline: false, atMs, address: null }, done)
    else if (held) holding.release(deviceId, held, atMs)
  }
  /** Forgets the break: newer information has come. */
  const mend = (device: Known) => {
    clearTimeout(device.broken?.timer)
    device.broken?.done()
    device.broken = undefined
  }

  return {
    connected(deviceId, address, done = () => {}, line) {
      if (isClosed && holding) return
      const device = known(deviceId)
      mend(device)
      device.isConnected = true
      if (holding && line) device.held = holding.claim(deviceId, { line, address })
      else write({ deviceId, isOnline: true, atMs: now(), address }, done)
    },
    disconnected(deviceId, isProper, done = () => {}) {
      if (isClosed && holding) return
      const device = known(deviceId)
      mend(device)
      device.isConnected = false
      if (isLeaving && !isProper) {
        devices.delete(deviceId)
        return
      }
      const atMs = now()
      if (isProper || isClosed) {
        leave(deviceId, atMs, done)
        return
      }
      const broken: Break = { atMs, timer: setTimeout(over, breakGraceMs), done }
      device.broken = broken
      function over() {
        const graceMs = holding?.graceMs() ?? 0
        if (graceMs > 0) broken.timer = setTimeout(over, graceMs)
        else leave(deviceId, atMs, done)
      }
    },
    heard(deviceId, receivedAtMs, clockOffsetMs, isOfNow = false) {
      const device = known(deviceId)
      const told = clocks.offsetOf(deviceId, receivedAtMs, clockOffsetMs, isOfNow)
      if (told !== null) device.clockOffsetMs = Math.max(told, device.clockOffsetMs ?? told)
      device.clockMs = clockAfter(device.clockMs, told, isOfNow)
      const presentMs = isCurrent(device.clockMs, told) ? receivedAtMs + (device.clockMs ?? 0) : null
      if (receivedAtMs - device.heardWrittenAtMs < sightingPauseMs) return presentMs
      lanes.put({
        deviceId,
        writer: sightingWriter,
        entry: { deviceId, lastReportAtMs: receivedAtMs, clockOffsetMs: device.clockOffsetMs },
        messageId: null,
        done: () => {},
      })
      device.heardWrittenAtMs = receivedAtMs
      device.clockOffsetMs = null
      return presentMs
    },
    leave() {
      isLeaving = true
    },
    close() {
      isClosed = true
      for (const [deviceId, { broken }] of [...devices]) {
        if (!broken) continue
        clearTimeout(broken.timer)
        // What was connected to this process is nobody's for a while, and may connect to another one. At an external
        // broker the device reports once; if it is back already, that report is newer.
        if (!holding) leave(deviceId, broken.atMs, broken.done)
      }
    },
  }
}
