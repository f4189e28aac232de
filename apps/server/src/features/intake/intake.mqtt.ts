import { createHash, timingSafeEqual } from 'node:crypto'
import { maxPayloadBytes, type UpTopicName } from '@voltkeep/contract/topics/index'
import { Gauge, Histogram, type Registry } from 'prom-client'
import type { Db } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import {
  createBroker,
  type Login,
  type LoginRefusal,
  type Message,
  type Peer,
} from '../../platform/mqtt/broker.ts'
import type { Report, ReportWriters } from '../../platform/mqtt/reports.ts'
import type { WriteLanes, Writer } from '../../platform/mqtt/write-lanes.ts'
import type { Notices } from '../../platform/notices.ts'
import { decode, isOwnDownFilter, type Payload, printable, upTopicName } from './intake.decode.ts'
import { createIdentities, type Device } from './intake.identity.ts'
import { findDevicesByCode } from './intake.queries.ts'
import { createRefusals } from './intake.refusals.ts'

export interface IntakeNeeds {
  db: Db
  log: Log
  notices: Pick<Notices, 'subscribe'>
  metrics: Registry
  lanes: WriteLanes
  writers: ReportWriters
  presence: IntakePresence
  /** The earliest moment for which a report can be stored. */
  oldestMs(): number
}

/** What intake tells of who is there. */
export interface IntakePresence {
  connected(deviceId: number, address: string | null): void
  disconnected(deviceId: number, isProper: boolean): void
  heard(deviceId: number, receivedAtMs: number, clockOffsetMs: number): void
}

/** A device's clock may be that far ahead before its times are not believed. */
const clockLeadMs = 5 * 60_000
/** A message over the limit is still read and answered, up to here; beyond it the sender is cut off. */
const packetLimitBytes = maxPayloadBytes * 4
const oldestPauseMs = 60_000
const waitingLimitBytes = 64 * 1024 * 1024
const connectionsMetric = 'voltkeep_intake_connections'
/** Codes that cannot be registered are not looked up. */
const codePattern = /^[A-Za-z0-9]{1,32}$/

