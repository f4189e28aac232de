import { parseCompartmentKey } from '@voltkeep/contract/readings'
import type { CataloguedReading } from './catalogued.ts'
import { figureOf } from './device.figures.ts'

/** Readings of one kind, under one title. */
export interface ReadingGroup {
  title: string
  readings: readonly CataloguedReading[]
}

const byUnit: [title: string, units: readonly string[]][] = [
  ['电气', ['V', 'mV', 'A', 'mA', 'W', 'kW', 'kWh', 'Ah', 'Hz', 'VA', 'Ω', 'mΩ']],
  ['温湿度', ['℃', '°C', '%RH']],
  ['电池', ['%', '次']],
  ['通信', ['dBm', 'dB', 'ms']],
]
const others = '其他'

/**
 * The readings of the device itself: in the catalogue's groups, where it knows none by what they measure. Those of
 * compartments stand in the drawing. A few need no titles, and neither do those of one kind: they are one group.
 */
export function groupsOf(readings: readonly CataloguedReading[]): ReadingGroup[] {
  const own = readings.filter(({ key }) => parseCompartmentKey(key) === null)
  const groups = new Map<string, CataloguedReading[]>()
  for (const reading of own) {
    const title = reading.group ?? titleByUnit(reading)
    groups.set(title, [...(groups.get(title) ?? []), reading])
  }
  if (groups.size <= 1 || own.length <= fewReadings)
    return own.length > 0 ? [{ title: '', readings: own }] : []
  // Those that nothing is known of come last.
  const titles = [...groups.keys()].sort((a, b) => Number(a === others) - Number(b === others))
  return titles.map((title) => ({ title, readings: groups.get(title) ?? [] }))
}

const titleByUnit = (reading: CataloguedReading) =>
  byUnit.find(([, units]) => units.includes(figureOf(reading).unit))?.[0] ?? others

const fewReadings = 4
