import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor, until } from './harness.ts'
import { setScene } from './screens.ts'

/** Of a `layout-shift` entry. */
interface Shift {
  value: number
  hadRecentInput: boolean
}

/** A page whose data does not come says so in its own place: that it loads, or that it failed and can try again. */
describe('a page without its data', () => {
  const stage = stageFor()
  beforeAll(async () => {
    await setScene(stage)
  })

  const failed = {
    status: 500,
    contentType: 'application/json',
    body: JSON.stringify({ code: 500, message: '系统繁忙，请稍后重试', data: { requestId: 'r-1' } }),
  }
  /** The page at this address, where calls to these paths are answered by `answer`. */
  async function pageWhere(path: string, calls: RegExp, answer: 'fails' | 'never comes'): Promise<Page> {
    const page = await stage.open('/dashboard')
    await page
      .getByRole('heading', { name: '首页' })
      .or(page.locator('main h2').first())
      .first()
      .waitFor(patiently)
    await page.route(calls, (route) => (answer === 'fails' ? route.fulfill(failed) : undefined))
    await page.goto(stage.server.url + path, { waitUntil: 'commit' })
    return page
  }

  it.each([
    ['/upgrade/upgradeTask', /equipUpgradeTask\/list/],
    ['/upgrade/upgradeTask?task=1', /equipUpgradeTask\/info/],
    ['/maintenance/batchsetting?batch=1', /batchSet\/info/],
    ['/maintenance/logextract?extraction=1', /logextraction\/page/],
    ['/system/server', /server\/info/],
    ['/system/menu', /menu\/all/],
    ['/reference/region', /region\/tree/],
    ['/reference/organization', /organization\/all/],
    ['/reference/equipType', /equipType\/all/],
  ])('says once that it failed, where the data would be: %s', async (path, calls) => {
    const page = await pageWhere(path, calls, 'fails')
    try {
      const main = page.getByRole('main')
      await main.getByRole('button', { name: '重试' }).first().waitFor(patiently)
      await main.getByText('系统繁忙，请稍后重试').waitFor(patiently)
      expect(await page.getByText('系统繁忙，请稍后重试').count()).toBe(1)
      const retry = main.getByRole('button', { name: '重试' }).first()
      const asked = page.waitForRequest(calls, patiently)
      await retry.click()
      await asked
      await page.unroute(calls)
      // A live event may read the data first: then the button is gone.
      await until('the data has come', async () => {
        if (await retry.isVisible()) await retry.click({ timeout: 1_000 }).catch(() => undefined)
        return (await main.getByText('系统繁忙，请稍后重试').count()) === 0
      })
    } finally {
      await page.close()
    }
  })

  it.each([
    ['the code of a task', '/upgrade/upgradeTask?task=1', /assets\/UpgradeTaskView/],
    ['the code of a batch', '/maintenance/batchsetting?batch=1', /assets\/BatchView/],
    ['the code of the extractions', '/maintenance/logextract?tab=history', /assets\/ExtractionHistory/],
    ['the last extractions', '/maintenance/logextract', /logextraction\/page/],
    ['the server', '/system/server', /server\/info/],
  ])('shows that it loads while %s is under way', async (_, path, calls) => {
    const page = await pageWhere(path, calls, 'never comes')
    try {
      await page.getByRole('main').getByRole('status', { name: '加载中' }).first().waitFor(patiently)
      expect(
        await page
          .getByRole('main')
          .getByText(/没有|暂无/)
          .count(),
      ).toBe(0)
    } finally {
      await page.close()
    }
  })

  it('moves nothing that is already shown while the rest comes over a slow line', async () => {
    const slowLine = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }
    /** The sum of what has moved without a press, when this is shown: by Chromium's measure of 0 to 1 each. */
    const movedAt = async (path: string, last: string) => {
      const page = await stage.open('/dashboard')
      try {
        await page.locator('main h2').first().waitFor(patiently)
        const devtools = await page.context().newCDPSession(page)
        await devtools.send('Network.emulateNetworkConditions', slowLine)
        await page.addInitScript(() => {
          const moved = window as unknown as { moved: number }
          moved.moved = 0
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries() as (PerformanceEntry & Shift)[])
              if (!entry.hadRecentInput) moved.moved += entry.value
          }).observe({ type: 'layout-shift', buffered: true })
        })
        await page.goto(stage.server.url + path, { waitUntil: 'commit' })
        await page.getByRole('main').locator(last).first().waitFor(patiently)
        // A shift is reported with the frame after.
        await page.evaluate(async () => {
          for (let frames = 0; frames < 3; frames += 1)
            await new Promise((resolve) => requestAnimationFrame(resolve))
        })
        return await page.evaluate(() => (window as unknown as { moved: number }).moved)
      } finally {
        await page.close()
      }
    }
    const pages = [
      ['/dashboard', 'section:has-text("进行中的批量设置"):not(:has-text("加载中"))'],
      ['/upgrade/upgradeTask?task=1', '.ant-pagination'],
      ['/maintenance/batchsetting?batch=1', '.ant-pagination'],
      ['/maintenance/logextract?extraction=1', 'fieldset button'],
    ] as const
    const moved = await Promise.all(pages.map(([path, last]) => movedAt(path, last)))
    expect(pages.filter((_, at) => (moved[at] ?? 1) > 0.05)).toEqual([])
  })

  it('shows that a detail loads, and says that it does not exist once that is known', async () => {
    const calls = /\/api\/ad\/page\?.*ids=/
    const page = await pageWhere('/maintenance/advertise?open=999999', calls, 'never comes')
    try {
      await page.locator('aside .ant-skeleton').waitFor(patiently)
      await page.unroute(calls)
      await page.reload()
      await page.locator('aside').getByText('广告不存在').waitFor(patiently)
    } finally {
      await page.close()
    }
  })
})
