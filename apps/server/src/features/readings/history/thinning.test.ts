import { expect, test } from 'vitest'
import { hourLimits } from './packing/index.ts'
import {
  createThinning,
  mostArriving,
  ordinaryRule,
  Readings,
  type ThinningPass,
  type ThinningRule,
} from './thinning.ts'

const quarterMs = 900_000
const noon = 1_800_000_000_000 - (1_800_000_000_000 % quarterMs)

function report(
  pass: ThinningPass,
  deviceId: number,
  atMs: number,
  values: Record<number, number | boolean>,
  {
    rule = ordinaryRule,
    clockLimitMs = null,
    arrivedMs = atMs,
  }: { rule?: ThinningRule; clockLimitMs?: number | null; arrivedMs?: number } = {},
): Record<number, number | boolean> {
  const readings = new Readings()
  const kept = new Readings()
  for (const [id, value] of Object.entries(values)) readings.add(Number(id), value)
  pass.take({ deviceId, atMs, arrivedMs, clockLimitMs }, readings, kept, () => rule)
  return Object.fromEntries(Array.from({ length: kept.count }, (_, at) => [kept.ids[at], kept.valueAt(at)]))
}
const memoryOf = (more: Partial<Parameters<typeof createThinning>[0]> = {}) => {
  const memory = createThinning({ namesOfDevice: 3, firstNamedId: 1_000, ...more })
  /** A batch of one report, committed. */
  const keep = (...rest: [number, number, Record<number, number | boolean>, object?]) => {
    const pass = memory.begin()
    const kept = report(pass, ...rest)
    pass.commit()
    return kept
  }
  return { memory, keep }
}

test('what is equal is not kept again within a quarter of an hour of the clock', () => {
  const { keep } = memoryOf()
  expect(keep(1, noon, { 1: 5, 2: true })).toEqual({ 1: 5, 2: true })
  expect(keep(1, noon + 3_000, { 1: 5, 2: true })).toEqual({})
  expect(keep(1, noon + 6_000, { 1: 5.1, 2: false })).toEqual({ 1: 5.1, 2: false })
  expect(keep(1, noon + quarterMs - 1_000, { 1: 5.1, 2: false })).toEqual({})
  expect(keep(1, noon + quarterMs, { 1: 5.1, 2: false })).toEqual({ 1: 5.1, 2: false })
})

test('a number and a switch are never equal', () => {
  const { keep } = memoryOf()
  keep(1, noon, { 1: 1, 2: true })
  expect(keep(1, noon + 1_000, { 1: true, 2: 1 })).toEqual({ 1: true, 2: 1 })
})

test('within the deadband of the last value kept, and not of the one before, nothing is kept', () => {
  const { keep } = memoryOf()
  const rule = { ...ordinaryRule, deadband: 0.5 }
  keep(1, noon, { 1: 10 }, { rule })
  expect(keep(1, noon + 1_000, { 1: 10.4 }, { rule })).toEqual({})
  expect(keep(1, noon + 2_000, { 1: 10.8 }, { rule })).toEqual({ 1: 10.8 })
})

test('a reading without history is not kept', () => {
  const { keep } = memoryOf()
  expect(keep(1, noon, { 1: 10 }, { rule: { ...ordinaryRule, isKept: false } })).toEqual({})
})

test('a number that is no measurement is not kept, and a switch always is one', () => {
  const { keep } = memoryOf()
  const rule = { ...ordinaryRule, plausible: { min: -40, max: 120 } }
  expect(keep(1, noon, { 1: 121, 2: -41, 3: 120, 4: true }, { rule })).toEqual({ 3: 120, 4: true })
})

test('what comes late is kept, and changes nothing of what the next report is compared with', () => {
  const { keep } = memoryOf()
  keep(1, noon + 60_000, { 1: 5 })
  expect(keep(1, noon, { 1: 7 })).toEqual({ 1: 7 })
  expect(keep(1, noon + 61_000, { 1: 5 })).toEqual({})
})

test('a clock that was ahead and was set back does not make everything late', () => {
  const { keep } = memoryOf()
  keep(1, noon + 86_400_000, { 1: 5 })
  keep(1, noon, { 1: 5 }, { clockLimitMs: noon + 60_000 })
  expect(keep(1, noon + 1_000, { 1: 5 }, { clockLimitMs: noon + 61_000 })).toEqual({})
})

test('a batch without a commit leaves nothing behind, and forgets its devices', () => {
  const { memory, keep } = memoryOf()
  keep(1, noon, { 1: 5 })
  expect(report(memory.begin(), 1, noon + 1_000, { 1: 6 })).toEqual({ 1: 6 })
  expect(keep(1, noon + 2_000, { 1: 5 })).toEqual({ 1: 5 })
})

test('several reports of a device in one batch are compared with each other', () => {
  const { memory } = memoryOf()
  const pass = memory.begin()
  expect(report(pass, 1, noon, { 1: 5 })).toEqual({ 1: 5 })
  expect(report(pass, 1, noon + 1_000, { 1: 5 })).toEqual({})
  expect(report(pass, 1, noon + 2_000, { 1: 6 })).toEqual({ 1: 6 })
  expect(pass.counts).toEqual({ kept: 2, thinned: 1, refused: 0 })
})

