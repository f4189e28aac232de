// The decisions of looks as a table: what a look has found, and what becomes of the task and its stages.
import { type UpgradeCounts, UpgradeRule, upgradeTaskStates } from '@voltkeep/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { everything } from '../../../domain/access/data-scope.ts'
import type { GateAlarms } from '../gate/index.ts'
import type { StageLook } from '../stages/index.ts'
import { stagesToJudge } from '../stages/index.ts'
import { noTargets, type TargetsSwept } from '../targets/index.ts'
import { type Decision, decide, type Look, type Sweep, sweepOf } from './looks.rules.ts'
import type { LockedTask } from './tasks.queries.ts'

const nowMs = Date.UTC(2026, 5, 1, 12)
const minuteMs = 60_000
const at = (minutes: number) => new Date(nowMs + minutes * minuteMs)

const rule = z.parse(UpgradeRule, { minSample: 2, failurePercent: 40 })

const task = (changes: Partial<LockedTask> = {}): LockedTask => ({
  id: 12,
  type: 'SCHEDULE',
  state: 'running',
  remark: null,
  upgradeAt: at(-60),
  endsAt: null,
  rule,
  ignoredAlarms: [],
  devices: { isAll: 1 },
  equipTypeId: 1,
  packageIds: [1],
  createdBy: 1,
  createdByName: 'admin',
  editedBy: null,
  editedByName: null,
  takenOverBy: null,
  takenOverByName: null,
  letOnBy: [],
  decidedIn: 1,
  approvedBy: null,
  approvedByName: null,
  approvedIn: null,
  approvedCount: null,
  isHeld: false,
  stage: 1,
  pause: null,
  rollbackOf: null,
  rollbackStage: null,
  checkedAt: at(-0.5),
  releaseAt: null,
  version: 1,
  ...changes,
})

const counts = (of: Partial<UpgradeCounts>): UpgradeCounts => ({
  ...noTargets,
  ...of,
  total: Object.values(of).reduce((sum, count) => sum + count, 0),
})

type StageChanges = Partial<Omit<StageLook, 'counts'>> & { counts?: Partial<UpgradeCounts> }

const noneGone = { verified: 0, failed: 0 }

/** The stages of a task, numbered; the first runs, the others are pending. */
const stages = (...all: StageChanges[]): StageLook[] =>
  all.map(({ counts: of = { waiting: 2 }, ...changes }, index) => ({
    number: index + 1,
    state: index === 0 ? 'running' : 'pending',
    devices: 2,
    soakMinutes: 0,
    startedAt: null,
    soakingAt: null,
    soakUntil: null,
    endedAt: null,
    gate: null,
    isGateWaived: false,
    counts: counts(of),
    gone: noneGone,
    underWay: 0,
    hasWaiting: (of.waiting ?? 0) > 0,
    alarms: null,
    ...changes,
  }))

const swept = (changes: Partial<Sweep & TargetsSwept> = {}) => ({
  releases: false,
  recalls: false,
  checks: false,
  targetIds: [],
  hasMore: false,
  isRecounted: false,
  ...changes,
})

const look = (changes: Partial<Look> = {}): Look => ({
  task: task(),
  swept: swept(),
  stopped: null,
  scope: null,
  isHeld: false,
  stages: [],
  ...changes,
})
const decided = (changes: Partial<Look>) => decide(look(changes), nowMs)

/** Of devices that were upgraded, so many with a new alarm, which none had before. */
const alarms = (verified: number, alarmed: number): GateAlarms => ({
  figures: {
    verified,
    windowHours: 0.5,
    beforeWindows: verified * 48,
    controlDevices: 0,
    all: { alarmed, before: 0, control: 0 },
    codes: [],
  },
  alarms: [{ code: '100', name: '过热', level: 1, devices: alarmed }],
  devices: [{ equipId: 7, code: 'CAB7' }],
})

