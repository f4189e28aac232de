// Blocks into statistics: the hours of a day, the days of a month.
import { atDay, dayOf, startOfDay, startOfMonth } from '../../../platform/process/clock.ts'
import {
  combined,
  type GiveWay,
  type HourPoints,
  openHour,
  packSlots,
  type Slots,
  type Statistics,
  statisticsOf,
  unpackSlots,
} from './packing/index.ts'
import type { Block, DatedBlock } from './sealing.queries.ts'

const hourMs = 3_600_000

/** The statistics of each reading in an hour. */
export function statisticsOfHour({ times, series }: HourPoints): Map<number, Statistics> {
  const all = new Map<number, Statistics>()
  for (const [id, values] of series) {
    const one = statisticsOf(times, values, hourMs)
    if (one) all.set(id, one)
  }
  return all
}

/** Statistics of slots are put together here, one slot after the other. */
export class SlotsBuilder {
  readonly #slots: number[] = []
  readonly #series: Slots['series'] = new Map()
  readonly #switches = new Map<number, boolean>()

  add(slot: number, all: ReadonlyMap<number, Statistics>, isSwitch: (id: number) => boolean): void {
    if (all.size === 0) return
    const place = this.#slots.push(slot) - 1
    for (const [id, one] of all) {
      let column = this.#series.get(id)
      if (!column) {
        column = []
        this.#series.set(id, column)
      }
      while (column.length < place) column.push(null)
      column.push(one)
      this.#switches.set(id, isSwitch(id) && this.#switches.get(id) !== false)
    }
  }

  /** Null where there is nothing. */
  packed(): Buffer | null {
    if (this.#slots.length === 0) return null
    for (const column of this.#series.values()) while (column.length < this.#slots.length) column.push(null)
    const switches = new Set([...this.#switches].filter(([, isOne]) => isOne).map(([id]) => id))
    return packSlots({ slots: this.#slots, series: this.#series, switches })
  }
}

/** An hour of one device's day, reading by reading. An hour belongs to the day in which it begins. */
export async function addHour(
  builder: SlotsBuilder,
  day: string,
  { atMs, block }: Block,
  giveWay: GiveWay,
): Promise<void> {
  const { times, series } = await openHour(block)
  const all = new Map<number, Statistics>()
  const switches = new Set<number>()
  for (const [id, values] of series) {
    const one = statisticsOf(times, values, hourMs)
    if (one) all.set(id, one)
    if (values.every((value) => typeof value !== 'number')) switches.add(id)
    const turn = giveWay()
    if (turn) await turn
  }
  builder.add(Math.floor((atMs - atDay(day).getTime()) / hourMs), all, (id) => switches.has(id))
}

/** A day of one device's month. */
export function addDay(builder: SlotsBuilder, { of, block }: DatedBlock): void {
  const { series, switches } = unpackSlots(block)
  const all = new Map<number, Statistics>()
  for (const [id, hours] of series) {
    const one = combined(hours)
    if (one) all.set(id, one)
  }
  builder.add(Number(of.slice(8)) - 1, all, (id) => switches.has(id))
}

/** The first moments of a day and of the next one: 23 to 25 hours. */
export const edgesOfDay = (day: string): { from: Date; to: Date } => {
  const from = startOfDay(atDay(day))
  return { from, to: startOfDay(from, 1) }
}

/** The first days of a month, by any day of it, and of the next one. */
export const edgesOfMonth = (day: string): { from: string; to: string } => {
  const from = startOfMonth(atDay(day))
  return { from: dayOf(from), to: dayOf(startOfMonth(from, 1)) }
}

export const nextDay = (day: string): string => dayOf(startOfDay(atDay(day), 1))
export const nextMonth = (day: string): string => edgesOfMonth(day).to
