import { maxPayloadBytes, topicOf, upTopics } from '../src/topics/index.ts'
import { payloadSchemaOf } from './json-schema.ts'

/** The device protocol as an AsyncAPI 3 document, from the server's side: it receives what devices send. */
export function asyncApiDocument(): object {
  const topics = Object.values(upTopics)
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Voltkeep device protocol',
      version: '1.0.0',
      description: [
        'What a cabinet, battery or energy-storage device tells the server over MQTT 3.1.1.',
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
      topics.map(({ name, summary }) => [
        name,
        {
          address: topicOf('{deviceCode}', 'up', name),
          summary,
          parameters: { deviceCode: { $ref: '#/components/parameters/deviceCode' } },
          messages: { [name]: { $ref: `#/components/messages/${name}` } },
        },
      ]),
    ),
    operations: Object.fromEntries(
      topics.map(({ name, summary }) => [
        `receive-${name}`,
        {
          action: 'receive',
          channel: { $ref: `#/channels/${name}` },
          summary,
          messages: [{ $ref: `#/channels/${name}/messages/${name}` }],
          bindings: { mqtt: { qos: 1, retain: false } },
        },
      ]),
    ),
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
          topic.name,
          {
            name: topic.name,
            summary: topic.summary,
            contentType: 'application/json',
            payload: payloadSchemaOf(topic),
            examples: [{ payload: topic.example }],
          },
        ]),
      ),
    },
  }
}
