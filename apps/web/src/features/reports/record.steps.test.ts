import type { AlarmAction } from '@voltkeep/contract/alarmHandling'
import { expect, test } from 'vitest'
import { stepsOf } from './record.steps.ts'

function act(n: number, kind: AlarmAction['kind'], note: string | null, handling: string): AlarmAction {
  const side = { handling, assigneeName: null, causeName: kind === 'close' ? '误报' : null }
  return {
    time: `2026-11-20 09:0${n}:00`,
    userName: `用户 ${n}`,
    source: 'web',
    kind,
    note,
    before: side,
    after: side,
  } as unknown as AlarmAction
}

test('a record names who confirmed first, who wrote of being on site, and who closed', () => {
  const steps = stepsOf([
    act(1, 'note', '已电话通知', 'unacknowledged'),
    act(2, 'claim', null, 'inProgress'),
    act(3, 'ack', null, 'inProgress'),
    act(4, 'note', '已到达现场，柜门完好', 'inProgress'),
    act(5, 'close', '烟感误报', 'closed'),
  ])
  expect(steps.confirmed).toMatchObject({ userName: '用户 2' })
  expect(steps.onSite).toMatchObject({ userName: '用户 4' })
  expect(steps.closed).toMatchObject({ userName: '用户 5', note: '烟感误报', cause: '误报' })
})

test.each([
  ['已到场', true],
  ['已到现场，断电并疏散', true],
  ['人已到达现场', true],
  ['已抵达，柜门完好', true],
  ['已派人去现场', false],
  ['已电话通知', false],
])('%s says of being on site: %s', (note, isThere) => {
  expect(stepsOf([act(1, 'note', note, 'inProgress')]).onSite !== null).toBe(isThere)
})

test('what was closed and stands again is not closed, and what nobody did has no step', () => {
  expect(
    stepsOf([act(1, 'close', null, 'closed'), act(2, 'unack', null, 'unacknowledged')]).closed,
  ).toBeNull()
  expect(stepsOf([])).toEqual({ confirmed: null, onSite: null, closed: null })
})
