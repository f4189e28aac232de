import { expect, test } from 'vitest'
import { createLanes } from './lanes.ts'

test('a lane has one work under way, and leaves the others their turn', async () => {
  const lanes = createLanes(2)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const add = (lane: number, name: string) =>
    lanes.add(lane, () => {
      begun.push(name)
      return new Promise((end) => ends.push(end))
    })
  for (const name of ['a1', 'a2', 'a3']) add(1, name)
  for (const name of ['b1', 'b2']) add(2, name)
  add(3, 'c1')
  expect(begun).toEqual(['a1', 'b1'])
  const drained = lanes.drain()
  for (let n = 0; n < 6; n += 1) {
    ends[n]?.()
    await new Promise(setImmediate)
  }
  await drained
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})
