import { listParameterBatches, readParameterBatch } from '@voltkeep/contract'
import { inTurn, type SettingTroubleName } from '@voltkeep/simulator/commands/trouble'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../apps/server/src/platform/database/database.ts'
import { passTrial } from '../apps/server/test/batches.ts'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import { opened, patiently, stageFor } from './harness.ts'

const soc = '02121005'
const alarmCode = '02030001'

describe('a batch that begins with a trial', () => {
  const stage = stageFor()
  let page: Page
  let home: Page
  /** The second one refuses its first command. */
  let codes: string[]
  let devices: VirtualDevice[] = []

  const switchOn = async (code: string, ...troubles: SettingTroubleName[]) => {
    const identity = stage.identities.find((one) => one.code === code)
    if (!identity) throw new Error(`the demonstration has no ${code}`)
    const device = new VirtualDevice(identity, {
      broker: { host: '127.0.0.1', port: stage.server.mqttPort, isTls: false },
      random: createRandom(1),
      reconnectMs: [200, 1_000],
      parameters: [{ id: soc, value: 95 }],
      commands: { settings: { trouble: inTurn(...troubles) } },
    })
    devices.push(device)
    device.start()
    await device.whenOnline()
  }

  beforeAll(async () => {
    devices = []
    codes = stage.identities
      .map(({ code }) => code)
      .filter((code) => code.startsWith('EC'))
      .slice(0, 5)
    for (const [at, code] of codes.slice(0, 4).entries())
      await switchOn(code, ...(at === 1 ? (['refuses'] as const) : []))
    home = await stage.open('/dashboard')
    page = await stage.open('/maintenance/batchsetting')
  })
  afterAll(() => {
    for (const device of devices) device.cutPower()
  })

  const dialog = () => page.getByRole('dialog')
  const question = () => page.locator('dialog[open]')
  const send = () => dialog().getByRole('button', { name: '下发' })
  const banner = () => page.getByRole('status').filter({ hasText: '试行' })
  const rowOf = (code: string) => page.locator('tbody tr[data-key]').filter({ hasText: code })
  const values = () => devices.map(({ parameters }) => parameters.get(soc))
  const newest = async () => {
    const [batch] = await stage.call(listParameterBatches, {})
    if (!batch) throw new Error('there is no batch')
    return batch
  }

  /** Opens the form and fills in the devices and the value. */
  async function fill(value: number): Promise<void> {
    await page.goto(`${stage.server.url}/maintenance/batchsetting`)
    await opened(dialog(), page.getByRole('button', { name: '新增' }))
    await dialog().getByRole('tab', { name: '按编号' }).click()
    await dialog().getByLabel('设备编号', { exact: true }).fill(codes.slice(0, 4).join('\n'))
    await dialog().getByRole('button', { name: '添加参数' }).click()
    await page.getByRole('menuitem', { name: '仓位满电SOC', exact: true }).click()
    await page.keyboard.type(String(value))
    await dialog().getByLabel('先在少量设备上试行').check()
  }

  async function begin(): Promise<void> {
    await expect.poll(() => send().isEnabled(), patiently).toBe(true)
    await send().click()
    await question()
      .getByText(/台试行，其余 \d 台等待继续。/)
      .waitFor(patiently)
    await question().getByRole('button', { name: '下发' }).click()
    await page.getByText('创建成功').waitFor(patiently)
  }

  it('is refused where it names a device that the batch does not set', async () => {
    await fill(90)
    await dialog().getByText('按编号', { exact: true }).last().click()
    await dialog()
      .getByLabel('试行设备编号')
      .fill(codes[4] as string)
    await dialog().getByText(`试行设备不在要设置的设备中：${codes[4]}`).waitFor(patiently)
    expect(await send().isDisabled()).toBe(true)
    await dialog().getByLabel('试行设备编号').fill('')
    await send().click()
    await dialog().getByText('请输入试行设备编号').waitFor(patiently)
  })

  it('sets the named device first, and waits with what has come of it', async () => {
    await dialog()
      .getByLabel('试行设备编号')
      .fill(codes[1] as string)
    await dialog().getByText('先对 1 台试行，其余 3 台等待继续').waitFor(patiently)
    await begin()
    await banner().getByText('试行有异常，等待处理').waitFor(patiently)
    await banner().getByText('设备拒绝 1').waitFor(patiently)
    await banner().getByText('试行设备没有新告警').waitFor(patiently)
    await banner().getByText('其余 3 台尚未下发，等待人工继续或停止。').waitFor(patiently)
    expect(values()).toEqual([95, 95, 95, 95])
  })

  it('is among what is to be done on the home page', async () => {
    const { code } = await newest()
    const todo = home.getByRole('link').filter({ hasText: `批量设置等待继续：${code}` })
    await todo.getByText('3 台', { exact: true }).waitFor(patiently)
    await todo.getByText('试行 1 台，1 台未成功').waitFor(patiently)
    await home
      .getByRole('link')
      .filter({ hasText: '仓位满电SOC' })
      .getByText('待继续', { exact: true })
      .waitFor(patiently)
  })

  it('tells its devices apart in the list, and leads to them by the reason', async () => {
    await rowOf(codes[1] as string)
      .getByText('试行', { exact: true })
      .waitFor(patiently)
    await rowOf(codes[0] as string)
      .getByText('待继续', { exact: true })
      .waitFor(patiently)
    await banner()
      .getByRole('button', { name: /设备已锁定，不能修改参数/ })
      .click()
    await expect.poll(() => page.locator('tbody tr[data-key]').count(), patiently).toBe(1)
    expect(new URL(page.url()).searchParams.get('isTrial')).toBe('1')
  })

  it('leads to the alarms that its devices have raised since', async () => {
    await devices[1]?.raise(alarmCode, 1)
    await banner().getByText('出现新告警的设备').waitFor(patiently)
    await banner()
      .getByText(codes[1] as string)
      .waitFor(patiently)
    const link = banner().getByRole('link', { name: '查看告警' })
    const alarms = await stage.open((await link.getAttribute('href')) ?? '')
    await alarms.locator('tbody tr[data-key]').filter({ hasText: codes[1] }).waitFor(patiently)
    await alarms.close()
  })

  it('sets the others once its reader has continued it', async () => {
    await banner().getByRole('button', { name: '继续' }).click()
    await question().getByText('将对其余 3 台设备下发参数。').waitFor(patiently)
    await question().getByRole('button', { name: '继续' }).click()
    await page.getByText('已继续，将对 3 台设备下发').waitFor(patiently)
    await banner().getByText('试行完成，已继续').waitFor(patiently)
    await banner()
      .getByText(/^admin 于 .* 继续。$/)
      .waitFor(patiently)
    await page.getByText(/^已于 .* 结束$/).waitFor(patiently)
    expect(values()).toEqual([90, 95, 90, 90])
    const { code } = await newest()
    await home.getByText(`批量设置等待继续：${code}`).waitFor({ ...patiently, state: 'detached' })
  })

  it('is told apart in what happened to a device', async () => {
    const { code } = await newest()
    await rowOf(codes[1] as string)
      .getByRole('link', { name: codes[1] as string })
      .click()
    await page.getByText(`${code} · 试行`).waitFor(patiently)
  })

  it('goes on by itself where all is well, and an open page shows it', async () => {
    await fill(85)
    await dialog().getByLabel('试行台数').fill('2')
    await dialog().getByLabel('自动继续时间').fill('30')
    await dialog().getByText('先对 2 台试行，其余 2 台等待继续').waitFor(patiently)
    await begin()
    await banner()
      .getByText(/^将于 .* 自动继续，对其余 2 台下发。$/)
      .waitFor(patiently)
    const { id } = await newest()
    expect((await stage.call(readParameterBatch, { id })).trial?.counts.succeeded).toBe(2)
    const url = databaseUrlOf(stage.server.dataDir)
    const { db, close } = await openDatabase({ url, zone: 'UTC', poolSize: 1 })
    try {
      await passTrial(db, id, 30)
    } finally {
      await close()
    }
    await banner()
      .getByText(/^已于 .* 自动继续。$/)
      .waitFor(patiently)
    await page.getByText(/^已于 .* 结束$/).waitFor(patiently)
    expect(values()).toEqual([85, 85, 85, 85])
    expect(stage.faults).toEqual([])
  })
})
