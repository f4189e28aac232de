// What a shelf of alarms is about, in words: its devices, or what they have in common, and which alarms.
import { formatCount } from './format.ts'
import { texts } from './texts/index.ts'

const words = {
  devicesOf: (codes: string, count: string | undefined) => (count ? `${codes} 等 ${count} 台` : codes),
  compartmentOf: (no: number) => `${no}号仓`,
  everyDevice: '全部设备',
  once: '本次告警',
}

export interface ShelfScope {
  /** Null: by what devices have in common. */
  deviceCodes: readonly string[] | null
  deviceCount: number
  placeNames: readonly (string | null)[]
  compartment: number | null
  semaphoreNames: readonly string[] | null
  alarmLevels: readonly (1 | 2 | 3 | 4)[] | null
  isOneShot: 0 | 1
}

export function shelfScope(shelf: ShelfScope): string {
  const codes = (shelf.deviceCodes ?? []).slice(0, 3).join('、')
  const devices = shelf.deviceCodes
    ? words.devicesOf(codes, shelf.deviceCount > 3 ? formatCount(shelf.deviceCount) : undefined)
    : shelf.placeNames.filter(Boolean).join(' ') || words.everyDevice
  return [
    devices,
    shelf.compartment !== null && words.compartmentOf(shelf.compartment),
    shelf.semaphoreNames?.join('、'),
    shelf.alarmLevels?.map((level) => texts.states.levels[level]).join('、'),
    shelf.isOneShot === 1 && words.once,
  ]
    .filter(Boolean)
    .join(' · ')
}
