// 50,000 alarms acknowledged by one call, as another page sees it; how soon, `npm run bench:handling` measures.
import { ackAlarms, listAlarms } from '@voltkeep/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../apps/server/src/platform/database/database.ts'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import { insertStandingAlarms } from '../apps/server/test/standing-alarms.ts'
import { patiently, stageFor } from './harness.ts'

const count = 50_000

describe('alarms that are handled by the thousand', () => {
  const stage = stageFor()

  beforeAll(async () => {
    const [identity] = stage.identities
    if (!identity) throw new Error('the demonstration has devices')
    const url = databaseUrlOf(stage.server.dataDir)
    const { pool, close } = await openDatabase({ url, zone: 'UTC', poolSize: 1 })
    try {
      await insertStandingAlarms(pool, identity.code, count)
    } finally {
      await close()
    }
  })

  it('are shown as handled by a page that was open all the time, without a reload', async () => {
    const page = await stage.open('/maintenance/exitWarning')
    const rows = page.locator('tbody tr[data-key]')
    const inState = (state: string) => rows.filter({ has: page.getByText(state, { exact: true }) }).count()
    await expect.poll(() => inState('未确认'), patiently).toBe(20)
    const keys = () => rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.key))
    const before = await keys()
    await page.evaluate(() => {
      document.body.dataset.mark = 'not reloaded'
    })
    // The stream tells of so many without naming them, and how long the open pages may spread their questions: few
    // pages, no wait.
    const told = page.waitForResponse((answer) => answer.url().includes('/api/alarm/page'), patiently)
    const done = stage.call(ackAlarms, { filter: {}, count })
    await told
    await expect.poll(() => inState('已确认'), patiently).toBe(20)
    expect(await keys()).toEqual(before)
    expect(await done).toMatchObject({ done: count, skippedCount: 0 })
    expect(await page.evaluate(() => document.body.dataset.mark)).toBe('not reloaded')
    const first = await stage.call(listAlarms, { handling: ['acknowledged'], pageSize: 1 })
    expect(first.map(({ handling }) => handling)).toEqual(['acknowledged'])
    expect(stage.faults).toEqual([])
    await page.close()
  })
})
