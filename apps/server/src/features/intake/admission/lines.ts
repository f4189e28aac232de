/**
 * Devices that stay connected by another protocol than MQTT: who they are, their presence, their reports and the commands to
 * them, by the same parts and within the same limits as at the broker. The protocol's own feature has the connections.
 */
import type { Socket } from 'node:net'
import type { DeviceProtocol } from '@voltkeep/contract'
import type { UpTopicName } from '@voltkeep/contract/topics/index'
import type { OwnTransport } from '../../../platform/devices/commands/transport.joined.ts'
import type { Payload } from '../../../platform/devices/ingest/report-schemas.ts'
import type { Outcome, Writer } from '../../../platform/devices/ingest/writer.ts'
import type { Answer, Login, LoginRefusal } from '../../../platform/devices/mqtt/broker.ts'
import type { ConnectionLimiter, OpenConnection } from '../../../platform/devices/mqtt/connection-limiter.ts'
import type { Tls } from '../../../platform/process/tls/tls.ts'
import type { Conduct } from '../embedded/device-conduct.ts'
import { createConnections } from '../embedded/device-connections.ts'
import { createSignIn } from '../embedded/device-sign-in.ts'
import { printable } from '../message-decoding.ts'
import { type CommandReplyGiven, createMessageHandler, type IntakeNeeds } from '../message-handler.ts'
import type { Device, Identities } from './device-identities.ts'
import type { SecretChecks } from './secret-checks.ts'

/** One connection of a device. */
export interface DeviceLine {
  readonly identity: Device
  readonly address: string
  close(): void
}

export interface LineReport {
  name: Exclude<UpTopicName, 'connection'>
  payload: Payload
}

/** What a device has said: `topic` and `payload` are for the record of what is refused. */
export interface LineMessage {
  topic: string
  payload: Buffer
}

export interface DeviceLines {
  /** Whether this process may take devices now. */
  isServing(): boolean
  /** By the clock that all processes have, ms since 1970. */
  now(): number
  /** Counts the connection; null where there are too many: it has to be ended. */
  admit(socket: Socket, address: string): OpenConnection | null
  /** Who that is, or why it is refused, which is recorded. */
  signIn(login: Login, place: OpenConnection): Promise<Device | LoginRefusal>
  connected(line: DeviceLine): void
  /** `isProper`: the device has said that it leaves. */
  disconnected(line: DeviceLine, isProper: boolean): void
  /** Returns for how long from now on the connection is not read, ms. */
  received(device: Device, sizeBytes: number): number
  /** Something has come that says no time. */
  heard(device: Device): void
  /** Resolves when every report is in the database, or will never be. `detail`: what of the message is nothing. */
  enter(
    line: DeviceLine,
    message: LineMessage,
    said: { reports: readonly LineReport[]; detail: string | null },
  ): Promise<Answer>
  /** Records a message that cannot be read; a device with too many is disconnected. */
  unreadable(
    line: DeviceLine,
    message: LineMessage,
    why: { reason: 'badPayload' | 'notJson' | 'tooLarge' | 'unknownTopic'; detail: string | null },
  ): void
  /** Ends a command in the device's name. */
  reply(device: Device, reply: CommandReplyGiven): void
  /** Writes an entry of the protocol's own in the device's lane. */
  write<Entry>(device: Pick<Device, 'id'>, writer: Writer<Entry>, entry: Entry): Promise<Outcome>
  /** `drain` sends the devices away over this time. */
  join(part: { transport: OwnTransport; count(): number; drain(overMs: number): Promise<void> }): void
  close(): void
}

export interface LinesNeeds extends IntakeNeeds {
  identities: Identities
  checks: SecretChecks
  limiter: ConnectionLimiter
  conduct: Conduct
  tls: Tls | null
  isServing(): boolean
}

type Joined = Parameters<DeviceLines['join']>[0]

export function createLines(
  { log, notices, refusals, presence, lanes, identities, checks, ...needs }: LinesNeeds,
  { protocol, isOpenTo }: { protocol: DeviceProtocol; isOpenTo?: (address: string) => boolean },
  joined: (part: Joined) => void,
): DeviceLines {
  const { limiter, conduct, tls, isServing, now } = needs
  const connections = createConnections<DeviceLine>({
    protocol,
    identities,
    notices,
    secure: tls && { tls },
    log,
  })
  // A name of the protocol's own in place of the code is what such a device is called.
  const signIn = createSignIn({
    protocol,
    identities,
    conduct,
    checks,
    isForeign: () => true,
    ...(isOpenTo && { isOpenTo }),
  })
  const handler = createMessageHandler<Device>(
    { ...needs, lanes, presence },
    refusals,
    (_sender, _report, done) => done(),
  )

  return {
    isServing,
    now,
    admit(socket, address) {
      const place = limiter.admit(socket, address)
      if (place) limiter.speaks(place)
      return place
    },
    async signIn(login, place) {
      if (!isServing()) return 'unavailable'
      const device = await signIn(login)
      return typeof device === 'string' || limiter.signsIn(place) ? device : 'unavailable'
    },
    connected(line) {
      connections.add(line)
      presence.connected(line.identity.id, line.address, undefined, line)
    },
    disconnected(line, isProper) {
      connections.remove(line)
      presence.disconnected(line.identity.id, isProper)
    },
    received: ({ id }, sizeBytes) => conduct.received(id, sizeBytes),
    heard: ({ id }) => void presence.heard(id, now(), 0, true),
    enter: ({ identity, address }, message, said) =>
      new Promise((resolve) => {
        handler.enterAll(identity, message, address, said, (answer = 'acknowledged') => resolve(answer))
      }),
    unreadable(line, { topic, payload }, { reason, detail }) {
      const { id, code } = line.identity
      refusals.record({
        deviceCode: code,
        deviceId: id,
        reason,
        topic,
        detail,
        payload: printable(payload),
        address: line.address,
      })
      // After its answer.
      if (conduct.refused(id)) setImmediate(() => line.close())
    },
    reply: handler.reply,
    write: ({ id: deviceId }, writer, entry) =>
      new Promise((resolve) => {
        lanes.put({ deviceId, writer, entry, messageId: null, done: (outcome) => resolve(outcome) })
      }),
    join: joined,
    close: () => connections.stopChecking(),
  }
}