/** States of stages after a decision, and the number of the one under way: `passed running 2`. */
function wayOf(before: readonly StageLook[], decision: Decision): string {
  if (!('stages' in decision) || !decision.stages) return 'untouched'
  const { changes, stage } = decision.stages
  const states = before.map(
    ({ number, state }) => changes.findLast(({ after }) => after.number === number)?.after.state ?? state,
  )
  return `${states.join(' ')} ${stage}`
}

const gone = { role: '创建人', name: 'liwei', reason: 'disabled' } as const
const done = { succeeded: 2 }
const soaking = { state: 'soaking', soakMinutes: 30, counts: done } as const

describe('a task that is planned', () => {
  const planned = task({ state: 'planned', stage: null, checkedAt: null })

  test('waits for a second person as long as one is needed, and is not executed after its end', () => {
    const held = { swept: null, scope: everything, isHeld: true }
    const ending = (endsAt: Date | null) => ({ ...held, task: { ...planned, endsAt } })
    expect(decided(ending(null))).toEqual({ kind: 'hold', scope: everything, dueAt: at(5) })
    expect(decided(ending(at(2)))).toMatchObject({ kind: 'hold', dueAt: at(2) })
    expect(decided(ending(at(-1)))).toEqual({
      kind: 'drop',
      stopped: null,
      note: '到结束时间仍无另一人同意，任务未执行',
    })
    expect(decided({ ...ending(null), isHeld: false })).toMatchObject({ kind: 'start' })
    expect(decided({ ...held, task: planned, stopped: gone, scope: null })).toMatchObject({ kind: 'drop' })
  })

  test('starts as far as its deciders reach, when its time has come', () => {
    expect(decided({ task: planned, scope: everything, swept: null })).toEqual({
      kind: 'start',
      scope: everything,
    })
  })

  test('waits for its time, where nobody was asked', () => {
    const early = { ...planned, upgradeAt: at(5) }
    expect(decided({ task: early, swept: null })).toEqual({ kind: 'wait', dueAt: at(5) })
  })

  test('is dropped with the reason where one of its people may decide no more', () => {
    expect(decided({ task: planned, stopped: gone, swept: null })).toEqual({
      kind: 'drop',
      stopped: gone,
      note: '创建人 liwei 已停用，任务未执行',
    })
  })
})

describe('a task that is under way', () => {
  test.each(['running', 'paused'] as const)('ends at its end, whatever its stages are: %s', (state) => {
    const ended = task({ state, endsAt: at(0), releaseAt: at(1) })
    expect(sweepOf(ended, nowMs)).toBeNull()
    expect(decided({ task: ended, swept: null, stages: stages({}) })).toEqual({
      kind: 'end',
      cause: '任务已到结束时间',
      stages: null,
    })
  })

  test('goes on at once while targets are still to be released, and is judged by nothing before', () => {
    const releasing = task({ releaseAt: at(1) })
    expect(sweepOf(releasing, nowMs)).toMatchObject({ releases: true })
    const failed = stages({ counts: { failed: 2 } })
    expect(decided({ task: releasing, stopped: gone, stages: failed })).toEqual({
      kind: 'goOn',
      stages: null,
      dueAt: at(0),
    })
  })

  test('pauses where one of its deciders may decide no more, and its stages stay', () => {
    expect(decided({ stopped: gone })).toMatchObject({
      kind: 'pause',
      stages: null,
      pause: { reason: 'decider', note: '创建人 liwei 已停用，任务已暂停', by: null, stage: null },
    })
  })

  test('is checked each minute', () => {
    expect(sweepOf(task({ checkedAt: null }), nowMs)).toMatchObject({ checks: true })
    expect(sweepOf(task({ checkedAt: at(-1) }), nowMs)).toMatchObject({ checks: true })
    expect(sweepOf(task({ checkedAt: at(-0.9) }), nowMs)).toMatchObject({ checks: false })
  })

  test('is looked at again at the next check, the end of a soak or its own end', () => {
    const dueAt = (changes: Partial<Look>) => {
      const decision = decided(changes)
      return 'dueAt' in decision ? decision.dueAt : null
    }
    expect(dueAt({ stages: stages({}) })).toEqual(at(1))
    expect(dueAt({ swept: swept({ hasMore: true }), stages: stages({}) })).toEqual(at(0))
    expect(dueAt({ stages: stages({ ...soaking, soakUntil: at(0.25) }) })).toEqual(at(0.25))
    expect(dueAt({ task: task({ endsAt: at(0.5) }), stages: stages({}) })).toEqual(at(0.5))
  })

  test('ends when every device has its result', () => {
    const over = stages(
      { counts: done, state: 'passed' },
      { counts: { succeeded: 9, failed: 1, skipped: 1 }, state: 'running' },
    )
    const decision = decided({ task: task({ stage: 2 }), stages: over })
    expect(decision).toMatchObject({ kind: 'end', cause: '全部设备已有结果' })
    expect(wayOf(over, decision)).toBe('passed passed 2')
  })

  test('does not end while a device of an earlier stage is open', () => {
    const open = stages(
      { counts: { succeeded: 2, sent: 1 }, state: 'passed' },
      { counts: done, state: 'running' },
    )
    const decision = decided({ task: task({ stage: 2 }), stages: open })
    expect(decision.kind).toBe('goOn')
    expect(wayOf(open, decision)).toBe('passed passed 2')
  })
})

