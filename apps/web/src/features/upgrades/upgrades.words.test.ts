// @vitest-environment node
import { describe, expect, test } from 'vitest'
import { wordOf } from '../../ui/work/StateTag.tsx'
import { upgradeTexts } from './upgrades.texts.ts'
import { earliestStart, executedBy, nowOf, openCount, planLine, sharesOf } from './upgrades.words.ts'

const stage = (devices: number, soakMinutes: number, number = 1) => ({ stage: number, devices, soakMinutes })

describe('the plan in one line', () => {
  test('lists the stages by their shares, the last one as the rest', () => {
    expect(planLine({ devices: 1284, stages: [stage(64, 30), stage(321, 30, 2), stage(899, 0, 3)] })).toBe(
      '将分 3 批升级 1,284 台：5% → 25% → 全部，每批观察 30 分钟',
    )
  })

  test('gives different soak times as the shortest and the longest, and none where there is no soak', () => {
    expect(planLine({ devices: 100, stages: [stage(10, 15), stage(40, 60, 2), stage(50, 0, 3)] })).toBe(
      '将分 3 批升级 100 台：10% → 40% → 全部，每批观察 15–60 分钟',
    )
    expect(planLine({ devices: 100, stages: [stage(10, 0), stage(90, 0, 2)] })).toBe(
      '将分 2 批升级 100 台：10% → 全部',
    )
  })

  test('never shows a stage with devices as 0%', () => {
    expect(planLine({ devices: 10_000, stages: [stage(1, 5), stage(9_999, 0, 2)] })).toContain('1% → 全部')
  })

  test('has no stages for few devices, and says when no device is left', () => {
    expect(planLine({ devices: 18, stages: [stage(18, 0)] })).toBe('将一次升级 18 台')
    expect(planLine({ devices: 0, stages: [] })).toBe('没有需要升级的设备')
  })
})

const counts = {
  total: 55,
  waiting: 1,
  sent: 2,
  downloading: 3,
  installing: 4,
  succeeded: 5,
  failed: 6,
  refused: 7,
  timedOut: 8,
  skipped: 9,
  cancelled: 10,
}

test('shares group the states of targets, and their sum is the total', () => {
  const shares = sharesOf(counts)
  expect(shares).toEqual({ good: 5, failed: 21, underWay: 9, open: 1, leftOut: 19 })
  expect(Object.values(shares).reduce((sum, count) => sum + count)).toBe(counts.total)
  expect(openCount(counts)).toBe(10)
})

describe('what a task is doing now', () => {
  const none = { ...counts, waiting: 0, sent: 0, downloading: 0, installing: 0 }
  const task = {
    state: 'running',
    upgradeTime: '2026-11-01 02:00:00',
    finishTime: null,
    counts: none,
    stages: [],
    stage: 2,
    stageCount: 3,
  } as unknown as Parameters<typeof nowOf>[0]
  const soaking = [{ stage: 2, state: 'soaking', soakEndTime: '2026-11-01 03:00:00' }] as never

  test('before it begins, when it will', () => {
    expect(nowOf({ ...task, state: 'planned' })).toBe('将于 2026-11-01 02:00:00 开始')
  })

  test('while it runs, which stage, or until when that is watched', () => {
    expect(nowOf(task)).toBe('第 2/3 批升级中')
    expect(nowOf({ ...task, stage: null, stageCount: 1 })).toBe('升级中')
    expect(nowOf({ ...task, stages: soaking })).toBe('第 2 批观察中，2026-11-01 03:00:00 判定是否继续')
  })

  test('after its end, what is still on its way, and then when it ended', () => {
    expect(nowOf({ ...task, state: 'cancelled', counts })).toBe('正在结束余下的 10 个升级')
    expect(nowOf({ ...task, state: 'finished', finishTime: '2026-11-01 04:00:00' })).toBe(
      '已于 2026-11-01 04:00:00 结束',
    )
  })

  test('a pause of which no reason is known is a pause all the same', () => {
    expect(nowOf({ ...task, state: 'paused', stages: soaking })).toBe('已暂停')
  })
})

// proves: rule upgrade status
describe('when a stage will be', () => {
  const now = new Date(2026, 10, 24, 10, 0, 0)
  const shown = (number: number, state: string, soakMinutes: number, soakEndTime: string | null = null) => ({
    ...{ stage: number, state, soakMinutes, soakEndTime },
  })
  const staged = (...stages: unknown[]) =>
    ({ state: 'running', stages }) as Parameters<typeof earliestStart>[0]

  test('it begins at the earliest after the soaks before it', () => {
    const task = staged(
      shown(1, 'passed', 30),
      shown(2, 'running', 45),
      shown(3, 'pending', 30),
      shown(4, 'pending', 0),
    )
    expect(earliestStart(task, 3, now)).toBe('10:45')
    expect(earliestStart(task, 4, now)).toBe('11:15')
    expect(earliestStart(task, 2, now)).toBeNull()
  })

  test('a soak that is under way counts until its end, and another day is named', () => {
    const task = staged(
      shown(1, 'soaking', 30, '2026-11-24 10:12:30'),
      shown(2, 'pending', 1440),
      shown(3, 'pending', 0),
    )
    expect(earliestStart(task, 2, now)).toBe('10:12')
    expect(earliestStart(task, 3, now)).toBe('11-25 10:12')
  })

  test('a task that has paused names no time', () => {
    const task = { ...staged(shown(1, 'failed', 30), shown(2, 'pending', 0)), state: 'paused' as const }
    expect(earliestStart(task, 2, now)).toBeNull()
  })

  test('it is executed at the pace of what it has gone through so far', () => {
    const stage = {
      state: 'running' as const,
      startTime: '2026-11-24 09:50:00',
      counts: { ...counts, total: 30, waiting: 20, sent: 0, downloading: 0, installing: 0 },
    }
    expect(executedBy({ state: 'running' }, stage, now)).toBe('10:20')
    expect(executedBy({ state: 'paused' }, stage, now)).toBeNull()
    const none = { ...stage, counts: { ...stage.counts, waiting: 30 } }
    expect(executedBy({ state: 'running' }, none, now)).toBeNull()
  })
})

test('a status has the same text in a filter and in a row', () => {
  expect(upgradeTexts.statuses).toEqual({ 0: '未开始', 1: '进行中', 2: '已完成' })
  const { planned, running, finished } = upgradeTexts.taskStates
  expect([planned, running, finished]).toEqual(Object.values(upgradeTexts.statuses))
})

// proves: message 状态未知; rule upgrade status
test('an unknown state is shown as unknown', () => {
  expect(wordOf(upgradeTexts.taskStates, 'paused')).toBe('已暂停')
  expect(wordOf(upgradeTexts.taskStates, 'frozen')).toBe('状态未知')
  expect(wordOf(upgradeTexts.taskStates, 'toString')).toBe('状态未知')
})
