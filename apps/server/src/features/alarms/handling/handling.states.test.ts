import { describe, expect, test } from 'vitest'
import {
  afterAct,
  type Circumstances,
  type DeviceHalf,
  type HandlingAct,
  handlingOf,
  type PeopleHalf,
  untouched,
} from './handling.states.ts'

const minute = 60_000
const circumstances: Circumstances = { nowMs: 0, byName: '张三', lastsMs: 30 * minute }
const standing: DeviceHalf = {
  isActive: true,
  value: '2',
  recoveredAtMs: null,
  level: 2,
  isByValue: false,
  unshelvedAtMs: null,
}
const over: DeviceHalf = { ...standing, isActive: false, recoveredAtMs: 10 * minute }
const me = { id: 1, name: '张三' }
const other = { id: 2, name: '李四' }
const closing: HandlingAct = { kind: 'close', cause: 'other', causeName: '其他' }

function after(...acts: HandlingAct[]): PeopleHalf {
  let people = untouched
  for (const act of acts) {
    const result = afterAct(act, standing, people, circumstances)
    if ('skipped' in result) throw new Error(result.skipped)
    people = result.after
  }
  return people
}

const states = {
  untouched,
  noted: after({ kind: 'note' }),
  acknowledged: after({ kind: 'ack' }),
  taken: after({ kind: 'claim', me }),
  assigned: after({ kind: 'assign', to: other }),
  released: after({ kind: 'claim', me }, { kind: 'release', me, mayAssign: false }),
  takenBack: after({ kind: 'claim', me }, { kind: 'unack' }),
  closed: after({ kind: 'claim', me }, closing),
}

describe('what is shown', () => {
  test.each<[keyof typeof states, string, string]>([
    ['untouched', 'unacknowledged', 'recoveredUnacknowledged'],
    ['noted', 'unacknowledged', 'recoveredUnacknowledged'],
    ['acknowledged', 'acknowledged', 'closed'],
    ['taken', 'inProgress', 'inProgress'],
    ['assigned', 'inProgress', 'inProgress'],
    ['released', 'acknowledged', 'closed'],
    ['takenBack', 'unacknowledged', 'recoveredUnacknowledged'],
    ['closed', 'closed', 'closed'],
  ])('of an alarm that is %s is %s while it lasts, and %s when it is over', (state, lasting, ended) => {
    expect(handlingOf(standing, states[state], minute)).toBe(lasting)
    expect(handlingOf(over, states[state], 20 * minute)).toBe(ended)
  })

  test.each<[string, Partial<DeviceHalf>, boolean]>([
    ['a further bit', { value: '6' }, true],
    ['another bit', { value: '4' }, true],
    ['a bit beyond 32', { value: String(2 ** 40 + 2) }, true],
    ['the same value', {}, false],
    ['a graver level', { level: 1 }, true],
    ['a lesser level', { level: 3 }, false],
    ['a level that is gone', { level: null }, false],
  ])('is again to be acknowledged after %s', (_, change, isAgain) => {
    for (const people of [states.acknowledged, states.taken, states.closed]) {
      const shown = handlingOf({ ...standing, ...change }, people, minute)
      expect(shown === 'unacknowledged').toBe(isAgain)
      const ended = handlingOf({ ...over, ...change }, people, minute)
      expect(ended === 'recoveredUnacknowledged').toBe(isAgain)
    }
  })

  test('goes by bits where each bit is a trouble, and by the value where each value is', () => {
    const fewer = { ...standing, value: '2' }
    const wide = afterAct({ kind: 'ack' }, { ...standing, value: '6' }, untouched, circumstances)
    const people = 'after' in wide ? wide.after : untouched
    expect(handlingOf(fewer, people, minute)).toBe('acknowledged')
    expect(handlingOf({ ...fewer, isByValue: true }, people, minute)).toBe('unacknowledged')
  })

  test('is forgotten with time, unless somebody has the alarm, and not where it was over before', () => {
    const late = 30 * minute
    expect(handlingOf(standing, states.acknowledged, late - 1)).toBe('acknowledged')
    expect(handlingOf(standing, states.acknowledged, late)).toBe('unacknowledged')
    expect(handlingOf(standing, states.taken, 100 * late)).toBe('inProgress')
    // Closed and still standing: what burns is not hidden for good, whoever had it.
    expect(handlingOf(standing, states.closed, late)).toBe('unacknowledged')
    expect(handlingOf(over, states.closed, 100 * late)).toBe('closed')
    expect(handlingOf(over, states.acknowledged, 100 * late)).toBe('closed')
    expect(handlingOf({ ...over, recoveredAtMs: late }, states.acknowledged, 100 * late)).toBe(
      'recoveredUnacknowledged',
    )
  })
})

