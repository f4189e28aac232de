import { insertRole, insertUser, listDevices, listMenus, listRemoteActions } from '@voltkeep/contract'
import { Batteries } from '@voltkeep/simulator/cabinet/battery'
import { Cabinet } from '@voltkeep/simulator/cabinet/cabinet'
import { inTurn } from '@voltkeep/simulator/commands/trouble'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asIfMadeLongAgo } from './colleagues.ts'
import { patiently, stageFor, until } from './harness.ts'

describe('a door is opened from afar', () => {
  const stage = stageFor()
  let page: Page
  let device: VirtualDevice
  let code: string
  let id: string

  beforeAll(async () => {
    const identity = stage.identities.find((each) => each.code.startsWith('EC'))
    if (!identity) throw new Error('the demonstration has cabinets')
    const random = createRandom(5)
    device = new VirtualDevice(identity, {
      broker: { host: '127.0.0.1', port: stage.server.mqttPort, isTls: false },
      random,
      reconnectMs: [200, 1_000],
      cabinet: new Cabinet({ count: 12, batteries: new Batteries(random), random, nowMs: Date.now() }),
      // The second command is answered and not executed.
      commands: { actions: { doorMs: 500, trouble: inTurn(undefined, 'lies') } },
    })
    code = identity.code
    device.start()
    await device.whenOnline()
    await device.reportStatus()
    await until('it is known to be online', async () => {
      const [row] = await stage.call(listDevices, { code })
      id = row?.id ?? ''
      return row?.isOnline === 1
    })
    page = await stage.open(`/equipment/list?code=${code}&open=${id}`)
  })
  afterAll(() => device.cutPower())

  const detail = (of = page) => of.getByRole('main')
  const dialog = (of = page) => of.getByRole('dialog', { name: /开门/ })
  /** With the keyboard alone, from the menu of the device. */
  const ask = async (compartment: number, reason: string) => {
    await detail().getByRole('button', { name: '其他操作' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: '开门', exact: true }).filter({ visible: true }).focus()
    await page.keyboard.press('Enter')
    await dialog().getByLabel('仓位').focus()
    await page.keyboard.type(String(compartment))
    await page
      .locator('.ant-select-dropdown:visible')
      .getByText(new RegExp(`^${compartment}号仓`))
      .first()
      .waitFor(patiently)
    await page.keyboard.press('Enter')
    await dialog().getByLabel('原因').fill(reason)
    await page.keyboard.press('Tab')
  }
  const send = (of = page) => dialog(of).getByRole('button', { name: '确认开门' }).click()

  it('with a question that names compartment, battery and place, and the truth in its place', async () => {
    await ask(3, '电池卡住，维保人员在现场')
    expect(await stage.call(listRemoteActions, {})).toEqual([])
    await dialog()
      .getByText(/^BT\d+ · SOC \d+%$/)
      .waitFor(patiently)
    await dialog().getByText('3号仓', { exact: true }).first().waitFor(patiently)
    await dialog().getByText('仓门将立即打开，请确认现场有人看护。').waitFor(patiently)
    await send()
    await dialog().getByText('设备上报：已打开').waitFor(patiently)
    await page.keyboard.press('Enter')
    await dialog().waitFor({ state: 'detached' })
    expect(await stage.call(listRemoteActions, {})).toMatchObject([
      { equipCode: code, compartment: 3, state: 'confirmed', reason: '电池卡住，维保人员在现场' },
    ])
  })

  it('and a device that only says so is not believed', async () => {
    await ask(4, '远程测试')
    await send()
    await dialog().getByText('设备已响应').waitFor(patiently)
    await dialog().getByText('等待设备上报确认').waitFor(patiently)
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  })

  it('and with fire behind it only when a second person has agreed', async () => {
    await device.raise('01120003', 16)
    const pages = (await stage.call(listMenus, {})).flatMap((menu) => [menu, ...menu.children])
    const menus = pages.flatMap((menu) => [menu, ...menu.children])
    const { id: roleId } = await stage.call(insertRole, {
      name: '开门复核',
      code: 'E2E_SECOND',
      menuIds: [...new Set(menus.map((menu) => menu.id))],
    })
    await stage.call(insertUser, {
      loginName: 'e2e-second',
      password: 'Volt-1234',
      userName: '第二人',
      phone: '13800000001',
      roleIds: [roleId],
      type: '2',
    })
    await asIfMadeLongAgo(stage)
    await ask(5, '现场冒烟，消防人员要求开门')
    await send()
    await dialog().getByText('等待另一人同意').waitFor(patiently)

    const token = await stage.server.client.signIn('e2e-second', 'Volt-1234')
    const theirs = await (await stage.otherBrowser(token)).newPage()
    await theirs.goto(`${stage.server.url}/dashboard`)
    await theirs.getByRole('link', { name: '待我同意：1 项' }).click()
    const row = theirs.locator('tbody tr').filter({ hasText: `打开仓门 ${code} 5号仓` })
    await row.getByRole('button', { name: '同意', exact: true }).click()
    const question = theirs.locator('dialog[open]')
    await question.getByText('仓位过温（5号仓位过温）').waitFor(patiently)
    await question.getByRole('button', { name: '同意', exact: true }).click()
    await theirs.getByText('已同意').first().waitFor(patiently)
    await theirs.getByRole('link', { name: /^待我同意：/ }).waitFor({ state: 'detached' })

    await dialog().getByText('设备上报：已打开').waitFor(patiently)
    await dialog().getByRole('link', { name: '查看记录' }).click()
    const record = page.locator('tbody tr').filter({ hasText: '开门 · 5号仓' })
    await record.getByText('已打开').waitFor(patiently)
    await record.getByText('e2e-second').waitFor(patiently)
  })
})
