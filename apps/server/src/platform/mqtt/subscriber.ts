import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { generate, type Packet, parser } from 'mqtt-packet'
import type { Log } from '../log.ts'
import type { Message } from './broker.ts'

export interface SubscriberOptions {
  /** `mqtt://user:password@host:1883` or `mqtts://…`. With `?share=<group>` several processes divide the messages. */
  url: string
  /** The session's name at the broker: the same after every start, another for each process. */
  clientId: string
  topicFilter: string
  log: Log
  /** While messages of so many bytes wait, nothing is read from the broker. */
  waitingLimitBytes: number
  /** A message; `done` acknowledges it. Messages are handed over side by side and settled in any order. */
  receive(message: Message, done: () => void): void
}

export interface Subscriber {
  /** Connects now, and again whenever the connection is lost. */
  start(): void
  readonly isConnected: boolean
  /** Reads nothing any more; what waits can still be acknowledged. */
  stopReading(): void
  close(): Promise<void>
}

const keepaliveSeconds = 30
const connectTimeoutMs = 10_000
const firstPauseMs = 500
const longestPauseMs = 30_000
const messageOverheadBytes = 512
const subscribeId = 1

/**
 * Takes messages from a broker that is not ours. The session is persistent: what comes while we are away
 * waits at the broker, and what was not acknowledged comes again. Each PUBACK is sent when its message is
 * settled, whatever became of those before it: mqtt.js acknowledges one after another, which was measured
 * at 270 messages a second.
 */
export function createSubscriber(options: SubscriberOptions): Subscriber {
  const { log } = options
  let link: Link | undefined
  let timer: NodeJS.Timeout | undefined
  let pauseMs = firstPauseMs
  let isClosed = false
  let wasRefusedFor = ''
  /** Without the name and password that it may hold. */
  const { host: broker } = new URL(options.url)
  let wasConnected = false
  /** Of all connections: what came over one that has ended still waits for the database. */
  let waitingBytes = 0

  function open(): void {
    link = new Link(options, {
      received(message, acknowledge) {
        const bytes = message.payload.length + messageOverheadBytes
        waitingBytes += bytes
        if (waitingBytes >= options.waitingLimitBytes) link?.pause()
        options.receive(message, () => {
          waitingBytes -= bytes
          acknowledge()
          if (waitingBytes <= options.waitingLimitBytes / 2) link?.resume()
        })
      },
      ready() {
        pauseMs = firstPauseMs
        wasRefusedFor = ''
        wasConnected = true
        log.info({ broker }, '已连接外部 MQTT 服务')
      },
      ended(reason) {
        link = undefined
        if (isClosed) return
        if (reason !== wasRefusedFor) {
          const what = wasConnected ? '的连接已断开' : '无法连接，请检查 MQTT_URL 和该服务'
          log.warn(`外部 MQTT 服务 ${broker} ${what}（${reason}），将继续重试`)
        }
        wasRefusedFor = reason
        // Spread out, so that several processes do not come back as one.
        timer = setTimeout(open, pauseMs * (0.75 + Math.random() / 2))
        pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      },
    })
    if (waitingBytes >= options.waitingLimitBytes) link.pause()
  }

  return {
    start: open,
    get isConnected() {
      return link?.isReady ?? false
    },
    stopReading() {
      isClosed = true
      clearTimeout(timer)
      link?.stopReading()
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await link?.close()
    },
  }
}

interface LinkEvents {
  received(message: Message, acknowledge: () => void): void
  ready(): void
  ended(reason: string): void
}

/** One connection, from its CONNECT to its end. Packet ids belong to it: a later one acknowledges its own. */
class Link {
  isReady = false
  readonly #options: SubscriberOptions
  readonly #events: LinkEvents
  readonly #socket: Socket
  readonly #filter: string
  #isStopped = false
  #shouldPause = false
  #isEnded = false
  #heardAtMs = Date.now()
  #pingTimer: NodeJS.Timeout | undefined
  #connectTimer: NodeJS.Timeout