/** Devices at the embedded broker: who they are, what they may say, and where it goes. */
export async function createEmbeddedIntake(needs: IntakeNeeds & { host: string; port: number }) {
  const { db, log, notices, metrics, presence, host, port } = needs
  const refusals = createRefusals({ db, log, metrics })
  const identities = createIdentities({ read: (codes) => findDevicesByCode(db, codes) })
  const take = createTaker({ ...needs, refusals })
  const peers = new Map<string, Peer<Device>>()

  const broker = await createBroker<Device>({
    host,
    port,
    log,
    packetLimitBytes,
    waitingLimitBytes,
    authenticate,
    publish(peer, message, done) {
      take(peer.identity, message, peer.address, done)
    },
    maySubscribe: (device, filter) => isOwnDownFilter(device.code, filter),
    connected(peer) {
      peers.set(peer.identity.code, peer)
      presence.connected(peer.identity.id, peer.address)
    },
    disconnected(peer, isProper) {
      if (peers.get(peer.identity.code) === peer) peers.delete(peer.identity.code)
      presence.disconnected(peer.identity.id, isProper)
    },
    cutOff({ identity: device, address }, sizeBytes) {
      refusals.record({
        deviceCode: device.code,
        deviceId: device.id,
        reason: 'tooLarge',
        topic: null,
        detail: `报文${sizeBytes}字节，连接已断开`,
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
  }: Login): Promise<Device | LoginRefusal> {
    const code = userName ?? clientId
    const refuse = (
      reason: 'unknownDevice' | 'wrongSecret' | 'wrongClientId',
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
    const hash = createHash('sha256')
      .update(password ?? '')
      .digest()
    if (!timingSafeEqual(hash, device.secretHash)) {
      refuse('wrongSecret', device, password === null ? '未提供密码，应为设备密钥' : null)
      return 'wrongCredentials'
    }
    if (clientId !== code) {
      refuse('wrongClientId', device, `客户端标识应为设备编号，收到的是“${printable(Buffer.from(clientId))}”`)
      return 'wrongClientId'
    }
    return device
  }

  /** Ends the connections of devices that are gone or have a new secret. */
  async function recheck(codes: readonly string[]): Promise<void> {
    await Promise.all(
      codes.map(async (code) => {
        const peer = peers.get(code)
        if (!peer) return
        const device = await identities.find(code)
        const isSame = device?.id === peer.identity.id && device.secretHash.equals(peer.identity.secretHash)
        if (!isSame) peer.close()
      }),
    )
  }
  const unsubscribe = notices.subscribe('devicesChanged', ({ codes }) => {
    identities.forget(codes)
    recheck(codes ?? [...peers.keys()]).catch((err) => log.warn({ err }, '设备变更后未能复查其连接'))
  })

  new Gauge({
    name: connectionsMetric,
    help: 'Devices connected to the embedded broker',
    registers: [metrics],
    collect() {
      this.set(broker.connectionCount)
    },
  })

  return {
    listen: () => broker.listen(),
    refusals,
    /** Stops reading, lets what was read be written and acknowledged, then says goodbye. */
    async close(drainLimitMs = 10_000) {
      broker.stopReading()
      unsubscribe()
      await Promise.race([
        needs.lanes.drained(),
        new Promise((resolve) => setTimeout(resolve, drainLimitMs).unref()),
      ])
      needs.lanes.close()
      await broker.close()
      await refusals.close()
      metrics.removeSingleMetric(connectionsMetric)
    },
  }
}

type Refusals = ReturnType<typeof createRefusals>

/** Says whether the message is answered (settled, or set aside for good) or refused by closing. */
type Take = (
  device: Pick<Device, 'id' | 'code'>,
  message: Message,
  address: string | null,
  done: (isRefused?: boolean) => void,
) => void

/**
 * One message on its way: topic, payload, clock, lane. What cannot be read is acknowledged and kept apart,
 * or its device would send it for ever; what is not the device's to send closes the connection.
 */
export function createTaker({
  lanes,
  writers,
  presence,
  metrics,
  oldestMs,
  refusals,
}: Pick<IntakeNeeds, 'lanes' | 'writers' | 'presence' | 'metrics' | 'oldestMs'> & {
  refusals: Refusals
}): Take {
  const waits = new Histogram({
    name: 'voltkeep_intake_commit_seconds',
    help: 'From the receipt of a message to its commit',
    buckets: [0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 1, 5, 60],
    registers: [metrics],
  })

  let oldest = { ms: oldestMs(), askedAtMs: Date.now() }

  return (device, message, address, done) => {
    const receivedAtMs = Date.now()
    if (receivedAtMs - oldest.askedAtMs > oldestPauseMs) oldest = { ms: oldestMs(), askedAtMs: receivedAtMs }
    const refuse = (reason: Parameters<Refusals['record']>[0]['reason'], detail: string | null) =>
      refusals.record({
        deviceCode: device.code,
        deviceId: device.id,
        reason,
        topic: message.topic,
        detail,
        payload: printable(message.payload),
        address,
      })

    const name = upTopicName(device.code, message.topic)
    if (name === 'foreignTopic' || name === 'unknownTopic') {
      refuse(name, name === 'foreignTopic' ? `只能发布到voltkeep/${device.code}/up/下的主题` : null)
      done(name === 'foreignTopic')
      return
    }
    const decoded = decode(name, message.payload)
    if ('reason' in decoded) {
      refuse(decoded.reason, decoded.detail)
      done()
      return
    }
    const { payload } = decoded
    const offsetMs = payload.time - receivedAtMs
    presence.heard(device.id, receivedAtMs, offsetMs)
    const writer = writers[name] as Writer<Report<Payload>> | null
    if (writer === null) {
      done()
      return
    }
    const isBelieved = offsetMs <= clockLeadMs && payload.time >= oldest.ms
    lanes.put({
      deviceId: device.id,
      writer,
      entry: {
        deviceId: device.id,
        payload,
        occurredAtMs: isBelieved ? payload.time : receivedAtMs,
        receivedAtMs,
      },
      messageId: isRepeatable(name) ? null : payload.id,
      settled(error) {
        if (error)
          refuse('notStorable', `数据库不接受其内容（${(error as { code?: string }).code ?? '内部错误'}）`)
        else waits.observe((Date.now() - receivedAtMs) / 1000)
        done()
      },
    })
  }
}

/** A last will is written before it is needed, so its id says nothing. */
const isRepeatable = (name: UpTopicName) => name === 'connection'
