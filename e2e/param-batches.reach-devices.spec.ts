import { listBatchDevices, listParameterBatches } from '@voltkeep/contract'
import { inTurn, type SettingTroubleName } from '@voltkeep/simulator/commands/trouble'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSpreadsheet } from '../apps/server/src/platform/files/sheets/spreadsheet-reader.ts'
import { downloadBy, opened, patiently, stageFor } from './harness.ts'

const [door, soc, overTemperature, lamps, address] = [
  '02121001',
  '02121005',
  '02121006',
  '02121010',
  '02121011',
] as const
const before = {
  [door]: 0,
  [soc]: 95,
  [overTemperature]: 60,
  [lamps]: '2222220',
  [address]: '10.20.0.8:1883',
}

describe('parameters of many devices', () => {
  const stage = stageFor()
  let page: Page
  /** A device that obeys, one that refuses at first, one that is switched on late, and one that never is. */
  let codes: [good: string, locked: string, late: string, away: string]
  let batchCode: string
  const devices = new Map<string, VirtualDevice>()

  const switchOn = async (code: string, ...troubles: SettingTroubleName[]) => {
    const identity = stage.identities.find((one) => one.code === code)
    if (!identity) throw new Error(`the demonstration has no ${code}`)
    const device = new VirtualDevice(identity, {
      broker: { host: '127.0.0.1', port: stage.server.mqttPort, isTls: false },
      random: createRandom(1),
      reconnectMs: [200, 1_000],
      parameters: Object.entries(before).map(([id, value]) => ({ id, value })),
      commands: { settings: { trouble: inTurn(...troubles) } },
    })
    devices.set(code, device)
    device.start()
    await device.whenOnline()
  }

  beforeAll(async () => {
    const [good, locked, late, away] = stage.identities
      .map(({ code }) => code)
      .filter((code) => code.startsWith('EC'))
    if (!good || !locked || !late || !away) throw new Error('the demonstration has four cabinets')
    codes = [good, locked, late, away]
    await switchOn(good)
    await switchOn(locked, 'refuses')
    page = await stage.open('/maintenance/batchsetting')
  })
  afterAll(() => {
    for (const device of devices.values()) device.cutPower()
  })

  const dialog = () => page.getByRole('dialog')
  const question = () => page.locator('dialog[open]')
  const send = () => dialog().getByRole('button', { name: '下发' })
  const add = async (name: string) => {
    await dialog().getByRole('button', { name: '添加参数' }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
  }
  const rowOf = (text: string) => page.locator('tbody tr[data-key]').filter({ hasText: text })
  const stateIs = (code: string, state: string) =>
    rowOf(code).getByText(state, { exact: true }).waitFor(patiently)

  // proves: constant isOnline filter
  it('preset the filter of online devices', async () => {
    await page.getByText('还没有批量设置').waitFor(patiently)
    await opened(dialog(), page.getByRole('button', { name: '新增' }))
    await dialog().getByTitle('在线', { exact: true }).waitFor(patiently)
    await dialog().getByText('符合条件 2 台').waitFor(patiently)
  })

  // proves: rule upgradeCount; rule interval; constant upgradeCount; constant interval
  it('are validated before anything is sent: missing values and values beyond their limits', async () => {
    await send().click()
    await dialog().getByText('请至少添加一个参数').waitFor(patiently)
    await add('过温点')
    // The value's field has the focus.
    await page.keyboard.type('120')
    await add('平台IP和端口')
    await dialog().getByLabel('平台IP和端口 IP').fill('10.20.0.300')
    await dialog().getByLabel('下发次数').fill('51')
    await dialog().getByLabel('间隔时间').fill('2')
    await send().click()
    await dialog().getByText('过温点应为 30 到 90 的整数，单位 ℃').waitFor(patiently)
    await dialog().getByText('平台IP和端口格式应为 ip:port，端口 1 到 65535').waitFor(patiently)
    await dialog().getByText('下发次数不能大于 50').waitFor(patiently)
    await dialog().getByText('间隔时间不能小于 3').waitFor(patiently)
    await dialog().getByLabel('下发次数').fill('0')
    await dialog().getByLabel('间隔时间').fill('61')
    await dialog().getByText('下发次数不能小于 1').waitFor(patiently)
    await dialog().getByText('间隔时间不能大于 60').waitFor(patiently)
    await dialog().getByLabel('下发次数').fill('2')
    await dialog().getByLabel('间隔时间').fill('3')
  })

  // proves: rule device codes; rule parameter 02121001; rule parameter 02121005; rule parameter 02121006
  // proves: rule parameter 02121010; rule parameter 02121011
  it('have an editor for each kind, and a preview of what changes on how many devices', async () => {
    await dialog().getByLabel('过温点', { exact: true }).fill('65')
    // Pasting a whole address fills both fields.
    await dialog().getByLabel('平台IP和端口 IP').fill('10.20.0.9:1884')
    expect(await dialog().getByLabel('平台IP和端口 端口').inputValue()).toBe('1884')
    await add('门锁反馈信号1')
    await dialog().getByRole('switch', { name: '门锁反馈信号1 常开' }).click()
    await dialog().getByRole('switch', { name: '门锁反馈信号1 常闭' }).waitFor(patiently)
    await add('仓位满电SOC')
    await dialog().getByLabel('仓位满电SOC', { exact: true }).fill('90')
    await add('指示灯颜色编码')
    await dialog().getByRole('radio', { name: '全部指示灯' }).check()
    await dialog().getByRole('radio', { name: '绿灯常亮' }).check()
    await dialog().getByRole('radio', { name: '告警指示灯 绿灯常亮' }).check()
    await dialog().getByRole('radio', { name: '红灯闪烁' }).check()
    await dialog().getByRole('radio', { name: '告警指示灯 红灯闪烁' }).waitFor(patiently)

    await dialog().getByRole('tab', { name: '按编号' }).click()
    await dialog().getByLabel('设备编号').fill(`${codes[0]}!\n${codes[1]}-\n ${codes[2]}`)
    expect(await dialog().getByLabel('设备编号').inputValue()).toBe(codes.slice(0, 3).join('\n'))
    await dialog().getByText('将设置 3 台设备').waitFor(patiently)
    await dialog().getByText('其中 1 台离线，上线后下发').waitFor(patiently)
    await dialog().getByText('现为60℃×2').waitFor(patiently)
  })

  // proves: screen 3; route /maintenance/batchsetting; rule confirmations
  it('are sent after a confirmation of how many devices, and a device is done when it reports them', async () => {
    await send().click()
    await question().getByText('将对 3 台设备下发参数：').waitFor(patiently)
    await question().getByText('仓位满电SOC → 90%').waitFor(patiently)
    await question().getByRole('button', { name: '下发' }).click()
    await page.getByText('创建成功').waitFor(patiently)
    await stateIs(codes[0], '成功')
    await stateIs(codes[1], '设备拒绝')
    await stateIs(codes[2], '等待')
    await rowOf(codes[0]).getByText('60℃').waitFor(patiently)
    expect(new URL(page.url()).searchParams.get('batch')).not.toBe(null)
    await page.getByText('下发中，1 台未完成').waitFor(patiently)
    await page.getByRole('button', { name: /设备已锁定，不能修改参数/ }).waitFor(patiently)
    expect(devices.get(codes[0])?.parameters.list).toEqual([
      { id: door, value: 1 },
      { id: soc, value: 90 },
      { id: overTemperature, value: 65 },
      { id: lamps, value: '2222252' },
      { id: address, value: '10.20.0.9:1884' },
    ])
    const [batch] = await stage.call(listParameterBatches, {})
    batchCode = batch?.code ?? ''
    const reached = await stage.call(listBatchDevices, { id: batch?.id ?? '', states: ['succeeded'] })
    expect(reached.map(({ code }) => code)).toEqual([codes[0]])
  })

  it('are shown for each device: former, intended and present value, and all attempts', async () => {
    await rowOf(codes[1]).press('Enter')
    const panel = page.getByRole('complementary')
    await panel.getByText('第 1 次').waitFor(patiently)
    await panel.getByText('设备已锁定，不能修改参数').first().waitFor(patiently)
    for (const title of ['原值', '目标值', '当前值']) await panel.getByText(title).first().waitFor(patiently)
    await panel.getByRole('button', { name: '关闭' }).click()
    await page.getByRole('tab', { name: '日志' }).click()
    await rowOf(codes[1]).getByText('设备拒绝').first().waitFor(patiently)
    await rowOf(codes[0]).getByText('成功').waitFor(patiently)
  })

  // proves: screen 3; call GET /equip/param/log/export/fail
  it('are exported for failed devices, with a log, from the row of the batch', async () => {
    await page.getByRole('link', { name: '批量设置' }).last().click()
    const download = await downloadBy(
      rowOf(batchCode).getByRole('button', { name: '导出失败设备', exact: true }),
    )
    const rows: (readonly (string | undefined)[])[] = []
    for await (const { cells } of readSpreadsheet(await download.path())) rows.push(cells)
    expect(rows).toHaveLength(2)
    expect(rows[1]?.join()).toContain(codes[1])
    expect(rows[1]?.join()).toContain('设备已锁定，不能修改参数')
    await rowOf(batchCode).getByRole('button', { name: '日志', exact: true }).click()
    await rowOf(codes[1]).getByText('设备拒绝').first().waitFor(patiently)
  })

  it('are retried on failed devices only', async () => {
    await page.getByRole('tab', { name: '设备' }).click()
    await page.getByRole('button', { name: '重试失败' }).click()
    await question().getByText('将对失败的 1 台设备重新下发参数。').waitFor(patiently)
    await question().getByRole('button', { name: '重试' }).click()
    await page.getByText('已重新下发 1 台').waitFor(patiently)
    await stateIs(codes[1], '成功')
    expect(devices.get(codes[1])?.parameters.get(overTemperature)).toBe(65)
  })

  it('are stopped where they have not been sent', async () => {
    await page.getByRole('button', { name: '停止' }).click()
    await question()
      .getByText(/将停止对 1 台设备下发/)
      .waitFor(patiently)
    await question().getByRole('button', { name: '停止' }).click()
    await stateIs(codes[2], '已停止')
    await page.getByText(/^已于 .* 停止$/).waitFor(patiently)
    await switchOn(codes[2])
    await rowOf(codes[2]).getByTitle('在线').waitFor(patiently)
    expect(devices.get(codes[2])?.parameters.get(soc)).toBe(95)
  })

  it('are restored with one press to each device’s former values', async () => {
    await page.getByRole('button', { name: '恢复原值' }).click()
    await question()
      .getByText(`将对 2 台设备下发参数，恢复到批次 ${batchCode} 设置前的值：`)
      .waitFor(patiently)
    await question().getByRole('button', { name: '恢复' }).click()
    await page.getByRole('heading', { name: /^恢复原值 · 批次/ }).waitFor(patiently)
    await stateIs(codes[0], '成功')
    await stateIs(codes[1], '成功')
    for (const code of [codes[0], codes[1]]) {
      expect(
        Object.fromEntries(devices.get(code)?.parameters.list.map(({ id, value }) => [id, value]) ?? []),
      ).toEqual(before)
    }
  })

  // proves: screen 3
  it('are listed by day, each batch with its parameters in words and lamps', async () => {
    await page.getByRole('link', { name: '批量设置' }).last().click()
    await rowOf('恢复原值').waitFor(patiently)
    await rowOf('过温点 65℃').getByRole('button', { name: '查看' }).click()
    await dialog().getByText('常闭').waitFor(patiently)
    await dialog().getByTitle('告警指示灯 红灯闪烁').waitFor(patiently)
    await dialog().getByRole('button', { name: '关闭' }).last().click()
    await page.goto(`${stage.server.url}/maintenance/batchsetting?startTime=2020-01-01&endTime=2020-01-31`)
    await page.getByText('没有符合条件的批次').waitFor(patiently)
  })

  // proves: message 暂无日志信息
  it('have an empty log for a device that has the value already', async () => {
    await page.goto(`${stage.server.url}/maintenance/batchsetting`)
    await opened(dialog(), page.getByRole('button', { name: '新增' }))
    await dialog().getByRole('tab', { name: '按编号' }).click()
    await dialog().getByLabel('设备编号').fill(`${codes[0]}\n${codes[3]}`)
    await add('仓位满电SOC')
    await dialog().getByLabel('仓位满电SOC', { exact: true }).fill(String(before[soc]))
    await dialog().getByText('将设置 1 台设备').waitFor(patiently)
    await dialog().getByText('不设置 1 台：已是该值 1').waitFor(patiently)
    await send().click()
    await question().getByRole('button', { name: '下发' }).click()
    await stateIs(codes[0], '跳过')
    await rowOf(codes[0]).press('Enter')
    const panel = page.getByRole('complementary')
    await panel.getByText('暂无日志信息').waitFor(patiently)
    await panel.getByRole('button', { name: '关闭' }).click()
    await page.getByRole('link', { name: '批量设置' }).last().click()
    const row = rowOf('仓位满电SOC 95%').first()
    await row.getByRole('button', { name: /的更多操作$/ }).click()
    await page.getByRole('menuitem', { name: '停止' }).click()
    await question().getByRole('button', { name: '停止' }).click()
    await row.getByText('已停止').waitFor(patiently)
  })

  it('are cards on a phone, and a batch is one column', async () => {
    const phone = await stage.open('/maintenance/batchsetting', { width: 390, height: 844 })
    await phone.getByText(batchCode, { exact: true }).first().click()
    await phone.getByRole('button', { name: '恢复原值' }).waitFor(patiently)
    await phone.locator('li[data-key]').first().waitFor(patiently)
    const [inner, whole] = await phone.evaluate(() => [
      document.documentElement.clientWidth,
      document.documentElement.scrollWidth,
    ])
    expect(whole).toBeLessThanOrEqual(inner ?? 0)
    await phone.close()
    expect(stage.faults).toEqual([])
  })
})
