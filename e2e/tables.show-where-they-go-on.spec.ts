import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor } from './harness.ts'
import { setScene } from './screens.ts'

/** Where its rows' columns are out of sight at the right, a table says so, wherever it stands. */
describe('a table that is wider than its place', () => {
  const stage = stageFor()
  beforeAll(async () => {
    await setScene(stage)
  })

  const openFirst = async (page: Page) => {
    await page.locator('[data-key]').first().focus()
    await page.keyboard.press('Enter')
  }
  const openParameters = async (page: Page) => {
    await openFirst(page)
    await page.getByRole('tab', { name: '概况' }).click()
    await page.locator('[data-watched] summary').filter({ hasText: '项' }).click()
  }
  const places: [path: string, table: string, reach?: (page: Page) => Promise<void>][] = [
    ['/system/server', '后台任务'],
    ['/system/menu', '菜单管理'],
    ['/system/dictionary?type=ALARM', '位定义', openFirst],
    ['/reference/equipType', '型号', openFirst],
    [
      '/maintenance/exitWarning',
      '告警内容',
      (page) => page.getByRole('button', { name: '告警内容' }).first().click(),
    ],
    ['/equipment/list?isOnline=1&keyword=EC', '参数', openParameters],
    ['/upgrade/upgradeTask?task=1', '设备'],
    ['/upgrade/version', '版本查询'],
  ]

  it.each(['/maintenance/exitWarning', '/maintenance/exitWarning?tab=history', '/maintenance/eventsearch'])(
    '%s: the device of a row stays in sight',
    async (path) => {
      const page = await stage.open(path, { width: 800, height: 768 })
      try {
        const device = page.locator('main tbody a[href*="/equipment/list"]').first()
        await device.waitFor(patiently)
        await page.locator('main table').evaluate((table) => {
          const place = table.closest('[data-more]')
          if (place) place.scrollLeft = place.scrollWidth
        })
        await page.locator('[data-more^="left"]').waitFor(patiently)
        expect(
          await device.evaluate((element) => {
            const { left, top, width, height } = element.getBoundingClientRect()
            return element.contains(document.elementFromPoint(left + width / 2, top + height / 2))
          }),
        ).toBe(true)
      } finally {
        await page.close()
      }
    },
  )

  it.each(places)(
    '%s, %s: a shadow or a fading edge at the right, until the end is in sight',
    async (path, name, reach) => {
      const page = await stage.open(path, { width: 1280, height: 900 })
      try {
        if (reach) {
          await page.locator('[data-key]').first().waitFor(patiently)
          await reach(page)
        }
        const table = page.locator(`table[aria-label*="${name}"]`).last()
        await table.locator('tbody tr').first().waitFor(patiently)
        await table.evaluate((element) => {
          element.style.minWidth = '3000px'
        })
        await page.setViewportSize({ width: 1270, height: 900 })
        const edge = (toEnd: boolean) =>
          table.evaluate((element, isWanted) => {
            const scrolls = (each: Element) => ['auto', 'scroll'].includes(getComputedStyle(each).overflowX)
            let place = element.parentElement
            while (place && !scrolls(place)) place = place.parentElement
            if (!place) return undefined
            if (isWanted) place.scrollLeft = place.scrollWidth
            const fixed = element.querySelector('th[data-fixed="right"][data-edge]')
            const isMarked = fixed
              ? getComputedStyle(fixed).boxShadow !== 'none'
              : getComputedStyle(place).maskImage !== 'none'
            return { more: place.dataset.more, isMarked }
          }, toEnd)
        await expect.poll(() => edge(false), patiently).toEqual({ more: 'right', isMarked: true })
        await expect.poll(() => edge(true), patiently).toEqual({ more: 'left', isMarked: false })
      } finally {
        await page.close()
      }
    },
  )

  it('shows a text that is cut in full under the pointer, also in a tree', async () => {
    const page = await stage.open('/system/menu', { width: 1280, height: 900 })
    const cell = page.locator('tbody tr[data-key]').nth(2).locator('td').nth(3)
    await cell.waitFor(patiently)
    await cell.evaluate((element) => {
      element.textContent = 'a-name-of-many-letters-'.repeat(8)
    })
    await cell.hover()
    await expect.poll(() => cell.getAttribute('title'), patiently).toBe('a-name-of-many-letters-'.repeat(8))
    await page.close()
  })
})
