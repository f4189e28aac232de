// Intake over the embedded broker: devices connect to this process.

import { downFilterOf, maxPayloadBytes } from '@voltkeep/contract/topics/index'
import {
  createEmbeddedTransport,
  type EmbeddedTransportNeeds,
} from '../../../platform/devices/commands/transport.embedded.ts'
import { createBroker } from '../../../platform/devices/mqtt/broker.ts'
import type {
  ConnectionLimiter,
  ConnectionLimits,
} from '../../../platform/devices/mqtt/connection-limiter.ts'
import type { ListenersOptions } from '../../../platform/devices/mqtt/listeners.ts'
import type { Peer } from '../../../platform/devices/mqtt/peer.ts'
import type { Warnings } from '../../../platform/process/warnings.ts'
import type { KeptMessages, KnownMappings } from '../../mappings/index.ts'
import type { Device, Identities } from '../admission/device-identities.ts'
import type { SecretChecks } from '../admission/secret-checks.ts'
import { createForeignDevices } from '../foreign-devices.ts'
import type { Refusals } from '../intake-refusals.ts'
import { isOwnDownFilter } from '../message-decoding.ts'
import {
  createMessageHandler,
  drained,
  type Intake,
  type IntakeNeeds,
  waitingLimitBytes,
} from '../message-handler.ts'
import { observeConnections } from './connection-limits.ts'
import type { Conduct } from './device-conduct.ts'
import { createConnections } from './device-connections.ts'
import { createSignIn } from './device-sign-in.ts'

/** The largest payload with room for topic and packet id; a larger packet closes its connection. */
const packetLimitBytes = maxPayloadBytes + 512
/** Some thirty messages of one device at a time. */
const pieceBytes = 4_096

interface EmbeddedNeeds extends Pick<ListenersOptions, 'host' | 'port' | 'secure' | 'early'> {
  /** Addresses and networks of proxies, with any number of devices behind them. */
  proxies: readonly string[]
  /** Whether they begin each connection with a PROXY header. */
  hasProxyHeader: boolean
  limits: ConnectionLimits
  limiter: ConnectionLimiter
  warnings: Warnings
  conduct: Conduct
  /** Without a limit there may be only a few devices, and large pieces are faster. */
  hasRateLimit: boolean
  /** Whether this process may take devices and send them anything now: it has its lease. */
  isServing(): boolean
  listElsewhere: EmbeddedTransportNeeds<Device>['listElsewhere']
  identities: Identities
  checks: SecretChecks
  mappings: { known: KnownMappings; kept: KeptMessages }
}

/** Devices at the embedded broker: what they may publish and subscribe to, and their presence. */
export async function createEmbeddedIntake({
  host,
  port,
  secure,
  early,
  proxies,
  hasProxyHeader,
  limits,
  limiter,
  warnings,
  conduct,
  hasRateLimit,
  isServing,
  listElsewhere,
  identities,
  checks,
  mappings: { known, kept },
  ...needs
}: IntakeNeeds & EmbeddedNeeds): Promise<Intake> {
  const { log, notices, metrics, lanes, presence, refusals } = needs
  const connections = createConnections<Peer<Device>>({ protocol: 'mqtt', identities, notices, secure, log })
  const foreign = createForeignDevices({
    known,
    kept,
    answer: (device, reply) => handler.reply(device, reply),
  })
  const transport = createEmbeddedTransport<Device>({ isServing, listElsewhere, foreign })
  const signIn = createSignIn({ protocol: 'mqtt', identities, conduct, checks, isForeign: foreign.isForeign })
  const refused = ({ id, code }: Device) => {
    // After its acknowledgement.
    if (conduct.refused(id)) setImmediate(() => connections.end(code))
  }
  const handler = createMessageHandler<Device>(
    needs,
    refusals,
    // The broker knows who is connected: `connection` reports are acknowledged and ignored.
    (_sender, _report, done) => done(),
    refused,
    foreign.read,
  )

  const broker = createBroker<Device>({
    host,
    port,
    secure,
    early,
    proxyHeaderFrom: hasProxyHeader ? proxies : [],
    log,
    limiter,
    packetLimitBytes,
    waitingLimitBytes,
    readAtMostBytes: hasRateLimit ? pieceBytes : undefined,
    authenticate: async (login) => (isServing() ? await signIn(login) : 'unavailable'),
    // A device of another maker has a client id of that maker's, and must not end another device's connection by it.
    sessionName: ({ code }) => code,
    publish: (peer, message, done) => handler.handle(peer.identity, message, peer.address, done),
    received: ({ identity: device }, sizeBytes) => conduct.received(device.id, sizeBytes),
    maySubscribe: (device, filter) =>
      isOwnDownFilter(device.code, filter) || foreign.maySubscribe(device, filter),
    ...recordedBy(refusals, refused),
    connected(peer) {
      connections.add(peer)
      presence.connected(peer.identity.id, peer.address, undefined, peer)
    },
    subscribed: transport.subscribed,
    disconnected(peer, isProper) {
      transport.disconnected(peer)
      foreign.disconnected(peer.identity)
      connections.remove(peer)
      presence.disconnected(peer.identity.id, isProper)
    },
  })
  observeConnections(broker, { limits, metrics, log, warnings })

  return {
    listen: () => broker.listen(),
    transport,
    deviceCount: () => broker.connectionCount,
    drain: (overMs) => broker.drain(overMs),
    async ping() {},
    async close() {
      broker.stopReading()
      connections.stopChecking()
      await drained(lanes)
      broker.close()
      await refusals.close()
    },
  }
}

/** What a signed-in device is refused by the broker itself. */
function recordedBy(refusals: Refusals, refused: (device: Device) => void) {
  return {
    subscriptionRefused({ identity: device, address }: Peer<Device>, filter: string, limit: number | null) {
      refusals.record({
        deviceCode: device.code,
        deviceId: device.id,
        reason: 'badSubscription',
        topic: filter,
        detail: limit === null ? `只能订阅 ${downFilterOf(device.code)}` : `最多同时订阅 ${limit} 个主题`,
        payload: null,
        address,
      })
      refused(device)
    },
    cutOff({ identity: device, address }: Peer<Device>, sizeBytes: number) {
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
  }
}
