import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor, until } from './harness.ts'

describe('a server that goes away and comes back', () => {
  const stage = stageFor()
  let page: Page

  beforeAll(async () => {
    page = await stage.open('/equipment/list')
    await page.locator('tbody tr[data-key]').first().waitFor()
  })

  // proves: rule network error
  it('is noticed in the top bar, and keeps rows and filters', async () => {
    await expect.poll(() => page.getByText('正在重连').count(), patiently).toBe(0)
    await stage.server.kill()
    await page.getByText('实时连接已断开，正在重连').waitFor()
    await page.getByRole('button', { name: '查询' }).click()
    await page.getByText('刷新失败，显示的是之前的数据').waitFor()
    await expect.poll(() => page.locator('tbody tr[data-key]').count(), patiently).toBeGreaterThan(0)

    await page.getByLabel('设备', { exact: true }).fill('EC')
    await page.keyboard.press('Enter')
    await page.getByText('加载失败', { exact: true }).waitFor()
    await expect.poll(() => page.getByLabel('设备', { exact: true }).inputValue(), patiently).toBe('EC')
    expect(new URL(page.url()).searchParams.get('keyword')).toBe('EC')
  })

  it('is reconnected automatically, and by 重试', async () => {
    await stage.server.start()
    await until('the line is back', async () => (await page.getByText('正在重连').count()) === 0, 60_000)
    const retry = page.getByRole('button', { name: '重试' })
    if (await retry.isVisible()) await retry.click()
    await page.locator('tbody tr[data-key]').first().waitFor()
    expect(stage.faults).toEqual([])
  })
})

describe('a browser whose connection is lost', () => {
  const stage = stageFor()
  let page: Page
  const rows = () => page.locator('tbody tr[data-key]')
  const go = (name: string) => page.getByRole('link', { name, exact: true }).click()

  beforeAll(async () => {
    // High enough for all menus to stand open.
    page = await stage.open('/equipment/list', { width: 1440, height: 1200 })
    await rows().first().waitFor()
    await page.context().setOffline(true)
  })

  it('says so in the list, which is read again after the reconnect', async () => {
    await page.getByLabel('设备', { exact: true }).fill('EC')
    await page.keyboard.press('Enter')
    await page.getByText('加载失败', { exact: true }).waitFor()
    await page.getByRole('button', { name: '重试' }).waitFor()
    await page.context().setOffline(false)
    await rows().first().waitFor()
  })

  it('keeps the console where a page cannot be loaded, and shows the page once it can', async () => {
    await page.context().setOffline(true)
    await go('角色管理')
    await page.getByText('页面加载失败').waitFor()
    await page.getByRole('button', { name: '重新加载' }).click()
    await page.getByText('网络已断开，请检查网络后重试').first().waitFor()
    await page.getByText('页面加载失败').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: '重新加载' }).click()
    await rows().first().waitFor()
    expect(stage.faults).toEqual([])
  })
})
