import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor } from './harness.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('the collapsed sidebar', () => {
  const stage = stageFor()
  let page: Page

  beforeAll(async () => {
    page = await stage.open('/equipment/list')
    await page.getByRole('button', { name: '收起菜单' }).click()
  })

  const menu = () => page.getByRole('navigation', { name: '主菜单' })
  const directory = () => menu().getByRole('button', { name: '运维管理' })
  const link = () => menu().getByRole('link', { name: '事件查询' })

  it('shows the pages of a directory on hover, without serious accessibility problems', async () => {
    await directory().hover()
    await link().waitFor(patiently)
    await page.evaluate(axeSource)
    const serious = await page.evaluate(async () => {
      const { axe } = window as unknown as {
        axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> }
      }
      const { violations } = await axe.run()
      return violations
        .filter(({ impact }) => ['serious', 'critical'].includes(impact))
        .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
    })
    expect(serious).toEqual([])
    await page.mouse.move(700, 500)
    await link().waitFor({ state: 'detached', ...patiently })
  })

  it('is used with the keyboard, and opens a page without expanding', async () => {
    await directory().focus()
    await page.keyboard.press('ArrowRight')
    await link().waitFor(patiently)
    await page.keyboard.press('Escape')
    await link().waitFor({ state: 'detached', ...patiently })
    await page.keyboard.press('ArrowRight')
    await link().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/eventsearch**', patiently)
    await page.getByRole('button', { name: '展开菜单' }).waitFor(patiently)
    expect(stage.faults).toEqual([])
  })
})
