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
import type { Device, Identities } from './admission/device-identities.ts'
import { openSession } from './broker-session.ts'
import { printable } from './message-decoding.ts'
import {
  createMessageHandler,
  drained,
  type Intake,
  type IntakeNeeds,
  waitingLimitBytes,
} from './message-handler.ts'

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
  ...needs
}: IntakeNeeds & {
  url: string
  dataDir: string
  reachability: DeviceReachability
  identities: Pick<Identities, 'find'>
}): Promise<Intake> {
  const { log, lanes, presence, refusals } = needs
  const session = await openSession(dataDir)
  const { handle } = createMessageHandler(needs, refusals, ({ id }, { isOnline }, done) => {
    if (isOnline) presence.connected(id, null, done)
    // Brokers publish the will also when the same device connects again: so there is the same grace as for a broken
    // connection.
    else presence.disconnected(id, false, done)
  })

  let isClosed = false

  async function admit(
    code: string,
    message: Message,
    done: (isAcknowledged?: boolean) => void,
  ): Promise<void> {
    const device = await findPatiently(code)
    if (device === undefined) return
    if (device) {
      // A message that is refused is acknowledged here: the connection belongs to all devices.
      handle(device, message, null, (answer) => done(answer !== 'unacknowledged'))
      return
    }
    refusals.record({
      deviceCode: printable(Buffer.from(code)),
      deviceId: null,
      reason: 'unknownDevice',
      topic: message.topic,
      detail: null,
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

  const subscriber = createSubscriber({
    url,
    clientId: session.name,
    topicFilter: everyUpTopic,
    log,
    waitingLimitBytes,
    receive(message, done) {
      const code = parseTopic(message.topic)?.deviceCode ?? ''
      const turn = (latest.get(code) ?? Promise.resolve()).then(() => admit(code, message, done))
      latest.set(code, turn)
      void turn.then(() => {
        if (latest.get(code) === turn) latest.delete(code)
      })
    },
  })

  const transport = createExternalTransport(subscriber, reachability)

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
