import {
  type AdvertiseCommand,
  downTopics,
  parseTopic,
  type WithdrawCommand,
} from '@voltkeep/contract/topics/index'

export type KnownCommand =
  | { name: 'advertise'; body: AdvertiseCommand }
  | { name: 'withdraw'; body: WithdrawCommand }

export type Decoded =
  | { kind: 'known'; command: KnownCommand }
  /** It has an id, so that it can be answered, but means nothing to this device. */
  | { kind: 'unknown'; id: string; reason: string }
  /** There is no id to answer to. */
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
  if (!isKnownName(name)) return { kind: 'unknown', id, reason: '不支持的命令' }
  const command = parse(name, body)
  return command ? { kind: 'known', command } : { kind: 'unknown', id, reason: '命令内容有误' }
}

function isKnownName(name: string): name is KnownCommand['name'] {
  return name === 'advertise' || name === 'withdraw'
}

function parse(name: KnownCommand['name'], body: unknown): KnownCommand | null {
  switch (name) {
    case 'advertise': {
      const result = downTopics.advertise.payload.safeParse(body)
      return result.success ? { name, body: result.data } : null
    }
    case 'withdraw': {
      const result = downTopics.withdraw.payload.safeParse(body)
      return result.success ? { name, body: result.data } : null
    }
  }
}
