// Past alarms in figures above their list, and the days that they open.
import { readEnums } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { bringAxe, expectAccessible } from './accessibility.ts'
import { patiently, stageFor } from './harness.ts'

const history = '/maintenance/exitWarning?tab=history'

describe('the history of alarms', () => {
  const stage = stageFor()
  let page: Page

  const hourMs = 3_600_000

  // Two days with alarms that are over, of each some.
  beforeAll(async () => {
    const [identity] = stage.identities
    if (!identity) throw new Error('the demonstration has devices')
    const device = stage.device(identity)
    device.start()
    await device.whenOnline()
    const { ALARM = [] } = await stage.call(readEnums, { types: ['ALARM'] })
    const now = Date.now()
    for (const [index, { code }] of ALARM.slice(0, 6).entries()) {
      const began = now - (index < 4 ? 75 : 50) * hourMs
      await device.raise(code, 1, { at: began })
      await device.recover(code, { at: began + (index + 1) * hourMs })
    }
    page = await stage.open(history)
    await page.getByRole('button', { name: '统计', exact: true }).click()
  })

  const search = () => new URL(page.url()).searchParams
  const sums = () => page.getByRole('region', { name: '每天发生的告警' })
  const days = () => sums().getByRole('group', { name: '每天发生的告警' })
  const countOf = (text: string | null) =>
    Number(text?.match(/([\d,]+) 条/)?.[1]?.replaceAll(',', '') ?? Number.NaN)
  const told = async () => countOf(await sums().textContent())
  const listed = async () =>
    countOf(
      await page
        .getByText(/^共 [\d,]+ 条$/)
        .last()
        .textContent(),
    )

  it('adds up what its filters find, with a bar for each day, without serious accessibility problems', async () => {
    await days().waitFor(patiently)
    await expect.poll(async () => (await told()) === (await listed()), patiently).toBe(true)
    expect(await told()).toBeGreaterThan(0)
    await sums()
      .getByText(/平均持续 /)
      .waitFor(patiently)
    const labels = await days()
      .getByRole('button')
      .evaluateAll((all) => all.map((one) => one.ariaLabel ?? ''))
    expect(labels.reduce((sum, label) => sum + countOf(label), 0)).toBe(await told())
    await bringAxe(page)
    await expectAccessible(page, 'the history in figures')
  })

  it('is walked by arrow keys as one stop of Tab, and a day opens its own list', async () => {
    await days().locator('button[tabindex="0"]').focus()
    const focused = () => page.evaluate(() => document.activeElement?.ariaLabel ?? '')
    const last = await focused()
    await page.keyboard.press('ArrowLeft')
    expect(await focused()).not.toBe(last)
    await page.keyboard.press('Home')
    const bars = days().getByRole('button')
    expect(await focused()).toBe(await bars.first().getAttribute('aria-label'))
    await page.keyboard.press('End')
    while (countOf(await focused()) === 0) await page.keyboard.press('ArrowLeft')
    const label = await focused()
    await sums().getByText(label, { exact: true }).waitFor(patiently)
    await page.keyboard.press('Enter')
    await expect.poll(() => search().get('startTime')?.slice(5), patiently).toBe(label.slice(0, 5))
    expect(search().get('endTime')).toBe(search().get('startTime'))
    await expect.poll(told, patiently).toBe(countOf(label))
    // One day has no course.
    expect(await days().count()).toBe(0)
    await page.goBack()
    await days().waitFor(patiently)
  })

  it('stays open until its reader folds it, and then leaves its height to the list', async () => {
    await page.goto(stage.server.url + history)
    await days().waitFor(patiently)
    const top = async () => (await page.getByRole('table').boundingBox())?.y ?? Number.NaN
    const before = await top()
    await page.getByRole('button', { name: '统计', exact: true }).click()
    await days().waitFor({ state: 'detached', ...patiently })
    await expect.poll(top, patiently).toBeLessThan(before)
    await page.getByRole('button', { name: '统计', exact: true }).click()
    await days().waitFor(patiently)
  })

  it('says nothing of a list that is empty', async () => {
    await page.goto(`${stage.server.url}${history}&semaphoreName=NOSUCH`)
    await page.getByText('没有符合条件的告警').waitFor(patiently)
    await expect.poll(() => sums().count(), patiently).toBe(0)
    expect(stage.faults).toEqual([])
  })
})
