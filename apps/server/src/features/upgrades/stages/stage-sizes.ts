// How many devices each stage of a task gets.
import type { UpgradeRule } from '@voltkeep/contract'

export interface PlannedStage {
  /** From 1. */
  number: number
  devices: number
  soakMinutes: number
}

type StageForm = NonNullable<UpgradeRule['stages']>[number]

/** With so few devices there is one stage. */
const singleStageDevices = 20
const usualSoakMinutes = 30
const usualStages: readonly StageForm[] = [
  { percent: 5, soakMinutes: usualSoakMinutes },
  { percent: 25, soakMinutes: usualSoakMinutes },
  { percent: 70, soakMinutes: 0 },
]

/**
 * The stages of so many devices. The last one takes the devices that the others leave; one without a device is left
 * out.
 */
export function planStages(devices: number, stages?: readonly StageForm[]): PlannedStage[] {
  if (devices === 0) return []
  const asked = stages?.length ? stages : devices <= singleStageDevices ? usualStages.slice(-1) : usualStages
  let left = devices
  const planned: PlannedStage[] = []
  for (const [index, { percent, count, soakMinutes }] of asked.entries()) {
    const share = count ?? Math.max(1, Math.floor((devices * (percent ?? 100)) / 100))
    const own = index === asked.length - 1 ? left : Math.min(left, share)
    if (own === 0) continue
    planned.push({ number: planned.length + 1, devices: own, soakMinutes })
    left -= own
  }
  return planned
}

/** The rank of each stage's first device, from 0. */
export function firstRanks(stages: readonly PlannedStage[]): number[] {
  let next = 0
  return stages.map(({ devices }) => {
    const first = next
    next += devices
    return first
  })
}
