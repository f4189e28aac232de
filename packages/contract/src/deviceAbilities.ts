// What a device can be told, by the protocol that it speaks. What it cannot is said where it would be pressed.
import * as z from 'zod/mini'
import { remoteActionNames, remoteActions } from './actions.ts'

/** Remote actions, and the other commands of the device protocol. */
export const abilities = [
  ...remoteActions,
  'setParameters',
  'upgrade',
  'extractLog',
  'advertise',
  'withdraw',
] as const
export type Ability = (typeof abilities)[number]

export const abilityNames: Readonly<Record<Ability, string>> = {
  ...remoteActionNames,
  setParameters: '设置参数',
  upgrade: '升级固件',
  extractLog: '提取日志',
  advertise: '投放广告',
  withdraw: '撤下广告',
}

/** `lacks`: what the protocol of a device has no words for. */
export const SpokenProtocol = z.object({
  /** In the words of the console: 标准协议, hawkBit DDI, or the name of a mapping. */
  name: z.string(),
  lacks: z.array(z.enum(abilities)),
})
export type SpokenProtocol = z.output<typeof SpokenProtocol>

/** Why something cannot be pressed; undefined where it can. */
export const lackOf = (
  protocol: Pick<SpokenProtocol, 'lacks'> | undefined,
  ability: Ability,
): string | undefined =>
  protocol?.lacks.includes(ability) ? `该设备的协议不支持${abilityNames[ability]}` : undefined
