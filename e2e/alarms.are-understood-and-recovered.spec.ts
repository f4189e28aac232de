import { listAlarms, listDevices, readAlarm, readEnums } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, type Stage, stageFor } from './harness.ts'

describe('an alarm on the screen', () => {
  const stage = stageFor()
  let page: Page
  let device: VirtualDevice
  /** A semaphore that the dictionary reads by bits. */
  let semaphore: string

  beforeAll(async () => {
    const [identity] = stage.identities
    if (!identity) throw new Error('the demonstration has devices')
    device = stage.device(identity)
    semaphore = await bitwiseSemaphore(stage, identity.code)
    device.start()
    await device.whenOnline()
    await device.raise(semaphore, 0b11)
    page = await stage.open('/maintenance/exitWarning')
  })

  const row = () => page.locator('tbody tr').filter({ hasText: device.code }).filter({ hasText: semaphore })

  // proves: screen 1; constant alarm detail height
  it('shows what its value means, bit by bit', async () => {
    await row().getByRole('button', { name: '告警内容', exact: true }).click()
    const dialog = page.getByRole('dialog')
    const table = dialog.getByRole('table')
    await table.waitFor(patiently)
    await expect
      .poll(() => table.locator('thead th').allInnerTexts(), patiently)
      .toEqual(['编码', '设备类别', '名称', '类型', '类型名称', '位'])
    await expectCount(table.locator('tbody tr'), 2)
    const bits = await table.locator('tbody tr td:last-child').allInnerTexts()
    expect(bits).toEqual(['0', '1'])
    const box = await table.locator('..').evaluate((element) => getComputedStyle(element).maxHeight)
    expect(box).toBe('350px')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ ...patiently, state: 'hidden' })
  })

  // proves: screen 1
  it('opens beside the list, at its own address, with bits, device and earlier alarms', async () => {
    await row().locator('td').nth(2).click()
    const panel = page.locator('aside').filter({ hasText: '该设备同类告警' })
    await panel.getByText('bit 0').waitFor(patiently)
    expect(new URL(page.url()).searchParams.get('open')).toMatch(/^\d+$/)
    const again = await stage.open(new URL(page.url()).pathname + new URL(page.url()).search)
    await again.locator('aside').getByText('bit 1').waitFor(patiently)
    await again.close()
    await page.keyboard.press('Escape')
    await panel.waitFor({ ...patiently, state: 'detached' })
    expect(new URL(page.url()).searchParams.has('open')).toBe(false)
  })

  it('is recovered manually only with a note, and then shows how it recovered', async () => {
    await row().getByRole('button', { name: '恢复', exact: true }).click()
    const form = page.getByRole('dialog').filter({ hasText: '处理说明' })
    await form.getByRole('button', { name: '恢复告警' }).click()
    await form.getByText('请输入处理说明').waitFor(patiently)
    await form.getByText(`将设备 ${device.code} 的`).waitFor(patiently)
    await form.getByRole('textbox').fill('已到现场更换仓位锁')
    await form.getByRole('button', { name: '恢复告警' }).click()

    await row().getByText('手动恢复').waitFor(patiently)
    await row().getByText('无告警').waitFor(patiently)
    await row().getByText('已恢复', { exact: true }).waitFor(patiently)
    // The pressed button has disappeared: its row has the focus, not the page.
    await expect
      .poll(() => page.evaluate(() => (document.activeElement as HTMLElement).dataset.key ?? ''), patiently)
      .toMatch(/^\d+$/)
    const [alarm] = await stage.call(listAlarms, { code: [device.code], status: '0' })
    expect(alarm).toMatchObject({ semaphoreCode: semaphore, recoveryMethod: 2, note: '已到现场更换仓位锁' })
    await row().locator('td').nth(2).click()
    await page.locator('aside').getByText('已到现场更换仓位锁').waitFor(patiently)
    expect((await stage.call(readAlarm, { id: alarm?.id ?? '' })).recoveredBy).toBeTruthy()
    expect(stage.faults).toEqual([])
  })
})

async function expectCount(rows: { count(): Promise<number> }, expected: number): Promise<void> {
  await expect.poll(() => rows.count(), patiently).toBe(expected)
}

/** The dictionary's first alarm that defines bits 0 and 1 for this device's family. */
async function bitwiseSemaphore(stage: Stage, code: string): Promise<string> {
  const [device] = await stage.call(listDevices, { code: [code] })
  const { ALARM = [] } = await stage.call(readEnums, { types: ['ALARM'] })
  const found = ALARM.find(
    (entry) =>
      entry.analysisType === 'BIT' &&
      [0, 1].every((bit) =>
        entry.definitions?.some(
          ({ bitPosition, equipClassify }) => bitPosition === bit && equipClassify === device?.equipClassify,
        ),
      ),
  )
  if (!found) throw new Error('the dictionary has alarms that are read by bits')
  return found.code
}
