import { setTimeout as delay } from 'node:timers/promises'
import { everyUpTopic, parseTopic } from '@voltkeep/contract/topics/index'
import type { Message } from '../../platform/mqtt/broker.ts'
import { createSubscriber } from '../../platform/mqtt/subscriber.ts'
import { printable } from './intake.decode.ts'
import { createIdentities, type Device } from './intake.identity.ts'
import { createTaker, drained, type Intake, type IntakeNeeds, waitingLimitBytes } from './intake.mqtt.ts'
import { findDevicesByCode } from './intake.queries.ts'
import { createRefusals } from './intake.refusals.ts'
import { openSession } from './intake.session.ts'

const retryMs = 1_000
const lookUpLimitMs = 2_000

/**
 * Devices at a broker that is not ours. Who they are is that broker's to check, and that each publishes
 * under its own topics only: the sender is who the topic names, if it is registered. Who is there, the
 * devices say themselves, in person and by their last will.
 */
export async function createExternalIntake({
  url,
  dataDir,
  ...needs
}: IntakeNeeds & { url: string; dataDir: string }): Promise<Intake> {
  const { db, log, notices, metrics, lanes, presence } = needs
  const session = await openSession(dataDir)
  const refusals = createRefusals({ db, log, metrics })
  const identities = createIdentities({ read: (codes) => findDevicesByCode(db, codes) })
  const take = createTaker(needs, refusals, ({ id }, { isOnline }, settled) => {
    if (isOnline) presence.connected(id, null, settled)
    // Brokers publish the will of a connection that the same device takes over from: grace, as for a break.
    else presence.disconnected(id, false, settled)
  })
  const unsubscribe = notices.subscribe('devicesChanged', ({ codes }) => identities.forget(codes))

  let isClosed = false

  async function admit(code: string, message: Message, done: () => void): Promise<void> {
    const device = await findPatiently(code)
    if (device === undefined) return
    if (device) {
      take(device, message, null, () => done())
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

  /** While the database is away the broker keeps the message and we ask again; undefined once we have closed. */
  async function findPatiently(code: string): Promise<Device | null | undefined> {
    while (!isClosed) {
      try {
        return await identities.find(code)
      } catch (err) {
        log.debug({ err }, '暂时无法确认报文的设备')
        await delay(retryMs, undefined, { ref: false })
      }
    }
    return undefined
  }

  // A device's messages go on in the order in which they came. Of two look-ups the later may be answered
  // first: a recovery once passed the next alarm that way, and that alarm was counted to the one before.
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

  return {
    async listen() {
      subscriber.start()
      return null
    },
    async ping() {
      if (!subscriber.isConnected) throw new Error('not connected to the external broker')
    },
    async close() {
      subscriber.stopReading()
      unsubscribe()
      // What was read has its turn, unless its device cannot be looked up now.
      await Promise.race([Promise.all(latest.values()), delay(lookUpLimitMs, undefined, { ref: false })])
      await drained(lanes)
      isClosed = true
      await subscriber.close()
      session.release()
      await refusals.close()
    },
  }
}
