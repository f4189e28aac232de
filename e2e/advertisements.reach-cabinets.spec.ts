import { countChosenDevices, listAdvertisements, listDeliveries } from '@voltkeep/contract'
import { inTurn } from '@voltkeep/simulator/commands/trouble'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { opened, patiently, pressBehind, stageFor } from './harness.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('an advertisement on its way to cabinets', () => {
  const stage = stageFor()
  let page: Page
  /** The first cabinet cannot store the file at first. */
  let codes: string[]
  let devices: VirtualDevice[] = []

  beforeAll(async () => {
    codes = []
    devices = []
    for (const { code, secret } of stage.identities) {
      if (codes.length === 3) break
      const { count } = await stage.call(countChosenDevices, { filters: { equipClassify: 'EC' } })
      expect(count).toBeGreaterThan(2)
      if (!code.startsWith('EC')) continue
      const device = new VirtualDevice(
        { code, secret },
        {
          broker: { host: '127.0.0.1', port: stage.server.mqttPort, isTls: false },
          random: createRandom(1),
          reconnectMs: [200, 1_000],
          commands: { hasScreen: true, trouble: inTurn(codes.length === 0 ? 'disk-full' : undefined) },
        },
      )
      devices.push(device)
      codes.push(code)
      device.start()
    }
    await Promise.all(devices.map((device) => device.whenOnline()))
    page = await stage.open('/maintenance/advertise')
  })
  afterAll(() => {
    for (const device of devices) device.cutPower()
  })

  const dialog = () => page.getByRole('dialog')
  const rowOf = (name: string) => page.locator('tbody tr').filter({ hasText: name })
  const question = () => page.locator('dialog[open]')
  const confirm = () => dialog().getByRole('button', { name: '确定' })

  // proves: route /maintenance/advertise; rule advertisement confirm button; screen 15
  it('needs its file uploaded before it can be sent', async () => {
    await page.getByText('还没有广告').waitFor(patiently)
    await opened(dialog(), page.getByRole('button', { name: '发布广告' }))
    await expect.poll(() => confirm().isDisabled(), patiently).toBe(true)
    await dialog()
      .locator('input[type=file]')
      .setInputFiles({ name: '春节.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
    await dialog().getByText('仅支持 JPG、PNG、GIF、WebP 图片和 MP4、WebM 视频').waitFor(patiently)
    await dialog().getByRole('button', { name: '删除文件' }).click()
    await dialog()
      .locator('input[type=file]')
      .setInputFiles({ name: '春节.png', mimeType: 'image/png', buffer: png })
    await expect.poll(() => confirm().isEnabled(), patiently).toBe(true)
  })

  // proves: rule advertisement.adName; message 请输入广告名称; screen 15; message 创建成功
  it('reports missing fields, and is confirmed before it is published', async () => {
    await confirm().click()
    await dialog().getByText('请输入广告名称').waitFor(patiently)
    await dialog().getByLabel('广告名称').fill('春节换电优惠')
    for (const [label, value] of [
      ['开始时间', '2026-01-01 00:00:00'],
      ['结束时间', '2099-12-31 23:59:59'],
    ] as const) {
      await dialog().getByLabel(label).fill(value)
      await dialog().getByLabel(label).press('Tab')
    }
    await dialog().getByRole('tab', { name: '按编号' }).click()
    await dialog().getByLabel('设备编号').fill(codes.join('\n'))
    await dialog().getByText('3', { exact: true }).waitFor(patiently)
    await confirm().click()
    await question().getByText('春节换电优惠').waitFor(patiently)
    await question().getByRole('button', { name: '发布' }).click()
    await page.getByText('创建成功').waitFor(patiently)
    await rowOf('春节换电优惠').waitFor(patiently)
  })

  // proves: screen 15
  it('is found by its name', async () => {
    const filters = page.getByRole('form', { name: '筛选' })
    await filters.getByLabel('广告名称').fill('中秋')
    await page.keyboard.press('Enter')
    await page.getByText('没有符合条件的广告').waitFor(patiently)
    await filters.getByLabel('广告名称').fill('换电')
    await page.keyboard.press('Enter')
    await rowOf('春节换电优惠').waitFor(patiently)
    await filters.getByRole('button', { name: '重置' }).click()
  })

  // proves: screen 15; rule advertisement read-only
  it('shows the delivery to its cabinets live, and why one failed', async () => {
    // Also if the cabinets finished before the filters were reset: the list is not shown from the cache.
    await rowOf('春节换电优惠').getByText('2/3 台就绪').waitFor(patiently)
    await rowOf('春节换电优惠').getByText('1 台失败').waitFor(patiently)
    await rowOf('春节换电优惠').getByRole('button', { name: '查看' }).click()
    const panel = page.getByRole('complementary', { name: '春节换电优惠' })
    await panel.getByText('失败原因').waitFor(patiently)
    await panel.locator('img').waitFor(patiently)
    await panel.getByText('失败', { exact: true }).waitFor(patiently)
    await panel.getByRole('button', { name: '重试失败的 1 台' }).click()
    await panel.getByText('3/3 台就绪').waitFor(patiently)
    // The panel is read only except for a retry.
    expect(await panel.getByRole('textbox').count()).toBe(0)
    const [ad] = await stage.call(listAdvertisements, {})
    const rows = await stage.call(listDeliveries, { adId: ad?.id ?? '' })
    expect(rows.map(({ code, state }) => [code, state]).sort()).toEqual(
      codes.map((code) => [code, 'shown']).sort(),
    )
  })

  // proves: rule silent failures
  it('shows an error of the preview in place of the picture, and nowhere else', async () => {
    await page.route('**/api/ad/advertising/preview*', (route) => route.abort())
    await page.reload()
    const panel = page.getByRole('complementary', { name: '春节换电优惠' })
    await panel.getByRole('alert').getByText('预览加载失败').waitFor(patiently)
    await expect.poll(() => page.getByRole('alert').count(), patiently).toBe(1)
    await page.unroute('**/api/ad/advertising/preview*')
    await panel.getByRole('button', { name: '重试', exact: true }).click()
    await panel.locator('img').waitFor(patiently)
  })

  it('offers a replacement and an end in its panel, each saying what it does', async () => {
    const panel = page.getByRole('complementary', { name: '春节换电优惠' })
    await opened(dialog(), panel.getByRole('button', { name: '替换' }))
    await dialog().getByTitle('春节换电优惠').waitFor(patiently)
    // Enter ends the typing of a moment, and sends nothing.
    await dialog().getByLabel('开始时间').fill('2026-01-01 00:00:00')
    await dialog().getByLabel('开始时间').press('Enter')
    expect(await dialog().getByText('请输入广告名称').count()).toBe(0)
    await dialog().getByRole('button', { name: '取消' }).click()
    await dialog().waitFor({ ...patiently, state: 'hidden' })
    await pressBehind(panel, '结束投放')
    await question().getByText('将结束广告“春节换电优惠”的投放，并从 3 台柜机撤下。').waitFor(patiently)
    await question().getByRole('button', { name: '取消' }).click()
  })

  // proves: screen 15
  it('is removed from the cabinets when it is deleted', async () => {
    await page.getByRole('complementary').getByRole('button', { name: '关闭' }).click()
    await pressBehind(rowOf('春节换电优惠'), '删除')
    await question().getByText('将删除广告“春节换电优惠”，并从 3 台柜机撤下。').waitFor(patiently)
    await question().getByRole('button', { name: '删除' }).click()
    await page.getByText('删除成功!').waitFor(patiently)
    await rowOf('春节换电优惠').waitFor({ ...patiently, state: 'detached' })
    await expect.poll(() => devices.flatMap((device) => device.advertisements), patiently).toEqual([])
    expect(stage.faults).toEqual([])
  })
})
