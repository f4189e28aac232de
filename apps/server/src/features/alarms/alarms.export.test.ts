import { expect, test } from 'vitest'
import { historySheet } from './alarms.export.ts'

type Row = Parameters<(typeof historySheet.columns)[number]['cell']>[0]

// proves: screen 2
test('the sheet of the history uses the same words for a flag as the list', () => {
  const column = historySheet.columns.find(({ title }) => title === '标志')
  const flagOf = (flag: Row['flag']) => column?.cell({ flag } as Row)
  expect([flagOf('fault'), flagOf('normal')]).toEqual(['故障', '正常'])
})
