import {
  formatDateTime,
  insertParameterBatch,
  insertUpgradeTask,
  listDevices,
  listDeviceVersions,
  startLogExtraction,
} from '@voltkeep/contract'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor, until } from './harness.ts'
import { saveMasterBoard, uploadMasterPackage } from './masters.ts'

/** Details that replace their list on the screen step through the rows of the list they were opened from. */
describe('details without a list beside them step through their list', () => {
  const stage = stageFor()
  let page: Page
  const cabinets = () => stage.identities.filter(({ code }) => code.startsWith('EC'))
  const tomorrow = formatDateTime(new Date(Date.now() + 86_400_000))

  beforeAll(async () => {
    page = await stage.open('/')
  })
  afterAll(() => {
    expect(stage?.faults).toEqual([])
  })

  const parameter = (name: string) => new URL(page.url()).searchParams.get(name)
  const shows = (name: string, value: string | null | undefined) =>
    expect.poll(() => parameter(name), patiently).toBe(value)
  const button = (name: string, within: Page | Locator = page) =>
    within.getByRole('button', { name, exact: true })
  const isAtEnd = (end: Locator) =>
    expect.poll(() => end.getAttribute('aria-disabled'), patiently).toBe('true')
  const openFirstRow = async () => {
    await page.locator('[data-key]').first().focus()
    await page.keyboard.press('Enter')
  }

  it('a task steps through the filtered list by buttons and keys, also after a reload; from a link through all', async () => {
    await saveMasterBoard(stage)
    const ids: string[] = []
    const wanted = await uploadMasterPackage(stage, '9.1')
    const other = await uploadMasterPackage(stage, '9.2')
    for (const [softwareVersionId, remark] of [
      [wanted, '甲'],
      [wanted, '乙'],
      [other, '丁'],
      [wanted, '丙'],
    ] as const) {
      const { id } = await stage.call(insertUpgradeTask, { softwareVersionId, upgradeTime: tomorrow, remark })
      ids.unshift(id)
    }
    const [newest, unwanted, middle, oldest] = ids
    await page.goto(`${stage.server.url}/upgrade/upgradeTask?version=9.1`)
    await openFirstRow()
    await shows('task', newest)
    await isAtEnd(button('上一个'))
    await button('下一个').click()
    await shows('task', middle)
    await page.getByText('乙').waitFor(patiently)
    // The button keeps the focus, so Enter presses it again.
    await page.keyboard.press('Enter')
    await shows('task', oldest)
    await page.reload()
    await isAtEnd(button('下一个'))
    await page.keyboard.press('k')
    await shows('task', middle)
    await page.keyboard.press('j')
    await shows('task', oldest)
    // The link at its head leads to the list as it was filtered.
    await page.getByRole('link', { name: '‹ 升级任务' }).click()
    await shows('version', '9.1')
    await shows('task', null)
    await page.goBack()
    await shows('task', oldest)
    // Steps add no history entries.
    await page.goBack()
    await shows('version', '9.1')
    // A link carries no list: the steps go through the unfiltered rows, and the way back leads to the unfiltered list.
    await page.goto(`${stage.server.url}/upgrade/upgradeTask?task=${newest}`)
    await button('下一个').click()
    await shows('task', unwanted)
    await page.getByRole('link', { name: '‹ 升级任务' }).click()
    await shows('task', null)
    await shows('version', null)
  })

  it('a batch keeps its tab, and a device steps within its batch', async () => {
    const ids: string[] = []
    for (const value of ['60', '61']) {
      const { id } = await stage.call(insertParameterBatch, {
        paramSetRule: { upgradeCount: 2, interval: 3 },
        entitys: [{ id: '02121006', value }],
        queryParam: {
          codes: cabinets()
            .slice(Number(value) - 60)
            .slice(0, 2)
            .map(({ code }) => code),
        },
      })
      ids.unshift(id)
    }
    const [newest, oldest] = ids
    await page.goto(`${stage.server.url}/maintenance/batchsetting?code=CS`)
    await page.getByRole('button', { name: '日志' }).first().click()
    await shows('batch', newest)
    await isAtEnd(button('上一个'))
    await page.keyboard.press('j')
    await shows('batch', oldest)
    await shows('tab', 'log')
    await button('上一个').click()
    await shows('batch', newest)
    await shows('tab', 'log')

    await page.getByRole('tab', { name: '设备' }).click()
    await openFirstRow()
    const panel = page.locator('aside').filter({ has: page.locator('h3') })
    await button('下一台', panel).waitFor(patiently)
    const first = parameter('open')
    // The open panel handles the keys; the batch does not step.
    await page.keyboard.press('j')
    await expect.poll(() => parameter('open'), patiently).not.toBe(first)
    await shows('batch', newest)
    await isAtEnd(button('下一台', panel))
    await page.keyboard.press('j')
    await shows('batch', newest)
    await page.keyboard.press('Escape')
    await panel.waitFor({ ...patiently, state: 'hidden' })
    await page.keyboard.press('j')
    await shows('batch', oldest)
    await page.getByRole('link', { name: '‹ 批量设置' }).click()
    await shows('code', 'CS')
    await shows('batch', null)
  })

  it('an extraction steps through the recent ones, or through the history', async () => {
    const today = formatDateTime(new Date()).slice(0, 10)
    const ids: string[] = []
    for (const identity of cabinets().slice(0, 2)) {
      const device = stage.device(identity)
      device.start()
      await device.whenOnline()
      await until('it is known to be online', async () => {
        const [row] = await stage.call(listDevices, { code: identity.code })
        return row?.isOnline === 1
      })
      const { id } = await stage.call(startLogExtraction, {
        equipCode: identity.code,
        equipClassify: 'EC',
        logExtractParam: { level: 'RUN', startTime: today, endTime: today },
      })
      ids.unshift(id)
    }
    const [newest, oldest] = ids
    const opened = {
      '': () => page.getByRole('button', { name: cabinets()[1]?.code }).click(),
      '?tab=history': openFirstRow,
    }
    for (const [from, open] of Object.entries(opened)) {
      await page.goto(`${stage.server.url}/maintenance/logextract${from}`)
      await open()
      await shows('extraction', newest)
      await isAtEnd(button('上一条'))
      await button('下一条').click()
      await shows('extraction', oldest)
      await page.keyboard.press('k')
      await shows('extraction', newest)
    }
  })

  it('the versions of a device step in their dialog', async () => {
    const [first, second] = await stage.call(listDeviceVersions, {})
    await page.goto(`${stage.server.url}/upgrade/version`)
    await openFirstRow()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(first?.code ?? '').waitFor(patiently)
    await isAtEnd(button('上一台', dialog))
    await button('下一台', dialog).click()
    await dialog.getByText(second?.code ?? '').waitFor(patiently)
    await shows('open', second?.id)
    await page.keyboard.press('k')
    await dialog.getByText(first?.code ?? '').waitFor(patiently)
  })
})
