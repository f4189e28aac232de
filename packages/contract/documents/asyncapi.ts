// Writes the device protocol as an AsyncAPI 3 document, from the server's side: it receives what devices report, and
// sends commands that devices answer.
import { downTopics, maxPayloadBytes, type Topic, topicOf, upTopics } from '../src/topics/index.ts'
import { payloadSchemaOf } from './json-schema.ts'

export function asyncApiDocument(): object {
  const ups = Object.values(upTopics)
  const downs = Object.values(downTopics)
  const topics: readonly Topic[] = [...ups, ...downs]
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Voltkeep device protocol',
      version: '1.2.0',
      description: [
        'What a cabinet, battery or energy-storage device tells the server over MQTT 3.1.1, and what the server',
        'tells it to do.',
        'Client id and user name are the device code, the password is its secret. QoS 1: a PUBACK means',
        'that the message is committed in the database. A message whose id was seen before changes nothing.',
        `A payload is UTF-8 JSON of at most ${maxPayloadBytes} bytes.`,
        'The rules in words stand in device-protocol.md.',
      ].join(' '),
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      voltkeep: {
        host: '{host}:{port}',
        protocol: 'mqtt',
        protocolVersion: '3.1.1',
        variables: {
          host: { default: 'localhost', description: 'Address of the server or of its broker.' },
          port: { default: '1883' },
        },
        security: [{ $ref: '#/components/securitySchemes/deviceSecret' }],
        bindings: {
          mqtt: {
            clientId: '{deviceCode}',
            lastWill: { topic: topicOf('{deviceCode}', 'up', 'connection'), qos: 1, retain: false },
            keepAlive: 60,
          },
        },
      },
    },
    channels: Object.fromEntries(
      topics.map((topic) => [
        keyOf(topic),
        {
          address: topicOf('{deviceCode}', topic.direction, topic.name),
          summary: topic.summary,
          parameters: { deviceCode: { $ref: '#/components/parameters/deviceCode' } },
          messages: { [keyOf(topic)]: { $ref: `#/components/messages/${keyOf(topic)}` } },
        },
      ]),
    ),
    operations: Object.fromEntries([
      ...ups.map((topic) => [`receive-${topic.name}`, { action: 'receive', ...operationOf(topic) }]),
      ...downs.map((topic) => [
        `send-${topic.name}`,
        {
          action: 'send',
          ...operationOf(topic),
          reply: {
            channel: channelOf(upTopics[topic.answeredBy]),
            messages: [messageOf(upTopics[topic.answeredBy])],
          },
        },
      ]),
    ]),
    components: {
      parameters: {
        deviceCode: { description: "The device's code: 1 to 32 letters or digits." },
      },
      securitySchemes: {
        deviceSecret: {
          type: 'userPassword',
          description: "User name: the device's code. Password: its secret, shown once when it is made.",
        },
      },
      messages: Object.fromEntries(
        topics.map((topic) => [
          keyOf(topic),
          {
            name: topic.name,
            summary: topic.summary,
            contentType: 'application/json',
            ...correlationOf(topic),
            payload: payloadSchemaOf(topic),
            examples: [{ payload: topic.example }],
          },
        ]),
      ),
    },
  }
}

/** A name alone would not do: `upgrade` goes both ways. */
const keyOf = ({ direction, name }: Topic) => `${direction}-${name}`
const channelOf = (topic: Topic) => ({ $ref: `#/channels/${keyOf(topic)}` })
const messageOf = (topic: Topic) => ({ $ref: `#/channels/${keyOf(topic)}/messages/${keyOf(topic)}` })

function operationOf(topic: Topic) {
  return {
    channel: channelOf(topic),
    summary: topic.summary,
    messages: [messageOf(topic)],
    bindings: { mqtt: { qos: 1, retain: false } },
  }
}

/** A reply names its command by the command's id. */
function correlationOf(topic: Topic) {
  if (topic.direction === 'down') return { correlationId: { location: '$message.payload#/id' } }
  const isAnswer = Object.values(downTopics).some(({ answeredBy }) => answeredBy === topic.name)
  return isAnswer ? { correlationId: { location: '$message.payload#/commandId' } } : {}
}
