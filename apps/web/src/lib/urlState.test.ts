import { listAlarms } from '@voltkeep/contract/alarms'
import { expect, test } from 'vitest'
import { parseSearch, searchShowing, stringifySearch } from './urlState.ts'

test('a search is flat texts, there and back', () => {
  const search = stringifySearch({ code: ['A1', 'A2'], pageNum: 2, name: '', text: 'a b+c' })
  expect(search).toBe('?code=A1,A2&pageNum=2&text=a+b%2Bc')
  expect(parseSearch(search)).toEqual({ code: 'A1,A2', pageNum: '2', text: 'a b+c' })
  expect(stringifySearch({})).toBe('')
})

test('what is default stays out of the address, what is not the list’s own stays in it', () => {
  const current = { tab: 'history', semaphoreName: '温度', pageNum: '4' }
  expect(
    searchShowing(listAlarms.input, current, { pageNum: 1, pageSize: 10, code: ['A1'], status: '1' }),
  ).toEqual({
    tab: 'history',
    code: ['A1'],
  })
})
