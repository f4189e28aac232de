import {
  insertRole,
  insertUser,
  listMenus,
  type MenuRecord,
  readRole,
  searchRoles,
  updateRole,
} from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { patiently, pressBehind, stageFor } from './harness.ts'

const stage = stageFor()
let page: Page
let menus: Map<string, string>
beforeAll(async () => {
  page = await stage.open('/system/role')
  const flat = (nodes: readonly MenuRecord[]): MenuRecord[] =>
    nodes.flatMap((node) => [node, ...flat(node.children)])
  menus = new Map(flat(await stage.call(listMenus, {})).map(({ remark, id }) => [remark, id]))
})
afterEach(() => page.keyboard.press('Escape'))

const rowOf = (text: string) => page.locator('tbody tr').filter({ hasText: text })
const dialog = () => page.getByRole('dialog')
/** The accessible name of a row is its menu's name and what is at its end: a count or a code. */
const item = (name: string) =>
  dialog().getByRole('treeitem', { name: new RegExp(`^${name}( ?\\d| ?[a-z]|$)`) })
const send = () => dialog().getByRole('button', { name: '确定' }).click()
const confirmSaving = async (...words: string[]) => {
  const question = page.locator('dialog[open]')
  for (const word of words) await question.getByText(word).waitFor()
  await question.getByRole('button', { name: '保存' }).click()
}
const checksOf = async (...names: string[]) =>
  Promise.all(names.map((name) => item(name).getAttribute('aria-checked')))
const idOf = (remark: string) => menus.get(remark) ?? ''

// proves: screen 5; rule role.name; rule role.code; rule role confirmation; rule confirmations
it('a role needs a name and a code, and is confirmed before it is saved', async () => {
  await page.getByRole('button', { name: '新增角色' }).click()
  await send()
  await dialog().getByText('请输入角色名称').waitFor()
  await dialog().getByText('请输入角色编码').waitFor()
  expect(
    await dialog()
      .getByLabel('角色名称')
      .evaluate((field) => field === document.activeElement),
  ).toBe(true)
  await dialog().getByLabel('角色名称').fill('值班员')
  await dialog().getByLabel('角色编码').fill('system')
  await send()
  await confirmSaving('将保存角色“值班员”，授予 0 项菜单与功能。')
  await dialog().getByText('角色编码 SYSTEM 为系统保留').waitFor()

  await dialog().getByLabel('角色编码').fill('WATCH')
  await send()
  // Cancelling the confirmation keeps the form.
  await page.locator('dialog[open]').getByRole('button', { name: '取消' }).click()
  await expect.poll(() => dialog().getByLabel('角色编码').inputValue(), patiently).toBe('WATCH')
  await send()
  await confirmSaving('将保存角色“值班员”')
  await rowOf('WATCH').waitFor()
  expect((await stage.call(searchRoles, { name: '值班员' })).length).toBe(1)
})

// proves: screen 5
it('half-checked parents are correct by keyboard, and are shown again as saved', async () => {
  await page.getByRole('button', { name: '新增角色' }).click()
  await dialog().getByLabel('角色名称').fill('半选')
  await dialog().getByLabel('角色编码').fill('HALF')
  await item('设备列表').focus()
  await page.keyboard.press('Space')
  expect(await checksOf('设备管理', '设备列表', '接入拒绝记录')).toEqual(['mixed', 'true', 'false'])
  await page.keyboard.press('ArrowRight')
  await item('删除设备').click()
  expect(await checksOf('设备管理', '设备列表', '删除设备', '查看设备')).toEqual([
    'mixed',
    'mixed',
    'false',
    'true',
  ])
  // A page without any of its functions stays granted, half-checked.
  await item('事件查询').click()
  await item('事件查询').press('ArrowRight')
  await item('查看事件').click()
  await item('导出事件').click()
  expect(await checksOf('运维管理', '事件查询', '查看事件')).toEqual(['mixed', 'mixed', 'false'])
  await send()
  await confirmSaving('授予')
  await rowOf('HALF').getByRole('button', { name: '编辑' }).click()
  await item('设备列表').press('ArrowRight')
  await item('事件查询').press('ArrowRight')
  expect(
    await checksOf(
      '运维管理',
      '事件查询',
      '查看事件',
      '设备管理',
      '设备列表',
      '删除设备',
      '查看设备',
      '首页',
    ),
  ).toEqual(['mixed', 'mixed', 'false', 'mixed', 'mixed', 'false', 'true', 'false'])
  const [role] = await stage.call(searchRoles, { name: '半选' })
  for (const remark of ['equipmentList', 'equip:list', 'eventsearch']) {
    expect(role?.menuIds).toContain(idOf(remark))
  }
  for (const remark of ['equip:delete', 'event:list']) expect(role?.menuIds).not.toContain(idOf(remark))
  // After clearing all and saving, none are left.
  await dialog().getByRole('button', { name: '清空' }).click()
  await send()
  await confirmSaving('授予 0 项')
  await expect
    .poll(async () => (await stage.call(readRole, { id: role?.id ?? '' })).menuIds, patiently)
    .toEqual([])
})

