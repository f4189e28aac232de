import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor } from './harness.ts'

describe('an event', () => {
  const stage = stageFor()
  let page: Page
  let device: string

  beforeAll(async () => {
    const [identity] = stage.identities
    if (!identity) throw new Error('the demonstration has devices')
    device = identity.code
    const playing = stage.device(identity)
    playing.start()
    await playing.whenOnline()
    await playing.report('event', { code: 'E2EOTHER', value: 1 })
    await playing.report('event', { code: 'E2EVENT', value: 7, data: { door: '3' } })
    page = await stage.open('/maintenance/eventsearch')
  })

  const panel = (of: Page) => of.locator('aside').filter({ hasText: '附加数据' })
  const shown = () => new URL(page.url())

  // proves: screen 2; route /maintenance/eventsearch
  it('opens beside the list, with its time in the address', async () => {
    const row = page.locator('tbody tr').filter({ hasText: 'E2EVENT' })
    await row.getByTitle('在线', { exact: true }).waitFor(patiently)
    await row.getByText('正常', { exact: true }).waitFor(patiently)
    // Beside the device, which is a link.
    await row.locator('td').nth(2).click()
    await panel(page).getByText('door').waitFor(patiently)
    expect(shown().searchParams.get('at')).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
  })

  it('has keys for the next and the previous one, j and k', async () => {
    const keys = await page
      .locator('tbody tr[data-key]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')))
    const open = () => shown().searchParams.get('open')
    const first = open()
    const at = keys.indexOf(first)
    const [there, back, other] = at > 0 ? ['k', 'j', keys[at - 1]] : ['j', 'k', keys[1]]
    await page.keyboard.press(there)
    await expect.poll(open, patiently).toBe(other)
    await page.keyboard.press(back)
    await expect.poll(open, patiently).toBe(first)
    await panel(page).getByText('door').waitFor(patiently)
  })

  it('is found when the list has moved on, with its time or by its id alone', async () => {
    for (const gone of ['', 'at']) {
      const address = shown()
      address.searchParams.delete(gone)
      address.searchParams.set('semaphoreName', 'NOSUCH')
      const again = await stage.open(address.pathname + address.search)
      await again.getByText('没有符合条件的事件').waitFor(patiently)
      await panel(again).getByText(device).waitFor(patiently)
      await again.close()
    }
  })

  it('that does not exist shows a message', async () => {
    await page.goto(`${stage.server.url}/maintenance/eventsearch?open=999999999999`)
    await page.locator('aside').getByText('事件不存在，或不在您的数据权限内').waitFor(patiently)
    expect(stage.faults).toEqual([])
  })
})
