import { upgradeTargetStates } from '@voltkeep/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isOpen,
  longestStandstillMs,
  longestStateMs,
  openTargetStates,
  reasons,
  type Target,
  type TargetEvent,
  type TargetRule,
  targetAfter,
} from './targets.states.ts'

const rule: TargetRule = { attempts: 3, intervalMs: 300_000, stallMs: 900_000, verifyMs: 600_000 }
const nowMs = 1_000_000
const target = (changes: Partial<Target> = {}): Target => ({
  state: 'waiting',
  percent: null,
  attempts: 0,
  dueAtMs: nowMs,
  reason: null,
  claimedAtMs: null,
  changedAtMs: nowMs,
  heardAtMs: null,
  ...changes,
})
const after = (before: Partial<Target>, ...events: TargetEvent[]) =>
  events.reduce((state, event) => targetAfter(state, event, rule), target(before))
const progressed = (to: 'downloading' | 'installing', percent: number | null): TargetEvent => ({
  kind: 'progressed',
  to,
  percent,
  nowMs,
})

describe('the usual course of a target', () => {
  test('leads from the command through download and installation to the version report', () => {
    const way: TargetEvent[] = [
      { kind: 'due', nowMs },
      { kind: 'taken', nowMs },
      progressed('downloading', 10),
      progressed('installing', 0),
      { kind: 'claimed', nowMs },
      { kind: 'verified' },
    ]
    const states = way.map((_, index) => after({}, ...way.slice(0, index + 1)).state)
    expect(states).toEqual(['sent', 'sent', 'downloading', 'installing', 'installing', 'succeeded'])
  })

  test('times out only while a device is working, and each report restarts the timeout', () => {
    expect(after({}, { kind: 'due', nowMs }).dueAtMs).toBeNull()
    const sent = target({ state: 'sent', dueAtMs: null })
    expect(targetAfter(sent, { kind: 'taken', nowMs }, rule)).toBe(sent)
    expect(after({ dueAtMs: null }, { kind: 'taken', nowMs }).dueAtMs).toBe(nowMs + rule.stallMs)
    const later = { ...progressed('downloading', 30), nowMs: nowMs + 5_000 } as TargetEvent
    expect(after({ state: 'downloading', percent: 20 }, later).dueAtMs).toBe(nowMs + 5_000 + rule.stallMs)
    expect(after({ state: 'installing' }, { kind: 'claimed', nowMs }).dueAtMs).toBe(nowMs + rule.verifyMs)
  })

  test('succeeds from every open state when the version is reported', () => {
    for (const state of openTargetStates)
      expect(after({ state, reason: '存储空间不足' }, { kind: 'verified' })).toMatchObject({
        state: 'succeeded',
        dueAtMs: null,
        reason: null,
      })
  })
})

describe('progress', () => {
  test('moves forward only', () => {
    const downloading = target({ state: 'downloading', percent: 60 })
    expect(targetAfter(downloading, progressed('downloading', 59), rule)).toBe(downloading)
    const installing = target({ state: 'installing', percent: 10 })
    expect(targetAfter(installing, progressed('downloading', 99), rule)).toBe(installing)
    expect(targetAfter(installing, progressed('installing', 9), rule)).toBe(installing)
    expect(targetAfter(downloading, progressed('installing', 0), rule)).toMatchObject({
      state: 'installing',
      percent: 0,
    })
  })

  test('without a percentage keeps the known one of the same state', () => {
    expect(after({ state: 'downloading', percent: 60 }, progressed('downloading', null)).percent).toBe(60)
    expect(after({ state: 'downloading', percent: 60 }, progressed('installing', null)).percent).toBeNull()
  })

  test('is ignored for an unsent target, and after the device has reported that it is done', () => {
    const waiting = target()
    expect(targetAfter(waiting, progressed('downloading', 1), rule)).toBe(waiting)
    expect(targetAfter(waiting, { kind: 'claimed', nowMs }, rule)).toBe(waiting)
    const claimed = target({ state: 'installing', claimedAtMs: nowMs })
    expect(targetAfter(claimed, progressed('installing', 100), rule)).toBe(claimed)
    expect(targetAfter(claimed, { kind: 'claimed', nowMs: nowMs + 1 }, rule)).toBe(claimed)
  })

  test('of a device that had timed out resumes the target', () => {
    expect(after({ attempts: 1, dueAtMs: nowMs + 1 }, progressed('downloading', 5))).toMatchObject({
      state: 'downloading',
      attempts: 1,
    })
  })
})

