import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor, until } from './harness.ts'

describe('a list', () => {
  const stage = stageFor()
  let page: Page
  beforeAll(async () => {
    page = await stage.open('/equipment/list', { width: 1440, height: 900 })
    await rows().first().waitFor(patiently)
  })

  const table = () => page.getByRole('table', { name: '设备' })
  const rows = () => table().locator('tbody tr')
  const titles = async () => (await table().locator('th').allTextContents()).map((title) => title.trim())
  const panel = () => page.getByRole('region', { name: '列设置' })
  const openPanel = () => page.getByRole('button', { name: '列设置' }).click()
  const isTitled = async (title: string) => (await titles()).includes(title)

  it('has the columns that its user chose, in that order, in every browser', async () => {
    const before = await titles()
    await openPanel()
    await panel().getByLabel('设备类型', { exact: true }).uncheck()
    await until('the column is gone', async () => !(await isTitled('设备类型')))
    // With the keyboard only.
    await panel().getByRole('button', { name: '上移 地址' }).focus()
    await page.keyboard.press('Enter')
    await until('the address is before the region', async () => {
      const now = await titles()
      return now.indexOf('地址') < now.indexOf('地区')
    })
    await page.keyboard.press('Escape')
    await panel().waitFor({ ...patiently, state: 'hidden' })
    const chosen = await titles()
    expect(chosen).not.toEqual(before)

    const elsewhere = await stage.open('/equipment/list', { width: 1440, height: 900 })
    const there = elsewhere.getByRole('table', { name: '设备' })
    await there.locator('tbody tr[data-key]').first().waitFor(patiently)
    expect((await there.locator('th').allTextContents()).map((title) => title.trim())).toEqual(chosen)
    await elsewhere.close()

    await openPanel()
    await panel().getByRole('button', { name: '恢复默认' }).click()
    await until('the columns are those of the page', async () => (await titles()).join() === before.join())
  })

  it('has compact rows where its user wants them, like all lists', async () => {
    const height = () =>
      rows()
        .first()
        .evaluate((row) => row.getBoundingClientRect().height)
    expect(await height()).toBe(38)
    // Waits for the save: a navigation would cancel the call.
    const kept = page.waitForResponse((answer) => answer.url().includes('/api/preference/save'))
    await panel().getByLabel('紧凑').check()
    await until('rows are low', async () => (await height()) === 32)
    await kept
    await page.goto(`${stage.server.url}/system/operation`)
    const other = page.getByRole('table').locator('tbody tr[data-key]').first()
    await other.waitFor(patiently)
    expect(await other.evaluate((row) => row.getBoundingClientRect().height)).toBe(32)
    await page.goto(`${stage.server.url}/equipment/list`)
    await openPanel()
    await panel().getByLabel('标准').check()
    await page.keyboard.press('Escape')
    await until('rows are as before', async () => (await height()) === 38)
  })

  it('fits the window at first, and keeps the chosen page size', async () => {
    const size = () => page.locator('.ant-pagination-options .ant-select')
    await until('20 fit', async () => ((await size().textContent()) ?? '').includes('20'))
    await size().click()
    // Waits for the save: a navigation would cancel the call.
    const kept = page.waitForResponse((answer) => answer.url().includes('/api/preference/save'))
    await page.locator('.ant-select-item-option', { hasText: '50 条/页' }).click()
    await until('50 are chosen', async () => ((await size().textContent()) ?? '').includes('50'))
    await kept
    await page.goto(`${stage.server.url}/maintenance/exitWarning?tab=history`)
    await page.goto(`${stage.server.url}/equipment/list`)
    await until('50 still apply', async () => ((await size().textContent()) ?? '').includes('50'))
  })

  it('has no destructive action within one press', async () => {
    const first = rows().first()
    expect(await first.getByRole('button', { name: '删除' }).count()).toBe(0)
    await first.getByRole('button', { name: '其他操作' }).click()
    await first.getByRole('button', { name: '重置密钥' }).waitFor(patiently)
    await first.getByRole('button', { name: '删除' }).waitFor(patiently)
    await page.keyboard.press('Escape')
    await first.getByRole('button', { name: '删除' }).waitFor({ ...patiently, state: 'hidden' })
    expect(stage.faults).toEqual([])
  })
})
