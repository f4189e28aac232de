// What simulated devices of each family can report: alarms, events, versions, parameters, status.
import { Batteries } from './cabinet/battery.ts'
import { Cabinet } from './cabinet/cabinet.ts'
import { batteryStatus, storageStatus } from './cabinet/measurements.ts'
import type { DeviceIdentity, VirtualDevice } from './device.ts'
import type { ReportBody } from './outbox.ts'
import type { Parameter } from './parameters.ts'
import type { Part } from './parts.ts'
import { createRandom, type Random } from './random.ts'

/** EC swap and charging cabinets, BAT batteries that report on their own, ESS energy storage. */
export type Classify = 'EC' | 'BAT' | 'ESS'

/** A device of the secrets file. Its family and parts decide what it reports. */
export interface SimulatedIdentity extends DeviceIdentity {
  classify: Classify
  partTypes: readonly string[]
  /** The codes of the boards that parts are built on, by type of part; other parts report no board. */
  boards?: Readonly<Record<string, string>>
  /** How many compartments a cabinet has. */
  compartments?: number
}

/** An alarm that a device can report. A test compares the codes with the server's dictionary. */
export interface AlarmKind {
  code: string
  /** 1 critical to 4 warning; severe alarms are rarer. The device does not send the level. */
  level: 1 | 2 | 3 | 4
  /** How many bits may be set; an alarm without bits takes one of `values`. */
  bits?: number
  values?: readonly number[]
  /** How long it lasts on average. */
  meanMinutes: number
}

const bits = (code: string, level: AlarmKind['level'], count: number, meanMinutes: number): AlarmKind => ({
  code,
  level,
  bits: count,
  meanMinutes,
})
const values = (
  code: string,
  level: AlarmKind['level'],
  list: readonly number[],
  meanMinutes: number,
): AlarmKind => ({ code, level, values: list, meanMinutes })

export const alarmKinds: Record<Classify, readonly AlarmKind[]> = {
  EC: [
    bits('01110001', 2, 8, 12), // communication
    bits('01110002', 1, 4, 25), // smoke
    bits('01110003', 1, 4, 90), // water
    bits('01110005', 2, 8, 40), // grid
    bits('01110006', 2, 5, 70), // cabinet temperature
    bits('01110007', 3, 8, 240), // fans
    bits('01110008', 3, 6, 15), // service doors
    bits('01110009', 4, 4, 60), // meter
    values('01110010', 3, [1, 2, 3, 4, 5, 6], 30), // self test
    bits('01120001', 3, 8, 20), // compartment doors
    bits('01120003', 1, 8, 35), // compartment over-temperature
    bits('01120004', 3, 8, 25), // battery presence
    bits('01120005', 2, 8, 180), // charger modules
    values('01120008', 2, [1, 2, 3, 4, 5, 6, 7], 10), // charging ended early
    bits('01210006', 2, 8, 8), // BMS communication
  ],
  BAT: [
    bits('01210001', 1, 8, 20), // over-temperature
    bits('01210002', 3, 4, 90), // too cold
    bits('01210004', 2, 5, 60), // undervoltage
    bits('01210005', 2, 6, 5), // overcurrent
    values('01210008', 3, [1, 2, 3], 600), // cell balance
    values('01210009', 4, [1, 2, 3], 80), // low charge
    bits('01210010', 3, 4, 30), // theft
  ],
  ESS: [
    bits('01110005', 2, 8, 40), // grid
    bits('01210001', 1, 5, 20), // over-temperature
    values('01210009', 4, [1, 2, 3], 120), // low charge
    bits('01310001', 2, 8, 45), // inverter
    bits('01310002', 3, 6, 180), // solar input
    bits('01310003', 1, 4, 60), // insulation
    bits('01310004', 3, 6, 150), // cooling
    values('01310006', 4, [1, 2, 3, 4, 5], 30), // energy management
  ],
}

/** A random value of the alarm: mostly one bit, sometimes two. */
export function alarmValueOf(kind: AlarmKind, random: Random): number {
  if (kind.values) return random.pick(kind.values)
  const bit = () => 2 ** random.between(0, (kind.bits ?? 1) - 1)
  const first = bit()
  if (!random.chance(0.15)) return first
  const second = bit()
  return first === second ? first : first + second
}

interface EventKind {
  code: string
  value: readonly [least: number, most: number]
  isFault?: boolean
  /** Relative frequency. */
  weight: number
}

