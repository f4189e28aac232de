import { listRegions, type RegionNode, updateRegion } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, pressBehind, stageFor } from './harness.ts'

describe('the regions of a country', () => {
  const stage = stageFor()
  let page: Page
  beforeAll(async () => {
    page = await stage.open('/reference/region')
  })

  const rowOf = (name: string) => page.locator('tbody tr').filter({ hasText: name })
  const keyword = () => page.getByRole('textbox', { name: '地区名称或编码' })
  const dialog = () => page.getByRole('dialog')
  const read = async (code: string): Promise<RegionNode | undefined> => {
    const within = (nodes: readonly RegionNode[]): RegionNode[] =>
      nodes.flatMap((node) => [node, ...within(node.childrens)])
    return within(await stage.call(listRegions, {})).find((node) => node.code === code)
  }
  const send = () => dialog().getByRole('button', { name: '确定' }).click()

  it('are thousands, of which only the visible rows are rendered', async () => {
    await rowOf('广东省').waitFor({ ...patiently, state: 'attached' })
    await keyword().fill('区')
    // Some thousand rows match, including ancestors; the table renders about fifty.
    await expect
      .poll(() => page.locator('h1 + span').textContent(), patiently)
      .toMatch(/共 (9\d\d|1,\d{3}) 个/)
    await expect.poll(() => page.locator('tbody tr').count(), patiently).toBeLessThan(100)
    await page.locator('tbody tr').first().focus()
    await page.keyboard.press('End')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent ?? ''), patiently)
      .toContain('澳门特别行政区')
    await expect.poll(() => page.locator('tbody tr').count(), patiently).toBeLessThan(100)
    await page.keyboard.press('Home')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent ?? ''), patiently)
      .toContain('中国')
  })

  it('are found by name and by code, with their ancestors', async () => {
    await keyword().fill('440305')
    await expect.poll(() => page.locator('tbody tr').count(), patiently).toBe(4)
    await rowOf('南山区').waitFor(patiently)
    await expect.poll(() => page.url(), patiently).toContain('keyword=440305')
  })

  it('are added below another one, in a form that reports problems', async () => {
    await rowOf('深圳市').getByRole('button', { name: '新增下级' }).click()
    await dialog().getByText('在“深圳市”下新增地区').waitFor(patiently)
    await send()
    for (const problem of ['请输入地区编码', '请输入地区名称']) {
      await dialog().getByText(problem).waitFor(patiently)
    }
    await dialog().getByLabel('地区编码').fill('4403-99')
    await dialog().getByText('地区编码只能是 1 到 12 位字母或数字').waitFor(patiently)
    await dialog().getByLabel('地区编码').fill('440305')
    await dialog().getByLabel('地区名称').fill('前海合作区')
    await send()
    await page.getByText('地区编码已存在').waitFor(patiently)
    await dialog().getByLabel('地区编码').fill('440399')
    await send()
    await dialog().waitFor({ ...patiently, state: 'hidden' })
    await keyword().fill('前海')
    await rowOf('前海合作区').waitFor(patiently)
  })

  it('are renamed, moved and deleted', async () => {
    const question = page.locator('dialog[open]')
    await rowOf('前海合作区').getByRole('button', { name: '编辑' }).click()
    await dialog().getByLabel('地区名称').fill('前海深港合作区')
    await send()
    await rowOf('前海深港合作区').waitFor(patiently)

    // Another user saves first; the typed values stay until the newest ones are loaded.
    await rowOf('前海深港合作区').getByRole('button', { name: '编辑' }).click()
    await dialog().getByLabel('地区名称').fill('前海自贸片区')
    const stale = await read('440399')
    if (!stale) throw new Error('it was added above')
    await stage.call(updateRegion, { id: '440399', name: '前海新城', version: stale.version })
    await send()
    await dialog().getByText('数据已被他人修改', { exact: true }).waitFor(patiently)
    await expect.poll(() => dialog().getByLabel('地区名称').inputValue(), patiently).toBe('前海自贸片区')
    await dialog().getByRole('button', { name: '载入最新内容' }).click()
    await expect.poll(() => dialog().getByLabel('地区名称').inputValue(), patiently).toBe('前海新城')
    await dialog().getByLabel('地区名称').fill('前海深港合作区')
    await send()
    await dialog().waitFor({ ...patiently, state: 'hidden' })
    await rowOf('前海深港合作区').waitFor(patiently)

    await rowOf('前海深港合作区').getByRole('button', { name: '编辑' }).click()
    await dialog().getByLabel('上级地区').fill('广州市')
    await page.locator('.ant-cascader-menu-item').filter({ hasText: '广州市' }).first().click()
    await send()
    await question
      .getByText('地区“前海深港合作区”将由“中国 / 广东省 / 深圳市”移到“中国 / 广东省 / 广州市”')
      .waitFor(patiently)
    await question.getByRole('button', { name: '移动' }).click()
    await dialog().waitFor({ ...patiently, state: 'hidden' })
    await rowOf('广州市').waitFor(patiently)
    expect((await read('440399'))?.parentCode).toBe('440100')

    await pressBehind(rowOf('广州市'), '删除')
    await question.getByRole('button', { name: '删除' }).click()
    await page.getByText('地区下存在下级地区，不能删除').waitFor(patiently)
    await pressBehind(rowOf('前海深港合作区'), '删除')
    await question.getByText('将删除地区“前海深港合作区”（440399）。').waitFor(patiently)
    await question.getByRole('button', { name: '删除' }).click()
    await page.getByText('删除成功!').waitFor(patiently)
    await page.getByText('没有找到“前海”').waitFor(patiently)
    expect(stage.faults).toEqual([])
  })
})
