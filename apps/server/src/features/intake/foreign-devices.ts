// Devices of other makers, at the embedded broker or an external one: their messages become reports by the mapping of their model, commands
// become messages of theirs.
import { type DownTopicName, downTopics, topicOf } from '@voltkeep/contract/topics/index'
import type { ForeignWords } from '../../platform/devices/commands/transport.embedded.ts'
import { Fault, type KeptMessages, type KnownMappings, Memory } from '../mappings/index.ts'
import type { Device } from './admission/device-identities.ts'
import type { CommandReplyGiven, ForeignMessage, ForeignReading } from './message-handler.ts'

export interface ForeignDevices extends ForeignWords<Device> {
  /** Undefined: the device speaks our protocol. */
  read(device: Device, message: ForeignMessage): ForeignReading | undefined
  isForeign(device: Device): boolean
  maySubscribe(device: Device, filter: string): boolean
  disconnected(device: Device): void
  /** The same, by its id. */
  forget(deviceId: number): void
}

const commandNames = Object.keys(downTopics) as DownTopicName[]
const ownRoot = topicOf('', 'up', '').slice(0, topicOf('', 'up', '').indexOf('/') + 1)
const isOwnProtocol = (topic: string) => topic.startsWith(ownRoot)

/** `answer` is called with how a command has ended that its device never hears of, or does not answer. */
export function createForeignDevices({
  known,
  kept,
  answer,
}: {
  known: Pick<KnownMappings, 'of'>
  kept: Pick<KeptMessages, 'record'>
  answer(device: Device, reply: CommandReplyGiven): void
}): ForeignDevices {
  const memories = new Map<number, Memory>()
  const memoryOf = ({ id }: Device): Memory => {
    let memory = memories.get(id)
    if (!memory) {
      memory = new Memory()
      memories.set(id, memory)
    }
    return memory
  }
  const isForeign = ({ modelId }: Device) => known.of(modelId) !== undefined

  return {
    isForeign,

    read(device, { topic, payload, receivedAtMs }) {
      const mapping = known.of(device.modelId)
      // A topic of our protocol that is not the device's own stays refused.
      if (mapping === undefined || isOwnProtocol(topic)) return undefined
      const keep = (outcome: 'mapped' | 'unmapped', pattern: string | null, detail: string | null) =>
        kept.record({
          deviceId: device.id,
          topic,
          pattern: pattern ?? topic,
          payload,
          outcome,
          detail,
          receivedAt: new Date(receivedAtMs),
        })
      if (mapping === null) {
        const detail = '型号的报文映射没有启用的版本'
        keep('unmapped', null, detail)
        return { reports: [], detail }
      }
      const memory = memoryOf(device)
      const {
        reports,
        faults,
        isMapped,
        isForeign: isOfAnother,
        pattern,
      } = mapping.understand(topic, payload, device, memory, receivedAtMs)
      if (isOfAnother) return 'foreign'
      const detail = faults.length > 0 ? faults.join('；') : null
      keep(isMapped && detail === null ? 'mapped' : 'unmapped', pattern, detail)
      return { reports, detail, unwritten: () => memory.forgetAlarms() }
    },

    maySubscribe: (device, filter) => known.of(device.modelId)?.maySubscribe(filter, device) === true,

    listening(device, isSubscribed) {
      const mapping = known.of(device.modelId)
      if (mapping === undefined) return null
      return commandNames.filter((name) => {
        const topics = mapping?.topicsFor(device, name) ?? []
        // What it has no words for is answered at once, so that nobody waits for it.
        return topics.length === 0 || topics.some(isSubscribed)
      })
    },

    tell(device, topic, payload) {
      const mapping = known.of(device.modelId)
      const command = JSON.parse(payload) as Record<string, unknown>
      const commandId = String(command.id)
      const told = mapping?.tell(topic as DownTopicName, command, device, memoryOf(device)) ?? null
      if (told === null || told instanceof Fault) {
        const reason =
          told === null ? '该设备的协议不支持此操作' : `命令不能写成该设备的报文：${told.text}`.slice(0, 200)
        answer(device, { commandId, outcome: 'refused', reason })
        return null
      }
      return {
        message: { topic: told.topic, payload: told.payload },
        delivered: () => told.isDoneWhenDelivered && answer(device, { commandId, outcome: 'done' }),
      }
    },

    disconnected: ({ id }) => void memories.delete(id),
    forget: (deviceId) => void memories.delete(deviceId),
  }
}
