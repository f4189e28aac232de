import { deliveryStates } from '@voltkeep/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mostAttempts, waitAfter } from './advertisements.rules.ts'
import {
  afterEvent,
  commandFor,
  type Delivery,
  type DeliveryEvent,
  reasons,
} from './advertisements.states.ts'

const nowMs = 1_700_000_000_000
const waiting: Delivery = {
  state: 'waiting',
  attempts: 0,
  dueAtMs: nowMs,
  reason: null,
  withdrawal: null,
  commandId: null,
  reportedAtMs: null,
}
const run = (from: Delivery, ...events: DeliveryEvent[]) => events.reduce(afterEvent, from)
const due: DeliveryEvent = { kind: 'due', nowMs }
const done: DeliveryEvent = { kind: 'done' }
const failed: DeliveryEvent = { kind: 'failed', reason: '磁盘已满', nowMs, jitter: 0.5 }
const refused: DeliveryEvent = { kind: 'refused', reason: '不支持视频' }
const expired = (wasSent: boolean): DeliveryEvent => ({ kind: 'expired', wasSent, nowMs, jitter: 0.5 })
const reported = (
  kept: 'stored' | 'shown' | null,
  reportedAtMs = nowMs + 1,
  clockLimitMs: number | null = null,
  isOver = false,
): DeliveryEvent => ({
  kind: 'reported',
  kept,
  reportedAtMs,
  clockLimitMs,
  isOver,
  nowMs,
  jitter: 0.5,
})
const withdrawn = (why: 'deleted' | 'replaced' | 'leftScope' | 'over'): DeliveryEvent => ({
  kind: 'withdrawn',
  why,
  nowMs,
})

describe('a cabinet gets an advertisement', () => {
  test('it is sent, stored, shown', () => {
    const sent = run(waiting, due)
    expect(sent).toMatchObject({ state: 'sent', dueAtMs: null })
    expect(commandFor(sent.state)).toBe('advertise')
    expect(run(sent, done)).toMatchObject({ state: 'stored', attempts: 0, dueAtMs: null })
    expect(run(sent, done, reported('shown'))).toMatchObject({ state: 'shown' })
    expect(run(sent, done, reported('shown'), reported('stored', nowMs + 2))).toMatchObject({
      state: 'stored',
    })
  })

  test('a failure is retried after a growing pause, and after the last attempt by a user only', () => {
    let delivery = waiting
    const waits: number[] = []
    while (delivery.dueAtMs !== null) {
      delivery = run(delivery, due, failed)
      if (delivery.dueAtMs !== null) waits.push(delivery.dueAtMs - nowMs)
    }
    expect(delivery).toMatchObject({ state: 'failed', attempts: mostAttempts, reason: '磁盘已满' })
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
    expect(waits[0]).toBe(30_000)
    expect(run(delivery, { kind: 'retried', nowMs })).toMatchObject({
      state: 'waiting',
      attempts: 0,
      dueAtMs: nowMs,
    })
  })

  test('a failure that is retried by itself is only brought forward by a user', () => {
    const failure = run(waiting, due, failed, due, failed)
    expect(failure).toMatchObject({ state: 'failed', attempts: 2 })
    expect(run(failure, { kind: 'retried', nowMs })).toEqual({ ...failure, state: 'waiting', dueAtMs: nowMs })
  })

  test('an offline cabinet uses no attempt', () => {
    expect(run(waiting, due, expired(false))).toMatchObject({
      state: 'waiting',
      attempts: 0,
      dueAtMs: nowMs,
      reason: reasons.offline,
    })
    expect(run(waiting, due, expired(true))).toMatchObject({
      state: 'failed',
      attempts: 1,
      reason: reasons.noAnswer,
    })
  })

  test('a refusal is retried by a user only', () => {
    const delivery = run(waiting, due, refused)
    expect(delivery).toMatchObject({ state: 'refused', dueAtMs: null, reason: '不支持视频' })
    expect(run(delivery, due)).toBe(delivery)
    expect(run(delivery, { kind: 'retried', nowMs })).toMatchObject({ state: 'waiting', dueAtMs: nowMs })
  })

  test('a file that the cabinet removes at the end of the period is not lost', () => {
    const shown = run(waiting, due, done, reported('shown'))
    expect(run(shown, reported(null, nowMs + 2, null, true))).toMatchObject({
      state: 'removed',
      withdrawal: 'over',
      reason: null,
      dueAtMs: null,
    })
  })

  test('a list from before the cabinet’s clock was set back does not count as newer', () => {
    const ahead = run(waiting, due, done, reported('stored', nowMs + 240_000, nowMs + 240_000))
    expect(run(ahead, reported('shown', nowMs, nowMs))).toMatchObject({ state: 'shown', reportedAtMs: nowMs })
    expect(run(ahead, reported('shown', nowMs, nowMs + 240_000))).toMatchObject({ state: 'stored' })
  })

  test('the cabinet’s own list counts: a lost file is sent again, a stale list changes nothing', () => {
    const stored = run(waiting, due, done)
    expect(run(stored, reported(null))).toMatchObject({ state: 'failed', attempts: 1, reason: reasons.lost })
    const confirmed = run(stored, reported('stored'))
    expect(run(confirmed, reported(null, nowMs))).toBe(confirmed)
    // The cabinet has the file, although its answer was lost.
    expect(run(waiting, due, expired(true), reported('stored'))).toMatchObject({
      state: 'stored',
      attempts: 0,
    })
  })
})

