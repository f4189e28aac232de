import {
  type ActionCommand,
  type AdvertiseCommand,
  type DownTopicName,
  downTopics,
  type ExtractLogCommand,
  parseTopic,
  type SetParametersCommand,
  type UpgradeCommand,
  type WithdrawCommand,
} from '@voltkeep/contract/topics/index'

export type KnownCommand =
  | { name: 'advertise'; body: AdvertiseCommand }
  | { name: 'withdraw'; body: WithdrawCommand }
  | { name: 'upgrade'; body: UpgradeCommand }
  | { name: 'setParameters'; body: SetParametersCommand }
  | { name: 'extractLog'; body: ExtractLogCommand }
  | { name: 'action'; body: ActionCommand }

export type Decoded =
  | { kind: 'known'; command: KnownCommand }
  /** It has an id and can be answered, but this device does not know the command. */
  | { kind: 'unknown'; id: string; reason: string }
  /** It has no id that could be answered. */
  | { kind: 'unreadable' }

/** Reads a message of a down topic by the contract's schemas. */
export function decodeCommand(topic: string, payload: Buffer): Decoded {
  const name = parseTopic(topic)?.name ?? ''
  let body: unknown
  try {
    body = JSON.parse(payload.toString())
  } catch {
    return { kind: 'unreadable' }
  }
  const id = (body as { id?: unknown } | null)?.id
  if (typeof id !== 'string' || id === '') return { kind: 'unreadable' }
  if (!isCommandName(name)) return { kind: 'unknown', id, reason: '不支持的命令' }
  const command = parse(name, body)
  return command ? { kind: 'known', command } : { kind: 'unknown', id, reason: '命令内容有误' }
}

function isCommandName(name: string): name is DownTopicName {
  return Object.hasOwn(downTopics, name)
}

function parse(name: DownTopicName, body: unknown): KnownCommand | null {
  switch (name) {
    case 'advertise': {
      const result = downTopics.advertise.payload.safeParse(body)
      return result.success ? { name, body: result.data } : null
    }
    case 'withdraw': {
      const result = downTopics.withdraw.payload.safeParse(body)
      return result.success ? { name, body: result.data } : null
    }
    case 'upgrade': {
      const result = downTopics.upgrade.payload.safeParse(body)
      return result.success ? { name, body: result.data } : null
    }
    case 'setParameters': {
      const result = downTopics.setParameters.payload.safeParse(body)
      return result.success ? { name, body: result.data } : null
    }
    case 'extractLog': {
      const result = downTopics.extractLog.payload.safeParse(body)
      return result.success ? { name, body: result.data } : null
    }
    case 'action': {
      const result = downTopics.action.payload.safeParse(body)
      return result.success ? { name, body: result.data } : null
    }
  }
}
