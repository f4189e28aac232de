// What a report of a device shows of an action, and what is said where one cannot be.
import {
  type Compartment,
  compartmentOfAction,
  compartmentsNamed,
  type RemoteAction,
} from '@voltkeep/contract'
import type { Refusal } from '../../platform/calls/refusal.ts'
import { presentDoubtMs } from '../../platform/devices/ingest/reports.ts'

/** Clocks of two processes, and of the database, differ by less. */
export const clockToleranceMs = 1_000

/** What an action is about. */
export interface Subject {
  action: RemoteAction
  compartment: number | null
}

/**
 * Whether a status report, made after the command, shows the result. `compartments`: as reported; undefined where the
 * report names none. A restart is shown by connections instead.
 */
export function isShownBy(
  { action, compartment }: Subject,
  compartments: readonly Pick<Compartment, 'no' | 'state' | 'isDoorOpen' | 'current'>[] | undefined,
): boolean {
  const own = (compartments ?? []).filter(({ no }) => compartment === null || no === compartment)
  switch (action) {
    case 'openDoor':
      return own.some(({ isDoorOpen }) => isDoorOpen === true)
    case 'disableCompartment':
      return own.some(({ state }) => state === 'disabled')
    case 'enableCompartment':
      return own.some(({ state }) => state !== undefined && state !== 'disabled')
    case 'stopCharging':
      return own.length > 0 && own.every(isWithoutCharge)
    case 'reportStatus':
      return true
    case 'restart':
      return false
  }
}

/** Where neither state nor current is known, nothing is. */
const isWithoutCharge = ({ state, current }: Pick<Compartment, 'state' | 'current'>) =>
  (state !== undefined || current !== undefined) && state !== 'charging' && (current ?? 0) <= 0

/** When a report was made, by the server's clock: it may have been under way, or late. Null where that is unknown. */
export function madeAtMs({
  receivedAtMs,
  occurredAtMs,
  clockLimitMs,
}: {
  receivedAtMs: number
  occurredAtMs: number
  clockLimitMs: number | null
}): number | null {
  if (clockLimitMs === null) return null
  return receivedAtMs - Math.max(0, clockLimitMs - presentDoubtMs - occurredAtMs)
}

/** The family of devices that have compartments. */
export const cabinetClassify = 'EC'

/** The problem of an action on this device, by field; null where it may be asked for. */
export function problemOf(
  { action, compartment }: Subject,
  device: { equipClassify: string; compartmentCount: number | null },
): NonNullable<Refusal['problems']>[number] | null {
  if (compartmentOfAction[action] === 'none') return null
  if (device.equipClassify !== cabinetClassify)
    return { field: 'action', message: '该设备不是换电柜，没有仓位' }
  const { compartmentCount: count } = device
  if (compartment !== null && count !== null && compartment > count)
    return { field: 'compartment', message: `该设备只有 ${count} 个仓位` }
  return null
}

/**
 * Whether an alarm concerns the compartment: one whose meaning names compartments concerns these, one that names none,
 * such as smoke at the top, concerns them all.
 */
export function concerns(
  compartment: number,
  { name, meanings }: { name: string; meanings: readonly string[] },
) {
  const parts = meanings.length > 0 ? meanings : [name]
  return parts.some((part) => {
    const named = compartmentsNamed({ meaning: part, semaphoreName: '' })
    return named.length === 0 || named.includes(compartment)
  })
}