test('a cabinet that contradicts itself about having the file is not asked endlessly', () => {
  let delivery = waiting
  let count = 0
  while (delivery.dueAtMs !== null) {
    count += 1
    delivery = run(delivery, due, done, reported(null, nowMs + count))
  }
  expect(count).toBe(mostAttempts)
  expect(delivery).toMatchObject({ state: 'failed', reason: reasons.lost })
  expect(run(waiting, due, failed, due, done, reported('shown')).attempts).toBe(0)
})

describe('an advertisement leaves a cabinet', () => {
  test('the file is removed where it may exist; otherwise nothing is sent', () => {
    for (const before of [
      run(waiting, due),
      run(waiting, due, done),
      run(waiting, due, done, reported('shown')),
    ]) {
      const removing = run(before, withdrawn('deleted'))
      expect(removing).toMatchObject({ state: 'removing', dueAtMs: nowMs, withdrawal: 'deleted' })
      expect(commandFor(removing.state)).toBe('withdraw')
      expect(run(removing, due, done)).toMatchObject({ state: 'removed', dueAtMs: null })
    }
    expect(run(waiting, withdrawn('deleted'))).toMatchObject({ state: 'removed', dueAtMs: null })
    expect(run(waiting, due, failed, withdrawn('over'))).toMatchObject({ state: 'ended', dueAtMs: null })
  })

  test('a cabinet that returns to the scope gets it again, one whose advertisement was deleted does not', () => {
    const left = run(waiting, due, done, withdrawn('leftScope'), due, done)
    expect(run(left, { kind: 'returned', nowMs })).toMatchObject({ state: 'waiting', withdrawal: null })
    const deleted = run(left, withdrawn('deleted'))
    expect(run(deleted, { kind: 'returned', nowMs })).toBe(deleted)
  })

  test('a cabinet that may have the file although it did not answer is told to remove it', () => {
    const silent = run({ ...waiting, commandId: 'a' }, due, expired(true))
    expect(run(silent, withdrawn('deleted'))).toMatchObject({
      state: 'removing',
      dueAtMs: nowMs,
      withdrawal: 'deleted',
    })
    expect(run(silent, withdrawn('over'))).toMatchObject({ state: 'ended' })
    const offline = run({ ...waiting, commandId: 'a' }, due, expired(false))
    expect(run(offline, withdrawn('deleted'))).toMatchObject({ state: 'removing' })
  })

  test('a cabinet that fails to remove the file is asked until it has, at last every six hours', () => {
    let removing = run(waiting, due, done, withdrawn('deleted'))
    for (let count = 0; count < 2 * mostAttempts; count += 1) {
      removing = run(removing, due, failed)
      expect(removing.dueAtMs).toBeGreaterThan(nowMs)
    }
    expect(removing).toMatchObject({ state: 'removing', dueAtMs: nowMs + 6 * 3_600_000 })
  })

  test('a cabinet that does not remove the file is told again after a pause', () => {
    const removed = run(waiting, due, done, withdrawn('deleted'), due, done)
    const again = run(removed, reported('stored'))
    expect(again).toMatchObject({ state: 'removing', attempts: 1, reason: reasons.kept })
    expect(again.dueAtMs).toBeGreaterThan(nowMs)
  })
})