describe('a task that is paused', () => {
  const paused = task({ state: 'paused' })

  test('takes back what no device has been handed, and its stages wait', () => {
    expect(sweepOf(paused, nowMs)).toMatchObject({ recalls: true, releases: false })
    const failed = stages({ counts: { failed: 2 } })
    expect(decided({ task: paused, stages: failed })).toEqual({ kind: 'goOn', stages: null, dueAt: at(1) })
  })

  test('goes on with the next portion at once', () => {
    expect(decided({ task: paused, swept: swept({ hasMore: true }) })).toMatchObject({ dueAt: at(0) })
  })

  test('is not looked at again and again because a soak is over meanwhile', () => {
    const over = stages({ ...soaking, soakUntil: at(-10) })
    expect(decided({ task: paused, stages: over })).toMatchObject({ dueAt: at(1) })
  })
})

test.each(['finished', 'cancelled'] as const)('a task that is %s ends its targets', (state) => {
  expect(sweepOf(task({ state }), nowMs)).toBeNull()
  expect(decided({ task: task({ state }), swept: null })).toEqual({ kind: 'endTargets' })
})

describe('a stage', () => {
  const rest: StageChanges = { counts: { waiting: 4 } }
  test.each<[string, StageChanges, string]>([
    [
      'runs while a device is at work',
      { counts: { succeeded: 1, installing: 1 }, underWay: 1 },
      'running pending 1',
    ],
    ['runs while a device has to begin', { counts: { succeeded: 1, waiting: 1 } }, 'running pending 1'],
    ['runs where nothing has succeeded yet', { counts: { sent: 2 } }, 'running pending 1'],
    ['does not wait for an offline device', { counts: { succeeded: 1, sent: 1 } }, 'passed running 2'],
    [
      'does not wait for a part behind one that is offline',
      { counts: { succeeded: 1, sent: 1, waiting: 1 }, hasWaiting: false },
      'passed running 2',
    ],
    ['passes when all have their result', { counts: done }, 'passed running 2'],
    ['stops where its devices were all deleted', { counts: {} }, 'failed pending 1'],
    ['stops where its devices were all skipped', { counts: { skipped: 2 } }, 'failed pending 1'],
    [
      'that only has skipped devices is not watched first',
      { counts: { skipped: 2 }, soakMinutes: 30 },
      'failed pending 1',
    ],
    [
      'stops where those that had succeeded were deleted while it was watched',
      { ...soaking, counts: {}, soakUntil: at(0) },
      'failed pending 1',
    ],
    [
      'that a user let go on without a device that succeeded',
      { counts: { skipped: 2 }, isGateWaived: true },
      'passed running 2',
    ],
    ['soaks when it is executed', { counts: done, soakMinutes: 30 }, 'soaking pending 1'],
    ['soaks on until its soak is over', { ...soaking, soakUntil: at(1) }, 'soaking pending 1'],
    ['passes after its soak', { ...soaking, soakUntil: at(0) }, 'passed running 2'],
    ['that was stopped stays', { state: 'failed', counts: done }, 'failed pending 1'],
    ['that had passed lets the next one begin', { state: 'passed', counts: done }, 'passed running 2'],
  ])('%s', (_, first, after) => {
    const both = stages(first, rest)
    expect(wayOf(both, decided({ stages: both }))).toBe(after)
  })

  test('says when it began, was executed, is to be watched until, and ended', () => {
    const all = stages({ counts: done }, { counts: done, soakMinutes: 30 })
    const decision = decided({ stages: all })
    expect(decision).toMatchObject({ kind: 'goOn', dueAt: at(1) })
    expect('stages' in decision && decision.stages?.changes).toMatchObject([
      {
        after: { number: 1, endedAt: at(0) },
        transition: { from: 'running', to: 'passed', cause: '本批通过' },
      },
      {
        after: { number: 2, startedAt: at(0) },
        transition: { to: 'running', cause: '第 2 批开始，共 2 台' },
      },
      {
        after: { number: 2, soakingAt: at(0), soakUntil: at(30) },
        transition: { to: 'soaking', cause: '本批执行完毕，观察 30 分钟' },
      },
    ])
  })

  test('of which no device succeeded says what became of them, and the task waits for a user', () => {
    const all = stages({ counts: { skipped: 1 }, devices: 3, gone: { verified: 1, failed: 0 } }, {})
    expect(decided({ stages: all })).toMatchObject({
      kind: 'pause',
      pause: {
        reason: 'unverified',
        stage: 1,
        note: '第 1 批：3 台设备中没有一台升级成功（1 项已跳过，1 项的设备开始后被删除），无法判断新版本是否正常',
      },
    })
  })

  test('that is the last one ends, and says that no device succeeded', () => {
    const all = stages({ counts: { skipped: 2 } })
    const decision = decided({ stages: all })
    expect(decision).toMatchObject({ kind: 'end', stages: { changes: [{ transition: { to: 'passed' } }] } })
    expect('stages' in decision && decision.stages?.changes[0]?.transition?.cause).toBe(
      '本批结束，2 台设备中没有一台升级成功（2 项已跳过），无法判断新版本是否正常',
    )
  })

  test('is followed by all that have nothing to do', () => {
    const all = stages({ counts: done }, { counts: done }, { counts: done }, { counts: { waiting: 1 } })
    expect(wayOf(all, decided({ stages: all }))).toBe('passed passed passed running 4')
  })
})