it('the later of two administrators is warned, keeps the typed values, and may load the saved ones', async () => {
  const { id } = await stage.call(insertRole, { name: '两人同改', code: 'BOTH' })
  await page.reload()
  await rowOf('BOTH').getByRole('button', { name: '编辑' }).click()
  await dialog().getByLabel('备注').fill('我写的备注')
  await item('首页').click()
  const granted = [idOf('eventsearch')]
  await stage.call(updateRole, { id, name: '先保存的名称', code: 'BOTH', menuIds: granted, version: 1 })

  await send()
  await confirmSaving('将保存角色“两人同改”')
  await dialog().getByText('数据已被他人修改').waitFor()
  await expect.poll(() => dialog().getByLabel('备注').inputValue(), patiently).toBe('我写的备注')
  expect(await checksOf('首页', '事件查询')).toEqual(['true', 'false'])
  expect((await stage.call(readRole, { id })).name).toBe('先保存的名称')

  await dialog().getByRole('button', { name: '载入最新内容' }).click()
  await expect.poll(() => dialog().getByLabel('角色名称').inputValue(), patiently).toBe('先保存的名称')
  await expect.poll(() => dialog().getByLabel('备注').inputValue(), patiently).toBe('')
  expect(await checksOf('首页', '事件查询')).toEqual(['false', 'mixed'])
  await dialog().getByLabel('备注').fill('我写的备注')
  await send()
  await confirmSaving('将保存角色“先保存的名称”')
  await expect
    .poll(async () => await stage.call(readRole, { id }), patiently)
    .toMatchObject({ name: '先保存的名称', remark: '我写的备注', version: 3 })
})

// proves: screen 5; message 已取消删除; message 删除成功!
it('the role SYSTEM has no buttons; a role in use stays, another is deleted after a confirmation', async () => {
  await rowOf('SYSTEM').getByText('系统内置').waitFor()
  await expect.poll(() => rowOf('SYSTEM').getByRole('button').count(), patiently).toBe(0)
  const [role] = await stage.call(searchRoles, { name: '值班员' })
  await stage.call(insertUser, {
    loginName: 'watch',
    password: 'Volt-1234',
    userName: '值班的人',
    phone: '13800000002',
    roleIds: [role?.id ?? ''],
    type: '2',
  })
  await page.reload()
  await pressBehind(rowOf('WATCH'), '删除')
  await page.locator('dialog[open]').getByText('该角色已分配给 1 个用户，须先收回才能删除。').waitFor()
  await page.locator('dialog[open]').getByRole('button', { name: '删除' }).click()
  await page.getByText('角色已分配给 1 个用户，不能删除').waitFor()
  await pressBehind(rowOf('BOTH'), '删除')
  await page.locator('dialog[open]').getByRole('button', { name: '取消' }).click()
  await page.getByText('已取消删除').waitFor()
  await pressBehind(rowOf('BOTH'), '删除')
  await page.locator('dialog[open]').getByText('将删除角色“先保存的名称”').waitFor()
  await page.locator('dialog[open]').getByRole('button', { name: '删除' }).click()
  await page.getByText('删除成功!').waitFor()
  await rowOf('BOTH').waitFor({ state: 'detached' })
})

// proves: screen 5
it('the filter is part of the address', async () => {
  const filters = page.getByRole('form', { name: '筛选' })
  await filters.getByLabel('角色名称').fill('半选')
  await page.keyboard.press('Enter')
  await rowOf('SYSTEM').waitFor({ state: 'detached' })
  expect(decodeURIComponent(new URL(page.url()).search)).toBe('?name=半选')
  await filters.getByLabel('角色名称').fill('没有这个')
  await page.keyboard.press('Enter')
  await page.getByText('没有符合条件的角色').waitFor()
  expect(stage.faults).toEqual([])
})
