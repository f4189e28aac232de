// Intake over the embedded broker: devices connect to this process.

import { createHash, timingSafeEqual } from 'node:crypto'
import { throttleReasons } from '@voltkeep/contract/devices'
import { downFilterOf, maxPayloadBytes } from '@voltkeep/contract/topics/index'
import { Counter, Gauge } from 'prom-client'
import { createEmbeddedTransport } from '../../platform/devices/commands/transport.embedded.ts'
import { createBroker, type Login, type LoginRefusal } from '../../platform/devices/mqtt/broker.ts'
import type { ConnectionLimit, ConnectionLimits } from '../../platform/devices/mqtt/connection-limiter.ts'
import type { ListenersOptions } from '../../platform/devices/mqtt/listeners.ts'
import type { Peer } from '../../platform/devices/mqtt/peer.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import { amongNetworks } from '../../platform/process/networks.ts'
import { nearlyFull, type Warnings } from '../../platform/process/warnings.ts'
import { devicesChanged } from '../devices/index.ts'
import { createAttempts } from './intake.attempts.ts'
import { certificateOf, faultOf, isStillValid } from './intake.certificates.ts'
import { type ConductLimits, createConduct } from './intake.conduct.ts'
import { isOwnDownFilter, printable } from './intake.decode.ts'
import { createIdentities, type Device, freshForMs } from './intake.identity.ts'
import {
  createMessageHandler,
  drained,
  type Intake,
  type IntakeNeeds,
  waitingLimitBytes,
} from './intake.messages.ts'
import { findDevicesByCode } from './intake.queries.ts'
import { createRefusals } from './intake.refusals.ts'

/** The largest payload with room for topic and packet id; a larger packet closes its connection. */
const packetLimitBytes = maxPayloadBytes + 512
/** Some thirty messages of one device at a time. */
const pieceBytes = 4_096
/** A code of another form cannot be registered, and is not looked up. */
const codePattern = /^[A-Za-z0-9]{1,32}$/

interface EmbeddedNeeds extends Pick<ListenersOptions, 'host' | 'port' | 'secure'> {
  /** Addresses and networks of proxies, with any number of devices behind them. */
  proxies: readonly string[]
  /** Whether they begin each connection with a PROXY header. */
  hasProxyHeader: boolean
  limits: ConnectionLimits
  warnings: Warnings
  conductLimits: ConductLimits
}

