import { alarmLevelNames } from './dictionary.ts'
import type { UpgradeGateFigures } from './upgrades.ts'

/** The figures of the alarm gate as a Chinese sentence. */
export function describeGate(gate: UpgradeGateFigures): string {
  const { verified, alarmed, allowed, code, beforePercent, controlPercent, windowHours } = gate
  const name = gate.alarms.find((alarm) => alarm.code === code)?.name ?? code
  const what = code === null ? `新告警（${levelsOf(gate.alarmLevels)}）` : `新告警“${name}”`
  if (alarmed === 0) return `观察已升级的 ${verified} 台，没有${what}`
  const before = `这些设备升级前为 ${shareOf(beforePercent)}`
  const control = controlPercent === null ? '' : `，未升级的设备同期为 ${shareOf(controlPercent)}`
  const limit = allowed === 0 ? '不应有设备出现' : `最多允许 ${allowed} 台`
  return (
    `观察已升级的 ${verified} 台，其中 ${alarmed} 台出现${what}；` +
    `同样 ${spanOf(windowHours)}内${before}${control}，${limit}`
  )
}

const levelsOf = (levels: readonly number[]) =>
  levels.map((level) => alarmLevelNames[level] ?? String(level)).join('、')

const shareOf = (percent: number) => `${Number(percent.toPrecision(2))}%`

const spanOf = (hours: number) =>
  hours < 1 ? `${Math.round(hours * 60)} 分钟` : `${Number(hours.toFixed(1))} 小时`
