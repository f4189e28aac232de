import { readFileSync } from 'node:fs'
import { listDevices, listLogExtractions } from '@voltkeep/contract'
import { inTurn, type LogTroubleName } from '@voltkeep/simulator/commands/trouble'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { downloadBy, patiently, stageFor, until } from './harness.ts'

const address = '/maintenance/logextract'
/** The day this many days from today, in the server's time zone. */
const day = (days: number) =>
  new Date(Date.now() + days * 86_400_000 + 8 * 3_600_000).toISOString().slice(0, 10)

describe('a log from a cabinet to its user', () => {
  const stage = stageFor()
  let page: Page
  let devices: VirtualDevice[] = []
  /** A device that is online, and one that never was. */
  let code: string
  let offlineCode: string

  const cabinets = () => stage.identities.filter((each) => each.code.startsWith('EC'))

  /**
   * A cabinet of the demonstration, online, with logs of about this size. Each call takes another: two devices with one
   * identity would end each other's connections.
   */
  async function cabinet({ textBytes = 200_000, uploadMs = 0, troubles = [] as LogTroubleName[] } = {}) {
    const at = devices.length
    const identity = cabinets()[at]
    if (!identity || identity.code === offlineCode) throw new Error('the demonstration has more cabinets')
    const device = new VirtualDevice(identity, {
      broker: { host: '127.0.0.1', port: stage.server.mqttPort, isTls: false },
      random: createRandom(at),
      reconnectMs: [200, 1_000],
      commands: { logs: { textBytes, uploadMs, trouble: inTurn(...troubles) } },
    })
    devices.push(device)
    device.start()
    await device.whenOnline()
    await until('it is known to be online', async () => {
      const [row] = await stage.call(listDevices, { code: identity.code })
      return row?.isOnline === 1
    })
    return identity.code
  }

  beforeAll(async () => {
    devices = []
    offlineCode = cabinets().at(-1)?.code ?? ''
    code = await cabinet()
    page = await stage.open(address)
  })
  afterAll(() => {
    for (const device of devices) device.cutPower()
  })

  const form = () => page.getByRole('form', { name: '提取条件' })
  const panel = () => page.getByRole('region', { name: '日志信息' })
  const content = () => panel().getByRole('region', { name: '日志内容' })
  const present = () => content().locator('mark[data-present]')
  const choose = async (label: string, option: string) => {
    await form().getByLabel(label, { exact: true }).click()
    await page.locator('.ant-select-dropdown:visible').getByText(option, { exact: true }).click()
  }
  async function fill(device: string, level: string) {
    await form().getByLabel('设备编号').fill(device)
    await form().getByText('换电柜', { exact: true }).waitFor(patiently)
    await form().getByLabel('设备编号').press('Escape')
    await choose('日志级别', level)
  }
  const extract = () => form().getByRole('button', { name: '提取日志' }).click()
  const search = () => panel().getByLabel('搜索日志')
  const firstLine = () => content().locator('[data-place]').filter({ visible: true }).first()

  // proves: screen 4; route /maintenance/logextract; message please do not operate frequently; rule logExtract.equipCode; rule logExtract.equipClassify; rule logExtract.level
  it('is requested after a warning, in a form that reports missing fields', async () => {
    await page.getByText('请勿频繁操作，注意流量是否即将超限').waitFor(patiently)
    await extract()
    for (const missing of ['请输入设备编号', '请选择设备类别', '请选择日志级别']) {
      await form().getByText(missing).waitFor(patiently)
    }
    expect(await stage.call(listLogExtractions, {})).toEqual([])
  })

  it('is refused for an offline device', async () => {
    await fill(offlineCode, '运行日志')
    await form().getByText('设备离线，无法提取日志').waitFor(patiently)
    await extract()
    await form().getByText('设备不在线，无法提取日志').waitFor(patiently)
    expect(await stage.call(listLogExtractions, {})).toEqual([])
  })

  // proves: rule log file type; call GET /loglevel/all
  it('gets its file type from its level, without a field', async () => {
    await fill(code, '全部日志')
    await expect.poll(() => form().getByLabel('文件类型').inputValue(), patiently).toBe('zip')
    expect(await form().getByLabel('文件类型').isEditable()).toBe(false)
    await choose('日志级别', '运行日志')
    await expect.poll(() => form().getByLabel('文件类型').inputValue(), patiently).toBe('txt')
  })

  // proves: screen 4
  it('is shown once the device has uploaded it, from its first line to its last', async () => {
    await form().getByRole('button', { name: '近 3 天' }).click()
    await extract()
    await content().waitFor(patiently)
    const file = readFileSync(
      await (await downloadBy(panel().getByRole('button', { name: /下载/ }))).path(),
      'utf8',
    )
    const lines = file.trimEnd().split('\n')
    await panel()
      .getByText(`${lines.length.toLocaleString('en')} 行`)
      .waitFor(patiently)
    await content()
      .getByText(lines[0] ?? '')
      .waitFor(patiently)
    await content().press('End')
    await content()
      .getByText(lines.at(-1) ?? '')
      .waitFor(patiently)
    await content().press('Home')
    await content()
      .getByText(lines[0] ?? '')
      .waitFor(patiently)
  })

  it('is searched: hits are counted, and stepped through in both directions', async () => {
    const file = readFileSync(
      await (await downloadBy(panel().getByRole('button', { name: /下载/ }))).path(),
      'utf8',
    )
    const lines = file.trimEnd().split('\n')
    const hits = lines.flatMap((line, at) => (line.includes('电池通信超时') ? [at + 1] : []))
    const count = hits.length.toLocaleString('en')
    expect(hits.length).toBeGreaterThan(3)
    await search().fill('电池通信超时')
    await panel().getByText(`1/${count}`).waitFor(patiently)
    const lineOfPresent = () =>
      present().locator('xpath=ancestor::*[@data-place]').locator('[data-number]').textContent().then(Number)
    await expect.poll(lineOfPresent, patiently).toBe(hits[0])
    await search().press('Enter')
    await expect.poll(lineOfPresent, patiently).toBe(hits[1])
    // Two quick presses move two hits.
    await search().evaluate((input) => {
      const back = () => new KeyboardEvent('keydown', { key: 'Enter', shiftKey: true, bubbles: true })
      input.dispatchEvent(back())
      input.dispatchEvent(back())
    })
    await panel().getByText(`${count}/${count}`).waitFor(patiently)
    await expect.poll(lineOfPresent, patiently).toBe(hits.at(-1))
    await search().fill('没有这样的内容')
    await panel().getByText('无结果').waitFor(patiently)
    await search().press('Escape')
  })

  it('can be filtered by level, shown in words and colours', async () => {
    const errors = panel().getByRole('button', { name: /^错误/ })
    await errors.click()
    await panel()
      .getByText(/^显示 .* 行$/)
      .waitFor(patiently)
    await expect
      .poll(() => content().locator('[data-place]:not([data-level=error])').count(), patiently)
      .toBe(0)
    await firstLine().getByText('错误', { exact: true }).waitFor(patiently)
    await errors.click()
  })

  it('jumps to a time', async () => {
    const jump = panel().getByLabel('跳到时间')
    await jump.fill('half past nine')
    await jump.press('Enter')
    await panel().getByText('时间格式如 09:30').waitFor(patiently)
    await jump.fill(`${day(-1)} 12:00`)
    await jump.press('Enter')
    const timeOfTop = () =>
      content().evaluate((scroller) => {
        const top = scroller.getBoundingClientRect().top
        const row = [...scroller.querySelectorAll('[data-place]')].find(
          (each) => each.getBoundingClientRect().bottom > top + 1,
        )
        return row?.textContent?.match(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}/)?.[0] ?? ''
      })
    await expect.poll(timeOfTop, patiently).toMatch(new RegExp(`^${day(-1)} 12:0`))
    await jump.fill('12:30')
    await jump.press('Enter')
    await expect.poll(timeOfTop, patiently).toMatch(new RegExp(`^${day(-1)} 12:3`))
    await jump.fill('2099-01-01 00:00')
    await jump.press('Enter')
    await panel().getByText('该时间之后没有日志').waitFor(patiently)
  })

  it('is copied by lines', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await content().press('Home')
    const numbers = content().locator('[data-number]')
    await numbers.filter({ hasText: /^2$/ }).click()
    await numbers.filter({ hasText: /^4$/ }).click({ modifiers: ['Shift'] })
    await panel().getByRole('button', { name: '复制 3 行' }).click()
    await page.getByText('复制成功').waitFor(patiently)
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied.split('\n')).toHaveLength(3)
    await content()
      .getByText(copied.split('\n')[2] ?? '')
      .waitFor(patiently)
  })

  it('of several files is a list, from which each is opened', async () => {
    await fill(code, '全部日志')
    await extract()
    await panel().getByText('共 2 个文件').waitFor(patiently)
    await panel()
      .getByRole('button', { name: /故障日志\.log/ })
      .click()
    await content()
      .getByText(/\[(WARN |ERROR)\]/)
      .first()
      .waitFor(patiently)
    expect(await content().getByText('[INFO ]').count()).toBe(0)
    await panel().getByRole('button', { name: '共 2 个文件' }).click()
    await panel()
      .getByRole('button', { name: /运行日志\.log/ })
      .click()
    await content().getByText('[INFO ]').first().waitFor(patiently)
  })

  it('is decompressed if it is compressed', async () => {
    await fill(code, '通信日志')
    await extract()
    await content().getByText('comm/').first().waitFor(patiently)
  })

  // proves: message 提取失败
  it('that cannot be extracted shows the reason', async () => {
    const refusing = await cabinet({ troubles: ['refuses'] })
    await fill(refusing, '运行日志')
    await extract()
    await panel().getByText('提取失败').first().waitFor(patiently)
    await panel().getByText('该时段没有日志').waitFor(patiently)
  })

  it('shows its progress, and can be cancelled', async () => {
    const slow = await cabinet({ textBytes: 4_000_000, uploadMs: 60_000 })
    await fill(slow, '运行日志')
    await extract()
    await panel()
      .getByText(/KB\/s|MB\/s/)
      .waitFor(patiently)
    // Every page shows the progress to its user, and links back.
    const address = page.url()
    await page.goto(`${stage.server.url}/dashboard`)
    await page.getByRole('button', { name: '我的任务：1 个进行中' }).click()
    const tasks = page.getByRole('region', { name: '我的任务' })
    await tasks.getByText('已接收').first().waitFor(patiently)
    await tasks.getByRole('link', { name: '提取日志' }).first().click()
    await panel()
      .getByText(/KB\/s|MB\/s/)
      .waitFor(patiently)
    expect(page.url()).toBe(address)
    await panel().getByRole('button', { name: '取消提取' }).click()
    await panel().getByText('已取消', { exact: true }).first().waitFor(patiently)
  })

  it('stays in the history, and has its own address', async () => {
    await page.getByRole('tab', { name: '提取记录' }).click()
    await page.getByText('共 5 条').first().waitFor(patiently)
    const rows = await stage.call(listLogExtractions, { states: ['done'] })
    expect(rows).toHaveLength(3)
    const first = rows.find(({ fileType }) => fileType === 'txt')
    const other = await stage.open(`${address}?extraction=${first?.id}`)
    await other.getByRole('region', { name: '日志内容' }).getByText('run/').first().waitFor(patiently)
    await other.close()
    await page
      .locator('tbody tr')
      .filter({ hasText: '全部日志' })
      .getByRole('button', { name: '打开' })
      .click()
    await panel().getByText('共 2 个文件').waitFor(patiently)
  })

  it('is preset to the device that its page was opened from', async () => {
    const [device] = await stage.call(listDevices, { code })
    await page.goto(`${stage.server.url}/equipment/list?open=${device?.id}`)
    await page.getByRole('region', { name: code }).getByRole('link', { name: '提取日志' }).click()
    await expect.poll(() => form().getByLabel('设备编号').inputValue(), patiently).toBe(code)
    await form().getByText('换电柜', { exact: true }).waitFor(patiently)
  })

  // proves: rule logExtract.range
  it('is limited to the last 15 days, and readable on a phone', async () => {
    page = await stage.open(address, { width: 390, height: 844 })
    await fill(code, '运行日志')
    await form()
      .getByLabel('开始时间')
      .fill(`${day(-17)}T00:00:00`)
    await extract()
    await form().getByText('只能提取最近 15 天内的日志').waitFor(patiently)
    await form()
      .getByLabel('开始时间')
      .fill(`${day(-1)}T00:00:00`)
    await form()
      .getByLabel('结束时间')
      .fill(`${day(2)}T00:00:00`)
    await extract()
    await form().getByText('结束时间不能晚于今天').waitFor(patiently)
    await form().getByRole('button', { name: '近 3 天' }).click()
    await extract()
    await content().getByText('run/').first().waitFor(patiently)
    await search().fill('换电成功')
    await panel().getByText(/^1\//).waitFor(patiently)
    await present().waitFor(patiently)
    expect(stage.faults).toEqual([])
  })

  // Last: the browser notes the answer that breaks off.
  it('of a small archive with a wrong checksum is shown, with what is missing', async () => {
    page = await stage.open(address)
    const small = await cabinet({ textBytes: 400, troubles: ['wrong-checksum'] })
    await fill(small, '通信日志')
    await form().getByRole('button', { name: '近 3 天' }).click()
    await extract()
    await panel().getByText('日志不完整：压缩包校验失败，以下是可以读取的部分。').waitFor(patiently)
    await content().getByText('comm/').first().waitFor(patiently)
  })
})
