import { parseCompartmentKey, type ReadingRow } from '@voltkeep/contract/readings'
import { figureOf } from './device.figures.ts'

/** Readings of one kind, under one title. */
export interface ReadingGroup {
  title: string
  readings: readonly ReadingRow[]
}

const byUnit: [title: string, units: readonly string[]][] = [
  ['电气', ['V', 'mV', 'A', 'mA', 'W', 'kW', 'kWh', 'Ah', 'Hz', 'VA', 'Ω', 'mΩ']],
  ['温湿度', ['℃', '°C', '%RH']],
  ['电池', ['%', '次']],
  ['通信', ['dBm', 'dB', 'ms']],
]
const others = '其他'

/**
 * The readings of the device itself, grouped by what they measure; those of compartments stand in the drawing. A few
 * need no titles, and neither do those of one kind: they are one group.
 */
export function groupsOf(readings: readonly ReadingRow[]): ReadingGroup[] {
  const own = readings.filter(({ key }) => parseCompartmentKey(key) === null)
  if (own.length <= fewReadings) return own.length > 0 ? [{ title: '', readings: own }] : []
  const groups = new Map<string, ReadingRow[]>()
  for (const reading of own) {
    const title = byUnit.find(([, units]) => units.includes(figureOf(reading).unit))?.[0] ?? others
    groups.set(title, [...(groups.get(title) ?? []), reading])
  }
  if (groups.size === 1) return [{ title: '', readings: own }]
  return [...byUnit.map(([title]) => title), others].flatMap((title) => {
    const of = groups.get(title)
    return of ? [{ title, readings: of }] : []
  })
}

const fewReadings = 4
