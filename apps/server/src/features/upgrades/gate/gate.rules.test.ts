import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allowedDevices, type GateFigures, gateRule, judgeAlarms, settleMinutes } from './gate.rules.ts'

const figures = (changes: Partial<GateFigures>): GateFigures => ({
  verified: 50,
  windowHours: 0.5,
  beforeWindows: 50 * 48,
  controlDevices: 950,
  all: { alarmed: 0, before: 0, control: 0 },
  codes: [],
  ...changes,
})

const share = fc.double({ min: 0, max: 1, noNaN: true })
const counts = fc
  .record({
    verified: fc.integer({ min: 1, max: 300 }),
    beforeWindows: fc.integer({ min: 0, max: 20_000 }),
    controlDevices: fc.integer({ min: 0, max: 20_000 }),
    shares: fc.tuple(share, share, share),
  })
  .map(({ verified, beforeWindows, controlDevices, shares: [alarmed, before, control] }) =>
    figures({
      verified,
      beforeWindows,
      controlDevices,
      all: {
        alarmed: Math.round(alarmed * verified),
        before: Math.round(before * beforeWindows),
        control: Math.round(control * controlDevices),
      },
    }),
  )

const passes = (of: GateFigures) => judgeAlarms(of).passes

describe('the number that chance explains', () => {
  test('follows the definition of the beta-binomial distribution', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 60 }),
        share,
        fc.constantFrom(0.05, 0.01, 0.001),
        (size, trials, part, error) => {
          const events = Math.round(part * trials)
          const k = allowedDevices(events, trials, { size, error, limit: 1_000 })
          const tail = (from: number) => {
            let sum = 0
            for (let n = from; n <= size; n += 1)
              sum += betaBinomial(n, size, events + 0.5, trials - events + 0.5)
            return sum
          }
          expect(tail(k + 1)).toBeLessThanOrEqual(error * (1 + 1e-9))
          if (k > 0) expect(tail(k)).toBeGreaterThan(error * (1 - 1e-9))
        },
      ),
    )
  })

  test('keeps a noticeable share, for any number of devices', () => {
    const allowed = (size: number) => allowedDevices(20, 1_000, { size, error: 0.01, limit: 300 }) / size
    expect(allowed(100_000)).toBeGreaterThan(0.03)
    expect(allowed(100_000)).toBeLessThan(allowed(100))
  })

  test('is all of them without data', () => {
    expect(allowedDevices(0, 0, { size: 1, error: 0.01, limit: 300 })).toBe(1)
  })
})

/** The distribution by factorials of halves: slow and plain. */
function betaBinomial(k: number, n: number, alpha: number, beta: number): number {
  const rising = (from: number, times: number) => {
    let sum = 0
    for (let i = 0; i < times; i += 1) sum += Math.log(from + i)
    return sum
  }
  const choose = rising(n - k + 1, k) - rising(1, k)
  return Math.exp(choose + rising(alpha, k) + rising(beta, n - k) - rising(alpha + beta, n))
}

