/**
 * How devices speak with the server, and what cannot be asked of them by it: said where it would be pressed, and refused
 * by the server in the same words.
 */
export const deviceProtocols = ['mqtt', 'ddi'] as const
export type DeviceProtocol = (typeof deviceProtocols)[number]

export const protocolNames = { mqtt: 'MQTT', ddi: 'hawkBit DDI' } as const satisfies Record<
  DeviceProtocol,
  string
>

/** What a device does for its operator beside being upgraded. */
export type DeviceAbility = 'parameters' | 'logs' | 'actions' | 'advertisements'

/** An update agent polls for software, and for nothing else. */
const lacking: Record<DeviceProtocol, readonly DeviceAbility[]> = {
  mqtt: [],
  ddi: ['parameters', 'logs', 'actions', 'advertisements'],
}

export const isAble = (protocol: DeviceProtocol, ability: DeviceAbility): boolean =>
  !lacking[protocol].includes(ability)

/** The protocols by which a device does not do it. */
export const protocolsWithout = (ability: DeviceAbility): DeviceProtocol[] =>
  deviceProtocols.filter((protocol) => !isAble(protocol, ability))

const things: Record<DeviceAbility, string> = {
  parameters: '设置参数',
  logs: '提取日志',
  actions: '远程操作',
  advertisements: '投放广告',
}

export const inabilityText = (protocol: DeviceProtocol, ability: DeviceAbility): string =>
  `该设备以 ${protocolNames[protocol]} 接入，不支持${things[ability]}`
