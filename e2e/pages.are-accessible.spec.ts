import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { patiently, type Stage, setStage } from './harness.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Each size in one of the themes: an axe run costs seconds. */
const views = [
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const

describe('pages, light on a desk and dark on a phone', () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await setStage()
    for (const identity of stage.identities.slice(0, 3)) {
      const device = stage.device(identity)
      device.start()
      await device.whenOnline()
      await device.raise('T0001', 5)
      await device.report('event', { code: 'E0001', value: 1, data: { slot: 3 } })
    }
    const stranger = stage.device({ code: 'NOBODY01', secret: 'x'.repeat(20) })
    stranger.start()
  })
  afterAll(() => stage?.close())

  const openFirst = async (page: Page) => {
    await page.locator('[data-key]').first().focus()
    await page.keyboard.press('Enter')
    await page.locator('aside h3').first().waitFor(patiently)
  }
  const pressFirst = (name: string) => async (page: Page) => {
    await page.getByRole('button', { name }).first().click()
    await page.getByRole('dialog').waitFor(patiently)
  }
  /** On a phone a user's deeds stand in a menu. */
  const pressFirstUser = (name: string) => async (page: Page) => {
    const menu = page.getByRole('button', { name: /的操作$/ }).first()
    const button = page.getByRole('button', { name }).first()
    await menu.or(button).first().waitFor(patiently)
    if (await menu.isVisible()) {
      await menu.click()
      await page.getByRole('menuitem', { name }).click()
    } else await button.click()
    await page.getByRole('dialog').waitFor(patiently)
  }
  const looks: readonly [what: string, path: string, act?: (page: Page) => Promise<void>][] = [
    ['current alarms', '/maintenance/exitWarning'],
    ['one alarm', '/maintenance/exitWarning', openFirst],
    ['what an alarm means', '/maintenance/exitWarning', pressFirst('告警内容')],
    ['alarm history', '/maintenance/exitWarning?tab=history'],
    ['no alarms', '/maintenance/exitWarning?semaphoreName=NOSUCH'],
    ['events', '/maintenance/eventsearch'],
    ['one event', '/maintenance/eventsearch', openFirst],
    ['devices', '/equipment/list'],
    ['one device', '/equipment/list', openFirst],
    ['the form of a device', '/equipment/list', pressFirst('新增设备')],
    ['the import of devices', '/equipment/list', pressFirst('导入')],
    ['the operation log', '/system/operation'],
    ['one operation', '/system/operation', openFirst],
    ['the server', '/system/server'],
    ['users', '/system/user'],
    ['the form of a user', '/system/user', pressFirst('新增用户')],
    ["a user's data permissions", '/system/user', pressFirstUser('数据权限')],
    ['online users', '/system/session'],
    ['roles', '/system/role'],
    ['the form of a role', '/system/role', pressFirst('新增角色')],
    ['menus', '/system/menu'],
    ['one menu', '/system/menu', openFirst],
    ['the form of a menu', '/system/menu', pressFirst('新增菜单')],
    ['refusals', '/equipment/intake'],
    ['one refusal', '/equipment/intake', openFirst],
    ['the dictionary', '/system/dictionary'],
    ['an alarm of the dictionary', '/system/dictionary?type=ALARM', openFirst],
    ['the form of an alarm', '/system/dictionary?type=ALARM', pressFirst('新增字典')],
    ['organizations', '/reference/organization'],
    ['one organization', '/reference/organization', openFirst],
    ['the form of an organization', '/reference/organization', pressFirst('新增组织')],
    ['operators', '/reference/operator'],
    ['the form of an operator', '/reference/operator', pressFirst('新增运营商')],
    ['regions', '/reference/region'],
    ['regions found', '/reference/region?keyword=440305'],
    ['one region', '/reference/region', openFirst],
    ['the form of a region', '/reference/region', pressFirst('新增地区')],
    ['equipment types', '/reference/equipType'],
    ['one equipment type', '/reference/equipType', openFirst],
    ['the form of an equipment type', '/reference/equipType', pressFirst('新增设备类型')],
    ['part types', '/reference/equipType?tab=parts'],
  ]

  for (const [what, path, act] of looks) {
    it(`are without serious accessibility problems: ${what}`, async () => {
      for (const { colorScheme, ...size } of views) {
        const page = await stage.open(path, size)
        try {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          await page.getByRole('heading', { level: 1 }).waitFor(patiently)
          await page
            .locator('[data-key], [aria-live]')
            .first()
            .waitFor({ ...patiently, state: 'attached' })
          await act?.(page)
          // Polled: between two themes there are colours of neither.
          await expect
            .poll(() => seriousProblems(page), { ...patiently, message: `${size.width} px, ${colorScheme}` })
            .toEqual([])
          await expectNoSidewaysScroll(page)
        } finally {
          await page.close()
        }
      }
      expect(stage.faults).toEqual([])
    })
  }
})

async function seriousProblems(page: Page): Promise<string[]> {
  // By evaluation: the page's policy lets no foreign script in.
  await page.evaluate(axeSource)
  return page.evaluate(async () => {
    interface Violation {
      id: string
      impact: string
      nodes: { html: string; failureSummary: string }[]
    }
    const { axe } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> }
    }
    const { violations } = await axe.run({ resultTypes: ['violations'] })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
      )
  })
}

async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [inner, whole] = await page.evaluate(() => [
    document.documentElement.clientWidth,
    document.documentElement.scrollWidth,
  ])
  expect(whole).toBeLessThanOrEqual(inner ?? 0)
}
