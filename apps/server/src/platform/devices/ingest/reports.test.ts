import { upTopics } from '@voltkeep/contract/topics/index'
import { expect, test } from 'vitest'
import { completeWriters } from './reports.ts'

const writer = { name: 'any', write: async () => undefined }
const all = Object.fromEntries(
  Object.keys(upTopics)
    .filter((name) => name !== 'connection')
    .map((name) => [name, writer]),
)

test('a server with a writer for every topic accepts them all', () => {
  expect(completeWriters(all)).toEqual(all)
})

test('a topic without a writer is detected at the start, not with the first message', () => {
  expect(() => completeWriters({ ...all, alarm: undefined, upgrade: undefined })).toThrow(
    'no feature writes the reports of alarm, upgrade',
  )
})
