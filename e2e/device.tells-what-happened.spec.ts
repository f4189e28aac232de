import { formatDateTime, listDevices, updateDevice } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor } from './harness.ts'

describe('the page of a device', () => {
  const stage = stageFor()
  let device: VirtualDevice
  let page: Page

  beforeAll(async () => {
    const cabinet = stage.identities.find(({ code }) => code.startsWith('EC'))
    if (!cabinet) throw new Error('the demonstration has cabinets')
    device = stage.device(cabinet)
    const [row] = await stage.call(listDevices, { code: [device.code] })
    page = await stage.open(`/equipment/list?open=${row?.id}`)
    await panel().getByRole('heading', { name: '设备动态' }).waitFor(patiently)
  })

  const panel = () => page.locator('[data-watched]')
  const entries = () => panel().getByRole('list', { name: '设备动态' }).getByRole('listitem')

  it('of a device that never connected says so, and links its address to a map', async () => {
    await panel().getByText('未接入').first().waitFor(patiently)
    const address = await panel().getByTitle('在地图中打开').getAttribute('href')
    expect(new URL(address ?? '').host).toBe('uri.amap.com')
  })

  it('lists connections, alarms and events in one order, as they happen', async () => {
    device.start()
    await device.whenOnline()
    await entries().filter({ hasText: '上线' }).first().waitFor(patiently)
    await device.report('alarm', { code: '01120001', value: 2, status: 1 } as never)
    await expect.poll(() => entries().count(), patiently).toBeGreaterThan(0)
    await panel().getByRole('button', { name: '连接', exact: true }).click()
    await expect
      .poll(
        async () =>
          new Set(
            await entries().evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.kind)),
          ),
        patiently,
      )
      .toEqual(new Set(['connection']))
    await panel().getByRole('button', { name: '全部', exact: true }).click()
    expect(stage.faults).toEqual([])
  })

  it('shows figures with their units and versions grouped by part', async () => {
    await device.report('status', { status: { '输入电压（V）': 224.9 } })
    await device.report('version', {
      versions: Array.from({ length: 12 }, (_, at) => ({
        partType: 'PART_TYPE_EC_BIN',
        addrId: String(at + 1),
        version: at < 9 ? '2.0' : '1.0',
      })),
    })
    await page.reload()
    await panel().getByText('仓控 12 个').waitFor(patiently)
    await panel().getByText('2.0 ×9').waitFor(patiently)
    await panel().getByText('输入电压', { exact: true }).waitFor(patiently)
    await panel().getByText('224.9', { exact: false }).first().waitFor(patiently)
  })

  it('goes by days, jumps to one, and tells what a person changed', async () => {
    const [row] = await stage.call(listDevices, { code: [device.code] })
    if (!row) throw new Error('the device is listed')
    const { id, operatorId, equipModelId, regionCode } = row
    await stage.call(updateDevice, { id, operatorId, equipModelId, regionCode, name: '改名的换电柜' })
    const operation = entries().filter({ hasText: '修改设备' }).first()
    await operation.getByText('改名的换电柜').waitFor(patiently)
    await operation.getByText(/^\d\d:\d\d:\d\d$/).waitFor(patiently)
    const today = formatDateTime(new Date()).slice(0, 10)
    await panel()
      .getByRole('heading', { name: new RegExp(today) })
      .waitFor(patiently)
    await panel().getByLabel('跳到日期').fill('2020-01-01')
    await panel().getByText('还没有动态').waitFor(patiently)
    expect(new URL(page.url()).searchParams.get('day')).toBe('2020-01-01')
    await panel().getByRole('button', { name: '回到最新' }).click()
    await operation.waitFor(patiently)
    const file = page.waitForEvent('download')
    await panel().getByRole('button', { name: '导出' }).click()
    expect((await file).suggestedFilename()).toContain(device.code)
  })

  it('steps to the next device of the list, and back by a key', async () => {
    const [first, second] = await stage.call(listDevices, {})
    await page.goto(`${stage.server.url}/equipment/list?open=${first?.id}`)
    const openId = () => new URL(page.url()).searchParams.get('open')
    await panel().getByRole('button', { name: '下一台' }).click()
    await expect.poll(openId, patiently).toBe(second?.id)
    await panel()
      .getByText(second?.code ?? '')
      .first()
      .waitFor(patiently)
    await page.keyboard.press('k')
    await expect.poll(openId, patiently).toBe(first?.id)
    await expect
      .poll(() => panel().getByRole('button', { name: '上一台' }).getAttribute('aria-disabled'), patiently)
      .toBe('true')
  })
})
