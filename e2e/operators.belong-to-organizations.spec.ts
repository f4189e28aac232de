import { listOrganizations, searchOperators, updateOperator } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, pressBehind, stageFor } from './harness.ts'

describe('operators and the organization they belong to', () => {
  const stage = stageFor()
  let page: Page
  let organizationName: string
  beforeAll(async () => {
    const [root] = await stage.call(listOrganizations, {})
    organizationName = root?.children[0]?.name ?? ''
    page = await stage.open('/reference/operator')
  })

  const rowOf = (name: string) => page.locator('tbody tr').filter({ hasText: name })
  const dialog = () => page.getByRole('dialog')
  const send = () => dialog().getByRole('button', { name: '确定' }).click()
  const choose = async (name: string) => {
    await dialog().getByLabel('所属组织').click()
    await page.locator('.ant-select-tree').getByText(name, { exact: true }).last().click()
  }

  it('are added in a form that reports missing fields', async () => {
    await page.getByRole('button', { name: '新增运营商' }).click()
    await send()
    for (const problem of ['请输入运营商名称', '请输入运营商编码', '请选择所属组织']) {
      await dialog().getByText(problem).waitFor(patiently)
    }
    await dialog().getByLabel('运营商名称').fill('顺风换电')
    await dialog().getByLabel('运营商编码').fill('SHUNFENG')
    await choose('平台')
    await send()
    await dialog().waitFor({ ...patiently, state: 'hidden' })
    await rowOf('顺风换电').getByText('0 台').waitFor(patiently)
  })

  it('are found by filters, which are part of the address', async () => {
    await page.getByLabel('运营商编码').fill('shunf')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('tbody tr').count(), patiently).toBe(1)
    expect(page.url()).toContain('code=shunf')
    await page.reload()
    await rowOf('顺风换电').waitFor(patiently)
    await page.getByLabel('运营商名称').fill('没有这家')
    await page.keyboard.press('Enter')
    await page.getByText('没有符合条件的运营商').waitFor(patiently)
    await page.getByRole('button', { name: '清除筛选' }).click()
    await rowOf('顺风换电').waitFor(patiently)
  })

  it('move to another organization', async () => {
    await rowOf('顺风换电').getByRole('button', { name: '编辑' }).click()
    await choose(organizationName)
    await send()
    const question = page.locator('dialog[open]')
    await question
      .getByText(`运营商“顺风换电”及其 0 台设备将由“平台”移到“${organizationName}”`)
      .waitFor(patiently)
    await question.getByRole('button', { name: '移动' }).click()
    await rowOf('顺风换电').getByText(organizationName).waitFor(patiently)
    const [operator] = await stage.call(searchOperators, { code: 'SHUNFENG' })
    expect(operator).toMatchObject({ organizationName, version: 2 })
  })

  it('warn the later of two administrators, who can load the present values', async () => {
    const [operator] = await stage.call(searchOperators, { code: 'SHUNFENG' })
    if (!operator) throw new Error('the operator is there')
    await rowOf('顺风换电').getByRole('button', { name: '编辑' }).click()
    await dialog().getByLabel('运营商名称').fill('后来的人')
    await stage.call(updateOperator, { ...operator, code: 'SHUNFENG2' })
    await send()
    await dialog().getByText('数据已被他人修改', { exact: true }).waitFor(patiently)
    await dialog().getByRole('button', { name: '载入最新内容' }).click()
    await expect.poll(() => dialog().getByLabel('运营商编码').inputValue(), patiently).toBe('SHUNFENG2')
    await expect.poll(() => dialog().getByLabel('运营商名称').inputValue(), patiently).toBe('顺风换电')
    await send()
    await dialog().waitFor({ ...patiently, state: 'hidden' })
  })

  it('are deleted after a confirmation, but not with devices', async () => {
    const question = page.locator('dialog[open]')
    const busy = (await stage.call(searchOperators, {})).find(({ deviceCount }) => deviceCount > 0)
    await pressBehind(rowOf(busy?.name ?? ''), '删除')
    await question.getByRole('button', { name: '删除' }).click()
    await page.getByText('运营商下存在设备，不能删除').waitFor(patiently)
    await pressBehind(rowOf('顺风换电'), '删除')
    await question.getByText('将删除运营商“顺风换电”。').waitFor(patiently)
    await question.getByRole('button', { name: '删除' }).click()
    await page.getByText('删除成功!').waitFor(patiently)
    await rowOf('顺风换电').waitFor({ ...patiently, state: 'detached' })
    expect(stage.faults).toEqual([])
  })
})
