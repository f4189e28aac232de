import { listDevices, login, updateDevice } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { downloadBy, patiently, stageFor } from './harness.ts'

describe('the operation log', () => {
  const stage = stageFor()
  let page: Page
  let code: string

  beforeAll(async () => {
    const [row] = await stage.call(listDevices, { pageSize: 1 })
    if (!row) throw new Error('the demonstration has devices')
    code = row.code
    const { id, operatorId, equipModelId, regionCode } = row
    await stage.call(updateDevice, { id, operatorId, equipModelId, regionCode, name: '旧名称' })
    await stage.call(updateDevice, {
      id,
      operatorId,
      equipModelId,
      regionCode,
      name: '新名称',
      businessStatus: 3,
    })
    await stage.server.client.call(login, { loginname: 'admin', password: 'Wrong-1234' })
    page = await stage.open('/system/operation')
  })

  const rows = (text: string) => page.locator('tbody tr').filter({ hasText: text })

  it('shows the last 30 days, including successful and failed sign-ins', async () => {
    await rows('登录').first().waitFor(patiently)
    await rows('拒绝（400）')
      .filter({ hasText: '用户 admin' })
      .getByText('登录名或密码错误')
      .waitFor(patiently)
    await expect
      .poll(() => page.getByLabel('时间').first().inputValue(), patiently)
      .toMatch(/^\d{4}-\d{2}-\d{2} 00:00:00$/)
  })

  it('is filtered, with the filters in the address', async () => {
    await page.getByLabel('对象', { exact: true }).fill(code)
    await page.getByLabel('对象', { exact: true }).press('Enter')
    await page.waitForURL(/target=/, patiently)
    await page.getByText('共 2 条').first().waitFor(patiently)
    await expect.poll(() => page.locator('tbody tr').count(), patiently).toBe(2)
    await page.reload()
    await page.getByText('共 2 条').first().waitFor(patiently)
  })

  it('shows what an entry changed, before beside after', async () => {
    await rows('修改设备').first().focus()
    await page.keyboard.press('Enter')
    const panel = page.locator('aside').filter({ hasText: '变更内容' })
    const changes = panel.locator('tbody tr')
    await changes.first().waitFor(patiently)
    const shown = (await changes.allInnerTexts()).map((text) => text.split(/\s*\t\s*/))
    expect(shown).toContainEqual(['名称', '旧名称', '新名称'])
    expect(shown).toContainEqual(['业务状态', expect.any(String), '调试中'])
    for (const fact of [`设备 ${code}`, '127.0.0.1', '/equip/update/:id', '系统管理员']) {
      await panel.getByText(fact).first().waitFor(patiently)
    }
    await page.keyboard.press('Escape')
    await panel.waitFor({ ...patiently, state: 'hidden' })
  })

  it('says when nothing was found, and offers to reset the filters', async () => {
    await page.getByLabel('对象', { exact: true }).fill('没有这样的对象')
    await page.getByLabel('对象', { exact: true }).press('Enter')
    await page.getByText('没有符合条件的操作').waitFor(patiently)
    await page.getByRole('button', { name: '清除筛选' }).click()
    await rows('登录').first().waitFor(patiently)
  })

  it('is exported', async () => {
    const download = await downloadBy(page.getByRole('button', { name: '导出' }))
    expect(download.suggestedFilename()).toMatch(/^操作日志_\d{14}\.xlsx$/)
    expect(stage.faults).toEqual([])
  })
})
