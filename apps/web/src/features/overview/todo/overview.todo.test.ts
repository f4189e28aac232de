import type { AlarmRow } from '@voltkeep/contract/alarms'
import type { Overview } from '@voltkeep/contract/overview'
import type { ParameterBatchRow } from '@voltkeep/contract/parameterBatches'
import type { UpgradeTaskRow } from '@voltkeep/contract/upgrades'
import { expect, test } from 'vitest'
import { averageOf, onlineRate, shownDays, sinceWord, urgentDensity, weekChange } from '../overview.words.ts'
import { todosOf } from './overview.todo.ts'

const troubles = { criticalCount: 0, majorCount: 0, alarmCount: 0, shelvedCount: 0 }
const calm: Overview = {
  deviceCount: 1000,
  onlineCount: 990,
  offlineCount: 10,
  longOfflineCount: 0,
  neverCount: 0,
  undeliveredCount: 0,
  commissioningCount: 0,
  devicesWithAlarm: 0,
  shelvedCount: 0,
  lowStockCount: 0,
  activeAlarms: [1, 2, 3, 4].map((level) => ({ level, count: 0 })),
  unknownCodes: [],
  change: null,
  alarmsByDay: [],
  topAlarms: [],
  operators: [],
  troubledOperators: 0,
  regions: [],
  parts: [],
  readTime: '2026-11-22 10:20:00',
}
const keysOf = (overview: Partial<Overview>, tasks: readonly unknown[] = []) =>
  todosOf({ ...calm, ...overview }, tasks as UpgradeTaskRow[]).map(({ key }) => key)

test('a healthy fleet has nothing to do', () => {
  expect(keysOf({})).toEqual([])
})

test('the most severe comes first, and zero counts are left out', () => {
  const activeAlarms = [3, 2, 9, 0].map((count, at) => ({ level: at + 1, count }))
  const change = {
    since: '2026-11-21 10:00:00',
    onlineCount: -12,
    offlineCount: 12,
    devicesWithAlarm: 0,
    lowStockCount: 0,
    alarmCount: 0,
  }
  const paused = {
    id: '7',
    state: 'paused',
    partTypeName: '主控',
    version: '1.4',
    pause: { note: '失败率过高' },
  }
  const region = (name: string, offlineCount: number, onlineCount: number) => ({
    ...troubles,
    code: name,
    name,
    offlineCount,
    onlineCount,
  })
  expect(
    keysOf(
      {
        activeAlarms: [...activeAlarms, { level: 0, count: 1 }],
        unknownCodes: ['X1'],
        change,
        neverCount: 4,
        longOfflineCount: 7,
        lowStockCount: 3,
        regions: [region('out', 5, 5), region('small', 4, 0), region('large', 200, 800)],
        operators: [
          { ...troubles, id: '3', name: '运营商', organizationId: '1', offlineCount: 6, onlineCount: 1 },
        ],
      },
      [paused, { ...paused, id: '8', state: 'running' }],
    ),
  ).toEqual([
    'level1',
    'task7',
    'level2',
    'regionout',
    'operator3',
    'lowStock',
    'grown',
    'longOffline',
    'unknown',
    'never',
  ])
})

test('a pause by new alarms is told by how many devices have them', () => {
  const task = { id: '7', state: 'paused', partTypeName: '主控', version: '1.4' }
  const pause = { note: '观察已升级的 6 台，其中 6 台出现新告警', gate: { alarmed: 6, verified: 6 } }
  const [byAlarms] = todosOf(calm, [{ ...task, pause }] as unknown as UpgradeTaskRow[])
  expect(byAlarms?.beside).toBe('6/6 台出现新告警')
  const byHand = { ...task, pause: { note: '人工暂停', gate: null } }
  expect(todosOf(calm, [byHand] as unknown as UpgradeTaskRow[])[0]?.beside).toBe('人工暂停')
})

test('a small growth of the offline count in a large fleet is not listed', () => {
  const change = {
    since: '2026-11-21 10:00:00',
    onlineCount: 0,
    offlineCount: 9,
    devicesWithAlarm: 0,
    lowStockCount: 0,
    alarmCount: 0,
  }
  expect(keysOf({ change })).toEqual([])
  expect(keysOf({ change, onlineCount: 490 })).toEqual(['grown'])
})

