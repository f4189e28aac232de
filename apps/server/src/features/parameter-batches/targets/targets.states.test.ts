import type { BatchDeviceState } from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import {
  attemptAfter,
  reasons,
  type Target,
  type TargetEvent,
  type TargetRule,
  targetAfter,
} from './targets.states.ts'

const nowMs = 1_000_000
const rule: TargetRule = { attempts: 3, intervalMs: 180_000, isStopping: false }
const target = (state: BatchDeviceState, more: Partial<Target> = {}): Target => ({
  state,
  attempts: 0,
  dueAtMs: null,
  reason: null,
  ...more,
})

const open = ['waiting', 'sent', 'confirming'] as const
const ended = ['succeeded', 'failed', 'refused', 'expired', 'skipped', 'stopped'] as const
const events: readonly TargetEvent[] = [
  { kind: 'due', nowMs },
  { kind: 'claimed', nowMs },
  { kind: 'refused', reason: '拒绝' },
  { kind: 'failed', reason: '失败', nowMs },
  { kind: 'unanswered', nowMs },
  { kind: 'neverThere' },
  { kind: 'verified' },
  { kind: 'ended' },
  { kind: 'stopped' },
  { kind: 'unasked', reason: '重试人 李伟 已停用' },
  { kind: 'retried', nowMs },
]

describe('a target', () => {
  test('is sent when it is due, acknowledged, and succeeds when the values are reported', () => {
    const sent = targetAfter(target('waiting', { dueAtMs: nowMs }), { kind: 'due', nowMs }, rule)
    expect(sent).toMatchObject({ state: 'sent', dueAtMs: null })
    const confirming = targetAfter(sent, { kind: 'claimed', nowMs }, rule)
    expect(confirming).toMatchObject({ state: 'confirming', dueAtMs: nowMs + rule.intervalMs })
    expect(targetAfter(confirming, { kind: 'verified' }, rule)).toMatchObject({
      state: 'succeeded',
      dueAtMs: null,
      reason: null,
    })
  })

  test.each(open)('%s succeeds by a report, whatever caused the values', (state) => {
    expect(targetAfter(target(state, { reason: '失败', attempts: 1 }), { kind: 'verified' }, rule)).toEqual(
      target('succeeded', { attempts: 1 }),
    )
  })

  test.each([
    ['sent', { kind: 'failed', reason: '写入失败', nowMs }, '写入失败', nowMs + 180_000],
    ['sent', { kind: 'unanswered', nowMs }, reasons.unanswered, nowMs],
    ['confirming', { kind: 'due', nowMs }, reasons.unconfirmed, nowMs],
    ['confirming', { kind: 'due', nowMs, mismatch: '设备报告 60' }, '设备报告 60', nowMs],
  ] as const)('%s loses an attempt by %j, and the last one is the end', (state, event, reason, dueAtMs) => {
    expect(targetAfter(target(state, { attempts: 1 }), event, rule)).toEqual(
      target('waiting', { attempts: 2, reason, dueAtMs }),
    )
    expect(targetAfter(target(state, { attempts: 2 }), event, rule)).toEqual(
      target('failed', { attempts: 3, reason }),
    )
    expect(targetAfter(target(state), event, { ...rule, isStopping: true })).toEqual(
      target('failed', { attempts: 1, reason }),
    )
  })

  test('that refuses is not retried, and uses no attempt', () => {
    expect(targetAfter(target('sent'), { kind: 'refused', reason: '锁定' }, rule)).toEqual(
      target('refused', { reason: '锁定' }),
    )
  })

  test('that was offline until the end has expired without an attempt', () => {
    expect(targetAfter(target('sent'), { kind: 'neverThere' }, rule)).toEqual(
      target('expired', { reason: reasons.offline }),
    )
    expect(targetAfter(target('waiting'), { kind: 'ended' }, rule)).toMatchObject({ reason: reasons.ended })
    expect(
      targetAfter(target('waiting', { attempts: 1, reason: '失败' }), { kind: 'ended' }, rule),
    ).toMatchObject({ state: 'expired', reason: '失败' })
  })

  test('is stopped if no device has its command, and continues if one has acknowledged it', () => {
    expect(targetAfter(target('waiting'), { kind: 'stopped' }, rule).state).toBe('stopped')
    expect(targetAfter(target('sent'), { kind: 'stopped' }, rule).state).toBe('stopped')
    const confirming = target('confirming', { dueAtMs: nowMs })
    expect(targetAfter(confirming, { kind: 'stopped' }, rule)).toBe(confirming)
  })

  test.each(ended)('%s is final, except for a retry of what did not succeed', (state) => {
    const before = target(state, { attempts: 3, reason: '失败' })
    for (const event of events) {
      const after = targetAfter(before, event, rule)
      if (event.kind === 'retried' && ['failed', 'refused', 'expired'].includes(state))
        expect(after).toEqual(target('waiting', { dueAtMs: nowMs }))
      else expect(after).toBe(before)
    }
  })

  test.each(['waiting', 'sent'] as const)('%s fails where its user may not ask for it any more', (state) => {
    const reason = '重试人 李伟 已停用'
    expect(targetAfter(target(state, { attempts: 1 }), { kind: 'unasked', reason }, rule)).toEqual(
      target('failed', { attempts: 1, reason }),
    )
  })

  test('that a device has the values for is not affected by the end of the user who asked', () => {
    const before = target('confirming', { dueAtMs: nowMs })
    expect(targetAfter(before, { kind: 'unasked', reason: '重试人 李伟 已停用' }, rule)).toBe(before)
  })

  test.each(open)('%s is not affected by a retry', (state) => {
    const before = target(state)
    expect(targetAfter(before, { kind: 'retried', nowMs }, rule)).toBe(before)
  })

  test('that waits is not affected by an answer to an older command', () => {
    const before = target('waiting', { dueAtMs: nowMs + 5 })
    for (const event of events.filter(({ kind }) =>
      ['claimed', 'refused', 'failed', 'unanswered', 'neverThere'].includes(kind),
    ))
      expect(targetAfter(before, event, rule)).toBe(before)
  })
})

describe('the log of an attempt', () => {
  test('says how it ended, once', () => {
    const told = (state: BatchDeviceState) =>
      Object.fromEntries(events.map((event) => [event.kind, attemptAfter(target(state), event)]))
    expect(told('sent')).toMatchObject({
      refused: 'refused',
      failed: 'failed',
      unanswered: 'unanswered',
      neverThere: 'offline',
      verified: 'succeeded',
      ended: 'unanswered',
      stopped: 'stopped',
      unasked: 'stopped',
      claimed: null,
      retried: null,
    })
    expect(told('confirming')).toMatchObject({
      due: 'unconfirmed',
      verified: 'succeeded',
      ended: 'unconfirmed',
    })
    for (const state of ['waiting', ...ended] as const)
      expect(Object.values(told(state)).every((result) => result === null)).toBe(true)
  })
})
