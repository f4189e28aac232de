import type { InputOf, Schema } from '../endpoint.ts'

/** One MQTT topic of the device protocol. */
interface TopicOf<Name extends string, S extends Schema> {
  name: Name
  /** One line for the protocol documents. */
  summary: string
  payload: S
  /** An example message as its sender would write it. */
  example: InputOf<S>
}

/** Published by the device. */
export interface UpTopic<Name extends string = string, S extends Schema = Schema> extends TopicOf<Name, S> {
  direction: 'up'
}

/** Published by the server: a command. */
export interface DownTopic<
  Name extends string = string,
  S extends Schema = Schema,
  Answer extends string = string,
> extends TopicOf<Name, S> {
  direction: 'down'
  /** The up topic on which the device answers. */
  answeredBy: Answer
}

export type Topic = UpTopic | DownTopic

export function upTopic<const Name extends string, S extends Schema>(
  definition: TopicOf<Name, S>,
): UpTopic<Name, S> {
  return { ...definition, direction: 'up' }
}

export function downTopic<const Name extends string, S extends Schema, const Answer extends string>(
  definition: TopicOf<Name, S> & { answeredBy: Answer },
): DownTopic<Name, S, Answer> {
  return { ...definition, direction: 'down' }
}

const root = 'voltkeep'

/** `voltkeep/<device code>/up/<name>` */
export const topicOf = (deviceCode: string, direction: 'up' | 'down', name: string) =>
  `${root}/${deviceCode}/${direction}/${name}`

/** Everything that devices publish: the server's subscription at an external broker. */
export const everyUpTopic = `${root}/+/up/+`

/** The filter that a device may subscribe to. */
export const downFilterOf = (deviceCode: string) => `${root}/${deviceCode}/down/#`

/** The parts of a topic; null if it does not match the protocol. */
export function parseTopic(
  value: string,
): { deviceCode: string; direction: 'up' | 'down'; name: string } | null {
  const parts = value.split('/')
  const [first, deviceCode, direction, name] = parts
  if (parts.length !== 4 || first !== root || !deviceCode || !name) return null
  if (direction !== 'up' && direction !== 'down') return null
  return { deviceCode, direction, name }
}
