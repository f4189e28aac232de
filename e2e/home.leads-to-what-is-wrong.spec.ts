import { listDevices, readOverview } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { opened, patiently, stageFor, until } from './harness.ts'

describe('the home page', () => {
  const stage = stageFor()
  let page: Page
  let first: VirtualDevice
  let second: VirtualDevice

  beforeAll(async () => {
    // Only activated devices count as online or offline.
    const activated = await stage.call(listDevices, { statuses: [1], pageSize: 100 })
    const [one, two, three] = stage.identities.filter(({ code }) =>
      activated.some((device) => device.code === code),
    )
    if (!one || !two || !three) throw new Error('the demonstration has devices')
    first = stage.device(one)
    second = stage.device(two)
    const gone = stage.device(three)
    for (const device of [first, second, gone]) device.start()
    await Promise.all([first, second, gone].map((device) => device.whenOnline()))
    gone.cutPower()
    await first.raise('01110001', 1)
    await first.raise('NOWORD1', 1)
    const master = { partType: 'PART_TYPE_EC_MASTER', addrId: '0', version: '1.4' }
    await first.report('version', { versions: [master] })
    await until('the figures have followed', async () => {
      const { onlineCount, offlineCount, activeAlarms, parts } = await stage.call(readOverview, {})
      const alarms = activeAlarms.reduce((sum, { count }) => sum + count, 0)
      return onlineCount === 2 && offlineCount === 1 && alarms === 2 && parts.length > 0
    })
    page = await stage.open('/dashboard')
    await page.getByRole('heading', { name: '现在要处理' }).waitFor(patiently)
  })

  const section = (name: string, on = page) => on.getByRole('region', { name })
  const figure = (name: string) => page.locator('dl > div').filter({ hasText: name }).first()

  /** Follows a link, checks the total and the visible filter of the list, and goes back. */
  async function leadsTo(link: Locator, total: number, shown: string): Promise<void> {
    await link.click()
    await page
      .getByText(new RegExp(`^共 ${total} [台条]$`))
      .filter({ visible: true })
      .first()
      .waitFor(patiently)
    await until(`the list shows the filter ${shown}`, async () => {
      const row = page.locator('form[aria-label=筛选], ul[aria-label=生效的筛选]')
      return (await row.allInnerTexts()).join(' ').includes(shown)
    })
    await page.goBack()
    await page.getByRole('heading', { name: '现在要处理' }).waitFor(patiently)
  }

  // proves: screen home
  it('links each figure to the list that it counts, with the filter visible', async () => {
    await leadsTo(figure('在线').getByRole('link').first(), 2, '在线')
    await leadsTo(figure('离线').getByRole('link').first(), 1, '离线')
    await leadsTo(figure('告警设备').getByRole('link').first(), 1, '有告警')
    await leadsTo(figure('当前告警级别').getByRole('link', { name: /未定级/ }), 1, 'NOWORD1')
    await leadsTo(section('当前告警 TOP 10').getByRole('link').filter({ hasText: '01110001' }), 1, '信号量')
    const version = section('部件版本分布').locator('ul a').filter({ hasText: /\d/ }).first()
    await leadsTo(version, 1, '部件')
    expect(stage.faults).toEqual([])
  })

  // proves: screen home
  it('lists what needs attention first, each item with its link', async () => {
    await leadsTo(section('现在要处理').getByRole('link', { name: /未定级告警/ }), 1, 'NOWORD1')
  })

  // proves: screen home
  it('shows new alarms without moving rows, and updates its figures', async () => {
    const rows = section('最新告警').locator('li')
    await expect.poll(() => rows.count(), patiently).toBe(2)
    const before = await rows.allInnerTexts()
    const top = await rows.first().evaluate((row) => row.getBoundingClientRect().top)
    await second.raise('01110002', 1)
    const bar = page.getByRole('button', { name: '1 条新告警' })
    await bar.waitFor(patiently)
    const codes = (texts: string[]) => texts.map((text) => text.split('\n').slice(0, 2).join())
    expect(codes(await rows.allInnerTexts())).toEqual(codes(before))
    expect(await rows.first().evaluate((row) => row.getBoundingClientRect().top)).toBe(top)
    await expect.poll(() => figure('告警设备').locator('strong').innerText(), patiently).toBe('2')
    await bar.click()
    await rows.filter({ hasText: second.code }).waitFor(patiently)
  })

  it('is read once when it is opened', async () => {
    const fresh = await page.context().newPage()
    const calls: string[] = []
    fresh.on('request', (request) => calls.push(request.url()))
    const stream = fresh.waitForResponse((answer) => answer.url().endsWith('/api/stream'))
    await fresh.goto(`${stage.server.url}/dashboard`)
    await section('最新告警', fresh).locator('li').first().waitFor(patiently)
    await stream
    // Calls that the start of the stream causes come before those of a later alarm. If the list catches up by itself,
    // the alarm causes none.
    const before = calls.length
    await second.raise('01110003', 1)
    await fresh.getByRole('button', { name: /条新告警/ }).waitFor(patiently)
    const later = calls.findIndex((address) => /\/alarm\/page.*ids=/.test(address))
    expect(
      calls.slice(0, Math.max(later, before)).filter((address) => address.includes('/overview/summary')),
    ).toHaveLength(1)
    await fresh.close()
  })
})

describe('the home page of an empty installation', () => {
  const stage = stageFor({ isEmpty: true })

  // proves: screen home
  it('says what to set up first, with links', async () => {
    const page = await stage.open('/dashboard')
    await page.getByText('还没有设备').waitFor(patiently)
    await opened(page.getByRole('dialog'), page.getByRole('link', { name: '登记设备' }))
    await page.goBack()
    await page.getByText('还没有设备').waitFor(patiently)
    await page.getByRole('dialog').waitFor({ ...patiently, state: 'detached' })
    await opened(page.getByRole('dialog'), page.getByRole('link', { name: '批量导入' }))
    expect(stage.faults).toEqual([])
  })
})