test('the online rate counts only devices that were ever connected', () => {
  expect(onlineRate({ onlineCount: 997, offlineCount: 3 })).toBe('99.7%')
  expect(onlineRate({ onlineCount: 0, offlineCount: 0 })).toBe('—')
})

test('days without data are not part of an average', () => {
  expect(averageOf([0, 0, 12, 8])).toEqual({ days: 2, average: 10 })
  expect(averageOf([])).toEqual({ days: 0, average: 0 })
})

test('the time compared with is named by its day', () => {
  expect(sinceWord('2026-11-21 10:00:00', '2026-11-22 10:20:00')).toBe('昨日 10:00')
  expect(sinceWord('2026-11-22 08:00:00', '2026-11-22 10:20:00')).toBe('今日 08:00')
})

test('critical alarms are listed by device with the rest as a count, and failed batches before major alarms', () => {
  const alarm = (id: string, code: string, meaning: string | null) =>
    ({
      id,
      code,
      semaphoreName: '水浸告警',
      meaning,
      regionName: '中国 / 广东省 / 深圳市',
      occurrenceTime: '2026-11-22 10:10:00',
    }) as AlarmRow
  const counts = { failed: 2, refused: 1, expired: 0 } as ParameterBatchRow['counts']
  const todos = todosOf(
    { ...calm, activeAlarms: [5, 1, 0, 0].map((count, at) => ({ level: at + 1, count })) },
    [],
    [alarm('1', 'EC1', '3号仓'), alarm('2', 'EC2', null), alarm('3', 'EC1', null)],
    [{ id: '9', code: 'B9', counts } as ParameterBatchRow],
  )
  expect(todos.map(({ key, count }) => [key, count])).toEqual([
    ['deviceEC1', '2 条'],
    ['deviceEC2', null],
    ['level1', '2 条'],
    ['batch9', '3 台'],
    ['level2', '1 条'],
  ])
  expect(todos[0]).toMatchObject({
    text: '水浸告警 · 3号仓',
    beside: '深圳市',
    search: { code: 'EC1', alarmLevel: 1 },
  })
  expect(todos[1]).toMatchObject({ text: '水浸告警', search: { open: '2' } })
})

test('a batch that waits after its trial is to be continued, with what the trial has come to', () => {
  const batch = (id: string, name: string | null, succeeded: number) =>
    ({
      id,
      code: `CS${id}`,
      name,
      counts: { held: 95 },
      trial: { counts: { total: 5, succeeded } },
    }) as ParameterBatchRow
  const todos = todosOf(calm, [], [], [], [batch('7', '夏季过温点下调', 3), batch('8', null, 5)])
  expect(todos).toMatchObject([
    {
      text: '批量设置等待继续：夏季过温点下调',
      count: '95 台',
      beside: '试行 5 台，2 台未成功',
      search: { batch: '7' },
    },
    { text: '批量设置等待继续：CS8', beside: '试行 5 台成功' },
  ])
})

test('a week is compared with the one before only if all days have data', () => {
  const week = (count: number) => Array.from({ length: 7 }, () => count)
  expect(weekChange([...week(10), ...week(12), 1])).toBe('+20%')
  expect(weekChange([...week(10), ...week(9), 1])).toBe('−10%')
  expect(weekChange([...week(10), ...week(10), 1])).toBe('持平')
  expect(weekChange([0, ...week(10).slice(1), ...week(12), 1])).toBeNull()
  expect(weekChange(week(10))).toBeNull()
})

test('days before the first with data are left out, but at least two weeks are shown', () => {
  const days = (empty: number) => Array.from({ length: 30 }, (_, at) => ({ count: at < empty ? 0 : 1 }))
  expect(shownDays(days(0))).toHaveLength(30)
  expect(shownDays(days(10))).toHaveLength(20)
  expect(shownDays(days(28))).toHaveLength(14)
  expect(shownDays(days(30))).toHaveLength(30)
})

test('urgent alarms are given per hundred devices', () => {
  const counts = { onlineCount: 150, offlineCount: 50, criticalCount: 2, majorCount: 3 }
  expect(urgentDensity(counts)).toBe('2.5')
  expect(urgentDensity({ ...counts, criticalCount: 0, majorCount: 0 })).toBe('0')
})
