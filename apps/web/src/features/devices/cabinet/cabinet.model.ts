// What is drawn of a cabinet: its compartments at their places, what each says, and what is wrong in which of them.
import {
  type CompartmentField,
  type CompartmentRow,
  compartmentFields,
} from '@voltkeep/contract/compartments'

/** A compartment that a report or the model has. */
export type Bin = CompartmentRow & {
  /** Fields whose value is out of the catalogue's normal band, and out of what can be at all. */
  outside?: readonly string[]
  implausible?: readonly string[]
}

/** Whether a field's value asks to be looked at. */
export const isOff = ({ outside, implausible }: Bin, field: CompartmentField): boolean =>
  outside.includes(field) || implausible.includes(field)

/** Whether the last report said anything of it: one that it left out has its number and its alarms alone. */
export const isReported = (bin: Bin): boolean => Object.keys(compartmentFields).some((field) => field in bin)

export interface Arrangement {
  columns: number
  /** By number; the places fill row by row, as they stand in the street. */
  bins: readonly Bin[]
}

/** How a compartment is drawn; `unknown` where nothing is known of it. */
export type BinLook = 'empty' | 'charging' | 'full' | 'idle' | 'fault' | 'disabled' | 'unknown'

/** A device that reports no state but a battery has one in it; one that reports neither is unknown. */
export function lookOf({ state, batteryCode, soc }: Bin): BinLook {
  return state ?? (batteryCode !== undefined || soc !== undefined ? 'idle' : 'unknown')
}

/** The most severe alarm first; one without a level last. */
export const bySeverity = (a: { level: number | null }, b: { level: number | null }) =>
  (a.level || 9) - (b.level || 9)

export const worstAlarm = ({ alarms }: Bin) => [...alarms].sort(bySeverity)[0]

/** One kind of trouble, and the compartments that have it. */
export interface Trouble {
  key: string
  kind: 'alarm' | 'fault' | 'door'
  /** Of an alarm. */
  name: string
  level: number | null
  numbers: readonly number[]
}

/**
 * What is wrong, worst first, a line of it for each kind: alarms by their name, then faults that no alarm explains, then
 * open doors. A disabled compartment is meant to be so, and is none.
 */
export function troublesOf(bins: readonly Bin[]): Trouble[] {
  const alarms = new Map<string, { name: string; level: number | null; numbers: number[] }>()
  for (const bin of bins) {
    for (const { code, name, level } of bin.alarms) {
      const trouble = alarms.get(code) ?? { name, level, numbers: [] }
      if (!trouble.numbers.includes(bin.no)) trouble.numbers.push(bin.no)
      alarms.set(code, trouble)
    }
  }
  const numbersWhere = (is: (bin: Bin) => boolean) => bins.filter(is).map(({ no }) => no)
  const faults = numbersWhere((bin) => bin.state === 'fault' && bin.alarms.length === 0)
  const doors = numbersWhere(({ isDoorOpen }) => isDoorOpen === true)
  return [
    ...[...alarms]
      .sort(([, a], [, b]) => bySeverity(a, b))
      .map(([key, trouble]) => ({ key, kind: 'alarm' as const, ...trouble })),
    ...(faults.length > 0
      ? [{ key: 'fault', kind: 'fault' as const, name: '', level: null, numbers: faults }]
      : []),
    ...(doors.length > 0
      ? [{ key: 'door', kind: 'door' as const, name: '', level: null, numbers: doors }]
      : []),
  ]
}

/** How many compartments look so, in the order in which they are told; looks that no compartment has are left out. */
export function countsOf(bins: readonly Bin[]): { look: BinLook; count: number }[] {
  const order: BinLook[] = ['full', 'charging', 'idle', 'empty', 'fault', 'disabled', 'unknown']
  return order
    .map((look) => ({ look, count: bins.filter((bin) => lookOf(bin) === look).length }))
    .filter(({ count }) => count > 0)
}

/** The place that a key leads to; undefined for other keys. At an edge it stays. */
export function placeAfter(
  key: string,
  at: number,
  { columns, count }: { columns: number; count: number },
): number | undefined {
  const within = (to: number) => (to >= 0 && to < count ? to : at)
  switch (key) {
    case 'ArrowRight':
      return within(at + 1)
    case 'ArrowLeft':
      return within(at - 1)
    case 'ArrowDown':
      // The last row may be short: down leads to its end.
      return at + columns < count
        ? at + columns
        : Math.floor(at / columns) < Math.floor((count - 1) / columns)
          ? count - 1
          : at
    case 'ArrowUp':
      return within(at - columns)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

/** What the drawing shows beside the number, where its reader asks for it. */
export const measures = [
  'soc',
  'temperature',
  'voltage',
  'current',
  'soh',
] as const satisfies CompartmentField[]
export type Measure = (typeof measures)[number]

export const unitOf = (measure: Measure): string => compartmentFields[measure].unit

/** A figure as it is read: whole per cents, one decimal else. */
export function figureText(measure: Measure, value: number): string {
  const isShare = measure === 'soc' || measure === 'soh'
  return isShare ? String(Math.round(value)) : value.toFixed(1)
}
