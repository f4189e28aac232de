// Intake over an external broker: this process subscribes to the messages of all devices.

import { setTimeout as delay } from 'node:timers/promises'
import { everyUpTopic, parseTopic } from '@voltkeep/contract/topics/index'
import {
  createExternalTransport,
  type DeviceReachability,
} from '../../platform/devices/commands/transport.external.ts'
import type { Message } from '../../platform/devices/mqtt/outgoing.ts'
import { createSubscriber } from '../../platform/devices/mqtt/subscriber.ts'
import { spoken } from '../../platform/process/sentences.ts'
import type { KeptMessages, KnownMappings } from '../mappings/index.ts'
import type { Device, Identities } from './admission/device-identities.ts'
import { openSession } from './broker-session.ts'
import { createForeignDevices } from './foreign-devices.ts'
import { printable } from './message-decoding.ts'
import {
  createMessageHandler,
  drained,
  type Intake,
  type IntakeNeeds,
  waitingLimitBytes,
} from './message-handler.ts'
import { createSilence } from './silence.ts'

const retryMs = 1_000
const lookUpLimitMs = 2_000

/**
 * Devices at an external broker. The broker has to check who they are and that each publishes only to its own topics:
 * here the sender is the registered device that the topic names. Devices report their presence themselves, by messages
 * and by their last will.
 */
export async function createExternalIntake({
  url,
  dataDir,
  reachability,
  identities,
  mappings: { known, kept },
  ...needs
}: IntakeNeeds & {
  url: string
  dataDir: string
  reachability: DeviceReachability
  identities: Pick<Identities, 'find'>
  mappings: { known: KnownMappings; kept: KeptMessages }
}): Promise<Intake> {
  const { db, log, lanes, presence, refusals, now } = needs
  const session = await openSession(dataDir)
  const foreign = createForeignDevices({
    known,
    kept,
    answer: (device, reply) => handler.reply(device, reply),
  })
  // Devices of other makers say nothing of their presence that we would understand.
  const silence = createSilence({ db, log, presence, now, gone: foreign.forget })
  const handler = createMessageHandler<Device>(
    needs,
    refusals,
    ({ id }, { isOnline }, done) => {
      if (isOnline) presence.connected(id, null, done)
      // Brokers publish the will also when the same device connects again: so there is the same grace as for a broken
      // connection.
      else presence.disconnected(id, false, done)
    },
    undefined,
    (device, message) => {
      const reading = foreign.read(device, message)
      if (reading && reading !== 'foreign' && reading.reports.length > 0) silence.heard(device.id)
      return reading
    },
  )

  let isClosed = false

  /**
   * Who a topic is of: a device of ours by its code, else one of a maker by what a mapping of its model reads there. Unclear
   * where two devices are read: whoever registers one under a word of another maker's topics would speak for all of that maker's.
   */
  async function senderOf(topic: string, code: string): Promise<Device | null | undefined | 'unclear'> {
    if (parseTopic(topic)) return await findPatiently(code)
    let found: Device | null = null
    let other: Device | null = null
    for (const mapping of known.all())
      for (const name of mapping.namesIn(topic)) {
        const device = await findPatiently(name)
        if (device === undefined) return undefined
        // Of a model that does not speak so: what comes of it is refused in its name.
        if (!device || known.of(device.modelId) !== mapping) other ??= device
        else if (found && found.id !== device.id) return 'unclear'
        else found = device
      }
    return found ?? other
  }

  async function admit(
    code: string,
    message: Message,
    done: (isAcknowledged?: boolean) => void,
  ): Promise<void> {
    const device = await senderOf(message.topic, code)
    if (device === undefined) return
    if (device && device !== 'unclear') {
      // A message that is refused is acknowledged here: the connection belongs to all devices.
      handler.handle(device, message, null, (answer) => done(answer !== 'unacknowledged'))
      return
    }
    refusals.record({
      deviceCode: printable(Buffer.from(code)),
      deviceId: null,
      ...(device === 'unclear'
        ? { reason: 'unmapped', detail: '主题按启用的报文映射可属于两台设备' }
        : { reason: 'unknownDevice', detail: null }),
      topic: message.topic,
      payload: printable(message.payload),
      address: null,
    })
    done()
  }

  /** Asks again while the database is away, and the broker keeps the message; undefined after `close`. */
  async function findPatiently(code: string): Promise<Device | null | undefined> {
    while (!isClosed) {
      try {
        return await identities.find(code)
      } catch (err) {
        log.debug(
          { err },
          spoken({ zh: '暂时无法确认报文的设备', en: 'the device of a message cannot be looked up for now' }),
        )
        await delay(retryMs, undefined, { ref: false })
      }
    }
    return undefined
  }

  // Keeps the messages of one device in order. Of two look-ups the later may be answered first: that way a recovery
  // once came after the next alarm, and that alarm was counted to the former episode.
  const latest = new Map<string, Promise<void>>()

  /** What a topic of a maker calls its device. */
  const nameIn = (topic: string): string => {
    for (const mapping of known.all()) {
      const [name] = mapping.namesIn(topic)
      if (name !== undefined) return name
    }
    return ''
  }

  const subscriber = createSubscriber({
    url,
    clientId: session.name,
    topicFilter: everyUpTopic,
    moreFilters: () => [...new Set(known.all().flatMap(({ filters }) => filters))],
    log,
    waitingLimitBytes,
    receive(message, done) {
      const code = parseTopic(message.topic)?.deviceCode ?? nameIn(message.topic)
      const turn = (latest.get(code) ?? Promise.resolve()).then(() => admit(code, message, done))
      latest.set(code, turn)
      void turn.then(() => {
        if (latest.get(code) === turn) latest.delete(code)
      })
    },
  })

  known.onChange(() => subscriber.resubscribe())
  subscriber.onConnected(() => silence.begin())

  const transport = createExternalTransport(subscriber, reachability, {
    get isAny() {
      return known.isAny
    },
    async of(code, topic, payload) {
      const device = await identities.find(code)
      return device && foreign.isForeign(device) ? foreign.tell(device, topic, payload) : 'ours'
    },
  })

  return {
    transport,
    deviceCount: () => null,
    // Devices are connected to the broker.
    async drain() {},
    async listen() {
      subscriber.start()
      return { port: null, securePort: null }
    },
    async ping() {
      if (!subscriber.isConnected) throw new Error('not connected to the external broker')
    },
    async close() {
      subscriber.stopReading()
      transport.close()
      silence.close()
      // Messages that were read are handled, unless their device cannot be looked up now.
      await Promise.race([Promise.all(latest.values()), delay(lookUpLimitMs, undefined, { ref: false })])
      await drained(lanes)
      isClosed = true
      await subscriber.close()
      session.release()
      await refusals.close()
    },
  }
}
