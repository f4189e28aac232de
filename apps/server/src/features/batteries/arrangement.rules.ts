// What a status report says of batteries and of stock. Pure.
import type { Compartment, CompartmentState } from '@voltkeep/contract'
import { type Charge, continuityMs, noBattery, type Sighting } from './stays.rules.ts'

/** One compartment as a report has it. */
export interface Contents {
  no: number
  /** `noBattery` for an empty one; null where the report does not say. */
  code: string | null
  state: CompartmentState | null
  /** The last that was said of this battery, in this report or in one before. Null for an empty compartment. */
  charge: Charge | null
  soh: number | null
}

/** The compartments of one report by their numbers. A compartment that is left out is unknown. */
export interface Look {
  atMs: number
  contents: ReadonlyMap<number, Contents>
}

export const lookOf = (atMs: number, compartments: readonly Compartment[] = []): Look => ({
  atMs,
  contents: new Map(
    compartments.map(({ no, state, batteryCode, soc, soh }) => {
      const percent = state === 'empty' ? null : asStored(soc)
      return [
        no,
        {
          no,
          code: state === 'empty' ? noBattery : (batteryCode ?? null),
          state: state ?? null,
          charge: percent === null ? null : { soc: percent, atMs },
          soh: asStored(soh),
        },
      ]
    }),
  ),
})

/** The database keeps a hundredth of a percent. */
const asStored = (percent: number | undefined) =>
  percent === undefined ? null : Math.round(percent * 100) / 100

/** What a later look changes of an earlier one. */
export interface Change {
  /** Compartments whose stay has to be written. */
  moved: readonly number[]
  /** Whether a compartment has another state. */
  isRestocked: boolean
}

/**
 * Null where the later look may have to be placed among others, so that all of it has to be written: it is older, or
 * comes after a time without reports, in which something else may be told late.
 */
export function changeOf(before: Look, after: Look): Change | null {
  if (after.atMs < before.atMs || after.atMs - before.atMs > continuityMs) return null
  const moved: number[] = []
  let isRestocked = before.contents.size !== after.contents.size
  for (const [no, one] of after.contents) {
    const former = before.contents.get(no)
    const isNew = (former?.code ?? null) !== one.code || (!former?.charge && one.charge !== null)
    if (isNew) moved.push(no)
    if (isNew || (former?.state ?? null) !== one.state) isRestocked = true
  }
  for (const no of before.contents.keys()) if (!after.contents.has(no)) moved.push(no)
  return { moved, isRestocked }
}

/**
 * What is remembered of a device after a later look. A report may leave out the state of charge of a battery that
 * stays: the last that was said is still the one with which it leaves.
 */
export function remembered(before: Look, after: Look): Look {
  const contents = new Map(after.contents)
  for (const [no, one] of contents) {
    const former = before.contents.get(no)
    if (former?.charge && !one.charge && former.code === one.code) {
      contents.set(no, { ...one, charge: former.charge })
    }
  }
  return { ...after, contents }
}

/** What looks say of one compartment. */
export const sightingsIn = (no: number, looks: readonly Look[]): Sighting[] =>
  looks.flatMap(({ atMs, contents }) => {
    const { code = null, charge = null } = contents.get(no) ?? {}
    if (code === null) return []
    if (!charge || charge.atMs === atMs) return [{ code, atMs, soc: charge?.soc ?? null }]
    return [
      { code, ...charge },
      { code, atMs, soc: null },
    ]
  })

export interface Stock {
  full: number
  charging: number
  idle: number
  empty: number
  fault: number
  disabled: number
}

/** Null where no compartment says its state. */
export function stockOf({ contents }: Look): Stock | null {
  const stock: Stock = { full: 0, charging: 0, idle: 0, empty: 0, fault: 0, disabled: 0 }
  let known = 0
  for (const { state } of contents.values()) {
    if (state === null) continue
    stock[state] += 1
    known += 1
  }
  return known > 0 ? stock : null
}
