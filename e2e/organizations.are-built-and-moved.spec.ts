import { listOrganizations, type OrganizationNode, updateOrganization } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, pressBehind, stageFor } from './harness.ts'

describe('organizations, from nothing to a tree', () => {
  const stage = stageFor()
  let page: Page
  beforeAll(async () => {
    page = await stage.open('/reference/organization')
  })

  const rowOf = (name: string) => page.locator('tbody tr').filter({ hasText: name })
  const dialog = () => page.getByRole('dialog')
  const send = () => dialog().getByRole('button', { name: '确定' }).click()
  /** A move is confirmed first. */
  const sendMove = async (words: string) => {
    await send()
    const question = page.locator('dialog[open]')
    await question.getByText(words).waitFor(patiently)
    await question.getByRole('button', { name: '移动' }).click()
  }
  const choose = async (label: string, name: string) => {
    await dialog().getByLabel(label).click()
    // The tree is virtual: the option has to be searched for.
    await dialog().getByLabel(label).fill(name)
    await page.locator('.ant-select-tree').getByText(name, { exact: true }).click()
  }
  const find = (nodes: readonly OrganizationNode[], name: string): OrganizationNode | undefined => {
    for (const node of nodes) {
      const found = node.name === name ? node : find(node.children, name)
      if (found) return found
    }
    return undefined
  }
  const read = async (name: string) => find(await stage.call(listOrganizations, {}), name)

  it('are added in a form that reports missing fields', async () => {
    await page.getByRole('button', { name: '新增组织' }).click()
    await send()
    for (const problem of ['请输入组织名称', '请输入组织编码']) {
      await dialog().getByText(problem).waitFor(patiently)
    }
    await dialog().getByLabel('组织名称').fill('华北制造')
    await dialog().getByLabel('组织编码').fill('HUABEI')
    await send()
    await dialog().waitFor({ ...patiently, state: 'hidden' })
    await rowOf('华北制造').waitFor(patiently)

    await rowOf('华北制造').getByRole('button', { name: '新增下级' }).click()
    await dialog().getByText('在“华北制造”下新增组织').waitFor(patiently)
    await dialog().getByLabel('组织名称').fill('天津分厂')
    await dialog().getByLabel('组织编码').fill('HUABEI')
    await send()
    // The typed values are kept after the refusal.
    await page.getByText('组织编码已存在').waitFor(patiently)
    await expect.poll(() => dialog().getByLabel('组织名称').inputValue(), patiently).toBe('天津分厂')
    await dialog().getByLabel('组织编码').fill('TIANJIN')
    await send()
    await rowOf('天津分厂').waitFor(patiently)
    expect((await read('天津分厂'))?.parentId).toBe((await read('华北制造'))?.id)
  })

  it('are searched while a keyword is typed, which is part of the address', async () => {
    await dialog().waitFor({ ...patiently, state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('tianjin')
    await expect.poll(() => page.locator('tbody tr').count(), patiently).toBe(3)
    await expect.poll(() => page.url(), patiently).toContain('keyword=tianjin')
    await page.reload()
    await rowOf('天津分厂').waitFor(patiently)
    await page.getByRole('textbox', { name: '组织名称或编码' }).fill('火星')
    await page.getByText('没有找到“火星”').waitFor(patiently)
    await page.getByRole('button', { name: '清除关键字' }).click()
    await rowOf('平台').waitFor(patiently)
  })

  it('are navigated, expanded and collapsed with the keyboard', async () => {
    await rowOf('平台').focus()
    await page.keyboard.press('ArrowLeft')
    await rowOf('华北制造').waitFor({ ...patiently, state: 'detached' })
    await page.keyboard.press('ArrowRight')
    await rowOf('华北制造').waitFor(patiently)
    await page.keyboard.press('End')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent ?? ''), patiently)
      .toContain('天津分厂')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await page.locator('aside').getByRole('heading', { name: '华北制造' }).waitFor(patiently)
    expect(page.url()).toContain('open=')
    await page.keyboard.press('Escape')
    await page
      .locator('aside')
      .filter({ hasText: '基本信息' })
      .waitFor({ ...patiently, state: 'detached' })
  })

  it('move to another parent, and report a conflict', async () => {
    await rowOf('天津分厂').getByRole('button', { name: '编辑' }).click()
    await choose('上级组织', '平台')
    await dialog().getByLabel('组织名称').fill('天津公司')
    const stale = await read('天津分厂')
    if (!stale) throw new Error('it was added above')
    const { id, code, version } = stale
    await stage.call(updateOrganization, { id, code, version, name: '天津工厂' })
    await sendMove('组织“天津分厂”将由“华北制造”移到“平台”，其下 0 个组织')
    await dialog().getByText('数据已被他人修改', { exact: true }).waitFor(patiently)
    await expect.poll(() => dialog().getByLabel('组织名称').inputValue(), patiently).toBe('天津公司')
    await dialog().getByRole('button', { name: '载入最新内容' }).click()
    await expect.poll(() => dialog().getByLabel('组织名称').inputValue(), patiently).toBe('天津工厂')
    await choose('上级组织', '平台')
    await sendMove('组织“天津工厂”将由“华北制造”移到“平台”')
    await dialog().waitFor({ ...patiently, state: 'hidden' })
    await expect.poll(async () => (await read('天津工厂'))?.parentId, patiently).toBe('1')
  })

  it('are deleted after a confirmation, and only without children', async () => {
    const question = page.locator('dialog[open]')
    await pressBehind(rowOf('平台'), '删除')
    await question.getByRole('button', { name: '删除' }).click()
    await page.getByText('不能移动或删除自己所属的组织').waitFor(patiently)
    await pressBehind(rowOf('华北制造'), '删除')
    await question.getByText('将删除组织“华北制造”。').waitFor(patiently)
    await question.getByRole('button', { name: '取消' }).click()
    await page.getByText('已取消删除').waitFor(patiently)
    await pressBehind(rowOf('华北制造'), '删除')
    await question.getByRole('button', { name: '删除' }).click()
    await page.getByText('删除成功!').waitFor(patiently)
    await rowOf('华北制造').waitFor({ ...patiently, state: 'detached' })
    expect(stage.faults).toEqual([])
  })
})