describe('too many failures', () => {
  const both = (first: StageChanges) => stages(first, {})

  test('stop the stage and pause the task, and say why', () => {
    const failing = both({ counts: { succeeded: 1, refused: 1 } })
    const decision = decided({ stages: failing })
    expect(decision).toMatchObject({
      kind: 'pause',
      pause: {
        reason: 'failures',
        note: '已开始 2 项中 1 项未成功（50%），超过上限 40%',
        stage: 1,
        by: null,
        failures: { begun: 2, executed: 2, failed: 1, failurePercent: 40, minSample: 2 },
        gate: null,
      },
    })
    expect(wayOf(failing, decision)).toBe('failed pending 1')
  })

  test('are compared with all that have begun', () => {
    const begun = both({ counts: { refused: 2, sent: 4 }, underWay: 3 })
    expect(decided({ stages: begun }).kind).toBe('goOn')
    expect(decided({ stages: both({ counts: { refused: 3, sent: 3 }, underWay: 2 }) }).kind).toBe('pause')
  })

  test('stop a stage during its soak, before its gate is asked', () => {
    const failing = stages(
      { ...soaking, counts: { succeeded: 1, failed: 1 }, soakUntil: at(0), alarms: alarms(2, 2) },
      {},
    )
    const decision = decided({ stages: failing })
    expect(decision).toMatchObject({ kind: 'pause', pause: { reason: 'failures' } })
    expect('stages' in decision && decision.stages?.changes).toHaveLength(1)
  })

  test('stop no stage that a user let go on', () => {
    const waived = both({ counts: { succeeded: 1, refused: 1 }, isGateWaived: true })
    expect(wayOf(waived, decided({ stages: waived }))).toBe('passed running 2')
  })

  test('are those of devices that were deleted, too', () => {
    const gone = both({ counts: { succeeded: 1 }, gone: { verified: 0, failed: 1 } })
    expect(decided({ stages: gone })).toMatchObject({
      kind: 'pause',
      pause: { reason: 'failures', failures: { begun: 2, executed: 2, failed: 1 } },
    })
    const verified = both({ counts: { succeeded: 1, failed: 1 }, gone: { verified: 1, failed: 0 } })
    expect(decided({ stages: verified }).kind).toBe('goOn')
  })

  test('of the last stage need the whole sample, as there is nothing to protect behind it', () => {
    const one = stages({ counts: { refused: 1 } })
    expect(decided({ stages: one }).kind).toBe('end')
  })
})

