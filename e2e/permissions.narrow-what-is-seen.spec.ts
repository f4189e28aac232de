import { insertUser, listDevices, listEquipTypes, listRoles, previewPermissions } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { opened, patiently, stageFor, until } from './harness.ts'

describe('data permissions', () => {
  const stage = stageFor()
  let page: Page
  let userId: string
  let type: { id: string; name: string }
  /** A device of the type, and another one. */
  let inside: string
  let outside: string

  beforeAll(async () => {
    const role = (await stage.call(listRoles, {})).find(({ isAssignable }) => isAssignable)
    const { id } = await stage.call(insertUser, {
      userName: '受限的人',
      loginName: 'e2e-limited',
      password: 'Volt-1234',
      phone: '13800000000',
      roleIds: [role?.id ?? ''],
      type: '2',
      organizationId: '1',
    })
    userId = id
    const devices = await stage.call(listDevices, { pageSize: 500 })
    const [first] = devices
    const other = devices.find(({ equipTypeId }) => equipTypeId !== first?.equipTypeId)
    const types = await stage.call(listEquipTypes, {})
    const found = types.find((one) => one.id === first?.equipTypeId)
    if (!first || !other || !found) throw new Error('the demonstration has devices of several types')
    type = found
    inside = first.code
    outside = other.code
    page = await stage.open('/system/user?name=e2e-limited')
  })

  const row = () => page.locator('tbody tr').filter({ hasText: '受限的人' })
  const dialog = () => page.getByRole('dialog').filter({ hasText: '数据权限 · 受限的人' })
  const preview = () => dialog().getByRole('region', { name: '预览' })
  const question = () => page.locator('dialog[open]')
  const open = async () => {
    await opened(dialog(), row().getByRole('button', { name: '数据权限' }))
    await preview()
      .getByText(/\d 台设备/)
      .waitFor()
  }
  const openWithType = async () => {
    await open()
    if (await dialog().locator('.ant-select-selection-item').filter({ hasText: type.name }).count()) return
    await dialog().getByLabel('设备类型').click()
    await page.getByTitle(type.name, { exact: true }).last().click()
    await page.keyboard.press('Escape')
  }
  const countShown = async () =>
    Number(((await preview().locator('strong').textContent()) ?? '').replace(/\D/g, ''))

  // proves: rule permission.choice; message 设备类型、运营商、地区至少选1个
  it('need at least one of type, operator and region', async () => {
    await open()
    await expect.poll(() => dialog().getByRole('button', { name: '重置' }).count(), patiently).toBe(0)
    await preview().getByText('未选择任何限制').waitFor()
    await dialog().getByRole('button', { name: '保存' }).click()
    await dialog().getByText('设备类型、运营商、地区至少选1个').waitFor()
    await expect.poll(() => question().count(), patiently).toBe(0)
  })

  it('preview beside the form how many devices remain, before anything is saved', async () => {
    const { total } = await stage.call(previewPermissions, { userId })
    await open()
    expect(await countShown()).toBe(total)
    await openWithType()
    const authorityEntities = [{ authorityType: 'ET' as const, type: 'ET' as const, value: [type.id] }]
    const { count } = await stage.call(previewPermissions, { userId, authorityEntities })
    expect(count).toBeLessThan(total)
    await until('the preview counts anew', async () => (await countShown()) === count)
    await dialog().getByText('设备类型、运营商、地区至少选1个').waitFor({ state: 'detached' })
  })

  it('say why a given device is visible or not, and when it does not exist', async () => {
    await openWithType()
    const ask = async (code: string) => {
      await preview().getByLabel('设备编号').fill(code)
      await page.keyboard.press('Enter')
    }
    await ask(inside)
    await preview().getByText(`${inside}：可见`).waitFor()
    await preview().getByText(`设备类型“${type.name}”在允许的范围内`).waitFor()
    await ask(outside)
    await preview().getByText(`${outside}：不可见`).waitFor()
    await preview().getByText('不在允许的范围内').waitFor()
    await preview().getByText('未限制运营商').waitFor()
    await ask('NOSUCHDEVICE')
    await preview().getByText('设备不存在').waitFor()
    await expect.poll(() => dialog().isVisible(), patiently).toBe(true)
  })

  // proves: rule permission.region; constant region limit; rule confirmations
  it('allow three regions of any level, and are kept after a confirmed save', async () => {
    await openWithType()
    await dialog().getByLabel('地区').click()
    const menuOf = (level: number) => page.locator('.ant-cascader-menu').nth(level)
    const check = (name: string, level: number) =>
      menuOf(level)
        .locator('.ant-cascader-menu-item')
        .filter({ hasText: name })
        .locator('.ant-cascader-checkbox')
        .click()
    await check('美国', 0)
    await menuOf(0).getByText('中国').click()
    await check('广东省', 1)
    await check('上海市', 1)
    await until(
      'three are chosen',
      async () =>
        (await dialog()
          .locator('.ant-select-selection-item, .ant-cascader .ant-select-selection-item')
          .count()) >= 3,
    )
    await check('浙江省', 1)
    await page.getByText('地区最多选择3个').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => dialog().getByText('浙江省').count(), patiently).toBe(0)

    await dialog().getByRole('button', { name: '保存' }).click()
    await question().getByText('将修改用户 受限的人 的数据权限').waitFor()
    await question().getByRole('button', { name: '确定' }).click()
    await dialog().waitFor({ state: 'detached' })
    await row().getByText('已限制').waitFor()
    await open()
    for (const name of [type.name, '美国', '中国 / 广东省', '中国 / 上海市']) {
      await dialog().getByText(name, { exact: true }).filter({ visible: true }).first().waitFor()
    }
  })

  // proves: rule permission reset; screen 13
  it('are reset after a confirmation, which is offered only for a user who has some', async () => {
    await open()
    await dialog().getByRole('button', { name: '重置' }).click()
    await question().getByText('将删除用户 受限的人 的全部数据权限限制').waitFor()
    await question().getByRole('button', { name: '重置' }).click()
    await dialog().waitFor({ state: 'detached' })
    await row().getByText('未限制').waitFor()
    await open()
    await expect.poll(() => dialog().getByRole('button', { name: '重置' }).count(), patiently).toBe(0)
    expect(stage.faults).toEqual([])
  })
})
