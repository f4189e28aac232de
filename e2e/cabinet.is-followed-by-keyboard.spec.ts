// From a swap to its curve a day later, with no more than a keyboard: sign-in, search, cabinet, compartment, curve, table,
// battery.
import type { Compartment } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor } from './harness.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** The battery that is brought, and the one that is taken. */
const brought = 'KEYB0001'
const taken = 'KEYB0002'
const socBrought = 20

describe('a cabinet', () => {
  const stage = stageFor()
  let one: VirtualDevice
  let two: VirtualDevice
  let page: Page

  beforeAll(async () => {
    const [first, second] = stage.identities.filter(({ code }) => code.startsWith('EC'))
    if (!first || !second) throw new Error('the demonstration has cabinets')
    one = stage.device(first)
    two = stage.device(second)
    for (const device of [one, two]) {
      device.start()
      await device.whenOnline()
    }
    const now = Date.now()
    const swapMs = now - 20 * hourMs
    const say = (device: VirtualDevice, at: number, compartment: Compartment) =>
      device.report('status', { status: {}, compartments: [compartment] }, { at })
    const told: Promise<unknown>[] = []
    for (let at = now - 23 * hourMs; at < now; at += 15 * minuteMs) {
      const isThere = at >= swapMs
      const soc = socBrought + Math.floor((at - swapMs) / (15 * minuteMs))
      told.push(
        say(
          one,
          at,
          isThere
            ? { no: 2, state: 'charging', batteryCode: brought, soc, temperature: 27.5 }
            : { no: 2, state: 'full', batteryCode: taken, soc: 100, temperature: 24.5 },
        ),
      )
      told.push(
        say(
          two,
          at,
          isThere
            ? { no: 5, state: 'empty' }
            : { no: 5, state: 'charging', batteryCode: brought, soc: 61, temperature: 30.5 },
        ),
      )
    }
    await Promise.all(told)
    page = await (await stage.otherBrowser()).newPage()
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  const press = (key: string) => page.keyboard.press(key)
  const isFocused = (target: Locator) =>
    target.evaluate((element) => element === document.activeElement).catch(() => false)
  /** Presses the key until the target has the focus. */
  async function walkTo(target: Locator, key: 'Tab' | 'Shift+Tab' | 'ArrowRight' = 'Tab') {
    await target.waitFor(patiently)
    for (let presses = 0; presses < 150; presses += 1) {
      if (await isFocused(target)) return
      await press(key)
    }
    throw new Error(`${key} does not reach ${target}`)
  }
  const chart = () => page.locator('[aria-roledescription="曲线图"]')
  const spoken = () => page.locator('[aria-live="polite"]')
  const parameter = (name: string) => new URL(page.url()).searchParams.get(name)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  async function openCompartment() {
    const bins = page.getByRole('list', { name: '仓位', exact: true })
    await walkTo(bins.locator('[data-bin="1"] > button'))
    await press('ArrowRight')
    expect(await isFocused(bins.locator('[data-bin="2"] > button'))).toBe(true)
    await press('Enter')
  }

  it('is found behind the sign-in', async () => {
    await page.goto(stage.server.url)
    await walkTo(page.getByLabel('登录名'))
    await page.keyboard.type('admin')
    await walkTo(page.getByLabel('密码', { exact: true }))
    await page.keyboard.type(stage.server.adminPassword)
    await press('Enter')
    await page.getByRole('navigation').first().waitFor(patiently)
    await press('Control+k')
    const search = page.getByRole('dialog', { name: '搜索' })
    await search.waitFor(patiently)
    await page.keyboard.type(one.code)
    await search.getByRole('option', { name: one.code }).first().waitFor(patiently)
    await press('Enter')
    await page.getByRole('region', { name: one.code }).waitFor(patiently)
  })

  it('leads from the compartment to its curve, and says the value of the swap', async () => {
    await openCompartment()
    await walkTo(page.getByRole('link', { name: '2号仓 SOC的历史曲线' }))
    await press('Enter')
    await chart().locator('canvas').waitFor(patiently)
    await walkTo(button('7 天'))
    await press('Enter')
    await expect.poll(() => parameter('range'), patiently).toBe('7d')
    await walkTo(button('24 小时'), 'Shift+Tab')
    await press('Enter')
    await expect.poll(() => parameter('range'), patiently).toBeNull()
    await walkTo(chart())
    await press('Home')
    await spoken()
      .filter({ hasText: /2号仓 SOC 100%/ })
      .waitFor(patiently)
    const swap = spoken().filter({ hasText: `2号仓 SOC ${socBrought}%` })
    for (let presses = 0; (await swap.count()) === 0; presses += 1) {
      if (presses > 50) throw new Error('no point says the swap')
      await press('ArrowRight')
    }
  })

  it('is the same as a table', async () => {
    await walkTo(button('表格'), 'Shift+Tab')
    await press('Enter')
    await page.getByRole('cell', { name: String(socBrought), exact: true }).waitFor(patiently)
    await page.getByRole('cell', { name: '100', exact: true }).first().waitFor(patiently)
  })

  it('leads on to the battery, its way and its curve over both cabinets', async () => {
    await walkTo(page.getByRole('tab', { selected: true }), 'Shift+Tab')
    const overview = page.getByRole('tab', { name: '概况', selected: true })
    for (let presses = 0; (await overview.count()) === 0 && presses < 10; presses += 1)
      await press('ArrowLeft')
    await openCompartment()
    await walkTo(page.getByRole('link', { name: brought, exact: true }))
    await press('Enter')
    const track = page.getByRole('region', { name: '经过的换电柜' })
    for (const { code } of [one, two]) await track.getByText(code).waitFor(patiently)
    await chart().locator('canvas').waitFor(patiently)
    await walkTo(chart())
    await press('Home')
    await spoken()
      .filter({ hasText: `SOC 61%，温度 30.5℃，在柜 ${two.code} 5号仓` })
      .waitFor(patiently)
    await press('End')
    await spoken()
      .filter({ hasText: `在柜 ${one.code} 2号仓` })
      .waitFor(patiently)
    expect(stage.faults).toEqual([])
  })
})
