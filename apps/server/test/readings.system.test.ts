// Readings while the process that packs them is killed, with SIGKILL, at every point of its work.
import { expect, test } from 'vitest'
import { databaseOfTests } from './database.ts'
import { isLong } from './long.ts'
import { killSealing, sealingPoints } from './sealing-kills.ts'

test('kills at every point lose nothing that was acknowledged and double nothing', async () => {
  const kills = (isLong ? [1, 2] : [1]).flatMap((times) =>
    sealingPoints.map((point) => {
      // The hour before this one has its partition, too, and nothing in it: its end comes first.
      const isOfEnd = point === 'emptied' || point === 'ended' || point === 'committed'
      return { point, times: isOfEnd ? times + 1 : times }
    }),
  )
  const done = await killSealing(await databaseOfTests(), kills)
  expect(done.kills).toBe(kills.length)
  expect(done.acknowledged).toBeGreaterThan(0)
  expect(done.differences).toEqual([])
  expect(done.open).toBe(0)
  expect(done.greatest.added).toBe(done.greatest.acknowledged)
})