describe('the alarm gate', () => {
  const due = swept({ checks: true })

  test('stops a stage whose devices raise new alarms, and names these and the devices', () => {
    const watched = stages({ ...soaking, soakUntil: at(20), alarms: alarms(2, 2) }, {})
    const decision = decided({ swept: due, stages: watched })
    expect(decision).toMatchObject({
      kind: 'pause',
      pause: {
        reason: 'alarms',
        stage: 1,
        failures: null,
        note: expect.stringMatching(/^第 1 批：观察已升级的 2 台，其中 2 台出现新告警/u),
        gate: {
          passes: false,
          verified: 2,
          alarmed: 2,
          alarmLevels: [1, 2],
          alarms: [{ code: '100', devices: 2 }],
          devices: [{ equipId: '7', code: 'CAB7' }],
        },
      },
    })
    expect(wayOf(watched, decision)).toBe('failed pending 1')
  })

  test('keeps the figures of a stage that passes, which stays as it is', () => {
    const watched = stages({ ...soaking, soakUntil: at(20), alarms: alarms(2, 0) }, {})
    const decision = decided({ swept: due, stages: watched })
    expect('stages' in decision && decision.stages?.changes).toMatchObject([
      { after: { number: 1, state: 'soaking', gate: { passes: true, verified: 2 } }, transition: null },
    ])
  })

  test('is asked at the end of a soak, although no check is due, and its figures stay with the stage', () => {
    const calm = stages({ ...soaking, soakUntil: at(0), alarms: alarms(2, 0) }, {})
    const passed = decided({ stages: calm })
    expect(wayOf(calm, passed)).toBe('passed running 2')
    expect(
      'stages' in passed && passed.stages?.changes.findLast(({ after }) => after.number === 1)?.after.gate,
    ).toMatchObject({ passes: true })
    const loud = stages({ ...soaking, soakUntil: at(0), alarms: alarms(2, 2) }, {})
    expect(wayOf(loud, decided({ stages: loud }))).toBe('failed pending 1')
  })

  test('stops a stage that has passed, and the task where it is', () => {
    const all = stages({ state: 'passed', counts: done, alarms: alarms(2, 2) }, { state: 'running' })
    const decision = decided({ swept: due, task: task({ stage: 2 }), stages: all })
    expect(decision).toMatchObject({ kind: 'pause', pause: { reason: 'alarms', stage: 1 } })
    expect(wayOf(all, decision)).toBe('failed running 2')
  })

  test('stops the first of several stages, and keeps the figures of the others', () => {
    const all = stages(
      { state: 'passed', counts: done, alarms: alarms(2, 2) },
      { state: 'running', alarms: alarms(2, 2) },
    )
    const decision = decided({ swept: due, task: task({ stage: 2 }), stages: all })
    expect(wayOf(all, decision)).toBe('failed running 2')
    expect('stages' in decision && decision.stages?.changes).toMatchObject([
      { after: { number: 1 }, transition: { to: 'failed' } },
      { after: { number: 2, gate: { passes: false } }, transition: null },
    ])
  })

  const hoursAgo = (hours: number) => new Date(nowMs - hours * 3_600_000)
  test.each<
    [string, StageChanges, Partial<Pick<UpgradeRule, 'skipGate' | 'alarmLevels'>>, number[], number[]]
  >([
    ['that runs at checks', { state: 'running' }, {}, [1], []],
    ['that soaks at checks', { ...soaking, soakUntil: at(1) }, {}, [1], []],
    ['whose soak is over always', { ...soaking, soakUntil: at(0) }, {}, [1], [1]],
    ['that passed less than a day ago at checks', { state: 'passed', endedAt: hoursAgo(23) }, {}, [1], []],
    ['that passed a day ago never', { state: 'passed', endedAt: hoursAgo(24) }, {}, [], []],
    ['that a user let go on never', { ...soaking, soakUntil: at(0), isGateWaived: true }, {}, [], []],
    ['that was stopped never', { state: 'failed' }, {}, [], []],
    ['of a task without a gate never', { state: 'running' }, { skipGate: true }, [], []],
    ['of a task that counts no level never', { state: 'running' }, { alarmLevels: [] }, [], []],
  ])('is asked about a stage %s', (_, first, changed, atChecks, otherwise) => {
    const all = stages(first, {})
    const asked = (isGateDue: boolean) =>
      stagesToJudge({ rule: { ...rule, ...changed }, stage: 1, stages: all, isGateDue }, nowMs).map(
        ({ number }) => number,
      )
    expect(asked(true)).toEqual(atChecks)
    expect(asked(false)).toEqual(otherwise)
  })
})

