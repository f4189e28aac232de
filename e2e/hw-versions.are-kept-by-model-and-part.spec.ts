import { deleteHwVersion, listEquipTypes, listHwVersions, listModelParts } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { opened, patiently, pressBehind, stageFor } from './harness.ts'

describe('hardware versions of the parts of models', () => {
  const stage = stageFor()
  let page: Page
  const place = { type: '', model: '', part: '' }
  beforeAll(async () => {
    for (const type of await stage.call(listEquipTypes, {})) {
      const [model] = type.equipModels
      const parts = model ? await stage.call(listModelParts, { equipModelId: model.id }) : []
      if (!model || !parts[0]) continue
      Object.assign(place, { type: type.name, model: model.name, part: parts[0].partTypeName })
      break
    }
    // Those of the demonstration.
    for (const { id } of await stage.call(listHwVersions, { pageSize: 100 }))
      await stage.call(deleteHwVersion, { id })
    page = await stage.open('/equipment/hwVersion')
  })

  const rowOf = (code: string) => page.locator('tbody tr').filter({ hasText: code })
  const dialog = () => page.getByRole('dialog')
  const send = () => dialog().getByRole('button', { name: '确定' }).click()
  const add = () => page.getByRole('button', { name: '新增硬件版本' })
  const choose = async (label: string, option: string) => {
    await dialog().getByLabel(label, { exact: true }).click()
    await page.locator('.ant-select-item-option').getByText(option, { exact: true }).last().click()
  }

  it('have an empty list that says what to do', async () => {
    await page.getByText('还没有硬件版本').waitFor(patiently)
  })

  // proves: screen 16
  it('are added in a form that reports missing and too long values', async () => {
    await opened(dialog(), add())
    await send()
    for (const problem of ['设备类型不能为空', '版本名称不能为空', '版本号不能为空']) {
      await dialog().getByText(problem).waitFor(patiently)
    }
    await dialog().getByLabel('版本名称', { exact: true }).fill('长'.repeat(21))
    await dialog().getByLabel('版本号', { exact: true }).fill('12345678901')
    await dialog().getByText('版本名称长度不能超过20个字符').waitFor(patiently)
    await dialog().getByText('版本号长度不能超过10个字符').waitFor(patiently)
    await choose('设备类型', place.type)
    await choose('设备型号', place.model)
    await choose('部件', place.part)
    await dialog().getByLabel('版本名称', { exact: true }).fill('第二代')
    await dialog().getByLabel('版本号', { exact: true }).fill('V2.0')
    await send()
    await page.getByText('创建成功').waitFor(patiently)
    await dialog().waitFor({ ...patiently, state: 'hidden' })
    await rowOf('V2.0').getByText(place.model).waitFor(patiently)
    expect(await stage.call(listHwVersions, { versionName: '第二代' })).toMatchObject([
      { versionCode: 'V2.0', equipModelName: place.model, partTypeName: place.part },
    ])
  })

  // proves: screen 16
  it('are found by filters, which are part of the address', async () => {
    await page.getByLabel('版本名称', { exact: true }).fill('没有')
    await page.keyboard.press('Enter')
    await page.getByText('没有符合条件的硬件版本').waitFor(patiently)
    await page.getByLabel('版本名称', { exact: true }).fill('v2')
    await page.keyboard.press('Enter')
    await rowOf('V2.0').waitFor(patiently)
    await page.reload()
    await rowOf('V2.0').waitFor(patiently)
    expect(new URL(page.url()).searchParams.get('versionName')).toBe('v2')
  })

  // proves: screen 16; rule confirmations
  it('are deleted after a confirmation', async () => {
    await pressBehind(rowOf('V2.0'), '删除')
    const question = page.locator('dialog[open]')
    await question.getByText(`将删除${place.model}（${place.part}）的硬件版本 V2.0。`).waitFor(patiently)
    await question.getByRole('button', { name: '删除' }).click()
    await page.getByText('删除成功!').waitFor(patiently)
    await rowOf('V2.0').waitFor({ ...patiently, state: 'detached' })
    expect(stage.faults).toEqual([])
  })
})
