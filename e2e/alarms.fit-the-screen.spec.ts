// How much of the alarm page is alarms, measured on the screen that most consoles stand on.
import { readEnums } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor } from './harness.ts'

const size = { width: 1440, height: 900 }
/** From the window's top to the first alarm. */
const mostAbovePx = 200
const leastRows = 17

describe('at 1440 by 900', () => {
  const stage = stageFor()

  beforeAll(async () => {
    const [one, two] = stage.identities.slice(0, 2).map((identity) => stage.device(identity))
    if (!one || !two) throw new Error('the demonstration has devices')
    const { ALARM = [] } = await stage.call(readEnums, { types: ['ALARM'] })
    const codes = ALARM.slice(0, 12).map(({ code }) => code)
    for (const device of [one, two]) {
      device.start()
      await device.whenOnline()
      await Promise.all(codes.map((code) => device.raise(code, 1)))
    }
  })

  /** The first alarm's top, how many rows are wholly in sight, and the lines of the head and of the filters. */
  const measured = (page: Page) =>
    page.evaluate(() => {
      const box = (element: Element) => element.getBoundingClientRect()
      const foot = document.querySelector('[data-list-foot]')
      const rows = [...document.querySelectorAll('main tbody tr[data-key]')]
      const linesOf = (selector: string) =>
        new Set(
          [...document.querySelectorAll(selector)]
            .filter((element) => box(element).height > 0)
            .map((element) => Math.floor((box(element).top + box(element).height / 2) / 16)),
        ).size
      return {
        top: rows[0] ? box(rows[0]).top : Number.NaN,
        rows: foot ? rows.filter((row) => box(row).bottom <= box(foot).top).length : 0,
        headLines: linesOf('main header button, main header h1'),
        filterLines: linesOf('form[aria-label="筛选"] label, form[aria-label="筛选"] button'),
      }
    })

  it('the current alarms begin at most 200 px from the top, and at least 17 are seen', async () => {
    const page = await stage.open('/maintenance/exitWarning', size)
    await page.locator('main tbody tr[data-key]').nth(leastRows).waitFor(patiently)
    // What comes after the first rows takes no more room.
    await page.getByRole('button', { name: '导出' }).waitFor(patiently)
    await page.locator('main tbody').getByRole('button', { name: '恢复' }).first().waitFor(patiently)
    await expect.poll(() => page.locator('.ant-picker-range').count(), patiently).toBe(1)
    const now = await measured(page)
    expect(now.top).toBeLessThanOrEqual(mostAbovePx)
    expect(now.rows).toBeGreaterThanOrEqual(leastRows)
    expect([now.headLines, now.filterLines]).toEqual([1, 1])
    // Counts of a large fleet leave the head in its line.
    await page.locator('main header fieldset button > span:last-child').evaluateAll((counts) => {
      for (const count of counts) count.textContent = '123.4万'
    })
    await page.getByRole('tab', { name: '已搁置' }).evaluate((tab) => {
      tab.textContent = '已搁置 1,234'
    })
    expect((await measured(page)).headLines).toBe(1)
    await page.close()
  })

  it('the time of a current alarm is seen to the second, however long the names are', async () => {
    const page = await stage.open('/maintenance/exitWarning', size)
    const time = page.locator('main tbody time').first()
    await time.waitFor(patiently)
    await page.locator('main tbody').getByRole('button', { name: '恢复' }).first().waitFor(patiently)
    for (const [column, text] of [
      ['设备名称', '很长的设备名称'.repeat(8)],
      ['地区', '黔西南布依族苗族自治州 '.repeat(3)],
    ] as const) {
      const at = (await page.locator('main thead th').allInnerTexts()).findIndex(
        (title) => title.trim() === column,
      )
      await page.locator(`main tbody tr > td:nth-child(${at + 1})`).evaluateAll((cells, long) => {
        for (const cell of cells) cell.textContent = long
      }, text)
    }
    const right = await time.evaluate((element) => element.getBoundingClientRect().right)
    const actions = await page
      .locator('main tbody tr td:last-child')
      .first()
      .evaluate((element) => element.getBoundingClientRect().left)
    expect(right).toBeLessThanOrEqual(actions)
    await page.close()
  })

  it('the history begins as high', async () => {
    const page = await stage.open('/maintenance/exitWarning?tab=history', size)
    await page.locator('main tbody tr[data-key]').nth(leastRows).waitFor(patiently)
    await expect.poll(() => page.locator('.ant-picker-range').count(), patiently).toBe(1)
    const now = await measured(page)
    expect(now.top).toBeLessThanOrEqual(mostAbovePx)
    expect(now.rows).toBeGreaterThanOrEqual(leastRows)
    expect(now.headLines).toBe(1)
    await page.close()
  })

  it('the filters of a report take one line', async () => {
    const page = await stage.open('/maintenance/report', size)
    await page.getByRole('table').first().waitFor(patiently)
    await expect.poll(() => page.locator('.ant-picker-range').count(), patiently).toBe(1)
    expect((await measured(page)).filterLines).toBe(1)
    expect(stage.faults).toEqual([])
    await page.close()
  })
})
