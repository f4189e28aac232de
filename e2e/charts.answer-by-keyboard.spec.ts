import { listDevices } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { bringAxe, expectAccessible } from './accessibility.ts'
import { patiently, stageFor } from './harness.ts'

describe('the curves of a device', () => {
  const stage = stageFor()
  let device: VirtualDevice
  let page: Page

  beforeAll(async () => {
    const cabinet = stage.identities.find(({ code }) => code.startsWith('EC'))
    if (!cabinet) throw new Error('the demonstration has cabinets')
    device = stage.device(cabinet)
    device.start()
    await device.whenOnline()
    for (const [soc, temperature] of [
      [40, 21.5],
      [60, 24.25],
    ]) {
      await device.report('status', {
        status: { 柜内温度: temperature },
        compartments: [{ no: 1, state: 'charging', soc, temperature: 30 }],
      } as never)
    }
    const [row] = await stage.call(listDevices, { code: [device.code] })
    page = await stage.open(`/equipment/list?open=${row?.id}&bin=1`)
  })

  const chart = () => page.locator('[aria-roledescription="曲线图"]')
  const parameter = (name: string) => new URL(page.url()).searchParams.get(name)
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }

  it('are opened from a compartment, and from a reading, with the keyboard', async () => {
    await page.getByRole('link', { name: '1号仓 SOC的历史曲线' }).focus()
    await press('Enter')
    await chart().waitFor(patiently)
    expect([parameter('view'), parameter('keys')]).toEqual(['history', 'compartments.1.soc'])
    await page.getByRole('tab', { name: '概况' }).click()
    await page.getByRole('link', { name: '柜内温度的历史曲线' }).focus()
    await press('Enter')
    await expect.poll(() => parameter('keys'), patiently).toBe('柜内温度')
    await chart().locator('canvas').waitFor(patiently)
  })

  it('say the values at the chosen moment', async () => {
    await chart().focus()
    await press('End')
    await page
      .locator('[aria-live="polite"]')
      .filter({ hasText: /柜内温度 2\d/ })
      .waitFor(patiently)
  })

  it('are zoomed, moved and led back by keys, and the address has the range', async () => {
    expect(parameter('from')).toBeNull()
    await press('+')
    await expect.poll(() => parameter('from'), patiently).not.toBeNull()
    const zoomed = parameter('from')
    await press('PageUp')
    await expect.poll(() => parameter('from'), patiently).not.toBe(zoomed)
    await press('0')
    await expect.poll(() => parameter('from'), patiently).toBeNull()
  })

  it('are the same as a table, and accessible in both forms', async () => {
    await bringAxe(page)
    await expectAccessible(page, 'a chart')
    await page.getByRole('button', { name: '表格' }).click()
    await page
      .getByRole('cell', { name: /^2[14]\.\d/ })
      .first()
      .waitFor(patiently)
    expect(parameter('as')).toBe('table')
    await expectAccessible(page, 'a chart as a table')
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: '导出' }).click()
    expect((await file).suggestedFilename()).toMatch(/\.xlsx$/)
    expect(stage.faults).toEqual([])
  })
})
