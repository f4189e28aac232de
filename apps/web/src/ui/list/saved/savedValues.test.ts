import { expect, test } from 'vitest'
import { valuesToSave } from './savedValues.ts'

test('what narrows the list is kept as an address has it; its page and what it has by itself are not', () => {
  const filters = {
    pageNum: 3,
    pageSize: 50,
    ids: ['1'],
    status: '1',
    isOnline: 0,
    statuses: [1, 2],
    code: [],
    name: '',
    regionCode: '310000',
    sortBy: 'level',
  }
  expect(valuesToSave({ filters: filters as never, cleared: { status: '1' } })).toEqual({
    isOnline: '0',
    statuses: '1,2',
    regionCode: '310000',
    sortBy: 'level',
  })
})
