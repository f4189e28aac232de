import { listDevices } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { bringAxe, expectAccessible } from './accessibility.ts'
import { patiently, stageFor } from './harness.ts'

describe('the compartments of a cabinet', () => {
  const stage = stageFor()
  let device: VirtualDevice
  let page: Page
  let id = ''

  beforeAll(async () => {
    const cabinet = stage.identities.find(({ code }) => code.startsWith('EC'))
    if (!cabinet) throw new Error('the demonstration has cabinets')
    device = stage.device(cabinet)
    const [row] = await stage.call(listDevices, { code: [device.code] })
    id = row?.id ?? ''
    page = await stage.open(`/equipment/list?open=${id}`)
    await bin(1).waitFor(patiently)
  })

  const bin = (number: number) => page.locator(`[data-bin="${number}"] > button`)
  const look = (number: number) => page.locator(`[data-bin="${number}"]`).getAttribute('data-look')
  const report = async (compartments: object[]) =>
    expect(await device.report('status', { status: { 柜内温度: 31 }, compartments } as never)).toBe(
      'acknowledged',
    )
  const focused = () =>
    page.evaluate(() => document.activeElement?.closest('[data-bin]')?.getAttribute('data-bin'))

  it('of a device that never reported are drawn at their places, and it says why nothing is known', async () => {
    expect(await look(1)).toBe('unknown')
    await page.getByText('设备从未接入，还没有仓位数据').waitFor(patiently)
  })

  it('change in place as the device reports', async () => {
    device.start()
    await device.whenOnline()
    await page.evaluate(() => {
      document.body.dataset.mark = 'not reloaded'
    })
    await report([
      { no: 1, state: 'charging', batteryCode: 'BATTERY01', soc: 40, temperature: 30, isDoorOpen: false },
      { no: 2, state: 'empty' },
      { no: 3, state: 'disabled' },
    ])
    await expect.poll(() => look(1), patiently).toBe('charging')
    await bin(1).getByText('40').waitFor(patiently)
    expect([await look(2), await look(3), await look(4)]).toEqual(['empty', 'disabled', 'unknown'])
    await report([
      { no: 1, state: 'full', batteryCode: 'BATTERY01', soc: 100, isDoorOpen: true },
      { no: 2, state: 'fault' },
    ])
    await expect.poll(() => look(1), patiently).toBe('full')
    await expect.poll(() => look(2), patiently).toBe('fault')
    expect(await page.evaluate(() => document.body.dataset.mark)).toBe('not reloaded')
  })

  it('have what is wrong named above them, with a way to each', async () => {
    const troubles = page.getByRole('list', { name: '异常' })
    await troubles.getByText('仓门打开').waitFor(patiently)
    await troubles.getByRole('button', { name: '2号仓' }).click()
    await expect.poll(focused, patiently).toBe('2')
    await page.getByRole('region', { name: '2号仓' }).getByText('故障').waitFor(patiently)
    expect(new URL(page.url()).searchParams.get('bin')).toBe('2')
  })

  it('are walked by arrow keys, and the open one follows', async () => {
    await bin(1).focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(focused, patiently).toBe('2')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    // At the edge it stays, and the page does not step to the next device.
    await expect.poll(focused, patiently).toBe('1')
    expect(new URL(page.url()).searchParams.get('open')).toBe(id)
    await page.getByRole('region', { name: '1号仓' }).getByText('BATTERY01').waitFor(patiently)
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: '1号仓' }).waitFor({ ...patiently, state: 'hidden' })
    await expect.poll(focused, patiently).toBe('1')
  })

  it('are told to who does not see them', async () => {
    await page.getByRole('button', { name: /^1\s*号仓.*满电.*电量.*100.*门开.*BATTERY01/ }).waitFor(patiently)
    await bringAxe(page)
    await expectAccessible(page, 'the compartments of a cabinet')
    expect(stage.faults).toEqual([])
  })

  it('stay readable in both themes after the device has gone', async () => {
    await device.stop()
    await page.getByRole('note').filter({ hasText: '离线前最后上报' }).waitFor(patiently)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await expectAccessible(page, `a cabinet that is away, ${colorScheme}`)
    }
    expect(stage.faults).toEqual([])
  })
})