describe('a device that always says that it goes on', () => {
  /** Reports each minute until the attempt is over, as a device that is heard. Returns how it ended, and when. */
  function reporting(to: 'downloading' | 'installing', percentAt: (ms: number) => number | null) {
    let now = target({ state: 'sent', dueAtMs: null })
    let heardAtMs = nowMs
    for (let ms = 0; ms < 100 * 3_600_000; ms += 60_000) {
      const atMs = nowMs + ms
      if (now.dueAtMs !== null && now.dueAtMs <= atMs) {
        const over = targetAfter({ ...now, heardAtMs }, { kind: 'due', nowMs: atMs }, rule)
        return { ms, attempts: over.attempts, reason: over.reason }
      }
      now = targetAfter(now, { kind: 'progressed', to, percent: percentAt(ms), nowMs: atMs }, rule)
      heardAtMs = atMs
    }
    return { ms: Infinity, attempts: now.attempts, reason: now.reason }
  }
  const over = { attempts: 1, reason: reasons.standstill }

  for (const to of ['downloading', 'installing'] as const)
    for (const [name, percent] of [
      ['without a percentage', null],
      ['with the same one', 40],
    ] as const)
      test(`by ${to} ${name} has failed the attempt in the end, and says why`, () => {
        expect(reporting(to, () => percent)).toEqual({ ms: longestStandstillMs, ...over })
      })

  test('is let go on for longer by a percentage that rises, and not for ever', () => {
    const perMs = (hours: number) => (ms: number) => Math.floor((ms / 3_600_000 / hours) * 100)
    const slow = reporting('downloading', perMs(20))
    expect(slow).toMatchObject(over)
    expect(slow.ms).toBeGreaterThan(longestStandstillMs + rule.stallMs)
    expect(slow.ms).toBeLessThanOrEqual(longestStateMs)
    // That of every other report: those without one take nothing from it.
    const mixed = reporting('downloading', (ms) => (ms % 120_000 === 0 ? perMs(20)(ms) : null))
    expect(mixed).toEqual(slow)
  })

  test('has as long again in its next state, and a whole patience where that is longer', () => {
    const late = nowMs + longestStateMs
    const installing = {
      ...target({ state: 'downloading', percent: 90, dueAtMs: late + 1 }),
      changedAtMs: nowMs,
    }
    const event: TargetEvent = { kind: 'progressed', to: 'installing', percent: null, nowMs: late }
    expect(targetAfter(installing, event, rule)).toMatchObject({
      dueAtMs: late + rule.stallMs,
      changedAtMs: late,
    })
    const patient = { ...rule, stallMs: 2 * longestStateMs }
    const begun = targetAfter(target({ state: 'sent' }), progressed('downloading', null), patient)
    const again = targetAfter(
      begun,
      { ...progressed('downloading', null), nowMs: nowMs + 1 } as TargetEvent,
      patient,
    )
    expect(again.dueAtMs).toBe(nowMs + patient.stallMs)
  })

  test('and falls silent after that has failed by its silence', () => {
    const silent = {
      state: 'downloading',
      heardAtMs: nowMs,
      changedAtMs: nowMs - longestStandstillMs,
    } as const
    expect(after(silent, { kind: 'due', nowMs: nowMs + rule.stallMs }).reason).toBe(reasons.stalled)
  })
})

describe('a failed attempt', () => {
  const failures: [string, Partial<Target>, TargetEvent, string, string][] = [
    [
      'silence after the command',
      { state: 'sent' },
      { kind: 'unanswered', nowMs },
      'failed',
      reasons.unanswered,
    ],
    ['silence after the answer', { state: 'sent' }, { kind: 'due', nowMs }, 'timedOut', reasons.stalled],
    [
      'a download that stands still',
      { state: 'downloading' },
      { kind: 'due', nowMs },
      'timedOut',
      reasons.stalled,
    ],
    [
      'a claim without the version',
      { state: 'installing', claimedAtMs: 1 },
      { kind: 'due', nowMs },
      'failed',
      reasons.unverified,
    ],
    [
      'a claim, and the old version again',
      { state: 'installing', claimedAtMs: 1 },
      { kind: 'due', nowMs, still: { reports: '1.3', wanted: '1.4' } },
      'failed',
      '设备仍报告 1.3，应为 1.4',
    ],
    [
      'a failure told',
      { state: 'installing' },
      { kind: 'failed', reason: '校验失败', nowMs },
      'failed',
      '校验失败',
    ],
  ]
  for (const [name, before, event, end, reason] of failures) {
    test(`by ${name} is followed by another one, unless it was the last`, () => {
      expect(after(before, event)).toEqual(
        target({ state: 'waiting', attempts: 1, reason, dueAtMs: nowMs + rule.intervalMs }),
      )
      expect(after({ ...before, attempts: 2 }, event)).toMatchObject({
        state: end,
        attempts: 3,
        reason,
        dueAtMs: null,
      })
    })
  }

  test('is not counted for an offline device', () => {
    expect(after({ state: 'sent', dueAtMs: null }, { kind: 'neverThere' })).toMatchObject({
      state: 'timedOut',
      attempts: 0,
      reason: reasons.offline,
    })
  })
})

