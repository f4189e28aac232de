import { type Ability, abilities } from './deviceAbilities.ts'

/** How a device's messages come to the server. In which words, a mapping of its model may say (deviceAbilities.ts). */
export const deviceProtocols = ['mqtt', 'ddi', 'ocpp16'] as const
export type DeviceProtocol = (typeof deviceProtocols)[number]

export const protocolNames = {
  mqtt: 'MQTT',
  ddi: 'hawkBit DDI',
  ocpp16: 'OCPP 1.6-J',
} as const satisfies Record<DeviceProtocol, string>

/** What cannot be asked for by a protocol, whatever the device. An update agent polls for software, and for nothing else. */
export const lackedBy: Readonly<Record<DeviceProtocol, readonly Ability[]>> = {
  mqtt: [],
  ddi: abilities.filter((ability) => ability !== 'upgrade'),
  // A charging station shows no pictures.
  ocpp16: ['advertise', 'withdraw'],
}

/** The protocols by which a device does not do it. */
export const protocolsWithout = (ability: Ability): DeviceProtocol[] =>
  deviceProtocols.filter((protocol) => lackedBy[protocol].includes(ability))
