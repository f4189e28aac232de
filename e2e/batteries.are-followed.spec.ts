import { type Compartment, listBatteries, listDevices, readStock, trackBattery } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor } from './harness.ts'

const moving = 'BTE2E0001'
const resting = 'BTE2E0002'

describe('a battery', () => {
  const stage = stageFor()
  let one: VirtualDevice
  let two: VirtualDevice
  let page: Page

  const say = (device: VirtualDevice, compartments: Compartment[]) =>
    device.report('status', { status: {}, compartments })
  const place = async (code: string) => (await stage.call(listBatteries, { codes: [code] }))[0]

  beforeAll(async () => {
    const [first, second] = stage.identities.filter(({ code }) => code.startsWith('EC'))
    if (!first || !second) throw new Error('the demonstration has cabinets')
    one = stage.device(first)
    two = stage.device(second)
    for (const device of [one, two]) {
      device.start()
      await device.whenOnline()
    }
    await say(one, [
      { no: 1, state: 'charging', batteryCode: moving, soc: 32, soh: 96, temperature: 31.5 },
      { no: 2, state: 'full', batteryCode: resting, soc: 100 },
      { no: 3, state: 'empty' },
    ])
    await say(two, [{ no: 4, state: 'empty' }])
    page = await stage.open('/equipment/battery')
  })

  it('is listed with where it is and what it does', async () => {
    const row = page.locator('[data-key]').filter({ hasText: moving })
    await row.getByText('充电中').waitFor(patiently)
    for (const text of [one.code, '1号仓', '32%', '96%', '31.5 ℃'])
      expect(await row.textContent()).toContain(text)
    await page.getByLabel('电池编号').fill(resting.slice(-4))
    await page.keyboard.press('Enter')
    await row.waitFor({ state: 'detached', ...patiently })
    await page.locator('[data-key]').filter({ hasText: resting }).getByText('满电').waitFor(patiently)
  })

  it('is followed from one cabinet to the next on its page, without a reload', async () => {
    await page.goto(`${stage.server.url}/equipment/battery?battery=${moving}`)
    const track = page.getByRole('region', { name: '经过的换电柜' })
    await track.getByText(one.code).waitFor(patiently)
    await say(one, [
      { no: 1, state: 'empty' },
      { no: 2, state: 'full', batteryCode: resting, soc: 100 },
      { no: 3, state: 'empty' },
    ])
    await page.getByText('不在柜').first().waitFor(patiently)
    await say(two, [{ no: 4, state: 'charging', batteryCode: moving, soc: 11 }])
    await track.getByText(two.code).waitFor(patiently)
    const stays = await stage.call(trackBattery, { code: moving })
    expect(
      stays.map(({ deviceCode, compartment, socIn, socOut }) => [deviceCode, compartment, socIn, socOut]),
    ).toEqual([
      [two.code, 4, 11, null],
      [one.code, 1, 32, 32],
    ])
    expect(await place(moving)).toMatchObject({ deviceCode: two.code, isConflict: false })
    expect(stage.faults).toEqual([])
  })

  it('counts in the stock of its cabinet, and a cabinet about to run out leads from home to the list', async () => {
    const stock = await stage.call(readStock, { code: [one.code, two.code] })
    expect(stock).toMatchObject({ deviceCount: 2, lowCount: 2, full: 1, charging: 1, empty: 2 })
    await page.goto(`${stage.server.url}/equipment/stock`)
    const row = page.locator('[data-key]').filter({ hasText: two.code })
    await row.waitFor(patiently)
    await page.getByRole('tab', { name: '按运营商' }).click()
    await page.getByRole('columnheader', { name: '满电不足' }).waitFor(patiently)
    await page.goto(`${stage.server.url}/dashboard`)
    await page.getByRole('link', { name: /满电不足 2 块/ }).click()
    await page.locator('[data-key]').filter({ hasText: one.code }).waitFor(patiently)
    expect(new URL(page.url()).searchParams.get('fullFewerThan')).toBe('2')
    expect(stage.faults).toEqual([])
  })

  it('is found by Ctrl K, and the letters typed before the code of the results has come are searched', async () => {
    const held = Promise.withResolvers<void>()
    await page.route(/SearchResults/, async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto(`${stage.server.url}/system/dictionary`)
    await page.getByRole('heading', { name: '字典' }).first().waitFor(patiently)
    await page.keyboard.press('Control+k')
    await page.keyboard.type(moving)
    const box = page.getByRole('dialog', { name: '搜索' }).getByRole('combobox')
    expect(await box.inputValue()).toBe(moving)
    held.resolve()
    const option = page.getByRole('group', { name: '电池' }).getByRole('option', { name: moving })
    await option.waitFor(patiently)
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: '经过的换电柜' }).getByText(two.code).waitFor(patiently)
    const [device] = await stage.call(listDevices, { code: [one.code] })
    const region = device?.regionName.split(' / ').at(-1) ?? ''
    await page.keyboard.press('Control+k')
    await box.fill(region)
    await page
      .getByRole('group', { name: '地区' })
      .getByRole('option', { name: region })
      .first()
      .waitFor(patiently)
    expect(stage.faults).toEqual([])
  })
})
