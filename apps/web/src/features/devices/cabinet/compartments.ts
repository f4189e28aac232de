import type { AlarmRow } from '@voltkeep/contract/alarms'
import type { DeviceDetail } from '@voltkeep/contract/devices'

/** The part type of a compartment's controller. Each compartment has one; its address is the compartment's number. */
const compartmentPart = 'PART_TYPE_EC_BIN'

type Alarm = Pick<AlarmRow, 'id' | 'semaphoreName' | 'alarmLevel' | 'meaning' | 'occurrenceTime'>

export interface Compartment {
  number: number
  /** Active alarms of this compartment, the most severe first. */
  alarms: readonly Alarm[]
}

/**
 * The compartments that an alarm belongs to: those that its meaning names, `2号仓、4号仓`. The dictionary defines the
 * meaning of each bit and value; an alarm whose meaning names no compartment belongs to the whole cabinet. A meaning
 * may omit a word that is part of the alarm's name: `2号、4号` of 仓位过温 stands for `2号仓位过温、4号仓位过温`.
 */
export function compartmentsOf({
  meaning,
  semaphoreName,
}: Pick<AlarmRow, 'meaning' | 'semaphoreName'>): number[] {
  const named = (text: string) => [...text.matchAll(/(\d{1,3})\s*号?仓/g)].map(([, number]) => Number(number))
  const whole = (meaning ?? '').split('、').map((part) => (part.endsWith('号') ? part + semaphoreName : part))
  const numbers = whole.flatMap(named)
  return [...new Set(numbers.length > 0 ? numbers : named(semaphoreName))]
}

/**
 * The compartments of a cabinet: as many as have reported a controller, or as the model's name says (`12仓换电柜`), and
 * any others that an alarm names.
 */
export function drawnCompartments(
  device: Pick<DeviceDetail, 'equipSoftwareVersions' | 'equipModelName' | 'equipTypeName'>,
  alarms: readonly Alarm[],
): Compartment[] {
  const reported = device.equipSoftwareVersions
    .filter(({ partType }) => partType === compartmentPart)
    .map(({ addrId }) => Number(addrId))
    .filter((number) => Number.isInteger(number) && number > 0 && number <= 100)
  const counted = /(\d{1,2})\s*仓/.exec(`${device.equipModelName} ${device.equipTypeName}`)?.[1]
  const count = Math.max(0, ...reported, counted ? Number(counted) : 0)
  const named = alarms.flatMap(compartmentsOf).filter((number) => number > count && number <= 100)
  const numbers = [...Array.from({ length: count }, (_, at) => at + 1), ...new Set(named)].sort(
    (a, b) => a - b,
  )
  return numbers.map((number) => ({
    number,
    alarms: alarms
      .filter((alarm) => compartmentsOf(alarm).includes(number))
      .sort((a, b) => (a.alarmLevel ?? 9) - (b.alarmLevel ?? 9)),
  }))
}