test('a decision changes nothing of what was read, and is the same again', () => {
  const someStage = fc.record({
    state: fc.constantFrom<StageLook['state']>('running', 'soaking', 'passed', 'failed'),
    soakMinutes: fc.constantFrom(0, 30),
    soakUntil: fc.constantFrom(null, at(-1), at(1)),
    isGateWaived: fc.boolean(),
    counts: fc.record({ succeeded: fc.nat(3), failed: fc.nat(3), sent: fc.nat(3), waiting: fc.nat(3) }),
    gone: fc.record({ verified: fc.nat(2), failed: fc.nat(2) }),
    underWay: fc.nat(3),
    hasWaiting: fc.boolean(),
    alarms: fc.constantFrom(null, alarms(2, 0), alarms(2, 2)),
  })
  const some = fc.record({
    state: fc.constantFrom(...upgradeTaskStates),
    stage: fc.constantFrom(null, 1, 2),
    releaseAt: fc.constantFrom(null, at(1)),
    endsAt: fc.constantFrom(null, at(-1), at(1)),
    checks: fc.boolean(),
    stopped: fc.constantFrom(null, gone),
    all: fc.array(someStage, { maxLength: 3 }),
  })
  fc.assert(
    fc.property(some, ({ all, checks, stopped, ...changes }) => {
      // Stages before the present one have passed, those after it have not begun; nobody asks for the alarms of such.
      const present = changes.stage ?? 1
      const asFound = (stage: StageChanges, index: number): StageChanges => {
        if (index + 1 < present) return { ...stage, state: 'passed' }
        if (index + 1 > present) return { ...stage, state: 'pending', alarms: null }
        return stage.state === 'failed' ? { ...stage, alarms: null } : stage
      }
      const one = look({
        task: task(changes),
        swept: swept({ checks }),
        stopped,
        stages: stages(...all.map(asFound)),
      })
      const before = structuredClone(one)
      const decision = decide(one, nowMs)
      expect(one).toEqual(before)
      expect(decide(before, nowMs)).toEqual(decision)
    }),
  )
})
