import { readFileSync } from 'node:fs'
import { listDevices, listOperators } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { downloadBy, patiently, stageFor, until } from './harness.ts'

const levelled = '01110001'

describe('the filters of the alarm page', () => {
  const stage = stageFor()
  let page: Page
  /** A device, with its manufacturer, which has several operators. */
  let device: { code: string; organizationName: string; operatorName: string }
  let operatorsOfManufacturer: string[]

  beforeAll(async () => {
    const [one, other] = stage.identities
    if (!one || !other) throw new Error('the demonstration has devices')
    const [row] = await stage.call(listDevices, { code: [one.code] })
    if (!row) throw new Error('the device is registered')
    device = row
    const operators = await stage.call(listOperators, { organId: row.organizationId })
    operatorsOfManufacturer = operators.map(({ name }) => name)
    for (const identity of [one, other]) {
      const playing = stage.device(identity)
      playing.start()
      await playing.whenOnline()
      await playing.raise('T0001', 1)
      // Of a level: the dictionary knows its code.
      if (identity === other) await playing.raise(levelled, 1)
    }
    page = await stage.open('/maintenance/exitWarning')
    await page.locator('tbody tr').nth(1).waitFor(patiently)
  })

  const search = () => new URL(page.url()).searchParams
  const shownRows = () => page.locator('tbody tr[data-key]').count()
  const choose = async (label: string, option: string) => {
    await page.getByLabel(label, { exact: true }).click()
    await page.getByTitle(option, { exact: true }).last().click()
  }

  // proves: screen 1
  it('are visible without a press: manufacturer, operator, model, content and report date', async () => {
    const form = page.getByRole('form', { name: '筛选' })
    for (const label of ['厂商', '运营商', '设备型号', '告警内容']) {
      await form.getByLabel(label, { exact: true }).waitFor(patiently)
    }
    for (const end of ['开始日期', '结束日期']) await form.getByPlaceholder(end).waitFor(patiently)
  })

  // proves: screen 1; rule operator after manufacturer
  it('offer operators only after a manufacturer is chosen, and only its own', async () => {
    const operator = page.getByLabel('运营商', { exact: true })
    await expect.poll(() => operator.isDisabled(), patiently).toBe(true)
    await choose('厂商', device.organizationName)
    await until('the operator can be chosen', () => operator.isEnabled())
    await operator.click()
    const options = page.locator('.ant-select-item-option-content:visible')
    await options.first().waitFor(patiently)
    expect((await options.allInnerTexts()).sort()).toEqual([...operatorsOfManufacturer].sort())
    await page.locator('.ant-select-item-option-content:visible').getByText(device.operatorName).click()
  })

  it('take effect with 查询 and are part of the address, so that a link shows the same', async () => {
    await page.getByRole('button', { name: '查询' }).click()
    await until('the address has the filters', () => search().has('operatorId'))
    expect(search().has('organizationId')).toBe(true)
    const link = new URL(page.url())
    const again = await stage.open(link.pathname + link.search)
    await again.locator('tbody tr').filter({ hasText: device.code }).waitFor(patiently)
    await expect.poll(() => again.getByLabel('运营商', { exact: true }).isEnabled(), patiently).toBe(true)
    await again.close()
  })

  it('apply with Enter too', async () => {
    await page.goto(`${stage.server.url}/maintenance/exitWarning`)
    await page.getByLabel('告警内容', { exact: true }).fill('NOSUCH')
    await page.keyboard.press('Enter')
    await page.getByText('没有符合条件的告警').waitFor(patiently)
    expect(search().get('semaphoreName')).toBe('NOSUCH')
  })

  // proves: screen 1
  it('are cleared by 重置, and by a change of tab', async () => {
    await page.getByRole('button', { name: '重置' }).click()
    await until('all rows are back', async () => (await shownRows()) === 3)
    expect([...search().keys()]).toEqual([])

    await page.getByLabel('告警内容', { exact: true }).fill('NOSUCH')
    await page.keyboard.press('Enter')
    await page.getByText('没有符合条件的告警').waitFor(patiently)
    await page.getByRole('tab', { name: '历史告警' }).click()
    await until('the history is there, unfiltered', async () => (await shownRows()) === 3)
    await expect.poll(() => page.getByLabel('告警内容', { exact: true }).inputValue(), patiently).toBe('')
    expect([...search().keys()]).toEqual(['tab'])
    await page.getByRole('tab', { name: '当前告警' }).click()
    await until('the current list is there, unfiltered', async () => (await shownRows()) === 3)
    await expect.poll(() => page.getByLabel('告警内容', { exact: true }).inputValue(), patiently).toBe('')
  })

  // proves: screen 2; rule online status
  it('limit the history to the last 30 days where it has no range', async () => {
    await page.getByRole('tab', { name: '历史告警' }).click()
    const row = page.locator('tbody tr[data-key]').filter({ hasText: device.code })
    await row.getByTitle('在线', { exact: true }).waitFor(patiently)
    await row.getByText('故障', { exact: true }).waitFor(patiently)
    const from = page.getByPlaceholder('开始日期')
    await from.waitFor(patiently)
    const days = [await from.inputValue(), await page.getByPlaceholder('结束日期').inputValue()]
    const [start = 0, end = 0] = days.map((day) => Date.parse(`${day}T00:00:00Z`))
    expect((end - start) / 86_400_000).toBe(29)
    expect(search().has('startTime')).toBe(false)
    await page.getByLabel('告警内容', { exact: true }).fill('typed, not applied')
    await page.getByRole('button', { name: '重置' }).click()
    await until('the text is gone', async () => {
      return (await page.getByLabel('告警内容', { exact: true }).inputValue()) === ''
    })
    await expect.poll(() => from.inputValue(), patiently).toBe(days[0])
  })

  it('stand above the history as levels with their numbers, which filter it', async () => {
    await page.goto(`${stage.server.url}/maintenance/exitWarning?tab=history`)
    const chip = (pressed: boolean) =>
      page.getByRole('group', { name: '级别' }).locator(`button[aria-pressed=${pressed}]`)
    const numberOf = (text: string) => Number(text.replaceAll(/\D/g, ''))
    const counts = async () => (await chip(false).allInnerTexts()).map(numberOf)
    await until('the levels are counted', async () => (await counts()).some((count) => count > 0))
    const index = (await counts()).findIndex((count) => count > 0)
    const count = (await counts())[index]
    await chip(false).nth(index).click()
    await until('the address has the level', () => search().get('alarmLevel') === String(index + 1))
    await expect.poll(shownRows, patiently).toBe(count)
    await chip(true).click()
    await until('the address has no level', () => !search().has('alarmLevel'))
  })

  // proves: constant date format
  it('offer a range that fits a phone, by days and to the second', async () => {
    const phone = await stage.open('/maintenance/exitWarning?tab=history', { width: 390, height: 844 })
    const open = async () => {
      await phone.getByRole('button', { name: /^filter 筛选/ }).click()
      await phone.getByLabel('开始日期', { exact: true }).waitFor(patiently)
    }
    const asked = () => new URL(phone.url()).searchParams
    await open()
    for (const end of ['开始日期', '结束日期']) {
      const box = await phone.getByLabel(end, { exact: true }).boundingBox()
      expect(box?.x).toBeGreaterThanOrEqual(0)
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
    }
    await phone.getByLabel('开始日期', { exact: true }).fill('2026-01-31')
    await phone.getByLabel('结束日期', { exact: true }).fill('2026-01-01')
    await phone.getByRole('button', { name: '查询' }).click()
    await phone.getByText('结束时间不能早于开始时间').waitFor(patiently)
    await phone.getByRole('button', { name: '今天' }).click()
    await phone.getByRole('button', { name: '查询' }).click()
    await until('the address has today', () => asked().has('startTime'))
    expect(asked().get('startTime')).toBe(asked().get('endTime'))

    await phone.goto(`${stage.server.url}/maintenance/eventsearch`)
    await open()
    await phone.getByLabel('开始日期', { exact: true }).fill('2026-01-31T09:30:00')
    await phone.getByRole('button', { name: '查询' }).click()
    await until('the address has the second', () => asked().get('startTime') === '2026-01-31 09:30:00')
    await phone.close()
  })

  it('are visible while they are in effect, even if they are usually collapsed', async () => {
    const state = page.getByLabel('状态', { exact: true })
    for (const narrowed of ['?status=0', '?tab=history&status=0']) {
      await page.goto(`${stage.server.url}/maintenance/exitWarning${narrowed}`)
      await state.waitFor(patiently)
    }
    await page.goto(`${stage.server.url}/maintenance/exitWarning`)
    await page.getByRole('button', { name: '更多' }).waitFor(patiently)
    await expect.poll(() => state.count(), patiently).toBe(0)
  })

  it('decide what an export contains', async () => {
    await page.goto(`${stage.server.url}/maintenance/exitWarning?code=${device.code}`)
    await until('one row is left', async () => (await shownRows()) === 1)
    const download = await downloadBy(page.getByRole('button', { name: '导出' }))
    expect(download.suggestedFilename()).toMatch(/\.xlsx$/)
    const path = await download.path()
    // A workbook is a zip archive.
    expect(readFileSync(path).subarray(0, 2).toString()).toBe('PK')
    expect(stage.faults).toEqual([])
  })
})
