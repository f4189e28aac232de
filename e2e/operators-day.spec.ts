import {
  listAlarms,
  listDevices,
  listOperators,
  listRoles,
  listUsers,
  previewPermissions,
  readAlarmHandling,
  readEnums,
  readPermissions,
} from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Locator } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { countClicks, downloadBy, patiently, stageFor, until } from './harness.ts'

// Frequent tasks of an operator, and how many presses each takes. The title of each test names the maximum.

describe("the operator's day", () => {
  const stage = stageFor()
  let devices: VirtualDevice[]
  let critical: string
  /** Further codes of the gravest level: each is noticed once. */
  let otherCritical: string[]
  let names: Map<string, string>

  beforeAll(async () => {
    const { ALARM = [] } = await stage.call(readEnums, { types: ['ALARM'] })
    const [gravest = '', ...others] = ALARM.filter(({ alarmLevel }) => alarmLevel === 1).map(
      ({ code }) => code,
    )
    critical = gravest
    otherCritical = others
    names = new Map(ALARM.map(({ code, name }) => [code, name]))
    devices = stage.identities.slice(0, 2).map((identity) => stage.device(identity))
    for (const device of devices) {
      device.start()
      await device.whenOnline()
    }
  })

  it('a new critical alarm is noticed on another page and understood with two presses', async () => {
    const page = await stage.open('/equipment/list')
    const [device] = devices
    await page.locator('tbody tr[data-key]').first().waitFor(patiently)
    // The page is connected, and has read the existing alarms: only later ones are new.
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

  it.each([
    ['six presses', 'on a wide screen', { width: 1440, height: 900 }, 6, 0],
    ['eight presses', 'on a phone', { width: 390, height: 844 }, 8, 1],
  ])(
    'an alarm is noticed on another page, taken, noted and closed by %s %s',
    async (_, __, size, most, at) => {
      const code = otherCritical[at]
      if (!code) throw new Error('the dictionary has further critical alarms')
      const page = await stage.open('/equipment/list', size)
      await page.locator('[data-key]').first().waitFor(patiently)
      await page.waitForFunction(() =>
        performance.getEntriesByType('resource').some(({ name }) => name.includes('/api/alarm/page')),
      )
      const clicks = await countClicks(page)
      await devices[0]?.raise(code, 1)
      const notice = page.getByRole('status').filter({ hasText: names.get(code) ?? code })
      await notice.getByRole('button', { name: '查看' }).click()
      const panel = page.locator('aside').filter({ hasText: '该设备同类告警' })
      await panel.getByRole('button', { name: '认领', exact: true }).click()
      // Beside the cross that closes the panel.
      await panel.getByRole('button', { name: '关闭', exact: true }).filter({ hasText: '关闭' }).click()
      const form = page.getByRole('dialog').filter({ hasText: '关闭告警' })
      await form.getByLabel('原因').click()
      await page.locator('.ant-select-item-option:visible').first().click()
      if (size.width > 400) await page.keyboard.press('Tab')
      else await form.getByLabel('备注').click()
      await page.keyboard.type('已更换风扇')
      await form.getByRole('button', { name: '关闭', exact: true }).filter({ hasText: '关闭' }).click()
      await form.waitFor({ ...patiently, state: 'hidden' })
      expect(await clicks()).toBeLessThanOrEqual(most)
      const [row] = await stage.call(listAlarms, { semaphoreCode: [code], status: 'all' })
      expect(row?.handling).toBe('closed')
      const actions = await stage.call(readAlarmHandling, { id: row?.id ?? '' })
      expect(actions.map(({ note }) => note)).toContain('已更换风扇')
      await page.close()
    },
  )

  it('twenty alarms are recovered with a note by four presses', async () => {
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
    // The report leads to the twenty.
    await page.getByRole('link', { name: '已恢复 20 条' }).click()
    await page.getByRole('list', { name: '生效的筛选' }).getByText('指定记录').waitFor(patiently)
    await expect.poll(() => page.locator('tbody tr[data-key]').count(), patiently).toBe(20)

    const rows = await stage.call(listAlarms, { semaphoreCode: codes, status: '0', pageSize: 50 })
    expect(rows.map(({ note, recoveryMethod }) => `${recoveryMethod} ${note}`)).toEqual(
      Array(20).fill('2 巡检时统一处理'),
    )
    expect(stage.faults).toEqual([])
    await page.close()
  })

  it('all offline cabinets of an operator are found by three presses, without knowing the manufacturer', async () => {
    await devices[1]?.stop()
    const readOffline = () => stage.call(listDevices, { isOnline: 0, pageSize: 500 })
    await until('the device is offline', async () => (await readOffline()).length > 0)
    const offline = await readOffline()
    const operator = (await stage.call(listOperators, {})).find(
      ({ name }) => name === offline[0]?.operatorName,
    )
    if (!operator) throw new Error('every device has an operator')
    const page = await stage.open('/equipment/list')
    await page.locator('tbody tr[data-key]').first().waitFor(patiently)
    const filters = page.getByRole('form', { name: '筛选' })
    const clicks = await countClicks(page)
    await filters.getByLabel('厂商').click()
    await page.keyboard.type(operator.name)
    await page.keyboard.press('Enter')
    await expect
      .poll(() => filters.locator('.ant-select').filter({ hasText: operator.name }).count(), patiently)
      .toBeGreaterThan(0)
    await filters.getByLabel('在线状态').click()
    await page.keyboard.type('离线')
    await page.keyboard.press('Enter')
    await filters.getByRole('button', { name: '查询' }).click()
    const expected = offline.filter(({ operatorName }) => operatorName === operator.name).length
    await page.getByText(`共 ${expected} 台`, { exact: true }).first().waitFor(patiently)
    expect(await clicks()).toBeLessThanOrEqual(3)
    const address = new URL(page.url()).searchParams
    expect([address.get('operatorId'), address.get('isOnline')]).toEqual([operator.id, '0'])
    await page.close()
  })

  it('last week’s alarms of a region are exported by four presses from the alarm page', async () => {
    const [device] = devices
    await device?.raise(critical, 1, { at: Date.now() - 7 * 24 * 60 * 60 * 1000 })
    const [row] = await stage.call(listDevices, { code: device?.code ?? '' })
    const region = row?.regionName.split(' / ').at(-1) ?? ''
    const page = await stage.open('/maintenance/exitWarning')
    await page.getByRole('tab', { name: '历史告警' }).waitFor(patiently)
    const clicks = await countClicks(page)
    await page.getByRole('tab', { name: '历史告警' }).click()
    const filters = page.getByRole('form', { name: '筛选' })
    await filters.getByLabel('地区').click()
    await page.keyboard.type(region)
    await page.keyboard.press('Enter')
    await expect.poll(() => filters.locator('.ant-cascader').textContent(), patiently).toContain(region)
    await filters.getByRole('group', { name: '常用时间范围' }).getByRole('button', { name: '上周' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('regionCode'), patiently).not.toBe(null)
    const saving = page.getByRole('button', { name: '导出' })
    await expect.poll(() => saving.isEnabled(), patiently).toBe(true)
    const asked = page.waitForRequest((request) => request.url().includes('/alarm/history/export'))
    const file = await downloadBy(saving)
    expect(file.suggestedFilename()).toMatch(/\.xlsx$/)
    const address = new URL(page.url()).searchParams
    const sent = new URL((await asked).url()).searchParams
    for (const name of ['regionCode', 'startTime', 'endTime']) {
      expect(sent.get(name)).toBe(address.get(name))
    }
    expect(await clicks()).toBeLessThanOrEqual(4)
    await page.close()
  })

  it('a user with a narrow scope is added by eight presses, with a summary to hand over', async () => {
    const role = (await stage.call(listRoles, {})).find(({ isAssignable }) => isAssignable)
    const page = await stage.open('/system/user')
    const tabTo = async (field: Locator) => {
      while (!(await field.evaluate((element) => element === document.activeElement))) {
        await page.keyboard.press('Tab')
      }
    }
    const adding = page.getByRole('button', { name: '新增用户' })
    await adding.waitFor(patiently)
    const clicks = await countClicks(page)
    await adding.click()
    const form = page.getByRole('dialog').filter({ hasText: '新增用户' })
    // Waits for the focus: text typed before it would be lost.
    await expect
      .poll(
        () => form.getByLabel('姓名').evaluate((element) => element === document.activeElement),
        patiently,
      )
      .toBe(true)
    // The form begins at the name; Tab goes to the login name, then skips the preset password.
    await page.keyboard.type('王小明')
    await tabTo(form.getByLabel('登录名'))
    await page.keyboard.type('wang.xiaoming')
    await tabTo(form.getByLabel('手机号'))
    await page.keyboard.type('13900000001')
    await form.getByLabel('用户类型').click()
    await page.getByTitle('厂商用户', { exact: true }).last().click()
    await form.getByLabel('角色').click()
    await page
      .getByTitle(role?.name ?? '', { exact: true })
      .last()
      .click()
    await form.getByLabel('地区').click()
    await page.keyboard.type('上海')
    await page.locator('.ant-cascader-menu-item').filter({ hasText: '上海市' }).first().click()
    await form.getByRole('button', { name: '确定' }).click()
    const summary = page.getByRole('dialog').filter({ hasText: '用户已新增' })
    await summary.getByText('上海市').waitFor(patiently)
    expect(await clicks()).toBeLessThanOrEqual(8)

    const [user] = await stage.call(listUsers, { name: 'wang.xiaoming' })
    expect(user?.hasPermissions).toBe(true)
    const saved = await stage.call(readPermissions, { userId: user?.id ?? '' })
    expect(saved.authorityEntities.map(({ type }) => type)).toEqual(['R'])
    const { count } = await stage.call(previewPermissions, { userId: user?.id ?? '' })
    await summary.getByText(`设备 ${count} 台 · 上海市`).waitFor(patiently)
    const password = (await summary.locator('dd .mono').last().innerText()).replace(/（.*/, '')

    // The copy button has the focus. Reading the clipboard needs a permission.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.keyboard.press('Enter')
    await page.getByText('复制成功').waitFor(patiently)
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    for (const part of [stage.server.url, 'wang.xiaoming', password, role?.name ?? '', '上海市']) {
      expect(copied).toContain(part)
    }
    await summary.getByRole('button', { name: '完成' }).click()
    await stage.server.client.signIn('wang.xiaoming', password)
    expect(stage.faults).toEqual([])
    await page.close()
  })
})