test('what is forgotten while a batch is under way stays forgotten', () => {
  const { memory, keep } = memoryOf()
  for (const ids of [[1], null]) {
    const pass = memory.begin()
    report(pass, 1, noon, { 1: 5 })
    memory.forget(ids)
    pass.commit()
    expect(keep(1, noon + 1_000, { 1: 5 })).toEqual({ 1: 5 })
  }
})

test('the devices heard of longest ago are forgotten first', () => {
  const { memory, keep } = memoryOf({ most: 6 })
  for (const device of [1, 2, 3]) keep(device, noon, { 1: 5, 2: 6 })
  keep(1, noon + 1_000, { 1: 5, 2: 6 })
  keep(4, noon, { 1: 5, 2: 6 })
  expect(memory.size).toBe(6)
  expect(keep(1, noon + 2_000, { 1: 5, 2: 6 })).toEqual({})
  expect(keep(2, noon + 2_000, { 1: 5, 2: 6 })).toEqual({ 1: 5, 2: 6 })
})

test('the order in which devices were heard of outlives the removal of the first, the last and one between', () => {
  for (const forgotten of [1, 2, 4]) {
    const { memory, keep } = memoryOf({ most: 8 })
    for (const device of [1, 2, 3, 4]) keep(device, noon, { 1: 5, 2: 6 })
    memory.forget([forgotten])
    expect(memory.size).toBe(6)
    // Room for one; then the first ones of those that are left go.
    for (const device of [5, 6, 7]) keep(device, noon, { 1: 5, 2: 6 })
    expect(memory.size).toBe(8)
    const left = [1, 2, 3, 4].filter((device) => device !== forgotten)
    expect(keep(left[2] as number, noon + 1_000, { 1: 5, 2: 6 })).toEqual({})
    expect(keep(7, noon + 1_000, { 1: 5, 2: 6 })).toEqual({})
    expect(keep(left[1] as number, noon + 1_000, { 1: 5, 2: 6 })).toEqual({ 1: 5, 2: 6 })
    memory.forget(null)
    expect(memory.size).toBe(0)
  }
})

test('a device has a number of names; readings of compartments do not count', () => {
  const { memory, keep } = memoryOf()
  keep(1, noon, { 1: 1, 1000: 1, 1001: 1 })
  const pass = memory.begin()
  expect(report(pass, 1, noon, { 2: 1, 1002: 1, 1003: 1 })).toEqual({ 2: 1, 1002: 1 })
  expect(pass.counts.refused).toBe(1)
  pass.commit()
  expect(keep(1, noon + 1_000, { 1000: 2, 1003: 2 })).toEqual({ 1000: 2 })
})

test('processes that divide the messages of a device keep all', () => {
  const { keep } = memoryOf({ isThinning: false })
  keep(1, noon, { 1: 5 })
  expect(keep(1, noon + 1_000, { 1: 5 })).toEqual({ 1: 5 })
})

test('what a device reports of an hour of its own time is kept to a limit, and said once', () => {
  const { memory, keep } = memoryOf()
  const pass = memory.begin()
  for (let n = 0; n < hourLimits.times; n += 1) expect(report(pass, 1, noon + n, { 1: n })).toEqual({ 1: n })
  for (let n = 0; n < 3; n += 1) expect(report(pass, 1, noon + 8_000 + n, { 1: n, 2: n })).toEqual({})
  expect(report(pass, 2, noon, { 1: 1 })).toEqual({ 1: 1 })
  expect(pass.counts).toEqual({ kept: hourLimits.times + 1, thinned: 0, refused: 6 })
  expect(pass.crowded).toEqual([1])
  pass.commit()
  expect(keep(1, noon + 9_000, { 1: -1 })).toEqual({})
  expect(keep(1, noon + 3_600_000, { 1: -1 })).toEqual({ 1: -1 })
})

test('what was stored for a week is kept whole when it arrives at once, and not without an end', () => {
  const { memory } = memoryOf({ namesOfDevice: 170 })
  const arrivedMs = noon + 30 * 86_400_000
  const pass = memory.begin()
  const readings = new Readings()
  const kept = new Readings()
  const take = (atMs: number) => {
    readings.clear()
    for (let id = 1; id <= 170; id += 1) readings.add(id, atMs)
    kept.clear()
    pass.take({ deviceId: 1, atMs, arrivedMs, clockLimitMs: null }, readings, kept, () => ordinaryRule)
  }
  const count = 7 * 24 * 1_200
  for (let n = 0; n < count; n += 1) take(noon + n * 3_000)
  expect(pass.counts).toEqual({ kept: count * 170, thinned: 0, refused: 0 })
  for (let n = count; n < 2 * count; n += 1) take(noon + n * 3_000)
  expect(pass.counts.kept).toBeLessThan(mostArriving + 170)
  expect(pass.counts.kept + pass.counts.refused).toBe(2 * count * 170)
})
