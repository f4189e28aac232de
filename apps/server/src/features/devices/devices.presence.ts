import type { WriteLanes, Writer } from '../../platform/mqtt/write-lanes.ts'
import type { Notices } from '../../platform/notices.ts'
import { createClocks } from './devices.clock.ts'
import {
  type PresenceChange,
  readOnlineDevices,
  type Sighting,
  upsertPresence,
  upsertSightings,
} from './devices.intake.queries.ts'

/** A connection that broke off may be back at once; only then is the device away. */
const breakGraceMs = 5_000
/** After a start of the server, devices that were online get this long to come back. */
const restartGraceMs = 60_000
const sightingPauseMs = 30_000

/** `settled` is called when the database has what was told, or needs no more of it. */
export interface Presence {
  /** A device has connected; also when it takes over from a connection of its own. */
  connected(deviceId: number, address: string | null, settled?: () => void): void
  /** A connection has ended: with a proper goodbye, or by breaking off. */
  disconnected(deviceId: number, isProper: boolean, settled?: () => void): void
  /** A message of any kind was received. `clockOffsetMs` is its time against ours. */
  heard(deviceId: number, receivedAtMs: number, clockOffsetMs: number): void
  /** Takes those for offline that the database has as online and that do not come back soon. */
  awaitReturn(): Promise<void>
  close(): void
}

interface Break {
  atMs: number
  timer: NodeJS.Timeout
  settled: () => void
}

interface Known {
  address: string | null
  isConnected: boolean
  /** It broke off, and may be back at once. */
  broken: Break | undefined
  heardWrittenAtMs: number
  /** What messages have told of the clock since the last writing; the least lag counts. */
  clockOffsetMs: number | null
}

/** Who is there, from connections and wills. All it writes goes through the device's lane. */
export function createPresence({
  lanes,
  notices,
  pool,
  byReports = false,
}: {
  lanes: Pick<WriteLanes, 'put'>
  notices: Pick<Notices, 'publish'>
  pool: Parameters<typeof readOnlineDevices>[0]
  /**
   * Devices report it themselves, at a broker where other processes may take their next report: so each is
   * written, and which one is the newest the database knows.
   */
  byReports?: boolean
}): Presence {
  const devices = new Map<number, Known>()
  const clocks = createClocks()
  let returnTimer: NodeJS.Timeout | undefined
  let isClosed = false

  const presenceWriter: Writer<PresenceChange> = {
    async write(connection, changes) {
      const latest = new Map(changes.map((change) => [change.deviceId, change]))
      const deviceIds = await upsertPresence(connection, [...latest.values()], byReports)
      if (deviceIds.length === 0) return undefined
      return () => notices.publish('devicesOnline', { deviceIds })
    },
  }
  const sightingWriter: Writer<Sighting> = {
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
        address: null,
        isConnected: false,
        broken: undefined,
        heardWrittenAtMs: 0,
        clockOffsetMs: null,
      }
      devices.set(deviceId, device)
    }
    return device
  }
  const write = (entry: PresenceChange, settled: () => void) => {
    lanes.put({ deviceId: entry.deviceId, writer: presenceWriter, entry, messageId: null, settled })
  }
  const leave = (deviceId: number, atMs: number, settled: () => void) => {
    devices.delete(deviceId)
    write({ deviceId, isOnline: false, atMs, address: null }, settled)
  }
  /** The break counts no more: something newer is known. */
  const mend = (device: Known) => {
    clearTimeout(device.broken?.timer)
    device.broken?.settled()
    device.broken = undefined
  }

  return {
    connected(deviceId, address, settled = () => {}) {
      if (isClosed && !byReports) return
      const device = known(deviceId)
      const isBack = device.isConnected || device.broken !== undefined
      mend(device)
      device.isConnected = true
      if (isBack && device.address === address && !byReports) {
        settled()
        return
      }
      device.address = address
      write({ deviceId, isOnline: true, atMs: Date.now(), address }, settled)
    },
    disconnected(deviceId, isProper, settled = () => {}) {
      if (isClosed && !byReports) return
      const device = known(deviceId)
      mend(device)
      device.isConnected = false
      const atMs = Date.now()
      if (isProper || isClosed) {
        leave(deviceId, atMs, settled)
        return
      }
      const timer = setTimeout(leave, breakGraceMs, deviceId, atMs, settled)
      device.broken = { atMs, timer, settled }
    },
    heard(deviceId, receivedAtMs, clockOffsetMs) {
      const device = known(deviceId)
      const told = clocks.offsetOf(deviceId, receivedAtMs, clockOffsetMs)
      if (told !== null) device.clockOffsetMs = Math.max(told, device.clockOffsetMs ?? told)
      if (receivedAtMs - device.heardWrittenAtMs < sightingPauseMs) return
      lanes.put({
        deviceId,
        writer: sightingWriter,
        entry: { deviceId, lastReportAtMs: receivedAtMs, clockOffsetMs: device.clockOffsetMs },
        messageId: null,
        settled: () => {},
      })
      device.heardWrittenAtMs = receivedAtMs
      device.clockOffsetMs = null
    },
    async awaitReturn() {
      const wereOnline = await readOnlineDevices(pool)
      returnTimer = setTimeout(() => {
        for (const deviceId of wereOnline) {
          const device = devices.get(deviceId)
          if (!device?.isConnected && !device?.broken) leave(deviceId, Date.now(), () => {})
        }
      }, restartGraceMs)
    },
    close() {
      isClosed = true
      clearTimeout(returnTimer)
      for (const [deviceId, { broken }] of [...devices]) {
        if (!broken) continue
        clearTimeout(broken.timer)
        // At a broker of our own every device is away when we stop, and told of at the next start. Elsewhere it
        // reports once; should it be back meanwhile, that report is newer.
        if (byReports) leave(deviceId, broken.atMs, broken.settled)
      }
    },
  }
}
