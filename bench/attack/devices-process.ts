// The devices of an attack, in their own process: honest ones whose PUBACKs are timed, rogue ones, and silent
// connections.
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { generate, parser } from '../../apps/server/test/mqtt-client.ts'

interface Credentials {
  code: string
  secret: string
}

export type DevicesOrder =
  /** Each device reports once a second. */
  | { kind: 'honest'; port: number; devices: Credentials[] }
  /**
   * In turn: messages that are not JSON, valid events, alarms with invented codes; as fast as the connection accepts
   * them.
   */
  | { kind: 'rogue'; port: number; devices: Credentials[] }
  /** Creates the messages that these rogue devices will send. */
  | { kind: 'prepare'; devices: Credentials[] }
  | { kind: 'silent'; port: number; count: number }
  | { kind: 'look' }
  /** Ends all connections, for good. */
  | { kind: 'stop' }
export interface DevicesAnswer {
  /** From PUBLISH to PUBACK, ms. */
  latenciesMs: number[]
  open: number
  /** Honest devices that are signed in. */
  signedIn: number
  /** Connections of honest devices that ended after the device had signed in. */
  lost: number
  /** Connections that the server ended. */
  ended: number
  sentBytes: number
}

const sockets = new Set<Socket>()
const signedIn = new Set<Socket>()
const opensAtOnce = 200
const againMs = 1_000
const reportEveryMs = 1_000
let isStopped = false
let latenciesMs: number[] = []
let ended = 0
let lost = 0
let sentBytes = 0
let serial = 0

process.on('disconnect', () => process.exit(0))
process.on('message', async (order: DevicesOrder) => {
  if (order.kind === 'honest') {
    isStopped = false
    for (const device of order.devices) honest(order.port, device)
  } else if (order.kind === 'rogue') {
    isStopped = false
    for (const [n, device] of order.devices.entries()) rogue(order.port, device, n % 3)
  } else if (order.kind === 'prepare') {
    for (const [n, device] of order.devices.entries()) floodOf(device, n % 3)
  } else if (order.kind === 'silent') {
    isStopped = false
    for (let n = 0; n < order.count && !isStopped; n += 1) {
      silent(order.port)
      if (n % opensAtOnce === 0) await delay(100)
    }
  } else if (order.kind === 'stop') {
    isStopped = true
    for (const socket of sockets) socket.destroy()
  } else {
    process.send?.({
      latenciesMs,
      open: sockets.size,
      signedIn: signedIn.size,
      lost,
      ended,
      sentBytes,
    } satisfies DevicesAnswer)
    latenciesMs = []
    ended = 0
    lost = 0
    sentBytes = 0
  }
})

function open(port: number, again: () => void, connected: (socket: Socket) => void): void {
  if (isStopped) return
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => connected(socket))
  sockets.add(socket)
  socket.on('error', () => {})
  socket.on('close', () => {
    sockets.delete(socket)
    const wasSignedIn = signedIn.delete(socket)
    if (isStopped) return
    ended += 1
    if (wasSignedIn) lost += 1
    setTimeout(again, againMs)
  })
}

const silent = (port: number): void =>
  open(
    port,
    () => silent(port),
    () => {},
  )

const connectPacket = ({ code, secret }: Credentials) =>
  generate({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    keepalive: 60,
    clientId: code,
    username: code,
    password: Buffer.from(secret),
  })

function publish({ code }: Credentials, name: string, payload: string, messageId?: number): Buffer {
  const topic = `voltkeep/${code}/up/${name}`
  return messageId === undefined
    ? generate({ cmd: 'publish', topic, payload, qos: 0, dup: false, retain: false })
    : generate({ cmd: 'publish', topic, payload, qos: 1, messageId, dup: false, retain: false })
}
const report = (code: string) => {
  serial += 1
  return JSON.stringify({ id: `${process.pid}-${serial}`, time: Date.now(), code, value: 1 })
}

function honest(port: number, device: Credentials): void {
  open(
    port,
    () => honest(port, device),
    (socket) => {
      const sentAt = new Map<number, number>()
      let messageId = 0
      const reading = parser({ protocolVersion: 4 })
      reading.on('packet', (packet) => {
        if (packet.cmd === 'connack' && packet.returnCode === 0) signedIn.add(socket)
        const at = packet.cmd === 'puback' && sentAt.get(packet.messageId ?? 0)
        if (!at) return
        latenciesMs.push(performance.now() - at)
        sentAt.delete(packet.messageId ?? 0)
      })
      socket.on('data', (bytes) => reading.parse(bytes))
      socket.write(connectPacket(device))
      const send = () => {
        messageId = (messageId % 65_535) + 1
        sentAt.set(messageId, performance.now())
        socket.write(publish(device, 'event', report('E1'), messageId))
      }
      // Spread over time: otherwise a pause of the machine would be in every latency.
      let timer = setTimeout(() => {
        timer = setInterval(send, reportEveryMs)
      }, Math.random() * reportEveryMs)
      socket.on('close', () => clearInterval(timer))
    },
  )
}

const atOnce = 200
/** The messages of one rogue device, repeated: more than the server reads from it during an attack. */
const flooded = 4_000
const floods = new Map<string, Buffer[]>()

/** Created once per device before the attack, so that it takes no CPU from the server. */
function floodOf(device: Credentials, kind: number): Buffer[] {
  let flood = floods.get(device.code)
  if (!flood) {
    const packet = () => {
      if (kind === 0) return publish(device, 'event', 'not json')
      if (kind === 1) return publish(device, 'event', report('E1'))
      return publish(device, 'alarm', report(`Z${(serial % 1_000_000).toString(36)}`))
    }
    flood = Array.from({ length: flooded / atOnce }, () =>
      Buffer.concat(Array.from({ length: atOnce }, packet)),
    )
    floods.set(device.code, flood)
  }
  return flood
}

function rogue(port: number, device: Credentials, kind: number): void {
  const flood = floodOf(device, kind)
  open(
    port,
    () => rogue(port, device, kind),
    (socket) => {
      socket.write(connectPacket(device))
      socket.resume()
      const send = () => {
        while (!socket.destroyed) {
          const bytes = flood.shift() as Buffer
          flood.push(bytes)
          sentBytes += bytes.length
          if (!socket.write(bytes)) return
        }
      }
      socket.on('drain', send)
      send()
    },
  )
}
