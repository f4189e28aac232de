import { listDevices } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor } from './harness.ts'

describe('the panel of a cabinet', () => {
  const stage = stageFor()
  let device: VirtualDevice
  let page: Page

  beforeAll(async () => {
    const cabinet = stage.identities.find(({ code }) => code.startsWith('EC'))
    if (!cabinet) throw new Error('the demonstration has cabinets')
    device = stage.device(cabinet)
    device.start()
    await device.whenOnline()
    const [row] = await stage.call(listDevices, { code: [device.code] })
    page = await stage.open(`/equipment/list?open=${row?.id}&view=cabinet`)
    await panel().waitFor(patiently)
  })

  const panel = () => page.getByRole('region', { name: '柜体面板' })
  const door = (number: number) =>
    panel()
      .locator('li')
      .filter({ hasText: `门 ${number} 锁反馈` })
  const lamp = (name: string) => panel().locator('li').filter({ hasText: name })
  const report = async (values: Record<string, string | number>) =>
    expect(
      await device.report('parameter', {
        parameters: Object.entries(values).map(([id, value]) => ({ id, value })),
      }),
    ).toBe('acknowledged')

  // proves: screen 17
  it('marks what was never reported, and has its own address', async () => {
    await door(1).getByText('未上报').waitFor(patiently)
    await lamp('电源').getByText('未上报').waitFor(patiently)
    expect(await panel().getByText('未上报').count()).toBeGreaterThan(12)
    // The panel is read only: it has no inputs.
    expect(await panel().locator('input, select, textarea, [role=switch], [contenteditable]').count()).toBe(0)
  })

  // proves: screen 17; rule lamp codes
  it('changes as the device reports, without a reload', async () => {
    await page.evaluate(() => {
      document.body.dataset.mark = 'not reloaded'
    })
    await report({ '02121001': 1, '02121002': 0, '02121007': 1, '02121010': '6180000' })
    await door(1).getByText('常闭').waitFor(patiently)
    await door(2).getByText('常开').waitFor(patiently)
    await door(3).getByText('未上报').waitFor(patiently)
    await lamp('电源').getByText('绿灯闪烁').waitFor(patiently)
    await lamp('网络').getByText('红灯常亮').waitFor(patiently)
    await lamp('充电').getByText('黄灯闪烁').waitFor(patiently)
    await lamp('消防').getByText('熄灭').waitFor(patiently)
    await door(1).getByText('刚刚').waitFor(patiently)

    await report({ '02121001': 0, '02121010': '2180000' })
    await door(1).getByText('常开').waitFor(patiently)
    await lamp('电源').getByText('绿灯常亮').waitFor(patiently)
    expect(await page.evaluate(() => document.body.dataset.mark)).toBe('not reloaded')
    expect(stage.faults).toEqual([])
  })

  // proves: screen 17
  it('shows values that it does not know unchanged, and marks them', async () => {
    await report({ '02121003': 7, '02121010': '21x0000', '02121011': 'nowhere', '02121005': 95 })
    await door(3).getByText('无法识别').waitFor(patiently)
    await door(3).getByText('7', { exact: true }).waitFor(patiently)
    await lamp('充电').getByText('未知').waitFor(patiently)
    await lamp('电源').getByText('绿灯常亮').waitFor(patiently)
    await page.getByText('nowhere').first().waitFor(patiently)
    await page.getByText('95 %').waitFor(patiently)
    expect(stage.faults).toEqual([])
  })

  // proves: screen 17
  it('blinks, except for users who prefer reduced motion', async () => {
    await report({ '02121010': '6000000' })
    const sign = lamp('电源').locator('[data-blinking]')
    await sign.waitFor(patiently)
    const animation = () => sign.evaluate((element) => getComputedStyle(element).animationName)
    // The stage's browser prefers reduced motion.
    expect(await animation()).toBe('none')
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    expect(await animation()).not.toBe('none')
  })
})
