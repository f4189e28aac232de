// A fleet of cabinets for bench:readings: twelve compartments whose batteries charge, are swapped and warm up, and six
// readings of the cabinet, 66 in all, every five minutes. Each value follows from the cabinet and the time alone, so
// that any of it can be computed again.
import type { StatusReport } from '@voltkeep/contract/topics/index'

export const compartmentCount = 12
export const readingsPerReport = compartmentCount * 5 + 6
export const reportEveryMs = 300_000
/** Of each compartment, as the device protocol has them. */
export const compartmentFields = ['soc', 'voltage', 'current', 'temperature', 'isDoorOpen'] as const
export const cabinetKeys = ['temperature', 'humidity', 'voltage', 'power', 'signal', 'isFanOn'] as const

export interface FleetReport extends StatusReport {
  compartments: {
    no: number
    soc: number
    voltage: number
    current: number
    temperature: number
    isDoorOpen: boolean
  }[]
}

/** A number from 0 to 1 that looks like chance and is always the same. */
function chance(a: number, b: number, c: number): number {
  let x = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35)
  x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d)
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39)
  return ((x ^ (x >>> 15)) >>> 0) / 4_294_967_296
}
/** Sensors waver about by a last digit. */
const noise = (a: number, b: number, c: number, by: number) => (chance(a, b, c) - 0.5) * 2 * by
const round = (value: number, decimals: number) => Math.round(value * 10 ** decimals) / 10 ** decimals

/** Report number `tick` of a cabinet, at its own second within the five minutes. */
export function reportOf(device: number, tick: number): Omit<FleetReport, 'time'> {
  const hours = (tick * reportEveryMs) / 3_600_000
  const ambient = 18 + 7 * Math.sin(((hours - 9) / 24) * 2 * Math.PI) + (device % 7)
  const compartments: FleetReport['compartments'] = []
  let power = 60
  for (let no = 1; no <= compartmentCount; no += 1) {
    const seed = device * 64 + no
    // A battery stays for five hours or so: it comes nearly empty, charges for three, and waits, full, to be taken.
    const period = 48 + Math.floor(chance(seed, 1, 0) * 36)
    const shifted = tick + Math.floor(chance(seed, 2, 0) * period)
    const stay = Math.floor(shifted / period)
    const age = shifted % period
    const before = 8 + chance(seed, 3, stay) * 30
    const rate = 2.2 + chance(seed, 4, stay) * 0.6
    const soc = Math.min(100, Math.round(before + age * rate))
    const isCharging = soc < 100
    const current = isCharging
      ? round(9.5 - (soc > 90 ? (soc - 90) * 0.8 : 0) + noise(seed, tick, 5, 0.15), 1)
      : 0
    const voltage = round(44 + soc * 0.14 + (isCharging ? 0.6 : 0) + noise(seed, tick, 6, 0.05), 1)
    const temperature = round(
      ambient + (isCharging ? 9 * (1 - Math.exp(-age / 8)) : 3) + noise(seed, tick, 7, 0.2),
      1,
    )
    power += current * voltage
    compartments.push({ no, soc, voltage, current, temperature, isDoorOpen: age === 0 })
  }
  return {
    id: `${device}-${tick}`,
    status: {
      temperature: round(ambient + 4 + noise(device, tick, 8, 0.2), 1),
      humidity: Math.round(55 - 15 * Math.sin(((hours - 9) / 24) * 2 * Math.PI) + noise(device, tick, 9, 1)),
      voltage: round(226 + noise(device, tick, 10, 3), 1),
      power: Math.round(power),
      signal: Math.round(-72 + noise(device, tick, 11, 4)),
      isFanOn: ambient > 22,
    },
    compartments,
  }
}

/** When that report was made: cabinets are spread over the five minutes, their clocks are a little off. */
export const reportTimeMs = (startMs: number, device: number, tick: number): number =>
  startMs +
  tick * reportEveryMs +
  Math.floor(chance(device, 12, 0) * reportEveryMs) +
  Math.floor(chance(device, tick, 13) * 900)

/** All readings of a report by their keys. */
export function readingsOf({
  status,
  compartments,
}: Omit<FleetReport, 'time'>): [string, number | boolean][] {
  return [
    ...compartments.flatMap((one) =>
      compartmentFields.map((field): [string, number | boolean] => [
        `compartments.${one.no}.${field}`,
        one[field],
      ]),
    ),
    ...cabinetKeys.map((key): [string, number | boolean] => [key, status[key] as number | boolean]),
  ]
}
