import {
  listDevices,
  listReadingDefinitions,
  listReadings,
  updateReadingDefinition,
} from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, pressBehind, stageFor } from './harness.ts'

describe('the catalogue of readings', () => {
  const stage = stageFor()
  let page: Page
  let deviceId: string
  let typeName: string

  beforeAll(async () => {
    const [identity] = stage.identities.filter(({ code }) => code.startsWith('EC'))
    if (!identity) throw new Error('the demonstration has cabinets')
    const device = stage.device(identity)
    device.start()
    await device.whenOnline()
    await device.report('status', { status: { 柜内温度: 61.5, 油压: 12.5 } })
    const [row] = await stage.call(listDevices, { code: [identity.code] })
    deviceId = row?.id ?? ''
    typeName = row?.equipTypeName ?? ''
    page = await stage.open('/reference/readingCatalogue')
  })

  const rowOf = (text: string) => page.locator('tbody tr').filter({ hasText: text })
  const dialogOf = (title: string) => page.getByRole('dialog').filter({ hasText: title })
  const send = (title: string) => dialogOf(title).getByRole('button', { name: '确定' }).click()
  const closed = (title: string) => dialogOf(title).waitFor({ ...patiently, state: 'detached' })
  const readingOf = async (key: string) =>
    (await stage.call(listReadings, { id: deviceId })).find((reading) => reading.key === key)
  const definitionOf = async (keyword: string) =>
    (await stage.call(listReadingDefinitions, { keyword })).find(({ key }) => key === keyword)

  it('knows the readings of the types that there are, and marks a value out of its band', async () => {
    await rowOf('柜内温度').first().getByText('-10 至 50').waitFor(patiently)
    expect(await readingOf('柜内温度')).toMatchObject({ unit: '℃', isOutside: true, isImplausible: false })
    expect(await readingOf('油压')).toMatchObject({ name: '油压', unit: null, hasHistory: true, group: null })
  })

  it('reports missing fields and bounds in the wrong order where they are', async () => {
    const title = '新增读数'
    await page.getByRole('button', { name: title }).click()
    await send(title)
    for (const problem of ['请选择设备类型', '请输入读数键', '请输入名称']) {
      await dialogOf(title).getByText(problem, { exact: true }).waitFor(patiently)
    }
    await dialogOf(title).getByLabel('设备类型').click()
    await page.locator('.ant-select-item-option').filter({ hasText: typeName }).first().click()
    await dialogOf(title).getByLabel('读数键').fill('compartments.3.soc')
    await dialogOf(title).getByText('仓位读数的键应为 compartments.*. 加字段名').waitFor(patiently)
    await dialogOf(title).getByLabel('读数键').fill('油压')
    await dialogOf(title).getByLabel('名称').fill('液压站油压')
    await dialogOf(title).getByLabel('单位').fill('bar')
    await dialogOf(title).getByLabel('可信下限').fill('20')
    await dialogOf(title).getByLabel('可信上限').fill('10')
    await dialogOf(title).getByText('可信上限不能小于可信下限', { exact: true }).waitFor(patiently)
    await dialogOf(title).getByLabel('可信下限').fill('0')
    await dialogOf(title).getByLabel('正常下限').fill('5')
    await dialogOf(title).getByLabel('正常上限').fill('8.5')
    await send(title)
    await closed(title)
    expect(await definitionOf('油压')).toMatchObject({ plausibleMax: 10, normalMax: 8.5, keepsHistory: true })
    expect(await readingOf('油压')).toMatchObject({ name: '液压站油压', unit: 'bar', isImplausible: true })
  })

  it('is searched by a part of the name, which is in the address, and edited in its form', async () => {
    await page.getByLabel('键或名称').fill('液压')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('tbody tr').count(), patiently).toBe(1)
    expect(new URL(page.url()).searchParams.get('keyword')).toBe('液压')
    const title = '编辑读数 液压站油压'
    await rowOf('油压').getByRole('button', { name: '编辑' }).click()
    await dialogOf(title).getByLabel('可信上限').fill('16')
    await dialogOf(title).getByRole('switch', { name: '保存历史' }).click()
    await send(title)
    await closed(title)
    await rowOf('油压').getByText('不保存', { exact: true }).waitFor(patiently)
    expect(await readingOf('油压')).toMatchObject({
      isImplausible: false,
      isOutside: true,
      hasHistory: false,
    })
  })

  it('warns the later of two administrators, and keeps the typed values', async () => {
    const title = '编辑读数 液压站油压'
    await rowOf('油压').getByRole('button', { name: '编辑' }).click()
    const { equipTypeId, id, key } = (await definitionOf('油压')) ?? { equipTypeId: '', id: '', key: '' }
    await stage.call(updateReadingDefinition, { id, equipTypeId, key, name: '别人先存', keepsHistory: 1 })
    await dialogOf(title).getByLabel('分组').fill('液压')
    await send(title)
    await dialogOf(title).getByText('数据已被他人修改', { exact: true }).waitFor(patiently)
    await expect.poll(() => dialogOf(title).getByLabel('分组').inputValue(), patiently).toBe('液压')
    await dialogOf(title).getByRole('button', { name: '载入最新内容' }).click()
    await expect.poll(() => dialogOf(title).getByLabel('名称').inputValue(), patiently).toBe('别人先存')
    await dialogOf(title).getByLabel('分组').fill('液压')
    await send(title)
    await closed(title)
    expect(await definitionOf('油压')).toMatchObject({ name: '别人先存', group: '液压' })
  })

  it('forgets a reading after a question; the device’s value is shown as it comes', async () => {
    await page.goto(`${stage.server.url}/reference/readingCatalogue?keyword=油压`)
    await pressBehind(rowOf('油压'), '删除')
    const question = page.locator('dialog[open]')
    await question.getByText(`将从${typeName}的目录删除读数 别人先存。`).waitFor(patiently)
    await question.getByRole('button', { name: '删除' }).click()
    await page.getByText('没有符合条件的读数').waitFor(patiently)
    expect(await readingOf('油压')).toMatchObject({ name: '油压', unit: null, hasHistory: true })
    expect(stage.faults).toEqual([])
  })
})
