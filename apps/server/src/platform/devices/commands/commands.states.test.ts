import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CommandChange, type CommandEvent, type CommandStanding, step } from './commands.states.ts'

const now = new Date('2026-11-22T08:00:00Z')
const deadline = new Date(now.getTime() + 3_600_000)
const rule = { maxAttempts: 3, intervalMs: 60_000 }
const fresh: CommandStanding = {
  state: 'waiting',
  attempts: 0,
  rule,
  deadline,
  nextAt: deadline,
  result: null,
  isLateAnswered: false,
}
const done = { name: 'replied', outcome: 'done', reason: null } as const

/** The state after a change, as its row would have it. */
function after(command: CommandStanding, change: CommandChange | null): CommandStanding {
  switch (change?.kind) {
    case undefined:
      return command
    case 'moved':
      return { ...command, state: change.state, attempts: change.attempts, nextAt: change.nextAt }
    case 'finished':
      return { ...command, state: 'finished', result: change.result, nextAt: null }
    case 'late':
      return { ...command, isLateAnswered: true }
  }
}

const played = (events: readonly CommandEvent[], start = fresh) =>
  events.reduce((command, event) => after(command, step(command, event, now)), start)

describe('a command', () => {
  test('is sent, delivered and answered', () => {
    expect(played([{ name: 'sent' }])).toMatchObject({ state: 'sent', attempts: 1 })
    expect(played([{ name: 'sent' }, { name: 'delivered' }])).toMatchObject({
      state: 'delivered',
      attempts: 1,
    })
    expect(played([{ name: 'sent' }, { name: 'delivered' }, done])).toMatchObject({ result: 'answered' })
  })

  test('keeps its interval when it is delivered', () => {
    const sent = played([{ name: 'sent' }])
    expect(sent.nextAt).toEqual(new Date(now.getTime() + 60_000))
    expect(played([{ name: 'delivered' }], sent).nextAt).toEqual(sent.nextAt)
  })

  test('that is sent when it is created keeps its next_at; later sends change it', () => {
    const made = { ...fresh, rule: { ...rule, jitter: 0.1 }, nextAt: new Date(now.getTime() + 63_000) }
    expect(step(made, { name: 'sent' }, now)).toMatchObject({ nextAt: made.nextAt })
    const later = new Date(now.getTime() + 20_000)
    const change = step(made, { name: 'sent' }, later)
    expect(change?.kind === 'moved' && change.nextAt.getTime()).toBeGreaterThanOrEqual(
      later.getTime() + 54_000,
    )
  })

  test('that waits for its device after an interval is not due before the deadline', () => {
    const made = { ...fresh, nextAt: new Date(now.getTime() + 60_000) }
    for (const name of ['due', 'deviceGone'] as const) {
      expect(step(made, { name }, now)).toEqual({
        kind: 'moved',
        state: 'waiting',
        attempts: 0,
        nextAt: deadline,
      })
      expect(step(fresh, { name }, now)).toBeNull()
    }
  })

  test('that failed is answered, and one that the device will never execute is refused', () => {
    const replied = (outcome: 'failed' | 'refused') =>
      played([{ name: 'sent' }, { name: 'replied', outcome, reason: '空间不足' }])
    expect(replied('failed').result).toBe('answered')
    expect(replied('refused').result).toBe('refused')
  })

  test('is sent up to its number of attempts, and then waits for the deadline', () => {
    const round: CommandEvent[] = [{ name: 'sent' }, { name: 'delivered' }, { name: 'due' }]
    expect(played([...round, ...round])).toMatchObject({ state: 'waiting', attempts: 2 })
    const spent = played([...round, ...round, ...round])
    expect(spent).toMatchObject({ state: 'delivered', attempts: 3, nextAt: deadline })
    expect(played([...round, ...round], spent)).toEqual(spent)
    expect(played([{ name: 'deadline' }], spent).result).toBe('expired')
  })

  test('uses no attempt on an offline device', () => {
    for (const gone of ['deviceGone', 'returned'] as const) {
      const round: CommandEvent[] = [{ name: 'sent' }, { name: gone }]
      expect(played([...round, ...round, ...round, ...round])).toMatchObject({
        state: 'waiting',
        attempts: 0,
      })
    }
  })

  test('that was delivered has used its attempt, even if the device disconnects', () => {
    expect(played([{ name: 'sent' }, { name: 'delivered' }, { name: 'deviceGone' }])).toMatchObject({
      state: 'waiting',
      attempts: 1,
    })
    expect(played([{ name: 'sent' }, { name: 'delivered' }, { name: 'returned' }])).toMatchObject({
      state: 'delivered',
      attempts: 1,
    })
  })

  test('is not sent at its deadline', () => {
    expect(step(fresh, { name: 'sent' }, deadline)).toBeNull()
  })

  test('accepts an answer while it waits to be sent again', () => {
    expect(played([{ name: 'sent' }, { name: 'due' }, done])).toMatchObject({ result: 'answered' })
  })

  test('stores one late answer beside its result', () => {
    const expired = played([{ name: 'sent' }, { name: 'deadline' }])
    expect(step(expired, done, now)).toEqual({ kind: 'late', outcome: 'done', reason: null })
    expect(played([done], expired)).toMatchObject({ result: 'expired', isLateAnswered: true })
    expect(step(played([done], expired), done, now)).toBeNull()
  })
})

const anyEvent: fc.Arbitrary<CommandEvent> = fc.oneof(
  fc.constantFrom<CommandEvent>(
    { name: 'sent' },
    { name: 'delivered' },
    { name: 'due' },
    { name: 'deviceGone' },
    { name: 'returned' },
    { name: 'deadline' },
    { name: 'cancel' },
  ),
  fc
    .constantFrom('done', 'failed', 'refused')
    .map((outcome): CommandEvent => ({ name: 'replied', outcome, reason: null })),
)

describe('events in any order, repeated or lost', () => {
  test('lead to exactly one result, which never changes', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
        let command = fresh
        let finishedCount = 0
        let lateCount = 0
        for (const event of [...events, { name: 'deadline' } as const]) {
          const change = step(command, event, now)
          if (change?.kind === 'finished') finishedCount += 1
          if (change?.kind === 'late') lateCount += 1
          const next = after(command, change)
          if (command.result !== null) expect(next.result).toBe(command.result)
          command = next
        }
        expect(finishedCount).toBe(1)
        expect(lateCount).toBeLessThanOrEqual(1)
        expect(command.state).toBe('finished')
      }),
      { numRuns: 2_000 },
    )
  })

  test('never use more attempts than the rule allows, and always leave a next time', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
        let command = fresh
        for (const event of events) {
          command = after(command, step(command, event, now))
          expect(command.attempts).toBeGreaterThanOrEqual(0)
          expect(command.attempts).toBeLessThanOrEqual(rule.maxAttempts)
          expect(command.nextAt === null).toBe(command.state === 'finished')
          if (command.nextAt) expect(command.nextAt.getTime()).toBeLessThanOrEqual(deadline.getTime())
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
