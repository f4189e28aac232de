/**
 * A load generator in its own process, as lean as possible, because it shares two cores with the server. Packets are
 * built and parsed by hand, since only CONNACK and PUBACK are received.
 */
import { connect, type Socket } from 'node:net'
import { reportOf } from './readings-fleet.ts'

export interface LoadOrder {
  port: number
  /** Codes of registered devices, one connection each. */
  deviceCodes: string[]
  /** Of all of them, or of each. */
  secret: string | readonly string[]
  /** Unacknowledged messages per connection. */
  window: number
  durationMs: number
  /** Messages per second in total; without it, as fast as acknowledgements arrive. */
  ratePerSecond?: number
  /**
   * `alternating`: sixteen alarms per device, each raised and then recovered, so that every second message adds a row
   * and the others change one. `opening`: every message opens a new alarm. `readings`: a cabinet's 66 readings.
   */
  mix: 'alternating' | 'opening' | 'readings'
  /** In a maker's words, on its topics (bench/mapping.ts). */
  isMapped?: boolean
  /** Acknowledgements within this time (ms) are not timed: new processes are slow. */
  warmUpMs?: number
  /** Part of message ids and codes, so that runs do not repeat each other's. */
  run: number
}

export interface LoadResult {
  acknowledged: number
  sent: number
  elapsedMs: number
  connectMs: number
  /** The time from PUBLISH to PUBACK, ms; null for a second without a PUBACK. */
  ack: { p50: number; p99: number; p999: number; max: number; p99BySecond: (number | null)[] }
  broken: number
  /** CPU time of this process while messages were sent, ms. */
  cpuMs: number
}

const codesPerDevice = 16
const connectsAtOnce = 500

class Device {
  readonly code: string
  readonly #secret: string
  readonly #number: number
  socket!: Socket
  #order: LoadOrder
  #topic: Buffer
  #serial = 0
  #inFlight = 0
  #sentAt = new Float64Array(65_536)
  #rest: Buffer | undefined
  onAck: (latencyMs: number) => void = () => {}
  onBroken: () => void = () => {}

  constructor(code: string, number: number, order: LoadOrder) {
    this.code = code
    this.#number = number
    this.#secret = typeof order.secret === 'string' ? order.secret : (order.secret[number] as string)
    this.#order = order
    const name = order.mix === 'readings' ? 'status' : 'alarm'
    const topic = order.isMapped ? `acme/${code}/alarm` : `voltkeep/${code}/up/${name}`
    this.#topic = Buffer.alloc(2 + topic.length)
    this.#topic.writeUInt16BE(topic.length)
    this.#topic.write(topic, 2)
  }

  connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: this.#order.port, host: '127.0.0.1', noDelay: true })
      this.socket = socket
      socket.once('error', reject)
      socket.once('connect', () => socket.write(this.#connectPacket()))
      socket.once('data', (bytes) => {
        if (bytes.length !== 4 || bytes[0] !== 0x20 || bytes[3] !== 0) {
          reject(new Error(`refused: ${bytes.toString('hex')}`))
          return
        }
        socket.off('error', reject)
        socket.on('error', () => {})
        socket.on('close', () => this.onBroken())
        socket.on('data', (data: Buffer) => this.#read(data))
        resolve()
      })
    })
  }

  get isFull(): boolean {
    return this.#inFlight >= this.#order.window
  }

  get waiting(): number {
    return this.#inFlight
  }