export const eventKinds: Record<Classify, readonly EventKind[]> = {
  EC: [
    { code: '03110002', value: [1, 12], weight: 6 }, // swap begins
    { code: '03110003', value: [1, 12], weight: 6 }, // swap done
    { code: '03110004', value: [1, 5], isFault: true, weight: 1 }, // swap failed
    { code: '03110005', value: [1, 12], weight: 3 }, // compartment opens
    { code: '03110006', value: [1, 12], weight: 3 },
    { code: '03110009', value: [1, 2], weight: 1 }, // service door opens
    { code: '03210001', value: [10, 60], weight: 4 }, // charging begins
    { code: '03210002', value: [95, 100], weight: 4 },
  ],
  BAT: [
    { code: '03210001', value: [5, 60], weight: 3 },
    { code: '03210002', value: [95, 100], weight: 3 },
    { code: '03210003', value: [20, 90], weight: 1 },
  ],
  ESS: [
    { code: '03310001', value: [1, 100], weight: 2 },
    { code: '03310002', value: [1, 60], weight: 1 },
    { code: '03310003', value: [1, 8], weight: 3 },
  ],
}

/** What is told when it happens, of a cabinet whose batteries are swapped. */
const ofSwaps = ['03110002', '03110003', '03110004', '03110005', '03110006', '03210001', '03210002']

/** `isSwapped`: the device tells of its swaps itself. */
export function eventOf(classify: Classify, random: Random, { isSwapped = false } = {}): ReportBody<'event'> {
  const kinds = eventKinds[classify]
    .filter(({ code }) => !isSwapped || !ofSwaps.includes(code))
    .flatMap((kind) => Array<EventKind>(kind.weight).fill(kind))
  const { code, value, isFault = false } = random.pick(kinds)
  return { code, value: random.between(value[0], value[1]), isFault }
}

/** How many parts of a kind a device has. */
const countOf = (partType: string, compartments: number): number =>
  partType === 'PART_TYPE_EC_BIN' ? compartments : partType === 'PART_TYPE_EC_POWER' ? 2 : 1

/** The versions that parts leave the factory with; the oldest are the rarest. */
const deliveredVersions = ['1.4', '1.4', '1.4', '1.3', '1.3', '1.1'] as const

/** The parts that a device leaves the factory with. */
export function partsOf(
  { partTypes, boards = {}, compartments = usualCompartments }: SimulatedIdentity,
  random: Random,
): Part[] {
  return partTypes.flatMap((partType) => {
    const count = countOf(partType, compartments)
    // Parts of a kind leave the factory alike; one in ten has been exchanged since.
    const version = random.pick(deliveredVersions)
    const hwVersion = `${random.between(1, 3)}`
    const pcbCode = boards[partType]
    return Array.from({ length: count }, (_, index) => ({
      partType,
      addrId: String(count === 1 ? 0 : index + 1),
      version: random.chance(0.1) ? random.pick(deliveredVersions) : version,
      hwVersion,
      ...(pcbCode !== undefined && { pcbCode }),
    }))
  })
}

/** A part is exchanged for a spare one with the newest version at the time of its making. */
export function exchangePart(device: VirtualDevice, random: Random): void {
  const { parts } = device
  if (parts.list.length === 0) return
  parts.exchange({ ...random.pick(parts.list), version: random.pick(deliveredVersions) })
  void device.reportVersions()
}

/** The parameters that a device leaves the factory with: those that batch settings change. Cabinets alone have them. */
export function parametersOf({ classify }: SimulatedIdentity, random: Random): Parameter[] {
  if (classify !== 'EC') return []
  const lamps = Array.from({ length: 7 }, () => random.pick(['0', '1', '2', '2', '2', '3', '6'])).join('')
  return [
    { id: '02121001', value: random.between(0, 1) },
    { id: '02121002', value: random.between(0, 1) },
    { id: '02121003', value: 0 },
    { id: '02121004', value: 0 },
    { id: '02121005', value: random.pick([90, 95, 95, 98]) },
    { id: '02121006', value: random.pick([55, 60, 60, 65]) },
    { id: '02121007', value: 0 },
    { id: '02121008', value: 1 },
    { id: '02121009', value: random.pick([500, 800, 1000]) },
    { id: '02121010', value: lamps },
    { id: '02121011', value: '10.20.0.8:1883' },
  ]
}

/** How many compartments a cabinet has of which nothing else is known. */
export const usualCompartments = 8

/** What a device measures now. A cabinet that keeps no state shows any that could be. */
export function statusOf(
  device: Pick<VirtualDevice, 'cabinet' | 'alarms' | 'now'>,
  identity: Pick<SimulatedIdentity, 'code' | 'classify' | 'compartments'>,
  random: Random,
): ReportBody<'status'> {
  const { code, classify, compartments: count = usualCompartments } = identity
  const nowMs = device.now()
  const own = createRandom(1).fork(`${code}/readings`)
  switch (classify) {
    case 'EC': {
      const cabinet =
        device.cabinet ?? new Cabinet({ count, batteries: new Batteries(own), random: own, nowMs })
      return cabinet.report(nowMs, device.alarms)
    }
    case 'BAT':
      return batteryStatus(nowMs, own, random)
    case 'ESS':
      return storageStatus(nowMs, own, random)
  }
}