test('what is settled stays as it was shown, whatever the dictionary says later, until somebody acts', () => {
  const graver = { ...over, level: 1 }
  expect(handlingOf(graver, states.acknowledged, 0)).toBe('recoveredUnacknowledged')
  const settled: PeopleHalf = { ...states.acknowledged, settled: 'closed' }
  expect(handlingOf(graver, settled, 0)).toBe('closed')
  expect(handlingOf(graver, { ...states.taken, settled: 'inProgress' }, 0)).toBe('inProgress')
  expect(handlingOf(over, { ...states.closed, settled: 'recoveredUnacknowledged' }, 0)).toBe(
    'recoveredUnacknowledged',
  )
  const noted = afterAct({ kind: 'note' }, graver, settled, circumstances)
  expect('after' in noted && noted.after.settled).toBe(null)
  expect('after' in noted && handlingOf(graver, noted.after, 0)).toBe('recoveredUnacknowledged')
})

describe('what a user may do', () => {
  const reasonOf = (act: HandlingAct, people: PeopleHalf, device = standing) => {
    const result = afterAct(act, device, people, circumstances)
    return 'skipped' in result ? result.skipped : handlingOf(device, result.after, 0)
  }
  const release = (mayAssign: boolean): HandlingAct => ({ kind: 'release', me, mayAssign })
  const all: Record<string, HandlingAct> = {
    ack: { kind: 'ack' },
    unack: { kind: 'unack' },
    claim: { kind: 'claim', me },
    assign: { kind: 'assign', to: other },
    release: release(false),
    releaseOther: release(true),
    close: closing,
  }
  test.each<[keyof typeof states, Record<string, string>]>([
    [
      'untouched',
      {
        ack: 'acknowledged',
        unack: '告警尚未确认',
        claim: 'inProgress',
        assign: 'inProgress',
        release: '告警没有负责人',
        close: 'closed',
      },
    ],
    [
      'acknowledged',
      {
        ack: '告警已确认',
        unack: 'unacknowledged',
        claim: 'inProgress',
        assign: 'inProgress',
        release: '告警没有负责人',
        close: 'closed',
      },
    ],
    [
      'taken',
      {
        ack: '告警已确认',
        unack: 'unacknowledged',
        claim: '已由 张三 负责',
        assign: 'inProgress',
        release: 'acknowledged',
        close: 'closed',
      },
    ],
    [
      'assigned',
      {
        ack: '告警已确认',
        claim: '已由 李四 负责',
        assign: '已由 李四 负责',
        release: '由 李四 负责，不能释放',
        releaseOther: 'acknowledged',
        close: 'closed',
      },
    ],
    [
      'closed',
      {
        ack: '告警已确认',
        unack: 'unacknowledged',
        claim: '告警已关闭',
        assign: '告警已关闭',
        close: '告警已关闭',
      },
    ],
  ])('with an alarm that is %s', (state, results) => {
    for (const [kind, result] of Object.entries(results))
      expect([kind, reasonOf(all[kind] as HandlingAct, states[state])]).toEqual([kind, result])
  })

  test('an acknowledgement that meets the recovery on its way is an ordinary end, in either order', () => {
    expect(handlingOf(over, states.acknowledged, 0)).toBe('closed')
    expect(reasonOf({ kind: 'ack' }, untouched, over)).toBe('closed')
    expect(reasonOf(closing, states.acknowledged, over)).toBe('closed')
  })

  test('every act counts once, and an acknowledgement that stands keeps who made it', () => {
    expect(Object.values(states).map(({ version }) => version)).toEqual([0, 1, 1, 1, 1, 2, 2, 2])
    const late = { ...circumstances, nowMs: 10 * minute, byName: '李四' }
    const result = afterAct({ kind: 'claim', me: other }, standing, states.acknowledged, late)
    expect('after' in result && result.after.ack).toMatchObject({ byName: '张三', lastsUntilMs: 40 * minute })
    // Taken while it is open again: that is another acknowledgement.
    const again = afterAct(
      { kind: 'claim', me: other },
      { ...standing, value: '6' },
      states.acknowledged,
      late,
    )
    expect('after' in again && again.after.ack).toMatchObject({ byName: '李四', seenValue: '6' })
  })
})