  /** Fills the window; returns how many were sent. */
  send(limit = this.#order.window): number {
    const packets: Buffer[] = []
    while (this.#inFlight < this.#order.window && packets.length < limit) {
      packets.push(this.#publishPacket())
      this.#inFlight += 1
    }
    if (packets.length > 0)
      this.socket.write(packets.length === 1 ? (packets[0] as Buffer) : Buffer.concat(packets))
    return packets.length
  }

  #read(data: Buffer): void {
    const bytes = this.#rest ? Buffer.concat([this.#rest, data]) : data
    const now = performance.now()
    let at = 0
    for (; at + 4 <= bytes.length; at += 4) {
      if (bytes[at] !== 0x40) throw new Error('something other than PUBACK')
      this.#inFlight -= 1
      this.onAck(now - (this.#sentAt[bytes.readUInt16BE(at + 2)] as number))
    }
    this.#rest = at < bytes.length ? bytes.subarray(at) : undefined
  }

  #connectPacket(): Buffer {
    const text = (value: string) => {
      const bytes = Buffer.from(value)
      return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
    }
    const body = Buffer.concat([
      text('MQTT'),
      Buffer.from([4, 0b1100_0010, 0, 0]),
      text(this.code),
      text(this.code),
      text(this.#secret),
    ])
    return Buffer.concat([Buffer.from([0x10, body.length]), body])
  }

  #publishPacket(): Buffer {
    const { mix, run } = this.#order
    const serial = this.#serial
    this.#serial += 1
    const packetId = (serial % 65_535) + 1
    const isOpening = mix === 'opening'
    const round = Math.floor(serial / codesPerDevice)
    const code = isOpening ? (run * 1_000_000 + serial).toString(36) : `A${serial % codesPerDevice}`
    const value = isOpening || round % 2 === 0 ? (serial % 7) + 1 : 0
    const id = `${run}-${serial.toString(36)}`
    const payload =
      mix === 'readings'
        ? readingsPayload(id, this.#number, serial)
        : this.#order.isMapped
          ? `{"cmd":"alarm","seq":"${id}","ts":${Date.now()},"data":{"no":"${code}","lv":${value}}}`
          : `{"id":"${id}","time":${Date.now()},"code":"${code}","value":${value}}`
    const length = this.#topic.length + 2 + payload.length
    const packet = Buffer.allocUnsafe(3 + length)
    packet[0] = 0x32
    packet[1] = (length & 127) | 128
    packet[2] = length >> 7
    this.#topic.copy(packet, 3)
    packet.writeUInt16BE(packetId, 3 + this.#topic.length)
    packet.write(payload, 5 + this.#topic.length, 'latin1')
    this.#sentAt[packetId] = performance.now()
    return packet
  }
}

/** Of each device and report other values; made once, since this process has to be lean. */
const readings: string[] = []
const readingsKept = 997

function readingsPayload(id: string, device: number, serial: number): string {
  const at = (device * 31 + serial) % readingsKept
  readings[at] ??= JSON.stringify({ ...reportOf(at, at), id: undefined }).slice(1)
  return `{"id":"${id}","time":${Date.now()},${readings[at]}`
}

async function runLoad(order: LoadOrder): Promise<LoadResult> {
  const devices = order.deviceCodes.map((code, number) => new Device(code, number, order))
  const connectStarted = performance.now()
  for (let start = 0; start < devices.length; start += connectsAtOnce) {
    await Promise.all(devices.slice(start, start + connectsAtOnce).map((device) => device.connect()))
  }
  const connectMs = performance.now() - connectStarted
  // Waits, so that the server's work for the connections (online states) is not measured.
  await new Promise((resolve) => setTimeout(resolve, 2_000))

  let sent = 0
  let acknowledged = 0
  let broken = 0
  let isOver = false
  const latencies: number[] = []
  const bySecond: number[][] = []
  let started = 0
  const isPaced = order.ratePerSecond !== undefined
  for (const device of devices) {
    let isScheduled = false
    device.onBroken = () => {
      if (!isOver) broken += 1
    }
    device.onAck = (latencyMs) => {
      acknowledged += 1
      const sinceMs = performance.now() - started
      if ((isPaced || (acknowledged & 15) === 0) && sinceMs >= (order.warmUpMs ?? 0)) {
        latencies.push(latencyMs)
        const second = Math.floor((sinceMs - (order.warmUpMs ?? 0)) / 1000)
        const known = bySecond[second]
        if (known) known.push(latencyMs)
        else bySecond[second] = [latencyMs]
      }
      if (isPaced || isOver || isScheduled) return
      isScheduled = true
      queueMicrotask(() => {
        isScheduled = false
        sent += device.send()
      })
    }
  }
  process.send?.('connected')
  const cpu = process.cpuUsage()
  started = performance.now()
  if (order.ratePerSecond !== undefined) {
    const perMs = order.ratePerSecond / 1000
    let next = 0
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const elapsed = performance.now() - started
        if (elapsed >= order.durationMs) {
          clearInterval(timer)
          resolve()
          return
        }
        const due = Math.floor(elapsed * perMs)
        for (let tries = 0; sent < due && tries < devices.length; tries += 1) {
          sent += (devices[next % devices.length] as Device).send(1)
          next += 1
        }
      }, 1)
    })
  } else {
    for (const device of devices) sent += device.send()
    await new Promise((resolve) => setTimeout(resolve, order.durationMs))
  }
  isOver = true
  const acknowledgedInTime = acknowledged
  const elapsedMs = performance.now() - started
  const deadline = Date.now() + 30_000
  while (devices.some(({ waiting }) => waiting > 0) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const spent = process.cpuUsage(cpu)
  for (const { socket } of devices) socket.end(Buffer.from([0xe0, 0]))
  const at = (share: number, values = latencies) => {
    const sorted = values.toSorted((a, b) => a - b)
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  }
  return {
    acknowledged: acknowledgedInTime,
    sent: acknowledged,
    elapsedMs,
    connectMs,
    ack: {
      p50: at(0.5),
      p99: at(0.99),
      p999: at(0.999),
      max: at(1),
      // Array.from, because a second without any PUBACK is a hole in the array, which map would keep.
      p99BySecond: Array.from(bySecond, (values) => (values ? at(0.99, values) : null)),
    },
    broken,
    cpuMs: (spent.user + spent.system) / 1000,
  }
}

process.on('message', (order: LoadOrder) => {
  runLoad(order).then(
    (result) => process.send?.(result, () => process.exit(0)),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
})
