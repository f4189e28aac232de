import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readSpreadsheet } from '../apps/server/src/platform/files/sheets/spreadsheet-reader.ts'
import { downloadBy, patiently, stageFor, until } from './harness.ts'

describe('devices chosen in the list', () => {
  const stage = stageFor()
  let page: Page

  beforeAll(async () => {
    page = await stage.open('/equipment/list')
  })
  // A newly opened page has no selection.
  beforeEach(async () => {
    await page.goto(`${stage.server.url}/equipment/list`)
    await row(0).waitFor(patiently)
  })

  const row = (at: number) => page.locator('tbody tr[data-key]').nth(at)
  const bar = () => page.getByRole('toolbar', { name: '对所选的操作' })
  const codeOf = async (at: number) =>
    ((await row(at).getByRole('checkbox').getAttribute('aria-label')) ?? '').replace('选择 ', '')

  it('are counted across pages, and the export contains only them', async () => {
    const codes = [await codeOf(0), await codeOf(1)]
    await row(0).getByRole('checkbox').check()
    // Space on a focused row selects it.
    await row(1).press(' ')
    await bar().getByText('已选 2 项').waitFor(patiently)
    // Clicking the checkbox does not open the device.
    expect(new URL(page.url()).searchParams.get('id')).toBe(null)

    await page.getByTitle('2', { exact: true }).click()
    await until('the second page is shown', async () => !codes.includes(await codeOf(0)))
    codes.push(await codeOf(0))
    await row(0).getByRole('checkbox').check()
    await bar().getByText('已选 3 项').waitFor(patiently)

    const download = await downloadBy(bar().getByRole('button', { name: '导出所选' }))
    const exported: (string | undefined)[] = []
    for await (const { cells } of readSpreadsheet(await download.path())) exported.push(cells[0])
    expect(exported.slice(1).sort()).toEqual(codes.sort())
  })

  it('are selected by page, copied by code, and deselected', async () => {
    const count = await page.locator('tbody tr[data-key]').count()
    await page.getByRole('checkbox', { name: '全选本页' }).check()
    await bar().getByText(`已选 ${count} 项`).waitFor(patiently)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await bar().getByRole('button', { name: '复制编号' }).click()
    await page.getByText('复制成功').waitFor(patiently)
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied.split('\n').length).toBe(count)
    await bar().getByRole('button', { name: '清除' }).click()
    await bar().waitFor({ ...patiently, state: 'detached' })
    await expect
      .poll(() => page.getByRole('checkbox', { name: '全选本页' }).isChecked(), patiently)
      .toBe(false)
  })

  it('are selected by touch on a phone', async () => {
    const phone = await stage.open('/equipment/list', { width: 390, height: 844 })
    const cards = phone.getByRole('list', { name: '设备' }).getByRole('listitem')
    await cards.first().waitFor(patiently)
    expect(await cards.first().getByRole('checkbox').count()).toBe(0)
    await phone.getByRole('button', { name: '选择', exact: true }).click()
    // In selection mode, a tap anywhere on a card selects it and opens nothing.
    await cards.first().click({ position: { x: 200, y: 50 } })
    const chosen = phone.getByRole('toolbar', { name: '对所选的操作' })
    await chosen.getByText('已选 1 项').waitFor(patiently)
    const target = await cards.first().locator('label').boundingBox()
    expect(Math.min(target?.width ?? 0, target?.height ?? 0)).toBeGreaterThanOrEqual(40)
    await chosen.getByRole('button', { name: '全选本页' }).click()
    await chosen.getByText(`已选 ${await cards.count()} 项`).waitFor(patiently)
    await chosen.getByRole('button', { name: '取消选择' }).click()
    await chosen.waitFor({ ...patiently, state: 'detached' })
    expect(await cards.first().getByRole('checkbox').count()).toBe(0)
    await phone.getByRole('button', { name: /筛选$/ }).click()
    await phone.getByRole('dialog').getByRole('button', { name: '常用筛选' }).click()
    await phone.getByRole('region', { name: '常用筛选' }).waitFor(patiently)
    await phone.close()
    expect(stage.faults).toEqual([])
  })
})
