import { expect, test } from 'vitest'
import { retentionJob } from './retention.ts'

/** A table with this many old rows, and the job that deletes them. */
function table(rows: number) {
  const asked: { before: Date; limit: number }[] = []
  const job = retentionJob({
    name: 'table.forget',
    keptDays: 30,
    async deleteOld(old) {
      asked.push(old)
      const count = Math.min(rows, old.limit)
      rows -= count
      return count
    },
  })
  return { job, asked, left: () => rows }
}

test('old rows are deleted in portions until none is left', async () => {
  const { job, asked, left } = table(12_345)
  await job.run(new AbortController().signal)
  expect(left()).toBe(0)
  expect(asked).toHaveLength(3)
  expect(new Set(asked.map(({ before }) => before.getTime())).size).toBe(1)
})

test('a run that is aborted ends after the present portion', async () => {
  const { job, asked, left } = table(12_345)
  await job.run(AbortSignal.abort())
  expect(asked).toHaveLength(1)
  expect(left()).toBe(7_345)
})
