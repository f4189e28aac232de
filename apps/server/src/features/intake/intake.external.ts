import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { everyUpTopic, parseTopic } from '@voltkeep/contract/topics/index'
import { createSubscriber } from '../../platform/mqtt/subscriber.ts'
import { printable } from './intake.decode.ts'
import { createIdentities } from './intake.identity.ts'
import { createTaker, drained, type Intake, type IntakeNeeds, waitingLimitBytes } from './intake.mqtt.ts'
import { findDevicesByCode } from './intake.queries.ts'
import { createRefusals } from './intake.refusals.ts'

const retryMs = 1_000

/**
 * Devices at a broker that is not ours. Who they are is that broker's to check, and that each publishes
 * under its own topics only: the sender is who the topic names, if it is registered. Who is there, the
 * devices say themselves, in person and by their last will.
 */
export function createExternalIntake({
  url,
  dataDir,
  ...needs
}: IntakeNeeds & { url: string; dataDir: string }): Intake {
  const { db, log, notices, metrics, lanes, presence } = needs
  const refusals = createRefusals({ db, log, metrics })
  const identities = createIdentities({ read: (codes) => findDevicesByCode(db, codes) })
  const take = createTaker(needs, refusals, ({ id }, { isOnline }) => {
    if (isOnline) presence.connected(id, null)
    // Brokers publish the will of a connection that the same device takes over from: grace, as for a break.
    else presence.disconnected(id, false)
  })
  const unsubscribe = notices.subscribe('devicesChanged', ({ codes }) => identities.forget(codes))

  const subscriber = createSubscriber({
    url,
    clientId: sessionName(dataDir),
    topicFilter: everyUpTopic,
    log,
    waitingLimitBytes,
    receive(message, done) {
      const code = parseTopic(message.topic)?.deviceCode ?? ''
      const find = async () => {
        const device = await identities.find(code)
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
      // The database is away: the broker keeps the message, we ask again.
      const retry = (err: unknown) => {
        log.debug({ err }, '暂时无法确认报文的设备')
        setTimeout(() => find().catch(retry), retryMs)
      }
      find().catch(retry)
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
      await drained(lanes)
      await subscriber.close()
      await refusals.close()
    },
  }
}

/** The same after each start, so that the broker knows its session; another on another machine or directory. */
const sessionName = (dataDir: string) =>
  `voltkeep-${createHash('sha256').update(`${hostname()}\n${dataDir}`).digest('hex').slice(0, 10)}`
