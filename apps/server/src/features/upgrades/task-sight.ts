// Tasks keep some devices by name: those that a user chose by code, and those with new alarms. Whoever reads a task
// learns only of those in the own data scope; numbers are of the whole task.
import type { DeviceChoice, UpgradeGateFigures } from '@voltkeep/contract'
import { type CodesSeen, codesSeen } from '../../domain/access/choices-seen.ts'
import { type DataScope, everything } from '../../domain/access/data-scope.ts'
import type { Db } from '../../platform/database/database.ts'
import { listDevicesSeen } from './sight.queries.ts'
import type { Pause } from './stages/index.ts'

type Gate = Pick<UpgradeGateFigures, 'devices'>
type Detail = Record<string, unknown> | null

/** Removes from a value the devices that its reader may not see. */
export interface Sight {
  gate<G extends Gate>(gate: G | null): G | null
  pause(pause: Pause | null): Pause | null
  choice(choice: DeviceChoice, isOwn: boolean): DeviceChoice
  /** Of a transition: the figures that a stage was stopped by, or those of the pause that followed. */
  detail(detail: Detail): Detail
}

export interface Named {
  choices?: readonly DeviceChoice[]
  gates?: readonly (Gate | null | undefined)[]
  details?: readonly Detail[]
}

/** Reads which of the devices that these name the scope reaches. */
export async function sightOf(db: Db, scope: DataScope, { choices = [], gates = [], details = [] }: Named) {
  if (scope === everything) return whole
  const named = [...gates, ...details.flatMap(gatesIn)].flatMap((gate) => gate?.devices ?? [])
  const ids = [...new Set(named.map(({ equipId }) => Number(equipId)))]
  const seen = await listDevicesSeen(db, scope, ids)
  return sightOn(new Set(seen.map(String)), await codesSeen(db, scope, { choices }))
}

const whole: Sight = {
  gate: (gate) => gate,
  pause: (pause) => pause,
  choice: (choice) => choice,
  detail: (detail) => detail,
}

function sightOn(ids: ReadonlySet<string>, { choice }: CodesSeen): Sight {
  const gate = <G extends Gate>(kept: G | null): G | null =>
    kept && { ...kept, devices: kept.devices.filter(({ equipId }) => ids.has(equipId)) }
  return {
    gate,
    pause: (pause) => pause && { ...pause, gate: gate(pause.gate) },
    choice,
    detail: (detail) => {
      if (isGate(detail)) return gate(detail)
      return detail && isGate(detail.gate) ? { ...detail, gate: gate(detail.gate) } : detail
    },
  }
}

const gatesIn = (detail: Detail): Gate[] => [detail, detail?.gate].filter(isGate)

/** The start of a task has `devices` as well, a number. */
const isGate = (value: unknown): value is Gate & Record<string, unknown> =>
  typeof value === 'object' && value !== null && 'devices' in value && Array.isArray(value.devices)
