import { listAlarms } from '@voltkeep/contract'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import { startServerProcess } from '../apps/server/test/server-process.ts'
import { patiently, stageFor, until } from './harness.ts'

describe('an open alarm page', () => {
  const stage = stageFor()
  let page: Page
  let first: VirtualDevice
  let second: VirtualDevice

  beforeAll(async () => {
    const [one, two] = stage.identities
    if (!one || !two) throw new Error('the demonstration has devices')
    first = stage.device(one)
    second = stage.device(two)
    first.start()
    second.start()
    await Promise.all([first.whenOnline(), second.whenOnline()])
    await first.raise('T0001', 1)
    page = await stage.open('/maintenance/exitWarning')
    await rowOf(first.code, 'T0001').waitFor(patiently)
  })

  const rowOf = (code: string, semaphore: string) =>
    page.locator('tbody tr').filter({ hasText: code }).filter({ hasText: semaphore })
  const shownCodes = () =>
    page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.key))

  // proves: route /maintenance/exitWarning
  it('announces a new alarm without a reload, and does not move the rows', async () => {
    await page.evaluate(() => {
      document.body.dataset.mark = 'not reloaded'
    })
    const before = await shownCodes()
    const top = await rowOf(first.code, 'T0001').evaluate((row) => row.getBoundingClientRect().top)

    await second.raise('T0002', 5)
    const bar = page.getByRole('button', { name: '1 条新告警' })
    await bar.waitFor(patiently)
    expect(await shownCodes()).toEqual(before)
    expect(await rowOf(first.code, 'T0001').evaluate((row) => row.getBoundingClientRect().top)).toBe(top)

    await second.raise('T0003', 1)
    await page.getByRole('button', { name: '2 条新告警' }).click()
    await rowOf(second.code, 'T0002').waitFor(patiently)
    await rowOf(second.code, 'T0003').waitFor(patiently)
    await expect.poll(() => page.getByRole('button', { name: /条新告警/ }).count(), patiently).toBe(0)
    expect(await page.evaluate(() => document.body.dataset.mark)).toBe('not reloaded')
  })

  it('changes the value of a shown alarm in place', async () => {
    await second.raise('T0002', 77)
    await rowOf(second.code, 'T0002').getByText('77', { exact: true }).waitFor(patiently)
    await expect.poll(() => page.getByRole('button', { name: /条新告警/ }).count(), patiently).toBe(0)
  })

  // proves: message no alarm; screen 1
  it('keeps a recovered alarm in the list, with how and when it recovered, until the next query', async () => {
    await second.recover('T0003')
    const row = rowOf(second.code, 'T0003')
    await row.getByText('自动恢复').waitFor(patiently)
    await row.getByText('无告警').waitFor(patiently)
    await page.getByRole('button', { name: '查询' }).click()
    await row.waitFor({ ...patiently, state: 'detached' })
    await rowOf(second.code, 'T0002').waitFor(patiently)
  })

  it('does not announce alarms that do not match its filters', async () => {
    await page.goto(`${stage.server.url}/maintenance/exitWarning?code=${first.code}`)
    await rowOf(first.code, 'T0001').waitFor(patiently)
    await second.raise('T0004', 1)
    await until('the server has the alarm', async () => {
      const rows = await stage.call(listAlarms, { code: [second.code], semaphoreCode: ['T0004'] })
      return rows.length === 1
    })
    await first.raise('T0005', 1)
    await page.getByRole('button', { name: '1 条新告警' }).waitFor(patiently)
    expect(stage.faults).toEqual([])
  })

  it('finds an alarm that occurred after the list was read and before the live stream was connected', async () => {
    let connect = () => {}
    const connected = new Promise<void>((resolve) => {
      connect = resolve
    })
    await page.route('**/api/stream', async (route) => {
      await connected
      await route.continue()
    })
    await page.goto(`${stage.server.url}/maintenance/exitWarning?code=${second.code}`)
    await rowOf(second.code, 'T0002').waitFor(patiently)
    // Once another page has received the event, this page will not receive it later.
    const watcher = await stage.open(`/maintenance/exitWarning?code=${second.code}`)
    await watcher.locator('tbody tr').filter({ hasText: 'T0002' }).waitFor(patiently)
    await second.raise('T0007', 1)
    await watcher.getByRole('button', { name: '1 条新告警' }).waitFor(patiently)
    expect(await page.getByRole('button', { name: /条新告警/ }).count()).toBe(0)
    connect()
    await page.getByRole('button', { name: '1 条新告警' }).waitFor(patiently)
    await page.unroute('**/api/stream')
    await watcher.close()
  })

  it('closes its connection while the page is hidden, and catches up afterwards', async () => {
    await page.clock.install()
    await page.goto(`${stage.server.url}/maintenance/exitWarning?code=${second.code}`)
    await rowOf(second.code, 'T0002').waitFor(patiently)
    const sight = (isHidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value })
        document.dispatchEvent(new Event('visibilitychange'))
      }, isHidden)
    const given = page.waitForEvent('requestfailed', {
      ...patiently,
      predicate: (request) => request.url().endsWith('/api/stream'),
    })
    await sight(true)
    await page.clock.fastForward('00:21')
    await given
    await second.raise('T0002', 99)
    await second.raise('T0006', 1)
    await sight(false)
    await page.getByRole('button', { name: '1 条新告警' }).waitFor(patiently)
    await rowOf(second.code, 'T0002').getByText('99', { exact: true }).waitFor(patiently)
  })

  it('announces an alarm with a lower id than the shown ones, as it comes from another process', async () => {
    const [, , identity] = stage.identities
    if (!identity) throw new Error('the demonstration has devices')
    const other = await startServerProcess({
      environment: {
        LOG_LEVEL: 'warn',
        ROLES: 'ingest',
        DATABASE_URL: databaseUrlOf(stage.server.dataDir),
      },
    })
    const third = new VirtualDevice(identity, {
      broker: { host: '127.0.0.1', port: other.mqttPort, isTls: false },
      random: createRandom(2),
    })
    try {
      third.start()
      await third.whenOnline()
      // Each process allocates ids in blocks of a thousand, so the process that starts later has higher ones.
      await third.raise('T0001', 1)
      await page.goto(`${stage.server.url}/maintenance/exitWarning?code=${first.code},${third.code}`)
      await rowOf(third.code, 'T0001').waitFor(patiently)
      await first.raise('T0008', 1)
      await page.getByRole('button', { name: '1 条新告警' }).waitFor(patiently)
      const idOf = async (code: string, semaphore: string) => {
        const [row] = await stage.call(listAlarms, { code: [code], semaphoreCode: [semaphore] })
        return BigInt(row?.id ?? 0)
      }
      expect(await idOf(first.code, 'T0008')).toBeLessThan(await idOf(third.code, 'T0001'))
      await third.raise('T0002', 1)
      await page.getByRole('button', { name: '2 条新告警' }).click()
      await rowOf(first.code, 'T0008').waitFor(patiently)
      await rowOf(third.code, 'T0002').waitFor(patiently)
    } finally {
      third.cutPower()
      await other.remove()
    }
  })

  // proves: rule online status
  it('shows that a device has gone offline', async () => {
    await page.goto(`${stage.server.url}/maintenance/exitWarning?code=${first.code}`)
    const row = rowOf(first.code, 'T0001')
    await row.getByText('在线').waitFor({ ...patiently, state: 'attached' })
    first.cutPower()
    await row.getByText('离线').waitFor({ ...patiently, state: 'attached' })
  })
})
