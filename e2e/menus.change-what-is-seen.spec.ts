import {
  deleteMenu,
  insertMenu,
  insertRole,
  insertUser,
  listMenus,
  type MenuRecord,
  updateMenu,
  updateRole,
} from '@voltkeep/contract'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { opened, patiently, pressBehind, stageFor } from './harness.ts'

const stage = stageFor()
let page: Page
beforeAll(async () => {
  page = await stage.open('/system/menu')
})

const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name })
const dialog = () => page.getByRole('dialog')
const adding = () => page.getByRole('button', { name: '新增菜单' })
const send = () => dialog().getByRole('button', { name: '确定' }).click()
const radio = (name: string) => dialog().getByRole('radio', { name })

async function all(): Promise<MenuRecord[]> {
  const flat = (nodes: readonly MenuRecord[]): MenuRecord[] =>
    nodes.flatMap((node) => [node, ...flat(node.children)])
  return flat(await stage.call(listMenus, {}))
}
async function menuOf(remark: string): Promise<MenuRecord> {
  const menu = (await all()).find((each) => each.remark === remark)
  if (!menu) throw new Error(`no menu ${remark}`)
  return menu
}

describe('the form of a menu', () => {
  // proves: screen 7; rule menu.name; rule menu.path; rule menu.remark
  it('reports missing fields', async () => {
    await opened(dialog(), adding())
    await send()
    for (const words of ['请输入菜单名称', '请输入路由地址', '请输入路由名称']) {
      await dialog().getByText(words).waitFor()
    }
  })

  // proves: rule menu type M; rule menu component; screen 7
  it('offers directories at the top level only, and a component for pages only', async () => {
    await opened(dialog(), adding())
    await expect.poll(() => radio('目录').isChecked(), patiently).toBe(true)
    await expect.poll(() => dialog().getByLabel('组件地址').isDisabled(), patiently).toBe(true)
    await radio('页面').click()
    await expect.poll(() => dialog().getByLabel('组件地址').isDisabled(), patiently).toBe(false)
    await dialog().getByRole('button', { name: '取消' }).click()

    await rowOf('系统管理').first().getByRole('button', { name: '新增下级' }).click()
    await dialog().getByText('在“系统管理”下新增').waitFor()
    await expect.poll(() => radio('目录').count(), patiently).toBe(0)
    await expect.poll(() => radio('页面').isChecked(), patiently).toBe(true)
    await dialog().getByRole('button', { name: '取消' }).click()

    await rowOf('角色管理').first().getByRole('button', { name: '新增下级' }).click()
    await expect.poll(() => radio('功能').isChecked(), patiently).toBe(true)
    await send()
    await dialog().getByText('请输入功能编码').waitFor()
    await dialog().getByLabel('功能编码').fill('nocolon')
    await dialog().getByLabel('菜单名称').fill('无冒号')
    await dialog().getByLabel('路由地址').fill('x')
    await send()
    await dialog().getByText('功能编码应为“名词:动词”').waitFor()
    await dialog().getByRole('button', { name: '取消' }).click()
  })

  // proves: rule openType; screen 7; screen 18
  it('forces the path of an external link, which must be a web address', async () => {
    await opened(dialog(), adding())
    await radio('页面').click()
    await radio('外部链接').click()
    await expect.poll(() => dialog().getByLabel('路由地址').inputValue(), patiently).toBe('/iframe')
    await expect.poll(() => dialog().getByLabel('路由地址').isDisabled(), patiently).toBe(true)
    await dialog().getByLabel('菜单名称').fill('帮助中心')
    await dialog().getByLabel('路由名称').fill('help')
    await dialog().getByLabel('链接地址').fill('javascript:alert(1)')
    await send()
    await dialog().getByText('请输入以 http:// 或 https:// 开头的链接地址').waitFor()
    await dialog().getByLabel('链接地址').fill('https://example.com/help')

    // Chooses the icon with the keyboard only.
    await dialog().getByRole('button', { name: '选择图标' }).press('Enter')
    await dialog().getByRole('textbox', { name: '搜索图标' }).fill('字典')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await dialog().getByRole('button', { name: '更换图标 字典' }).waitFor()
    await send()
    await dialog().waitFor({ state: 'detached' })
    expect(await menuOf('help')).toMatchObject({
      path: '/iframe',
      icon: 'book',
      openType: 1,
      url: 'https://example.com/help',
    })
    // The sidebar of the user who made the change is updated without a navigation.
    await page.getByRole('navigation', { name: '主菜单' }).getByRole('button', { name: '帮助中心' }).waitFor()
  })

  it('shows a system user the full address of an external link before it is first opened', async () => {
    const sidebar = page.getByRole('navigation', { name: '主菜单' })
    const question = page.locator('dialog[open]')
    await sidebar.getByRole('button', { name: '帮助中心' }).click()
    await question.getByText('https://example.com/help').waitFor()
    await question.getByRole('button', { name: '取消' }).click()
    await sidebar.getByRole('button', { name: '帮助中心' }).click()
    const opening = page.context().waitForEvent('page')
    await question.getByRole('button', { name: '打开' }).click()
    await (await opening).close()
    const link = sidebar.getByRole('link', { name: '帮助中心' })
    expect(await link.getAttribute('href')).toBe('https://example.com/help')
  })

  it('warns the later of two administrators', async () => {
    await rowOf('帮助中心').getByRole('button', { name: '编辑' }).click()
    await dialog().getByLabel('菜单名称').fill('我的名称')
    const { children: _, roleCount: __, icon, url, ...menu } = await menuOf('help')
    await stage.call(updateMenu, { ...menu, icon: icon ?? '', url: url ?? '', name: '先保存' })
    await send()
    await dialog().getByText('数据已被他人修改').waitFor()
    await expect.poll(() => dialog().getByLabel('菜单名称').inputValue(), patiently).toBe('我的名称')
    await dialog().getByRole('button', { name: '载入最新内容' }).click()
    await expect.poll(() => dialog().getByLabel('菜单名称').inputValue(), patiently).toBe('先保存')
    await dialog().getByRole('button', { name: '取消' }).click()
  })

  // proves: screen 7; rule confirmations
  it('deletes after a confirmation that names the roles, and says why a menu with children stays', async () => {
    const { id } = await menuOf('help')
    await stage.call(insertRole, { name: '有帮助', code: 'HELPED', menuIds: [id] })
    await page.reload()
    await rowOf('系统管理').first().getByRole('button', { name: '其他操作' }).click()
    await expect
      .poll(() => rowOf('系统管理').first().getByRole('button', { name: '删除' }).isDisabled(), patiently)
      .toBe(true)
    await pressBehind(rowOf('先保存'), '删除')
    await page.locator('dialog[open]').getByText('已分配给 1 个角色').waitFor()
    await page.locator('dialog[open]').getByRole('button', { name: '删除' }).click()
    await page.getByText('删除成功!').waitFor()
    await rowOf('先保存').waitFor({ state: 'detached' })
  })

  it('does not delete the page of menu management', async () => {
    await page.getByRole('textbox', { name: '搜索名称、地址或功能编码' }).fill('menu:insert')
    await pressBehind(rowOf('新增菜单'), '删除')
    await page.locator('dialog[open]').getByRole('button', { name: '删除' }).click()
    await page.getByText('菜单管理页面及其功能是修复菜单的入口').first().waitFor()
  })
})