/** Devices at the embedded broker: sign-in, what they may publish and subscribe to, and their presence. */
export async function createEmbeddedIntake({
  host,
  port,
  secure,
  proxies,
  hasProxyHeader,
  limits,
  warnings,
  conductLimits,
  ...needs
}: IntakeNeeds & EmbeddedNeeds): Promise<Intake> {
  const { db, log, notices, metrics, lanes, presence, throttling } = needs
  const refusals = createRefusals({ db, log, metrics })
  const identities = createIdentities({ read: (codes) => findDevicesByCode(db, codes) })
  // The broker knows who is connected: `connection` reports are acknowledged and ignored.
  const attempts = createAttempts()
  const conduct = createConduct({ limits: conductLimits, throttle: throttling.throttle })
  const handle = createMessageHandler(
    needs,
    refusals,
    (_sender, _report, done) => done(),
    ({ id, code }) => {
      // After its PUBACK.
      if (conduct.refused(id)) setImmediate(() => peers.get(code)?.close())
    },
  )
  const peers = new Map<string, Peer<Device>>()
  const transport = createEmbeddedTransport()

  const turnedAway = new Counter({
    name: 'voltkeep_intake_connections_refused_total',
    help: 'Connections to the embedded broker that were turned away or ended, by the limit that was met',
    labelNames: ['limit'],
    registers: [metrics],
  })
  const mostConnections = new Gauge({
    name: 'voltkeep_intake_connection_limits',
    help: 'The most connections to the embedded broker, by limit',
    labelNames: ['limit'],
    registers: [metrics],
  })
  for (const [limit, most] of Object.entries(limits)) if (most !== null) mostConnections.set({ limit }, most)
  const complainOfLimit = complaintsOfLimits(log, limits)

  const broker = await createBroker<Device>({
    host,
    port,
    secure,
    proxyHeaderFrom: hasProxyHeader ? proxies : [],
    log,
    limits,
    isProxy: amongNetworks(proxies),
    limitMet(limit, address) {
      turnedAway.inc({ limit })
      complainOfLimit(limit, address)
    },
    packetLimitBytes,
    waitingLimitBytes,
    // Without a limit there may be only a few devices, and large pieces are faster.
    readAtMostBytes: conductLimits.messagesPerSecond === 0 ? undefined : pieceBytes,
    authenticate,
    publish: (peer, message, done) => handle(peer.identity, message, peer.address, done),
    received: ({ identity: device }, sizeBytes) => conduct.received(device.id, sizeBytes),
    maySubscribe: (device, filter) => isOwnDownFilter(device.code, filter),
    subscriptionRefused({ identity: device, address }, filter, limit) {
      refusals.record({
        deviceCode: device.code,
        deviceId: device.id,
        reason: 'badSubscription',
        topic: filter,
        detail: limit === null ? `只能订阅 ${downFilterOf(device.code)}` : `最多同时订阅 ${limit} 个主题`,
        payload: null,
        address,
      })
    },
    connected(peer) {
      peers.set(peer.identity.code, peer)
      presence.connected(peer.identity.id, peer.address)
    },
    subscribed: transport.subscribed,
    disconnected(peer, isProper) {
      transport.disconnected(peer)
      if (peers.get(peer.identity.code) === peer) peers.delete(peer.identity.code)
      presence.disconnected(peer.identity.id, isProper)
    },
    cutOff({ identity: device, address }, sizeBytes) {
      refusals.record({
        deviceCode: device.code,
        deviceId: device.id,
        reason: 'tooLarge',
        topic: null,
        detail: `报文 ${sizeBytes} 字节，连接已断开`,
        payload: null,
        address,
      })
    },
  })

  async function authenticate({
    clientId,
    userName,
    password,
    address,
    certificate: shown,
  }: Login): Promise<Device | LoginRefusal> {
    const code = userName ?? clientId
    const refuse = (
      reason:
        | 'unknownDevice'
        | 'wrongSecret'
        | 'wrongClientId'
        | 'wrongCertificate'
        | 'tooManySignIns'
        | 'throttled',
      device: Device | null,
      detail: string | null,
    ) => {
      refusals.record({
        deviceCode: printable(Buffer.from(code)),
        deviceId: device?.id ?? null,
        reason,
        topic: null,
        detail,
        payload: null,
        address,
      })
    }
    const device = codePattern.test(code) ? await identities.find(code) : null
    if (!device) {
      refuse('unknownDevice', null, userName === null ? '未提供用户名，应为设备编号' : null)
      return 'wrongCredentials'
    }
    if (!attempts.mayTry(code, address)) {
      refuse('tooManySignIns', device, '该地址多次使用错误的密钥，稍后再试')
      return 'unavailable'
    }
    const fault = shown && faultOf(shown, code)
    if (fault !== null) {
      refuse('wrongCertificate', device, fault)
      return 'wrongCredentials'
    }
    // One proof is enough, and each that is shown has to be valid.
    const certificate = shown && certificateOf(shown)
    if (certificate === null || password !== null) {
      const hash = createHash('sha256')
        .update(password ?? '')
        .digest()
      if (!timingSafeEqual(hash, device.secretHash)) {
        attempts.failed(code, address)
        refuse('wrongSecret', device, password === null ? '未提供密码，应为设备密钥' : null)
        return 'wrongCredentials'
      }
    }
    if (clientId !== code) {
      refuse('wrongClientId', device, `客户端标识应为设备编号，收到的是“${printable(Buffer.from(clientId))}”`)
      return 'wrongClientId'
    }
    attempts.succeeded(code, address)
    const ban = conduct.connects(device.id)
    if (ban) {
      refuse('throttled', device, throttleReasons[ban.reason])
      return 'unavailable'
    }
    return certificate === null ? device : { ...device, certificate }
  }

  /** Closes the connections of devices that were deleted, have a new secret, or whose certificate has expired. */
  async function recheck(codes: readonly string[]): Promise<void> {
    await Promise.all(
      codes.map(async (code) => {
        const peer = peers.get(code)
        if (!peer) return
        const device = await identities.find(code)
        const { id, secretHash, certificate } = peer.identity
        const isSame = device?.id === id && device.secretHash.equals(secretHash)
        const isValid = !certificate || (secure && isStillValid(certificate, secure.tls.current))
        if (!isSame || !isValid) peer.close()
      }),
    )
  }
  const changed = (codes: readonly string[] | null) => {
    identities.forget(codes)
    recheck(codes ?? [...peers.keys()]).catch((err) => log.warn({ err }, '设备变更后未能复查其连接'))
  }
  const unsubscribe = notices.subscribe(devicesChanged, changed)
  secure?.tls.onChange((current, former) => {
    for (const peer of peers.values()) {
      const { certificate } = peer.identity
      const isOfOthers = current.texts.clientCa !== former.texts.clientCa
      if (certificate && (isOfOthers || !isStillValid(certificate, current))) peer.close()
    }
  })
  // A notice may be lost, and certificates expire while connections last for weeks.
  const recheckTimer = setInterval(changed, freshForMs, null)

  new Gauge({
    name: 'voltkeep_intake_connections',
    help: 'Devices connected to the embedded broker',
    registers: [metrics],
    collect() {
      this.set(broker.connectionCount)
    },
  })
  new Gauge({
    name: 'voltkeep_intake_open_connections',
    help: 'Connections to the embedded broker, also those that have not signed in',
    registers: [metrics],
    collect() {
      this.set(broker.openCount)
    },
  })
  warnings.add(
    nearlyFull({
      count: () => broker.openCount,
      most: limits.inAll,
      line: (share) =>
        `设备接入的连接已达上限 ${limits.inAll} 个的 ${share}%，满后新的设备无法接入：请提高可打开的文件数（LimitNOFILE）或 MQTT_MAX_CONNECTIONS`,
      log,
    }),
  )

  return {
    listen: () => broker.listen(),
    transport,
    async ping() {},
    async close() {
      broker.stopReading()
      unsubscribe()
      clearInterval(recheckTimer)
      conduct.close()
      await drained(lanes)
      await broker.close()
      await refusals.close()
    },
  }
}

/** A log line for each limit of connections, with an address that met it. */
function complaintsOfLimits(
  log: Log,
  limits: ConnectionLimits,
): (limit: ConnectionLimit, address: string) => void {
  const words = {
    inAll: `设备接入的连接已达上限 ${limits.inAll} 个，新的连接被断开`,
    strangers: `尚未登录的设备连接已达上限 ${limits.strangers} 个，最久未登录的被断开`,
    strangersPerAddress: `同一地址尚未登录的设备连接已达上限 ${limits.strangersPerAddress} 个，最久未登录的被断开`,
    perAddress: `同一地址在线的设备已达上限 ${limits.perAddress} 台，新的登录被拒绝`,
  }
  const complaints = new Map<ConnectionLimit, (address: unknown) => void>()
  return (limit, address) => {
    let complain = complaints.get(limit)
    if (!complain) {
      complain = createComplaints((from, count) => log.warn({ address: from, count }, words[limit]))
      complaints.set(limit, complain)
    }
    complain(address)
  }
}
