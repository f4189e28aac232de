// The connection to an external MQTT broker: a persistent session that receives the messages of all devices,
// acknowledges each when the server has called `done`, and connects again after a loss.

import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { generate, type Packet, parser } from 'mqtt-packet'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import { type Message, OutgoingMessages } from './outgoing.ts'

export interface SubscriberOptions {
  /** `mqtt://user:password@host:1883` or `mqtts://…`. With `?share=<group>` several processes divide the messages. */
  url: string
  /** The name of the session at the broker: the same after every start, different for each process. */
  clientId: string
  topicFilter: string
  /** Further subscriptions: asked at each connect and by `resubscribe`. One that is refused is left out. */
  moreFilters?: () => readonly string[]
  log: Log
  /** The broker is not read while messages of at least this many bytes wait for `done`. */
  waitingLimitBytes: number
  /**
   * Receives a message. `done` acknowledges it, `done(false)` does not: the broker then sends it again after the
   * next connect. Several messages wait at a time; `done` may come in any order.
   */
  receive(message: Message, done: (isAcknowledged?: boolean) => void): void
}

export interface Subscriber {
  /** Connects now, and again whenever the connection is lost. */
  start(): void
  /** There may be other `moreFilters` than before. */
  resubscribe(): void
  readonly isConnected: boolean
  /** Calls back at each new connection, once it is subscribed. */
  onConnected(listener: () => void): void
  /**
   * Publishes with QoS 1. `acknowledged` is called once the broker has taken it, and never where the connection ends
   * first. Returns false where there is no connection.
   */
  publish(message: Message, acknowledged: () => void): boolean
  /** Reads no message any more; waiting messages can still be acknowledged. */
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
 * Messages that arrive while the server is away wait at the broker, and unacknowledged messages are sent again. Each
 * PUBACK is sent when its own message is done, in any order: mqtt.js acknowledges strictly in order, which measured 270
 * messages a second.
 */
export function createSubscriber(options: SubscriberOptions): Subscriber {
  const { log } = options
  let link: Link | undefined
  let timer: NodeJS.Timeout | undefined
  let pauseMs = firstPauseMs
  let isClosed = false
  let wasRefusedFor = ''
  /** For log lines: without the user name and password of the URL. */
  const { host: broker } = new URL(options.url)
  let wasConnected = false
  /** Sum over all connections: messages of a connection that has ended still wait for the database. */
  let waitingBytes = 0
  const connected: (() => void)[] = []

  function open(): void {
    link = new Link(options, {
      received(message, acknowledge) {
        const bytes = message.payload.length + messageOverheadBytes
        waitingBytes += bytes
        if (waitingBytes >= options.waitingLimitBytes) link?.pause()
        options.receive(message, (isAcknowledged = true) => {
          waitingBytes -= bytes
          if (isAcknowledged) acknowledge()
          if (waitingBytes <= options.waitingLimitBytes / 2) link?.resume()
        })
      },
      ready() {
        pauseMs = firstPauseMs
        wasRefusedFor = ''
        wasConnected = true
        log.info(
          { broker },
          spoken({ zh: '已连接外部 MQTT 服务', en: 'connected to the external MQTT broker' }),
        )
        for (const listener of connected) listener()
      },
      ended(reason) {
        link = undefined
        if (isClosed) return
        if (reason !== wasRefusedFor) {
          const what = wasConnected
            ? { zh: '的连接已断开', en: 'has ended the connection' }
            : {
                zh: '无法连接，请检查 MQTT_URL 和该服务',
                en: 'cannot be reached, check MQTT_URL and that broker',
              }
          log.warn(
            spoken({
              zh: `外部 MQTT 服务 ${broker} ${what.zh}（${reason}），将继续重试`,
              en: `the external MQTT broker ${broker} ${what.en} (${reason}), trying again`,
            }),
          )
        }
        wasRefusedFor = reason
        // Jitter, so that several processes do not reconnect at the same moment.
        timer = setTimeout(open, pauseMs * (0.75 + Math.random() / 2))
        pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      },
    })
    if (waitingBytes >= options.waitingLimitBytes) link.pause()
  }

  return {
    start: open,
    resubscribe: () => link?.subscribe(),
    get isConnected() {
      return link?.isReady ?? false
    },
    onConnected(listener) {
      connected.push(listener)
    },
    publish: (message, acknowledged) => link?.publish(message, acknowledged) ?? false,
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

/** One connection, from CONNECT to its end. Packet ids are valid on their own connection only. */
class Link {
  isReady = false
  readonly #options: SubscriberOptions
  readonly #events: LinkEvents
  readonly #socket: Socket
  readonly #filter: string
  readonly #group: string
  /** What has been asked for on this connection, and whether its answer is awaited. */
  readonly #asked = new Set<string>()
  #asking: readonly string[] | null = null
  readonly #outgoing = new OutgoingMessages({ reservedId: subscribeId })
  #isStopped = false
  #shouldPause = false
  #isEnded = false
  #heardAtMs = performance.now()
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
    this.#group = group ? `$share/${group}/` : ''
    this.#filter = this.#group + options.topicFilter
    this.#socket = isTls
      ? connectTls({ host, port, servername: host }, () => this.#signIn(url))
      : connectTcp({ host, port, noDelay: true }, () => this.#signIn(url))
    this.#connectTimer = setTimeout(
      () => this.#end(spoken({ zh: '连接超时', en: 'no connection in time' })),
      connectTimeoutMs,
    )

    const reading = parser({ protocolVersion: 4 })
    reading.on('packet', (packet) => this.#receive(packet))
    reading.on('error', (error) => this.#end(error.message))
    this.#socket.on('data', (bytes) => {
      this.#heardAtMs = performance.now()
      reading.parse(bytes)
    })
    this.#socket.on('error', (error) => this.#end((error as NodeJS.ErrnoException).code ?? error.message))
    this.#socket.on('close', () =>
      this.#end(spoken({ zh: '对方关闭了连接', en: 'it closed the connection' })),
    )
  }

  /** Takes effect after SUBACK: a socket paused before it would run into the connect timeout. */
  pause(): void {
    this.#shouldPause = true
    if (this.isReady) this.#socket.pause()
  }

  resume(): void {
    this.#shouldPause = false
    if (!this.#isStopped && this.#socket.isPaused()) this.#socket.resume()
  }

  /** Asks for what is wanted besides and not asked yet, and gives back what is wanted no more, one after the other. */
  subscribe(): void {
    if (!this.isReady || this.#asking) return
    const wanted = new Set((this.#options.moreFilters?.() ?? []).map((filter) => this.#group + filter))
    const missing = [...wanted].filter((filter) => !this.#asked.has(filter))
    if (missing.length > 0) {
      this.#ask('subscribe', missing)
      return
    }
    const gone = [...this.#asked].filter((filter) => filter !== this.#filter && !wanted.has(filter))
    if (gone.length > 0) this.#ask('unsubscribe', gone)
  }

  #ask(cmd: 'subscribe' | 'unsubscribe', filters: readonly string[]): void {
    this.#asking = filters
    for (const filter of filters) {
      if (cmd === 'subscribe') this.#asked.add(filter)
      else this.#asked.delete(filter)
    }
    this.#send(
      cmd === 'subscribe'
        ? { cmd, messageId: subscribeId, subscriptions: filters.map((topic) => ({ topic, qos: 1 })) }
        : { cmd, messageId: subscribeId, unsubscriptions: [...filters] },
    )
  }

  publish(message: Message, acknowledged: () => void): boolean {
    if (!this.isReady) return false
    this.#write(this.#outgoing.packetOf(message, acknowledged))
    return true
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

  #receive(packet: Packet): void {
    switch (packet.cmd) {
      case 'connack':
        if (packet.returnCode !== 0) {
          this.#end(
            spoken({
              zh: `拒绝登录（返回码 ${packet.returnCode}）`,
              en: `it refuses the sign-in, return code ${packet.returnCode}`,
            }),
          )
          return
        }
        this.#ask('subscribe', [this.#filter])
        return
      case 'unsuback':
        this.#asking = null
        this.subscribe()
        return
      case 'suback': {
        const refused = (this.#asking ?? []).filter((_, at) => (packet.granted[at] as number) > 2)
        this.#asking = null
        if (refused.includes(this.#filter)) {
          this.#end(
            spoken({
              zh: `拒绝订阅 ${this.#filter}`,
              en: `it refuses the subscription ${this.#filter}`,
            }),
          )
          return
        }
        for (const filter of refused)
          this.#options.log.warn(
            spoken({
              zh: `外部 MQTT 服务拒绝订阅 ${filter}，这些设备的报文不会收到`,
              en: `the external MQTT broker refuses the subscription ${filter}: nothing of its devices comes`,
            }),
          )
        if (this.isReady) {
          this.subscribe()
          return
        }
        clearTimeout(this.#connectTimer)
        this.isReady = true
        if (this.#shouldPause) this.#socket.pause()
        this.#pingTimer = setInterval(() => this.#ping(), (keepaliveSeconds * 1000) / 2)
        this.#events.ready()
        this.subscribe()
        return
      }
      case 'publish':
        this.#events.received({ topic: packet.topic, payload: packet.payload as Buffer }, () => {
          if (packet.qos > 0) this.#send({ cmd: 'puback', messageId: packet.messageId })
        })
        return
      case 'puback':
        if (packet.messageId !== undefined) this.#outgoing.acknowledge(packet.messageId)
        return
      default:
        return
    }
  }

  #send(packet: Packet): void {
    this.#write(generate(packet))
  }

  #write(bytes: Buffer): void {
    if (this.#isEnded) return
    // What is sent in one turn of the event loop leaves as one write.
    this.#socket.cork()
    this.#socket.write(bytes)
    process.nextTick(() => this.#socket.uncork())
  }

  #ping(): void {
    this.#send({ cmd: 'pingreq' })
    // A paused socket cannot receive the PINGRESP.
    if (!this.#socket.isPaused() && performance.now() - this.#heardAtMs > keepaliveSeconds * 2_000)
      this.#end(spoken({ zh: '对方没有回应', en: 'it does not answer' }))
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
