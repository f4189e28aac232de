import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { downloadBy, patiently, stageFor } from './harness.ts'
import { chooseAmong } from './reach.ts'

// The first day of a new installation: everything is set up in the browser, starting from empty data.
describe('a company', () => {
  const stage = stageFor({ isEmpty: true })
  let page: Page
  let directory: string

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'voltkeep-company-'))
    page = await signedIn('admin', stage.server.adminPassword)
  })
  afterAll(() => {
    rmSync(directory, { recursive: true })
  })

  /** A browser of this user, signed in. */
  async function signedIn(loginName: string, password: string): Promise<Page> {
    const own = await (await stage.otherBrowser()).newPage()
    await own.goto(stage.server.url)
    await own.getByLabel('登录名').fill(loginName)
    await own.getByLabel('密码', { exact: true }).fill(password)
    await own.keyboard.press('Enter')
    await own.waitForURL('**/dashboard')
    return own
  }
  async function visit(directoryName: string, pageName: string): Promise<void> {
    const sidebar = page.getByRole('navigation', { name: '主菜单' })
    const link = sidebar.getByRole('link', { name: pageName, exact: true })
    await sidebar.getByRole('button', { name: directoryName }).waitFor()
    if (!(await link.isVisible())) await sidebar.getByRole('button', { name: directoryName }).click()
    await link.click()
    await page.getByRole('heading', { name: pageName }).waitFor()
  }
  const rowOf = (text: string) => page.locator('tbody tr').filter({ hasText: text })
  const dialogOf = (text: string) => page.getByRole('dialog').filter({ hasText: text })
  const question = () => page.locator('dialog[open]')
  const confirm = (dialog: ReturnType<typeof dialogOf>) =>
    dialog.getByRole('button', { name: '确定' }).click()
  const chooseInTree = async (dialog: ReturnType<typeof dialogOf>, label: string, name: string) => {
    await dialog.getByLabel(label).click()
    await page.locator('.ant-select-tree').getByText(name, { exact: true }).last().click()
  }
  const choose = async (dialog: ReturnType<typeof dialogOf>, label: string, name: string) => {
    await dialog.getByLabel(label).click()
    await page.locator('.ant-select-item-option').filter({ hasText: name }).last().click()
  }

  it('has its organizations', async () => {
    await visit('基础资料', '组织管理')
    const add = async (name: string, code: string) => {
      const dialog = dialogOf('组织编码')
      await dialog.getByLabel('组织名称').fill(name)
      await dialog.getByLabel('组织编码').fill(code)
      await confirm(dialog)
      await rowOf(name).waitFor()
    }
    await page.getByRole('button', { name: '新增组织' }).click()
    await add('远航能源', 'YUANHANG')
    await rowOf('远航能源').getByRole('button', { name: '新增下级' }).click()
    await add('远航华南', 'YH-SOUTH')
  })

  it('has its operators', async () => {
    await visit('基础资料', '运营商管理')
    for (const [name, code, organization] of [
      ['深圳换电', 'SZHD', '远航能源'],
      ['广州换电', 'GZHD', '远航华南'],
    ] as const) {
      await page.getByRole('button', { name: '新增运营商' }).click()
      const dialog = dialogOf('运营商编码')
      await dialog.getByLabel('运营商名称').fill(name)
      await dialog.getByLabel('运营商编码').fill(code)
      await chooseInTree(dialog, '所属组织', organization)
      await confirm(dialog)
      await rowOf(name).getByText(organization).waitFor()
    }
  })

  it('has its type of cabinet, and a model of it', async () => {
    await visit('基础资料', '设备类型')
    await page.getByRole('button', { name: '新增设备类型' }).click()
    const type = dialogOf('类型编码')
    await type.getByLabel('类型名称').fill('远航换电柜')
    await type.getByLabel('类型编码').fill('YHC')
    await choose(type, '设备类别', '换电柜')
    await confirm(type)
    await rowOf('远航换电柜').waitFor()
    await rowOf('远航换电柜').locator('td').nth(2).click()
    const panel = page.locator('aside')
    await panel.getByRole('button', { name: '新增型号' }).click()
    const model = dialogOf('型号编码')
    await model.getByLabel('型号名称').fill('十二仓')
    await model.getByLabel('型号编码').fill('YHC-12')
    await confirm(model)
    await panel.getByText('部件 · 十二仓').waitFor()
  })

  it('has a role for users who only watch', async () => {
    await visit('系统管理', '角色管理')
    await page.getByRole('button', { name: '新增角色' }).click()
    const dialog = dialogOf('角色编码')
    await dialog.getByLabel('角色名称').fill('值守')
    await dialog.getByLabel('角色编码').fill('WATCH')
    for (const name of ['首页', '告警管理', '设备列表']) {
      // The accessible name of a row also contains its number of granted items, hence the prefix match.
      await dialog.getByRole('treeitem', { name: new RegExp(`^${name}`) }).click()
    }
    await confirm(dialog)
    await question().getByRole('button', { name: '保存' }).click()
    await rowOf('WATCH').waitFor()
  })

  it('has five hundred devices', async () => {
    const path = join(directory, '远航.csv')
    const rows = Array.from({ length: 500 }, (_, n) =>
      [
        `YH${String(n).padStart(4, '0')}`,
        n < 300 ? '深圳换电' : '广州换电',
        '十二仓',
        n < 300 ? '440300' : '440100',
      ].join(','),
    )
    writeFileSync(path, ['设备编号,运营商,设备型号,地区', ...rows].join('\r\n'))
    await visit('设备管理', '设备列表')
    await page.getByRole('button', { name: /导入$/ }).click()
    const dialog = dialogOf('下载模板')
    await dialog.locator('input[type=file]').setInputFiles(path)
    await dialog.getByText('共 500 台设备，检查全部通过，可以导入。').waitFor()
    const download = await downloadBy(dialog.getByRole('button', { name: '导入 500 台' }))
    expect(download.suggestedFilename()).toMatch(/^设备导入结果_\d{14}\.xlsx$/)
    await dialogOf('已导入 500 台设备。').getByRole('button', { name: '完成' }).click()
    await page.getByText('共 500 台').first().waitFor()
  })

  it('has two users, one of them limited to one operator', async () => {
    await visit('系统管理', '用户管理')
    for (const [name, loginName] of [
      ['总部值守', 'yh-all'],
      ['广州值守', 'yh-gz'],
    ] as const) {
      await page.getByRole('button', { name: '新增用户' }).click()
      const dialog = dialogOf('登录名')
      await dialog.getByLabel('姓名').fill(name)
      await dialog.getByLabel('登录名').fill(loginName)
      await dialog.getByLabel('密码', { exact: true }).fill('Volt-2026')
      await dialog.getByLabel('手机号').fill('13900000000')
      await chooseInTree(dialog, '所属组织', '远航能源')
      await choose(dialog, '用户类型', '厂商用户')
      await chooseAmong(dialog, '角色', '值守')
      await dialog.getByLabel('须修改密码').uncheck()
      await dialog.getByLabel('组织内全部').check()
      await dialog.getByText('500 台设备').waitFor()
      await confirm(dialog)
      await dialogOf('用户已新增').getByRole('button', { name: '完成' }).click()
      await rowOf(loginName).waitFor()
    }
    await rowOf('yh-gz').getByRole('button', { name: '数据权限' }).click()
    const permissions = dialogOf('数据权限 · 广州值守')
    await permissions.getByText('500 台设备').waitFor()
    await chooseAmong(permissions, '运营商', '广州换电')
    await permissions.getByText('200 台设备').waitFor()
    await permissions.getByRole('button', { name: '保存' }).click()
    await question().getByRole('button', { name: '确定' }).click()
    await rowOf('yh-gz').getByText('已限制').waitFor()
  })

  it('has users who see their own devices, and may only watch', async () => {
    for (const [loginName, count] of [
      ['yh-all', 500],
      ['yh-gz', 200],
    ] as const) {
      const theirs = await signedIn(loginName, 'Volt-2026')
      await theirs.goto(`${stage.server.url}/equipment/list`)
      await theirs.getByText(`共 ${count} 台`).first().waitFor()
      await expect.poll(() => theirs.getByRole('link', { name: '用户管理' }).count(), patiently).toBe(0)
      await theirs.goto(`${stage.server.url}/system/user`)
      await theirs.waitForURL(/\/404\?from=/)
    }
    expect(stage.faults).toEqual([])
  })
})
