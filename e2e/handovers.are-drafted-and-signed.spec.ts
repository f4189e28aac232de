import { insertRole, insertUser, listHandovers, listMenus } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor, until } from './harness.ts'
import { expectNoSidewaysScroll } from './screens.ts'

describe('a shift is handed over', () => {
  const stage = stageFor()
  let page: Page
  let next: Page
  let code: string

  beforeAll(async () => {
    const identity = stage.identities.find((each) => each.code.startsWith('EC'))
    if (!identity) throw new Error('the demonstration has cabinets')
    code = identity.code
    const device = stage.device(identity)
    device.start()
    await device.whenOnline()
    await device.raise('01110002', 1)
    const menus = (await stage.call(listMenus, {})).flatMap((menu) => [menu, ...menu.children])
    const menuIds = [...new Set(menus.flatMap((menu) => [menu, ...menu.children]).map(({ id }) => id))]
    const role = await stage.call(insertRole, { name: '值班', code: 'E2E_SHIFT', menuIds })
    const credentials = { loginName: 'e2e-next', password: 'Volt-1234' }
    await stage.call(insertUser, {
      ...credentials,
      userName: '接班员',
      phone: '13800138002',
      roleIds: [role.id],
      type: '2',
    })
    const token = await stage.server.client.signIn(credentials.loginName, credentials.password)
    next = await (await stage.otherBrowser(token)).newPage()
    page = await stage.open('/maintenance/handover')
  })

  const button = (of: Page, name: string) => of.getByRole('button', { name, exact: true })
  const dialog = (of: Page) => of.getByRole('dialog').filter({ visible: true })
  const shift = (of: Page) => of.getByRole('region', { name: /^交接单 .+ 至 .+$/ })

  it('drafted from the empty list, with what is open and what the next one has to know', async () => {
    await page.getByText('还没有交接单').waitFor(patiently)
    await page.getByText(/^下班前生成交接单/).waitFor(patiently)
    await page.getByRole('button', { name: /生成交接单$/ }).click()
    await dialog(page).getByLabel('交接说明').fill('南山站备件周五到货\n钥匙在前台')
    await dialog(page).getByRole('button', { name: '生成交接单' }).click()
    await shift(page).getByText('待签收').waitFor(patiently)
    await shift(page).getByText('南山站备件周五到货').waitFor(patiently)
    const open = shift(page).getByRole('region', { name: '未处理告警' })
    await open.getByText(code).first().waitFor(patiently)
    await open.getByText('未确认', { exact: true }).first().waitFor(patiently)
    // Nobody takes over from themselves.
    expect(await button(page, '签收').count()).toBe(0)
    expect(await button(page, '重新生成').count()).toBe(1)
  })

  it('drawn anew with other words', async () => {
    await button(page, '重新生成').click()
    await dialog(page).getByLabel('交接说明').fill('钥匙在前台')
    await dialog(page).getByRole('button', { name: '重新生成' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    await shift(page).getByText('南山站备件周五到货').waitFor({ state: 'detached' })
  })

  it('signed on a phone by who takes over, and then no more drawn', async () => {
    await next.setViewportSize({ width: 390, height: 844 })
    await next.goto(`${stage.server.url}/maintenance/handover`)
    await next.locator('[data-key]').first().click()
    await shift(next).getByText('钥匙在前台').waitFor(patiently)
    await expectNoSidewaysScroll(next)
    expect(await button(next, '重新生成').count()).toBe(0)
    await button(next, '签收').click()
    await dialog(next)
      .getByText(/签收后由您负责/)
      .waitFor(patiently)
    await dialog(next).getByLabel('接班意见').fill('已核对')
    await dialog(next).getByRole('button', { name: '签收' }).click()
    await shift(next).getByText('已签收').waitFor(patiently)
    expect(await button(next, '签收').count()).toBe(0)
    const [row] = await stage.call(listHandovers, {})
    expect(row).toMatchObject({ state: 'signed', signUserName: '接班员', signNote: '已核对' })
    await page.reload()
    await shift(page).getByText('已核对').waitFor(patiently)
    expect(await button(page, '重新生成').count()).toBe(0)
  })

  it('printed without the console around it, dark on light', async () => {
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await until('the console is hidden', () => page.getByRole('banner').isHidden())
    for (const name of ['打印', '‹ 交接班'])
      expect(await page.getByText(name, { exact: true }).isVisible()).toBe(false)
    const words = shift(page).getByText('钥匙在前台')
    expect(await words.isVisible()).toBe(true)
    expect(await words.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(0, 0, 0)')
    expect(await shift(page).getByRole('heading', { level: 1 }).isVisible()).toBe(true)
    // Chromium, too, makes something of it that has pages.
    expect((await page.pdf()).byteLength).toBeGreaterThan(5_000)
    expect(stage.faults).toEqual([])
  })
})