describe('the alarm gate', () => {
  test('passes if no upgraded device has a new alarm', () => {
    fc.assert(fc.property(counts, (of) => passes({ ...of, all: { ...of.all, alarmed: 0 } })))
  })

  test('passes before any upgrade', () => {
    expect(judgeAlarms(figures({ verified: 0, beforeWindows: 0 }))).toMatchObject({
      passes: true,
      allowed: 0,
    })
  })

  test('does not pause for fewer alarms than a number that passes', () => {
    fc.assert(
      fc.property(counts, fc.nat(300), (of, fewer) => {
        const less = { ...of, all: { ...of.all, alarmed: Math.max(0, of.all.alarmed - fewer) } }
        return !passes(of) || passes(less)
      }),
    )
  })

  test('never pauses because other devices have more alarms, before or at the same time', () => {
    fc.assert(
      fc.property(counts, fc.nat(5_000), fc.nat(5_000), (of, before, control) => {
        const worse = {
          ...of,
          all: {
            ...of.all,
            before: Math.min(of.beforeWindows, of.all.before + before),
            control: Math.min(of.controlDevices, of.all.control + control),
          },
        }
        return !passes(of) || passes(worse)
      }),
    )
  })

  test('is stricter with a smaller error probability', () => {
    fc.assert(
      fc.property(counts, (of) => {
        const strict = judgeAlarms(of, { ...gateRule, error: 0.001 })
        expect(strict.allowed).toBeGreaterThanOrEqual(judgeAlarms(of).allowed)
      }),
    )
  })

  test('gives the same result for any order of the codes', () => {
    const code = fc.record({
      code: fc.constantFrom('A', 'B', 'C', 'D'),
      alarmed: fc.nat(50),
      before: fc.nat(100),
      control: fc.nat(100),
    })
    fc.assert(
      fc.property(fc.uniqueArray(code, { selector: ({ code: name }) => name }), (codes) => {
        const verdict = judgeAlarms(figures({ codes }))
        expect(judgeAlarms(figures({ codes: codes.toReversed() })).passes).toBe(verdict.passes)
      }),
    )
  })

  test.each([
    // A fleet without alarms.
    { verified: 1, alarmed: 0, before: 0, control: 0, is: true },
    { verified: 5, alarmed: 1, before: 0, control: 0, is: true },
    { verified: 5, alarmed: 2, before: 0, control: 0, is: false },
    { verified: 50, alarmed: 2, before: 0, control: 0, is: false },
    { verified: 5_000, alarmed: 10, before: 0, control: 0, is: true },
    { verified: 5_000, alarmed: 250, before: 0, control: 0, is: false },
    // One device in twenty has a new alarm within half an hour anyway.
    { verified: 5, alarmed: 2, before: 0.05, control: 0.05, is: true },
    { verified: 5, alarmed: 4, before: 0.05, control: 0.05, is: false },
    { verified: 50, alarmed: 5, before: 0.05, control: 0.05, is: true },
    { verified: 50, alarmed: 10, before: 0.05, control: 0.05, is: false },
    { verified: 5_000, alarmed: 300, before: 0.05, control: 0.05, is: true },
    { verified: 5_000, alarmed: 750, before: 0.05, control: 0.05, is: false },
    // A power cut that affects devices with and without the upgrade.
    { verified: 50, alarmed: 12, before: 0, control: 0.2, is: true },
  ])(
    '$verified devices, $alarmed alarmed, $before of spans before, $control of others: passes $is',
    (row) => {
      const beforeWindows = row.verified * 48
      const { passes: is } = judgeAlarms(
        figures({
          verified: row.verified,
          beforeWindows,
          all: { alarmed: row.alarmed, before: row.before * beforeWindows, control: row.control * 950 },
        }),
      )
      expect(is).toBe(row.is)
    },
  )

  test('detects an alarm that is new to the fleet among many that are not', () => {
    const noisy = { alarmed: 10, before: 360, control: 150 }
    const of = figures({ all: noisy, codes: [{ code: 'E1', alarmed: 5, before: 0, control: 0 }] })
    expect(judgeAlarms(figures({ all: noisy })).passes).toBe(true)
    expect(judgeAlarms(of)).toMatchObject({ passes: false, code: 'E1', alarmed: 5, allowed: 1 })
  })

  test('does not let the alarm of a single last device excuse all', () => {
    const of = figures({ controlDevices: 1, all: { alarmed: 10, before: 0, control: 1 } })
    expect(judgeAlarms(of)).toMatchObject({ passes: false, controlPercent: null })
  })

  test('reserves half of a short soak for the restart, and five minutes of a long one', () => {
    expect([null, 30, 10, 1, 0].map(settleMinutes)).toEqual([5, 5, 5, 0.5, 0])
  })
})
