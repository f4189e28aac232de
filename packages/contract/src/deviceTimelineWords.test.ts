import { expect, test } from 'vitest'
import { isTimelineTrouble, timelineKindNames, timelineWords } from './deviceTimelineWords.ts'
import {
  batchDeviceStates,
  deliveryStates,
  logExtractionStates,
  type TimelineEntry,
  timelineKinds,
  upgradeTargetStates,
} from './index.ts'

const entry = (kind: TimelineEntry['kind'], state: string | null, name: string | null = '名称') =>
  ({ kind, state, name }) as TimelineEntry

test.each([
  ['upgrade', upgradeTargetStates],
  ['batch', batchDeviceStates],
  ['log', logExtractionStates],
  ['advertisement', deliveryStates],
] as const)('every state of %s is told in Chinese', (kind, states) => {
  const untold = states.filter((state) => !/\p{Script=Han}/u.test(timelineWords(entry(kind, state)).state))
  expect(untold).toEqual([])
})

test('every kind has a name', () => {
  expect(timelineKinds.filter((kind) => !timelineKindNames[kind])).toEqual([])
})

test('an unknown state is shown as it came, and no state as none', () => {
  expect(timelineWords(entry('upgrade', 'rebooting')).state).toBe('rebooting')
  expect(timelineWords(entry('event', null)).state).toBe('')
})

test('a connection is named by what it did, a command by what it asks', () => {
  expect(timelineWords(entry('connection', 'offline', null))).toEqual({ title: '离线', state: '' })
  expect(timelineWords(entry('command', 'sent', 'extractLog'))).toEqual({
    title: '提取日志',
    state: '已下发',
  })
  expect(timelineWords(entry('command', 'sent', 'unheardOf')).title).toBe('unheardOf')
})

test.each([
  ['alarm', 'active', true],
  ['alarm', 'recovered', false],
  ['event', 'fault', true],
  ['connection', 'offline', false],
  ['upgrade', 'timedOut', true],
  ['batch', 'expired', true],
  ['batch', 'skipped', false],
  ['operation', 'refused', true],
] as const)('%s %s needs attention: %s', (kind, state, needs) => {
  expect(isTimelineTrouble(entry(kind, state))).toBe(needs)
})
