import { listEquipTypes, listModelParts } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, pressBehind, stageFor } from './harness.ts'

describe('equipment types', () => {
  const stage = stageFor()
  let page: Page

  beforeAll(async () => {
    page = await stage.open('/reference/equipType?tab=parts')
  })

  const rowOf = (text: string) => page.locator('tbody tr').filter({ hasText: text })
  const panel = () => page.locator('aside')
  const dialogOf = (title: string) => page.getByRole('dialog').filter({ hasText: title })
  const question = () => page.locator('dialog[open]')
  const send = async (title: string) => {
    await dialogOf(title).getByRole('button', { name: '确定' }).click()
  }
  const closed = (title: string) => dialogOf(title).waitFor({ ...patiently, state: 'detached' })
  const choose = async (title: string, label: string, option: string) => {
    const select = dialogOf(title).getByLabel(label)
    await select.click()
    // Long lists are virtual: the option has to be searched for.
    if (await select.isEditable()) await select.fill(option)
    await page.locator('.ant-select-item-option').filter({ hasText: option }).last().click()
  }
  const remove = async (of: ReturnType<typeof rowOf>) => {
    await pressBehind(of, '删除')
    await question().getByRole('button', { name: '删除' }).click()
  }
  const inverter = async () => {
    const types = await stage.call(listEquipTypes, {})
    return types.find(({ code }) => code === 'PV')
  }

  it('consist of part types, which are added first', async () => {
    const title = '新增部件类型'
    await page.getByRole('button', { name: title }).click()
    await send(title)
    for (const problem of ['请输入部件类型编码', '请输入部件类型名称']) {
      await dialogOf(title).getByText(problem, { exact: true }).waitFor(patiently)
    }
    await dialogOf(title).getByLabel('部件类型编码').fill('变流器')
    await dialogOf(title)
      .getByText('部件类型编码只能是字母、数字和下划线', { exact: true })
      .waitFor(patiently)
    await dialogOf(title).getByLabel('部件类型编码').fill('pcs')
    await dialogOf(title).getByLabel('部件类型名称').fill('变流器')
    await send(title)
    await closed(title)
    await rowOf('PCS').waitFor(patiently)
    await page.getByLabel('名称或编码').fill('pcs')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('tbody tr').count(), patiently).toBe(1)
    expect(new URL(page.url()).searchParams.get('keyword')).toBe('pcs')
  })

  it('are added in a form that reports missing fields', async () => {
    await page.getByRole('tab', { name: '类型与型号' }).click()
    const title = '新增设备类型'
    await page.getByRole('button', { name: title }).click()
    await send(title)
    for (const problem of ['请输入设备类型名称', '请输入设备类型编码', '请选择设备类别']) {
      await dialogOf(title).getByText(problem, { exact: true }).waitFor(patiently)
    }
    await dialogOf(title).getByLabel('类型名称').fill('光伏逆变器')
    await dialogOf(title).getByLabel('类型编码').fill('EC')
    await choose(title, '设备类别', '储能设备')
    await choose(title, '部件', '变流器 PCS')
    await choose(title, '部件', 'WIFI模块 WIFI')
    await dialogOf(title).getByLabel('类型名称').click()
    await send(title)
    await page.getByText('设备类型编码已存在').waitFor(patiently)
    await expect.poll(() => dialogOf(title).getByLabel('类型名称').inputValue(), patiently).toBe('光伏逆变器')
    await dialogOf(title).getByLabel('类型编码').fill('PV')
    await send(title)
    await closed(title)
    await rowOf('光伏逆变器').waitFor(patiently)
    expect((await inverter())?.partTypes.map(({ code }) => code)).toEqual(['WIFI', 'PCS'])
  })

  it('have models, which inherit their type’s parts', async () => {
    await rowOf('光伏逆变器').locator('td').nth(2).click()
    await panel().getByText('还没有型号。').waitFor(patiently)
    const title = '新增型号'
    await panel().getByRole('button', { name: title }).click()
    await send(title)
    for (const problem of ['请输入型号名称', '请输入型号编码']) {
      await dialogOf(title).getByText(problem, { exact: true }).waitFor(patiently)
    }
    await dialogOf(title).getByLabel('型号名称').fill('50kW组串式')
    await dialogOf(title).getByLabel('型号编码').fill('PV-50')
    await dialogOf(title).getByLabel('仓位数').fill('12')
    await dialogOf(title).getByLabel('列数').fill('13')
    await dialogOf(title).getByText('列数不能大于仓位数', { exact: true }).waitFor(patiently)
    await dialogOf(title).getByLabel('列数').fill('4')
    await send(title)
    await closed(title)
    // The new model is selected, also in the address.
    await panel().getByText('部件 · 50kW组串式').waitFor(patiently)
    await panel().getByText('12 仓 · 4 列').waitFor(patiently)
    expect(new URL(page.url()).searchParams.get('model')).toMatch(/^\d+$/)
    await panel().getByText('继承类型').nth(1).waitFor(patiently)
  })

  it('have models whose parts are changed, added and deleted', async () => {
    const partRow = (text: string) => panel().locator('tbody tr').filter({ hasText: text })
    await partRow('变流器').getByRole('button', { name: '编辑' }).click()
    const title = '编辑部件 变流器'
    await dialogOf(title).getByLabel('数量').fill('4')
    await dialogOf(title).getByLabel('部件名称').fill('主变流器')
    await send(title)
    await closed(title)
    await partRow('主变流器').getByText('4', { exact: true }).waitFor(patiently)
    await expect.poll(() => partRow('主变流器').getByText('继承类型').count(), patiently).toBe(0)

    await panel().getByRole('button', { name: '新增部件' }).click()
    await send('新增部件')
    await dialogOf('新增部件').getByText('请选择部件类型', { exact: true }).waitFor(patiently)
    await choose('新增部件', '部件类型', 'MPPT控制器 MPPT')
    await send('新增部件')
    await closed('新增部件')
    await partRow('MPPT控制器').waitFor(patiently)

    await remove(partRow('WIFI模块'))
    await partRow('WIFI模块').waitFor({ ...patiently, state: 'detached' })
    const [model] = (await inverter())?.equipModels ?? []
    const parts = await stage.call(listModelParts, { equipModelId: model?.id ?? '' })
    expect(parts.map(({ partType, addrCount }) => [partType, addrCount])).toEqual([
      ['MPPT', 1],
      ['PCS', 4],
    ])
  })

  it('with devices keep their class, and the form says why', async () => {
    await page.keyboard.press('Escape')
    const [used] = (await stage.call(listEquipTypes, {})).filter(({ hasDevices }) => hasDevices)
    const free = await inverter()
    const reason = '该类型下已有设备，不能修改设备类别'
    for (const { type, isLocked } of [
      { type: used, isLocked: true },
      { type: free, isLocked: false },
    ]) {
      const title = `编辑设备类型 ${type?.name}`
      await pressBehind(
        rowOf(type?.code ?? '')
          .filter({ hasText: type?.name ?? '' })
          .first(),
        '编辑',
      )
      const field = dialogOf(title).getByLabel('设备类别')
      await field.waitFor(patiently)
      expect([await field.isDisabled(), await dialogOf(title).getByText(reason).count()]).toEqual([
        isLocked,
        isLocked ? 1 : 0,
      ])
      await page.keyboard.press('Escape')
      await closed(title)
    }
  })

  it('are deleted from the bottom up, and each refusal names the obstacle', async () => {
    await page.keyboard.press('Escape')
    await remove(rowOf('光伏逆变器'))
    await page.getByText('设备类型下存在型号，不能删除').waitFor(patiently)
    await remove(rowOf('换电柜 EC').or(rowOf('换电柜')).first())
    await page.getByText('设备类型下存在型号，不能删除').first().waitFor(patiently)

    await rowOf('光伏逆变器').locator('td').nth(2).click()
    await remove(panel().locator('tbody tr').filter({ hasText: 'PV-50' }))
    await panel().getByText('还没有型号。').waitFor(patiently)
    await page.keyboard.press('Escape')
    await pressBehind(rowOf('光伏逆变器'), '删除')
    await question().getByText('将删除设备类型 光伏逆变器。').waitFor(patiently)
    await question().getByRole('button', { name: '取消' }).click()
    await page.getByText('已取消删除').waitFor(patiently)
    await remove(rowOf('光伏逆变器'))
    await rowOf('光伏逆变器').waitFor({ ...patiently, state: 'detached' })
    await page.getByRole('tab', { name: '部件类型' }).click()
    await remove(rowOf('BMS'))
    await page.getByText('部件类型已用于设备类型或型号，不能删除').waitFor(patiently)
    await remove(rowOf('PCS'))
    await rowOf('PCS').waitFor({ ...patiently, state: 'detached' })
    expect(stage.faults).toEqual([])
  })
})
