// The words for what a device's protocol has no words for. Apart from the abilities: every list of devices loads these.
import { remoteActionNames } from './actions.ts'
import type { Ability } from './deviceAbilities.ts'

export const abilityNames: Readonly<Record<Ability, string>> = {
  ...remoteActionNames,
  setParameters: '设置参数',
  upgrade: '升级固件',
  extractLog: '提取日志',
  advertise: '投放广告',
  withdraw: '撤下广告',
}

/** Why a device that another platform controls cannot be told anything. */
export const observedText = '仅观察，由原平台控制'

/** Why something cannot be pressed; undefined where it can. */
export const lackOf = (
  protocol: { readonly lacks: readonly Ability[]; readonly isObserved?: boolean } | undefined,
  ability: Ability,
): string | undefined => {
  if (protocol?.isObserved) return observedText
  return protocol?.lacks.includes(ability) ? `该设备的协议不支持${abilityNames[ability]}` : undefined
}
