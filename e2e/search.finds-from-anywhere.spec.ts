import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { listDevices } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor } from './harness.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('the search', () => {
  const stage = stageFor()
  let page: Page
  let code: string

  beforeAll(async () => {
    const [first] = stage.identities
    if (!first) throw new Error('the demonstration has devices')
    code = first.code
    page = await stage.open('/system/dictionary')
    await page.getByRole('heading', { name: '字典' }).first().waitFor(patiently)
  })

  const dialog = () => page.getByRole('dialog', { name: '搜索' })
  const box = () => dialog().getByRole('combobox')
  const option = (name: string | RegExp) => dialog().getByRole('option', { name })

  it('opens a device by a part of its code from any page, with the keyboard only', async () => {
    await page.keyboard.press('Control+k')
    await box().fill(code.slice(-7).toLowerCase())
    await option(code).waitFor(patiently)
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: code }).getByText(code).first().waitFor(patiently)
    const [device] = await stage.call(listDevices, { code: [code] })
    expect(new URL(page.url()).searchParams.get('open')).toBe(device?.id)
    expect(stage.faults).toEqual([])
  })

  it('shows recently opened pages before anything is typed', async () => {
    await page.keyboard.press('Control+k')
    await dialog()
      .getByRole('group', { name: '最近打开' })
      .getByRole('option', { name: code })
      .waitFor(patiently)
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached', ...patiently })
  })

  it('finds pages, functions and users, and moves between results by arrow keys', async () => {
    await page.getByRole('button', { name: /^搜索/ }).click()
    await box().fill('设备列表')
    await dialog()
      .getByRole('group', { name: '页面' })
      .getByRole('option', { name: /设备列表/ })
      .waitFor(patiently)
    await box().fill('新增设备')
    await dialog().getByRole('group', { name: '功能' }).getByRole('option').first().waitFor(patiently)
    await box().fill('admin')
    await dialog().getByRole('group', { name: '用户' }).getByRole('option').first().waitFor(patiently)
    const first = await box().getAttribute('aria-activedescendant')
    await page.keyboard.press('ArrowUp')
    expect(await box().getAttribute('aria-activedescendant')).toBeTruthy()
    await page.keyboard.press('ArrowDown')
    expect(await box().getAttribute('aria-activedescendant')).toBe(first)
    await box().fill('没有这样的东西')
    await dialog().getByText('没有找到“没有这样的东西”').waitFor(patiently)
    expect(stage.faults).toEqual([])
  })

  it('has no serious accessibility problems, empty and with results', async () => {
    for (const typed of ['', code.slice(0, 6)]) {
      await box().fill(typed)
      if (typed) await option(new RegExp(typed)).first().waitFor(patiently)
      await page.evaluate(axeSource)
      const serious = await page.evaluate(async () => {
        const { axe } = window as unknown as {
          axe: { run(): Promise<{ violations: { id: string; impact: string }[] }> }
        }
        const { violations } = await axe.run()
        return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id }) => id)
      })
      expect(serious).toEqual([])
    }
    await page.keyboard.press('Escape')
  })

  it('does not open while a dialog waits for an answer', async () => {
    await page.goto(`${stage.server.url}/equipment/list?dialog=add`)
    await page.getByRole('dialog', { name: '新增设备' }).waitFor(patiently)
    await page.keyboard.press('Control+k')
    expect(await dialog().count()).toBe(0)
  })
})
