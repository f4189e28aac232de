import type { InputOf, Schema } from '../endpoint.ts'

/** One MQTT topic of the device protocol. `up` is published by the device, `down` by the server. */
export interface Topic<Name extends string = string, S extends Schema = Schema> {
  name: Name
  direction: 'up' | 'down'
  /** One line for the protocol documents. */
  summary: string
  payload: S
  /** A message as a device would send it. */
  example: InputOf<S>
}

export function topic<const Name extends string, S extends Schema>(
  definition: Topic<Name, S>,
): Topic<Name, S> {
  return definition
}

const root = 'voltkeep'

/** `voltkeep/<device code>/up/<name>` */
export const topicOf = (deviceCode: string, direction: 'up' | 'down', name: string) =>
  `${root}/${deviceCode}/${direction}/${name}`

/** All that devices publish, for a server that subscribes at a broker of its own. */
export const everyUpTopic = `${root}/+/up/+`

/** What a device may subscribe to. */
export const downFilterOf = (deviceCode: string) => `${root}/${deviceCode}/down/#`

/** Takes a topic apart; null where it is not one of the protocol's form. */
export function parseTopic(
  value: string,
): { deviceCode: string; direction: 'up' | 'down'; name: string } | null {
  const parts = value.split('/')
  const [first, deviceCode, direction, name] = parts
  if (parts.length !== 4 || first !== root || !deviceCode || !name) return null
  if (direction !== 'up' && direction !== 'down') return null
  return { deviceCode, direction, name }
}