  constructor(options: SubscriberOptions, events: LinkEvents) {
    this.#options = options
    this.#events = events
    const url = new URL(options.url)
    const isTls = url.protocol === 'mqtts:'
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const port = Number(url.port) || (isTls ? 8883 : 1883)
    const group = url.searchParams.get('share')
    this.#filter = group ? `$share/${group}/${options.topicFilter}` : options.topicFilter
    this.#socket = isTls
      ? connectTls({ host, port, servername: host }, () => this.#signIn(url))
      : connectTcp({ host, port, noDelay: true }, () => this.#signIn(url))
    this.#connectTimer = setTimeout(() => this.#end('连接超时'), connectTimeoutMs)

    const reading = parser({ protocolVersion: 4 })
    reading.on('packet', (packet) => this.#take(packet))
    reading.on('error', (error) => this.#end(error.message))
    this.#socket.on('data', (bytes) => {
      this.#heardAtMs = Date.now()
      reading.parse(bytes)
    })
    this.#socket.on('error', (error) => this.#end((error as NodeJS.ErrnoException).code ?? error.message))
    this.#socket.on('close', () => this.#end('对方关闭了连接'))
  }

  /** Not before SUBACK is read: without it the connection would count as one that does not come about. */
  pause(): void {
    this.#shouldPause = true
    if (this.isReady) this.#socket.pause()
  }

  resume(): void {
    this.#shouldPause = false
    if (!this.#isStopped && this.#socket.isPaused()) this.#socket.resume()
  }

  stopReading(): void {
    this.#isStopped = true
    this.#socket.pause()
  }

  async close(): Promise<void> {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#clearTimers()
    await new Promise<void>((resolve) => {
      this.#socket.once('close', () => resolve())
      if (this.isReady) this.#socket.end(generate({ cmd: 'disconnect' }))
      this.#socket.resume()
      setTimeout(() => this.#socket.destroy(), 1_000).unref()
    })
  }

  #signIn(url: URL): void {
    this.#send({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: false,
      clientId: this.#options.clientId,
      keepalive: keepaliveSeconds,
      ...(url.username && { username: decodeURIComponent(url.username) }),
      ...(url.password && { password: Buffer.from(decodeURIComponent(url.password)) }),
    })
  }

  #take(packet: Packet): void {
    switch (packet.cmd) {
      case 'connack':
        if (packet.returnCode !== 0) {
          this.#end(`拒绝登录（返回码 ${packet.returnCode}）`)
          return
        }
        this.#send({
          cmd: 'subscribe',
          messageId: subscribeId,
          subscriptions: [{ topic: this.#filter, qos: 1 }],
        })
        return
      case 'suback':
        if ((packet.granted[0] as number) > 2) {
          this.#end(`拒绝订阅 ${this.#filter}`)
          return
        }
        clearTimeout(this.#connectTimer)
        this.isReady = true
        if (this.#shouldPause) this.#socket.pause()
        this.#pingTimer = setInterval(() => this.#ping(), (keepaliveSeconds * 1000) / 2)
        this.#events.ready()
        return
      case 'publish':
        this.#events.received({ topic: packet.topic, payload: packet.payload as Buffer }, () => {
          if (packet.qos > 0) this.#send({ cmd: 'puback', messageId: packet.messageId })
        })
        return
      default:
        return
    }
  }

  #send(packet: Packet): void {
    if (this.#isEnded) return
    // Acknowledgements of one batch leave as one write.
    this.#socket.cork()
    this.#socket.write(generate(packet))
    process.nextTick(() => this.#socket.uncork())
  }

  #ping(): void {
    this.#send({ cmd: 'pingreq' })
    // While we do not read, silence says nothing.
    if (!this.#socket.isPaused() && Date.now() - this.#heardAtMs > keepaliveSeconds * 2_000)
      this.#end('对方没有回应')
  }

  #end(reason: string): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.isReady = false
    this.#clearTimers()
    this.#socket.destroy()
    this.#events.ended(reason)
  }

  #clearTimers(): void {
    clearTimeout(this.#connectTimer)
    clearInterval(this.#pingTimer)
  }
}
