import { upTopics } from '@voltkeep/contract/topics/index'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../random.ts'
import { Batteries } from './battery.ts'
import { Cabinet } from './cabinet.ts'
import { batteryStatus, storageStatus } from './measurements.ts'
import { type CabinetTroubleName, cabinetTroubles } from './trouble.ts'

const start = Date.UTC(2026, 0, 1)
const minuteMs = 60_000

function standing({ count = 12, trouble }: { count?: number; trouble?: CabinetTroubleName } = {}) {
  const random = createRandom(7)
  const batteries = new Batteries(random.fork('batteries'))
  const cabinet = new Cabinet({
    count,
    batteries,
    random: random.fork('cabinet'),
    nowMs: start,
    ...(trouble && { trouble: () => trouble }),
  })
  return { cabinet, batteries }
}
const compartmentsOf = (cabinet: Cabinet, afterMinutes = 0) =>
  cabinet.report(start + afterMinutes * minuteMs).compartments ?? []

describe('a cabinet', () => {
  it.each([1, 8, 12, 40, 64])(
    'of %i compartments reports what the protocol accepts, at any time',
    (count) => {
      for (const trouble of [undefined, ...(Object.keys(cabinetTroubles) as CabinetTroubleName[])]) {
        const { cabinet } = standing({ count, ...(trouble && { trouble }) })
        for (const minutes of [0, 5, 60, 600, 100_000]) {
          const report = { id: '1', time: start, ...cabinet.report(start + minutes * minuteMs) }
          expect(upTopics.status.payload.safeParse(report).error).toBeUndefined()
          expect(report.compartments).toHaveLength(count)
        }
      }
    },
  )

  it('charges its batteries until they are full, warms them, and ages them', () => {
    const { cabinet } = standing()
    const before = compartmentsOf(cabinet)
    const charging = before.filter(({ state }) => state === 'charging')
    expect(charging.length).toBeGreaterThan(0)
    for (const { current, soc } of charging) {
      expect(current).toBeGreaterThan(0)
      expect(soc).toBeLessThan(100)
    }
    const { compartments: soon = [], status } = cabinet.report(start + 4 * minuteMs)
    for (const { no, soc, voltage } of charging) {
      const now = soon.find((one) => one.no === no)
      expect(now?.soc).toBeGreaterThan(soc as number)
      expect(now?.voltage).toBeGreaterThan(voltage as number)
    }
    const atFullCurrent = soon.filter(({ current }) => current === 8)
    expect(atFullCurrent.length).toBeGreaterThan(0)
    for (const { temperature } of atFullCurrent) {
      expect(temperature).toBeGreaterThan((status.柜内温度 as number) + 2)
    }
    const later = compartmentsOf(cabinet, 300)
    expect(later.filter(({ state }) => state === 'charging' || state === 'idle')).toEqual([])
    for (const { state, current } of later) if (state === 'full') expect(current).toBe(0)
  })

  it('has readings that agree with its compartments and with the alarms of its device', () => {
    const { cabinet } = standing()
    const { status, compartments = [] } = cabinet.report(start)
    expect(status.充电中电池数).toBe(compartments.filter(({ state }) => state === 'charging').length)
    expect(status.可换电池数).toBe(compartments.filter(({ state }) => state === 'full').length)
    expect(status).toMatchObject({ 烟感报警: false, 市电正常: true })
    const alarmed = cabinet.report(
      start,
      new Map([
        ['01110002', 1],
        ['01110005', 1],
      ]),
    )
    expect(alarmed.status).toMatchObject({ 烟感报警: true, 市电正常: false, 市电电压: 0, 输入功率: 0 })
  })

  it('hands a full battery out and takes another in, which then charges', () => {
    const { cabinet, batteries } = standing()
    const found = cabinet.swapAt(start)
    if (!found) throw new Error('a full battery and an empty place are there')
    const { into, from } = found
    const code = compartmentsOf(cabinet)[from - 1]?.batteryCode
    const returned = batteries.bringBack()
    cabinet.openDoor(into)
    expect(compartmentsOf(cabinet)[into - 1]).toMatchObject({ isDoorOpen: true, isLocked: false })
    cabinet.put(into, returned, start)
    cabinet.closeDoor(into)
    const taken = cabinet.take(from, start)
    expect(taken?.code).toBe(code)
    const after = compartmentsOf(cabinet)
    expect(after[into - 1]).toMatchObject({ batteryCode: returned.code, isDoorOpen: false, isLocked: true })
    expect(after[from - 1]).toEqual({ no: from, state: 'empty', isDoorOpen: false, isLocked: true })
  })

  it('lets no battery stand in two places, however often batteries are swapped over a fleet', () => {
    const random = createRandom(3)
    const batteries = new Batteries(random.fork('batteries'))
    const cabinets = Array.from(
      { length: 5 },
      (_, index) => new Cabinet({ count: 8, batteries, random: random.fork(`${index}`), nowMs: start }),
    )
    const moved = new Set<string>()
    for (let minute = 0; minute < 600; minute += 1) {
      const nowMs = start + minute * minuteMs
      const cabinet = random.pick(cabinets)
      const found = cabinet.swapAt(nowMs)
      if (!found) continue
      cabinet.put(found.into, batteries.bringBack(), nowMs)
      const taken = cabinet.take(found.from, nowMs)
      if (taken) {
        moved.add(taken.code)
        batteries.take(taken)
      }
      const codes = cabinets.flatMap((one) =>
        (one.report(nowMs).compartments ?? []).flatMap(({ batteryCode }) => batteryCode ?? []),
      )
      expect(new Set(codes).size).toBe(codes.length)
    }
    expect(moved.size).toBeGreaterThan(20)
    expect(batteries.count).toBeLessThan(60)
  })

  it('can be told to open a door, to take a compartment out of use, and to stop charging', () => {
    const { cabinet } = standing()
    expect(cabinet.disable(3)).toBe(true)
    expect(compartmentsOf(cabinet)[2]).toMatchObject({ state: 'disabled' })
    expect(cabinet.enable(3)).toBe(true)
    expect(compartmentsOf(cabinet)[2]).not.toMatchObject({ state: 'disabled' })
    expect([cabinet.openDoor(13), cabinet.disable(13), cabinet.enable(0)]).toEqual([false, false, false])
    const [first] = compartmentsOf(cabinet).filter(({ state }) => state === 'charging')
    expect(cabinet.stopCharging(first?.no, start)).toBe(true)
    expect(compartmentsOf(cabinet)[(first?.no as number) - 1]).toMatchObject({ state: 'idle', current: 0 })
    cabinet.stopCharging(undefined, start)
    while (cabinet.stopCharging(undefined, start)) expect(compartmentsOf(cabinet)).toHaveLength(12)
    expect(compartmentsOf(cabinet, 60).filter(({ state }) => state === 'charging')).toEqual([])
    expect(cabinet.stopCharging(undefined, start)).toBe(false)
  })

  it.each([
    [
      'door-sticks',
      (cabinet: Cabinet) => {
        cabinet.openDoor(1)
        cabinet.closeDoor(1)
        expect(compartmentsOf(cabinet)[0]?.isDoorOpen).toBe(true)
      },
    ],
    [
      'compartment-fails',
      (cabinet: Cabinet) =>
        expect(new Set(compartmentsOf(cabinet, 60).map(({ state }) => state))).toEqual(new Set(['fault'])),
    ],
    [
      'charger-fails',
      (cabinet: Cabinet) =>
        expect(compartmentsOf(cabinet, 60).every(({ current = 0 }) => current === 0)).toBe(true),
    ],
    [
      'hot-battery',
      (cabinet: Cabinet) =>
        expect(
          Math.max(...compartmentsOf(cabinet, 6).map(({ temperature = 0 }) => temperature)),
        ).toBeGreaterThan(50),
    ],
    [
      'silent-sensor',
      (cabinet: Cabinet) =>
        expect(compartmentsOf(cabinet).every(({ temperature }) => temperature === undefined)).toBe(true),
    ],
    [
      'bad-sensor',
      (cabinet: Cabinet) =>
        expect(compartmentsOf(cabinet).some(({ temperature }) => temperature === -3276.8)).toBe(true),
    ],
    [
      'runs-out',
      (cabinet: Cabinet) =>
        expect(compartmentsOf(cabinet, 60).some(({ state }) => state === 'charging')).toBe(false),
    ],
  ] as const)('shows the trouble %s', (trouble, shows) => {
    shows(standing({ trouble }).cabinet)
  })
})

describe('devices without compartments', () => {
  it.each([batteryStatus, storageStatus])('measure what the protocol accepts, all day long', (statusAt) => {
    for (let minute = 0; minute < 24 * 60; minute += 7) {
      const { status } = statusAt(start + minute * minuteMs, createRandom(5), createRandom(minute))
      const report = { id: '1', time: start, status }
      expect(upTopics.status.payload.safeParse(report).error).toBeUndefined()
      expect(status.SOC).toBeGreaterThanOrEqual(0)
      expect(status.SOC).toBeLessThanOrEqual(100)
    }
  })

  it('go on with their curve from one report to the next', () => {
    for (const statusAt of [batteryStatus, storageStatus]) {
      const socAt = (minute: number) =>
        statusAt(start + minute * minuteMs, createRandom(5), createRandom(minute)).status.SOC as number
      for (let minute = 0; minute < 24 * 60; minute += 1) {
        // A full battery that begins to ride, or an empty one that begins to charge, turns within the minute.
        expect(Math.abs(socAt(minute + 1) - socAt(minute))).toBeLessThan(5)
      }
    }
  })
})