describe('while the decision does not stand', () => {
  test('what no cabinet has been handed is held, and goes on when it stands again', () => {
    for (const before of [waiting, run(waiting, due), run(waiting, due, failed)]) {
      const held = run(before, { kind: 'held' })
      expect(held).toMatchObject({ state: 'waiting', dueAtMs: null, attempts: before.attempts })
      expect(run(held, { kind: 'resumed', nowMs })).toMatchObject({ state: 'waiting', dueAtMs: nowMs })
    }
  })

  test('a cabinet that has the file keeps it, and what leaves a cabinet goes on leaving', () => {
    for (const before of [
      run(waiting, due, done),
      run(waiting, due, done, withdrawn('leftScope')),
      run(waiting, due, refused),
    ])
      expect(run(before, { kind: 'held' })).toBe(before)
  })

  test('an attempt whose user may not ask for it any more waits for another user', () => {
    const unasked = run(waiting, { kind: 'unasked', reason: '重试人 李伟 已停用' })
    expect(unasked).toMatchObject({ state: 'failed', dueAtMs: null, reason: '重试人 李伟 已停用' })
    expect(run(unasked, { kind: 'resumed', nowMs })).toBe(unasked)
    expect(run(unasked, { kind: 'retried', nowMs })).toMatchObject({ state: 'waiting', dueAtMs: nowMs })
  })
})

test('in any order of events, attempts stay within the limit, and due deliveries can be worked on', () => {
  const event: fc.Arbitrary<DeliveryEvent> = fc.oneof(
    fc.constant(due),
    fc.constant(done),
    fc.constant(failed),
    fc.constant(refused),
    fc.boolean().map(expired),
    fc
      .tuple(fc.constantFrom('stored' as const, 'shown' as const, null), fc.integer({ min: -5, max: 5 }))
      .map(([kept, at]) => reported(kept, nowMs + at)),
    fc
      .constantFrom('deleted', 'replaced', 'leftScope', 'over' as const)
      .map((why) => withdrawn(why as 'over')),
    fc.constant<DeliveryEvent>({ kind: 'returned', nowMs }),
    fc.constant<DeliveryEvent>({ kind: 'retried', nowMs }),
    fc.constant<DeliveryEvent>({ kind: 'held' }),
    fc.constant<DeliveryEvent>({ kind: 'resumed', nowMs }),
    fc.constant<DeliveryEvent>({ kind: 'unasked', reason: '重试人 李伟 已停用' }),
  )
  const seen = new Set<string>()
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      let delivery = waiting
      for (const one of events) {
        const before = delivery
        delivery = afterEvent(before, one)
        seen.add(delivery.state)
        expect(delivery.attempts).toBeLessThanOrEqual(mostAttempts)
        // Otherwise the work queue would claim it again and again.
        if (delivery.dueAtMs !== null) expect(['waiting', 'failed', 'removing']).toContain(delivery.state)
        if (delivery.withdrawal === 'deleted') {
          expect(['removing', 'removed', 'ended']).toContain(delivery.state)
        }
        if (
          one.kind === 'reported' &&
          before.reportedAtMs !== null &&
          one.reportedAtMs < before.reportedAtMs
        ) {
          expect(delivery).toBe(before)
        }
      }
    }),
    { numRuns: 2_000 },
  )
  expect([...seen].sort()).toEqual([...deliveryStates].sort())
})

test('pauses double up to six hours, with a jitter of a quarter', () => {
  expect([1, 2, 3, 12, mostAttempts - 1].map((attempts) => waitAfter(attempts, 0.5))).toEqual([
    30_000, 60_000, 120_000, 21_600_000, 21_600_000,
  ])
  expect(waitAfter(1, 0)).toBe(22_500)
  expect(waitAfter(1, 1)).toBe(37_500)
  expect(waitAfter(mostAttempts, 0)).toBeNull()
})