describe('a pause', () => {
  test('holds due targets back and withdraws unsent commands, without using an attempt', () => {
    expect(after({ attempts: 1 }, { kind: 'deferred' })).toMatchObject({
      state: 'waiting',
      dueAtMs: null,
      attempts: 1,
    })
    expect(after({ state: 'sent', dueAtMs: null }, { kind: 'recalled' })).toMatchObject({
      state: 'waiting',
      dueAtMs: null,
      attempts: 0,
    })
    expect(after({ dueAtMs: null }, { kind: 'released', dueAtMs: 7 }).dueAtMs).toBe(7)
  })

  test('does not stop a device that received the command', () => {
    expect(after({ dueAtMs: null }, { kind: 'taken', nowMs }, progressed('downloading', 3)).state).toBe(
      'downloading',
    )
  })
})

test('a device that a decider does not reach any more is skipped until it has been handed the command', () => {
  const beyond: TargetEvent = { kind: 'outOfReach', reason: '超出任务创建人 liwei 的数据权限' }
  const skipped = { state: 'skipped', reason: beyond.reason, dueAtMs: null }
  expect(after({ attempts: 1 }, beyond)).toMatchObject(skipped)
  expect(after({ state: 'sent', dueAtMs: null }, beyond)).toMatchObject(skipped)
  expect(after({ state: 'sent' }, beyond).state).toBe('sent')
  expect(after({ state: 'installing' }, beyond).state).toBe('installing')
})

describe('a target of several parts', () => {
  test('is skipped if the part before it did not succeed, and retried together with it', () => {
    const skipped = after({ dueAtMs: null }, { kind: 'predecessorFailed' })
    expect(skipped).toMatchObject({ state: 'skipped', reason: reasons.predecessor })
    expect(targetAfter(skipped, { kind: 'retried', dueAtMs: null }, rule).state).toBe('waiting')
    const upToDate = target({ state: 'skipped', reason: '已是目标版本' })
    expect(targetAfter(upToDate, { kind: 'retried', dueAtMs: null }, rule)).toBe(upToDate)
  })
})

const anyTarget = fc.record<Target>({
  state: fc.constantFrom(...upgradeTargetStates),
  percent: fc.option(fc.integer({ min: 0, max: 100 })),
  attempts: fc.integer({ min: 0, max: 2 }),
  dueAtMs: fc.option(fc.integer({ min: 0, max: nowMs })),
  reason: fc.option(fc.constantFrom(...Object.values(reasons))),
  claimedAtMs: fc.option(fc.integer({ min: 0, max: nowMs })),
  changedAtMs: fc.integer({ min: 0, max: nowMs }),
  heardAtMs: fc.option(fc.integer({ min: 0, max: nowMs })),
})
const at = fc.integer({ min: 0, max: nowMs })
const anyEvent: fc.Arbitrary<TargetEvent> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('due', 'taken', 'unanswered', 'claimed'),
    nowMs: at,
  }) as fc.Arbitrary<TargetEvent>,
  fc.constantFrom<TargetEvent>(
    { kind: 'deferred' },
    { kind: 'outOfReach', reason: '超出数据权限' },
    { kind: 'recalled' },
    { kind: 'neverThere' },
    { kind: 'verified' },
    { kind: 'predecessorFailed' },
    { kind: 'ended' },
    { kind: 'cancelled' },
    { kind: 'refused', reason: '板卡不符' },
  ),
  fc.record({ kind: fc.constant('released' as const), dueAtMs: at }),
  fc.record({ kind: fc.constant('failed' as const), reason: fc.constant('校验失败'), nowMs: at }),
  fc.record({ kind: fc.constant('retried' as const), dueAtMs: fc.option(at) }),
  fc.record({
    kind: fc.constant('progressed' as const),
    to: fc.constantFrom('downloading' as const, 'installing' as const),
    percent: fc.option(fc.integer({ min: 0, max: 100 })),
    nowMs: at,
  }),
)

describe('in any order of events', () => {
  test('only a retry leaves a final state', () => {
    fc.assert(
      fc.property(anyTarget, anyEvent, (before, event) => {
        fc.pre(!isOpen(before.state) && event.kind !== 'retried')
        expect(targetAfter(before, event, rule)).toBe(before)
      }),
    )
  })

  test('success and cancellation are permanent', () => {
    fc.assert(
      fc.property(fc.constantFrom('succeeded' as const, 'cancelled' as const), anyEvent, (state, event) => {
        const before = target({ state })
        expect(targetAfter(before, event, rule)).toBe(before)
      }),
    )
  })

  test('attempts stay within the rule, and a final state is never due', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        let now = target()
        for (const event of events) {
          now = targetAfter(now, event, rule)
          expect(now.attempts).toBeLessThanOrEqual(rule.attempts)
          if (!isOpen(now.state)) expect(now.dueAtMs).toBeNull()
        }
      }),
    )
  })

  test('an open target that is working is always waited for: by the queue, or by its command', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        const now = events.reduce((state, event) => targetAfter(state, event, rule), target())
        if (now.state === 'downloading' || now.state === 'installing') expect(now.dueAtMs).not.toBeNull()
      }),
    )
  })
})
