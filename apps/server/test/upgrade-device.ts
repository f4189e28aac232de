import { downFilterOf, topicOf } from '@voltkeep/contract/topics/index'
import type { IPublishPacket } from 'mqtt-packet'
import type { TestDevice } from './factories.ts'
import { connectDevice } from './mqtt-client.ts'

/** The fields of an upgrade command that tests check. */
export interface UpgradeOrder {
  id: string
  targetId: string
  partType: string
  addrIds: string[]
  version: string
  url: string
  deadline: number
}

export interface ScriptedDevice {
  /** Waits for the next upgrade command that is new, and acknowledges the messages. */
  order(): Promise<UpgradeOrder>
  reply(order: UpgradeOrder, outcome: 'done' | 'refused' | 'failed', reason?: string): Promise<boolean>
  /** Reports progress; resolves with whether it was acknowledged. */
  tell(order: Pick<UpgradeOrder, 'targetId'>, state: string, more?: object): Promise<boolean>
  /** Reports versions, by part type and address, e.g. `{ 'PART_TYPE_EC_MASTER 0': '1.4' }`. */
  versions(of: Readonly<Record<string, string>>): Promise<boolean>
  breakOff(): void
}

let serial = 0
const head = () => {
  serial += 1
  return { id: `u-${serial}`, time: Date.now() }
}

/** A device that upgrades exactly as a test says. */
export async function scriptedDevice(port: number, device: TestDevice): Promise<ScriptedDevice> {
  const client = await connectDevice(port, device)
  client.send({
    cmd: 'subscribe',
    messageId: 1,
    subscriptions: [{ topic: downFilterOf(device.code), qos: 1 }],
  })
  await client.next('suback')
  /** A command may come again under its id, and a device carries it out once. */
  const taken = new Set<string>()
  const up = (name: string, payload: object) =>
    client.publish(topicOf(device.code, 'up', name), { ...head(), ...payload })
  return {
    async order() {
      for (;;) {
        const packet = (await client.next('publish')) as IPublishPacket | null
        if (!packet) throw new Error(`${device.code} was disconnected`)
        client.send({ cmd: 'puback', messageId: packet.messageId })
        const order = JSON.parse(String(packet.payload)) as UpgradeOrder
        if (taken.has(order.id)) continue
        taken.add(order.id)
        return order
      }
    },
    reply: (order, outcome, reason) =>
      up('reply', { commandId: order.id, outcome, ...(reason && { reason }) }),
    tell: (order, state, more) => up('upgrade', { targetId: order.targetId, state, ...more }),
    versions: (of) =>
      up('version', {
        versions: Object.entries(of).map(([part, version]) => {
          const [partType, addrId] = part.split(' ')
          return { partType, addrId, version }
        }),
      }),
    breakOff: () => client.breakOff(),
  }
}
