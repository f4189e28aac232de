import { listAlarms } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor } from './harness.ts'

describe('alarms that are one trouble', () => {
  const stage = stageFor()
  let page: Page

  beforeAll(async () => {
    page = await stage.open('/maintenance/exitWarning')
  })

  it('are one row that says how often, and its panel lists them', async () => {
    const [identity] = stage.identities
    if (!identity) throw new Error('the demonstration has devices')
    const device = stage.device(identity)
    device.start()
    await device.whenOnline()
    for (let n = 0; n < 3; n += 1) {
      await device.raise('E2E1', 1)
      if (n < 2) await device.recover('E2E1')
    }
    await page.reload()
    const row = page.locator('tbody tr').filter({ hasText: identity.code })
    await row.getByText('×3').waitFor(patiently)
    await row.getByText('抖动').waitFor(patiently)
    await row.locator('td').nth(2).click()
    const panel = page.locator('aside').filter({ hasText: '反复发生' })
    await panel.getByText('3 次，1 分钟内发生 3 次以上').waitFor(patiently)
    await expect.poll(() => panel.locator('button[aria-current]').count(), patiently).toBe(1)
    await page.keyboard.press('Escape')
    await device.stop()
  })

  it('of a cabinet that is lost stand in one line, are opened by it, and are confirmed together', async () => {
    const [, identity] = stage.identities
    if (!identity) throw new Error('the demonstration has devices')
    const device = stage.device(identity)
    device.start()
    await device.whenOnline()
    await device.raise('E2E2', 1)
    await device.raise('E2E3', 1)
    await device.stop()
    const line = page.getByRole('region', { name: '同因告警' }).getByText(identity.code)
    await line.waitFor(patiently)
    await page.reload()
    await line.waitFor(patiently)
    const rows = page.locator('tbody tr').filter({ hasText: identity.code })
    expect(await rows.count()).toBe(0)
    await page.getByRole('button', { name: `展开${identity.code}` }).click()
    await expect.poll(() => rows.count(), patiently).toBe(2)
    expect(new URL(page.url()).searchParams.has('causeId')).toBe(true)
    await page.getByRole('button', { name: '确认 2 条' }).click()
    await page.getByRole('button', { name: '确定' }).click()
    await expect
      .poll(async () => await handlings(identity.code), patiently)
      .toEqual(['acknowledged', 'acknowledged'])
    await page.getByRole('button', { name: '返回全部告警' }).click()
    await expect.poll(() => rows.count(), patiently).toBe(0)
    expect(new URL(page.url()).searchParams.has('causeId')).toBe(false)
    expect(stage.faults).toEqual([])
  })

  const handlings = async (code: string) =>
    (await stage.call(listAlarms, { code: [code] })).map(({ handling }) => handling)
})
