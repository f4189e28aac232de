// Blocks into statistics: the hours of a day, the days of a month.
import { atDay, dayOf, startOfDay, startOfMonth } from '../../../platform/process/clock.ts'
import {
  combined,
  type HourPoints,
  packSlots,
  type Slots,
  type Statistics,
  statisticsOf,
  unpackHour,
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

export const isSwitchOf =
  ({ series }: HourPoints) =>
  (id: number): boolean =>
    series.get(id)?.every((value) => typeof value !== 'number') ?? false

/** The hours of one device's day. An hour belongs to the day in which it begins. */
export function packDay(day: string, hours: readonly Block[]): Buffer | null {
  const from = atDay(day).getTime()
  const builder = new SlotsBuilder()
  for (const { atMs, block } of hours) {
    const points = unpackHour(block)
    builder.add(Math.floor((atMs - from) / hourMs), statisticsOfHour(points), isSwitchOf(points))
  }
  return builder.packed()
}

/** The days of one device's month. */
export function packMonth(days: readonly DatedBlock[]): Buffer | null {
  const builder = new SlotsBuilder()
  for (const { of, block } of days) {
    const { series, switches } = unpackSlots(block)
    const all = new Map<number, Statistics>()
    for (const [id, hours] of series) {
      const one = combined(hours)
      if (one) all.set(id, one)
    }
    builder.add(Number(of.slice(8)) - 1, all, (id) => switches.has(id))
  }
  return builder.packed()
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
