// An MQTT client that does exactly what a test says.
import { connect, type Socket } from 'node:net'
import { generate, type IConnectPacket, type Packet, parser } from 'mqtt-packet'

/** For attack tests that write their own bytes. */
export { generate, parser }

/** A client without automatic behaviour, also for protocol violations. */
export interface RawClient {
  /** Received packets, oldest first. */
  readonly received: Packet[]
  readonly isClosed: boolean
  send(packet: Packet): void
  sendBytes(bytes: Buffer): void
  /** Publishes at QoS 1; resolves with whether it was acknowledged, false if the connection ended first. */
  publish(topic: string, payload: string | Buffer | object): Promise<boolean>
  /** The next packet of a kind, received already or later; null if the connection ends first. */
  next<Command extends Packet['cmd']>(command: Command): Promise<Extract<Packet, { cmd: Command }> | null>
  closed(): Promise<void>
  /** Closes with DISCONNECT. */
  disconnect(): Promise<void>
  /** Closes without DISCONNECT. */
  breakOff(): void
}

export interface Credentials {
  code: string
  secret: string
}

/**
 * Connects to a port of this machine, or over an existing socket; resolves with the return code of the CONNACK, -1 if
 * the connection ended without one.
 */
export async function connectRaw(
  line: number | Socket,
  { code, secret }: Credentials,
  more: Partial<IConnectPacket> = {},
  /** Another local address, such as 127.0.0.2. */
  localAddress = '127.0.0.1',
): Promise<{ client: RawClient; returnCode: number }> {
  const socket = typeof line === 'number' ? connect({ port: line, host: '127.0.0.1', localAddress }) : line
  const client = rawClient(socket)
  client.send({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    keepalive: 30,
    clientId: code,
    username: code,
    password: Buffer.from(secret),
    ...more,
  } as IConnectPacket)
  const connack = await client.next('connack')
  return { client, returnCode: connack?.returnCode ?? -1 }
}

/** A connection that has sent nothing yet. */
export async function connectSilently(port: number): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1' })
  const client = rawClient(socket)
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return client
}

/** Like connectRaw, for clients that expect to be accepted. */
export async function connectDevice(
  line: number | Socket,
  credentials: Credentials,
  more?: Partial<IConnectPacket>,
): Promise<RawClient> {
  const { client, returnCode } = await connectRaw(line, credentials, more)
  if (returnCode !== 0) throw new Error(`refused with ${returnCode}`)
  return client
}

function rawClient(socket: Socket): RawClient {
  const received: Packet[] = []
  const listeners = new Set<() => void>()
  let isClosed = false
  let packetId = 0
  const changed = () => {
    for (const listener of listeners) listener()
  }
  const reading = parser({ protocolVersion: 4 })
  reading.on('packet', (packet) => {
    received.push(packet)
    changed()
  })
  socket.on('data', (bytes) => reading.parse(bytes))
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
    changed()
  })

  function until<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const listener = () => {
        const found = look()
        if (found === undefined) return
        listeners.delete(listener)
        resolve(found)
      }
      listeners.add(listener)
      listener()
    })
  }

  const client: RawClient = {
    received,
    get isClosed() {
      return isClosed
    },
    send: (packet) => socket.write(generate(packet)),
    sendBytes: (bytes) => socket.write(bytes),
    async publish(topic, payload) {
      packetId += 1
      const messageId = packetId
      const bytes =
        typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload)
      client.send({ cmd: 'publish', topic, payload: bytes, qos: 1, messageId, dup: false, retain: false })
      return until(() => {
        if (received.some((packet) => packet.cmd === 'puback' && packet.messageId === messageId)) return true
        return isClosed ? false : undefined
      })
    },
    next: (command) =>
      until(() => {
        const index = received.findIndex(({ cmd }) => cmd === command)
        if (index >= 0) return received.splice(index, 1)[0] as never
        return isClosed ? null : undefined
      }),
    closed: () => until(() => (isClosed ? true : undefined)).then(() => undefined),
    async disconnect() {
      client.send({ cmd: 'disconnect' })
      await client.closed()
    },
    breakOff: () => socket.destroy(),
  }
  return client
}
