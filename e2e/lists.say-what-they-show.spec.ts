import { listAlarmHistory } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor, until } from './harness.ts'

describe('the filters of a list', () => {
  const stage = stageFor()
  let page: Page
  beforeAll(async () => {
    page = await stage.open('/equipment/list', { width: 1440, height: 900 })
    await page.locator('tbody tr[data-key]').first().waitFor(patiently)
  })

  const chips = () => page.getByRole('list', { name: '生效的筛选' }).getByRole('listitem')
  const form = () => page.getByRole('form', { name: '筛选' })
  const parameter = (name: string) => new URL(page.url()).searchParams.get(name)
  const more = () => form().getByRole('button', { name: '更多' })

  it('take the first region that matches a typed name on Enter, and show which one', async () => {
    await more().click()
    const region = form().getByLabel('地区')
    await region.click()
    await region.pressSequentially('上海')
    await page.locator('.ant-cascader-menu-item').filter({ hasText: '上海' }).first().waitFor(patiently)
    await page.keyboard.press('Enter')
    await until('the region is chosen', async () =>
      ((await form().locator('.ant-cascader').textContent()) ?? '').includes('上海市'),
    )
    await form().getByRole('button', { name: '查询' }).click()
    await until('the address has it', () => parameter('regionCode') !== null)
    await chips().filter({ hasText: '地区：中国 / 上海市' }).waitFor(patiently)
    await chips().getByRole('button', { name: '取消筛选：地区' }).click()
    await until('the chip takes it away', () => parameter('regionCode') === null)
    await until('no chip is left', async () => (await chips().count()) === 0)
  })

  it('report a typed text that matches nothing', async () => {
    const region = form().getByLabel('地区')
    await region.click()
    await region.pressSequentially('没有的地方')
    await page.keyboard.press('Enter')
    await form().getByText('“没有的地方”未选中，请从列表中选择').waitFor(patiently)
    await page.keyboard.press('Escape')
    const type = form().getByLabel('设备类型')
    await type.click()
    await type.pressSequentially('电')
    await form().getByLabel('设备', { exact: true }).click()
    await form().getByText('“电”未选中，请从列表中选择').waitFor(patiently)
    // The message disappears with the first letter of the next input, which is kept.
    await type.click()
    await type.pressSequentially('换电')
    expect(await type.inputValue()).toBe('换电')
    await form()
      .getByText('“电”未选中，请从列表中选择')
      .waitFor({ ...patiently, state: 'detached' })
    await page.keyboard.press('Escape')
  })

  it('are shown as chips, also those of a link', async () => {
    await page.goto(
      `${stage.server.url}/equipment/list?isOnline=0&statuses=1,2&address=${encodeURIComponent('路')}`,
    )
    await chips().filter({ hasText: '业务状态：已激活、未交付' }).waitFor(patiently)
    await chips().filter({ hasText: '地址：路' }).waitFor(patiently)
    await chips().filter({ hasText: '在线状态：离线' }).waitFor(patiently)
    // The control shows several values, too.
    await form().getByText('已激活、未交付').waitFor(patiently)
    await form().getByRole('button', { name: '重置' }).click()
    await until('no chip is left', async () => (await chips().count()) === 0)
  })

  it('are saved under a name, applied with one press, and deleted after a confirmation', async () => {
    await page.goto(`${stage.server.url}/equipment/list?isOnline=0`)
    await chips().filter({ hasText: '在线状态：离线' }).waitFor(patiently)
    const panel = page.getByRole('region', { name: '常用筛选' })
    const open = () => page.getByRole('button', { name: '常用筛选', exact: true }).click()
    await open()
    await panel.getByLabel('名称').fill('离线的')
    await panel.getByLabel('共享给本组织').check()
    await page.keyboard.press('Tab')
    await panel.getByRole('button', { name: '保存' }).click()
    await panel.getByText('已共享').waitFor(patiently)
    await page.keyboard.press('Escape')
    await form().getByRole('button', { name: '重置' }).click()
    await until('no chip is left', async () => (await chips().count()) === 0)
    await open()
    await panel.getByRole('button', { name: /^离线的/ }).click()
    await chips().filter({ hasText: '在线状态：离线' }).waitFor(patiently)
    await panel.getByRole('button', { name: '删除 离线的' }).click()
    await page.locator('dialog[open]').getByRole('button', { name: '删除' }).click()
    await page.getByText('删除成功!').waitFor(patiently)
  })

  it('offer last week, Monday to Sunday, with one press', async () => {
    await page.goto(`${stage.server.url}/maintenance/exitWarning?tab=history`)
    // The shortcut is beside the range input only, not in its calendar too.
    await page.locator('.ant-picker-range input').first().click()
    await page.locator('.ant-picker-panel').first().waitFor(patiently)
    expect(await page.getByText('上周', { exact: true }).count()).toBe(1)
    await page.keyboard.press('Escape')
    await form().getByRole('button', { name: '上周', exact: true }).click()
    await until('the address has the range', () => parameter('startTime') !== null)
    const from = new Date(`${parameter('startTime')}T00:00:00Z`)
    const end = new Date(`${parameter('endTime')}T00:00:00Z`)
    expect(from.getUTCDay()).toBe(1)
    expect((end.getTime() - from.getTime()) / 86_400_000).toBe(6)
    await stage.call(listAlarmHistory, {
      startTime: parameter('startTime') ?? '',
      endTime: parameter('endTime') ?? '',
    })
    expect(stage.faults).toEqual([])
  })
})