describe('for another signed-in user, at the next navigation', () => {
  let context: BrowserContext
  let theirs: Page
  let role: { id: string; name: string; code: string }
  let pageId: string
  let functionId: string

  beforeAll(async () => {
    const directory = (await stage.call(insertMenu, {
      name: '夜班',
      type: 'M',
      path: '/night',
      remark: 'night',
      openType: 0,
    })) as { id: string }
    const inDirectory = { parentId: directory.id, type: 'C', openType: 0 } as const
    pageId = (
      await stage.call(insertMenu, {
        ...inDirectory,
        name: '夜班设备',
        path: 'devices',
        remark: 'nightDevices',
        url: 'equipment/list',
      })
    ).id
    const functionOf = async (name: string, remark: string) =>
      (
        await stage.call(insertMenu, {
          parentId: pageId,
          type: 'F',
          openType: 0,
          name,
          path: remark,
          remark,
        })
      ).id
    const listId = await functionOf('看设备', 'equip:list')
    functionId = await functionOf('加设备', 'equip:insert')
    const form = { name: '夜班', code: 'NIGHT' }
    const { id } = await stage.call(insertRole, { ...form, menuIds: [pageId, listId, functionId] })
    role = { ...form, id }
    await stage.call(insertUser, {
      loginName: 'night',
      password: 'Volt-1234',
      userName: '夜班员',
      phone: '13800000001',
      roleIds: [id],
      type: '2',
    })
    context = await stage.otherBrowser(await stage.server.client.signIn('night', 'Volt-1234'))
    theirs = await context.newPage()
    await theirs.goto(`${stage.server.url}/night/devices`)
  })
  afterAll(() => context?.close())

  const sidebar = () => theirs.getByRole('navigation', { name: '主菜单' })
  const goHome = async () => {
    await sidebar().getByRole('link', { name: '首页' }).click()
    await theirs.waitForURL('**/dashboard')
  }

  // proves: rule allRole; rule menu routes
  it('a renamed page has its new name, and a removed function has no button', async () => {
    await theirs.getByRole('button', { name: '新增设备' }).waitFor()
    const { children: _, roleCount: __, icon, url, ...menu } = await menuOf('nightDevices')
    await stage.call(updateMenu, { ...menu, icon: icon ?? '', url: url ?? '', name: '柜机' })
    await stage.call(deleteMenu, { id: functionId, roleCount: 1 })
    await goHome()
    await sidebar().getByRole('link', { name: '柜机' }).click()
    await theirs.getByRole('heading', { level: 1, name: '柜机' }).waitFor()
    await theirs.locator('[data-key], [aria-live]').first().waitFor({ state: 'attached' })
    await expect.poll(() => theirs.getByRole('button', { name: '新增设备' }).count(), patiently).toBe(0)
  })

  // proves: rule menu routes; rule unknown path
  it('a removed page leads to the 404, and an added one is there', async () => {
    await goHome()
    await stage.call(updateRole, { ...role, menuIds: [(await menuOf('eventsearch')).id] })
    await sidebar().getByRole('link', { name: '柜机' }).click()
    await theirs.waitForURL(/\/404\?from=/)
    await theirs.getByText('The webmaster said that you can not enter this page...').waitFor()
    await theirs.goto(`${stage.server.url}/dashboard`)
    await sidebar().getByRole('link', { name: '事件查询' }).click()
    await theirs.getByRole('heading', { level: 1, name: '事件查询' }).waitFor()
    expect(stage.faults).toEqual([])
  })
})
