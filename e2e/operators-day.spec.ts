import { listAlarms, readEnums } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countClicks, patiently, type Stage, setStage } from './harness.ts'

// What an operator does many times a day, and how many presses it takes. The line of each test says the most.

describe("the operator's day", () => {
  let stage: Stage
  let devices: VirtualDevice[]
  let critical: string
  let names: Map<string, string>

  beforeAll(async () => {
    stage = await setStage()
    const { ALARM = [] } = await stage.call(readEnums, { types: ['ALARM'] })
    critical = ALARM.find(({ alarmLevel }) => alarmLevel === 1)?.code ?? ''
    names = new Map(ALARM.map(({ code, name }) => [code, name]))
    devices = stage.identities.slice(0, 2).map((identity) => stage.device(identity))
    for (const device of devices) {
      device.start()
      await device.whenOnline()
    }
  })
  afterAll(() => stage?.close())

  it('has a new critical alarm noticed on another page and understood with two presses', async () => {
    const page = await stage.open('/equipment/list')
    const [device] = devices
    await page.locator('tbody tr[data-key]').first().waitFor(patiently)
    // The page is connected, and has looked at what there was before: only what comes now is new.
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('/api/alarm/page')),
    )
    const search = page.getByRole('form', { name: '筛选' }).locator('input').first()
    await search.focus()
    const clicks = await countClicks(page)
    await device?.raise(critical, 1)

    const notice = page.getByRole('status').filter({ hasText: '新的紧急告警' })
    await notice.waitFor(patiently)
    expect(await notice.innerText()).toContain(names.get(critical))
    expect(await notice.innerText()).toContain(device?.code)
    expect(await search.evaluate((element) => element === document.activeElement)).toBe(true)
    await expect.poll(() => page.title(), patiently).toMatch(/^\(1\) /)
    await page.getByRole('navigation', { name: '主菜单' }).getByText('紧急 1，重要 0').waitFor(patiently)

    await notice.getByRole('button', { name: '查看' }).click()
    const panel = page.locator('aside').filter({ hasText: '该设备同类告警' })
    await panel
      .getByText(device?.code ?? '')
      .first()
      .waitFor(patiently)
    await panel.getByRole('heading', { name: '告警内容' }).waitFor(patiently)
    await expect.poll(() => page.title(), patiently).toContain(names.get(critical))
    expect(await clicks()).toBeLessThanOrEqual(2)
    await page.close()
  })

  it('has twenty alarms recovered with a note by four presses', async () => {
    const codes = Array.from({ length: 10 }, (_, n) => `D${String(n).padStart(4, '0')}`)
    for (const device of devices) for (const code of codes) await device.raise(code, 1)
    const page = await stage.open(`/maintenance/exitWarning?semaphoreCode=${codes.join(',')}&pageSize=20`)
    await expect.poll(() => page.locator('tbody tr[data-key]').count(), patiently).toBe(20)
    const clicks = await countClicks(page)
    await page.locator('thead').getByRole('checkbox').click()
    await page.getByRole('button', { name: '恢复所选 20 条' }).click()
    const form = page.getByRole('dialog')
    await form.getByText('将所选 20 条告警标记为手动恢复').waitFor(patiently)
    await page.keyboard.type('巡检时统一处理')
    await form.getByRole('button', { name: '恢复 20 条' }).click()
    await page.getByText('已恢复 20 条').waitFor(patiently)
    expect(await clicks()).toBeLessThanOrEqual(4)

    const rows = await stage.call(listAlarms, { semaphoreCode: codes, status: '0', pageSize: 50 })
    expect(rows.map(({ note, recoveryMethod }) => `${recoveryMethod} ${note}`)).toEqual(
      Array(20).fill('2 巡检时统一处理'),
    )
    expect(stage.faults).toEqual([])
    await page.close()
  })
})
