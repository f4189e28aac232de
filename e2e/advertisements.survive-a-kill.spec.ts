import { randomBytes } from 'node:crypto'
import { type DeliveryCounts, listAdvertisements } from '@voltkeep/contract'
import { always, inTurn, type TroublePlan } from '@voltkeep/simulator/commands/trouble'
import type { Fleet } from '@voltkeep/simulator/fleet'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { png } from '../apps/server/test/annex.ts'
import { cabinetsAmong, connectFleet } from '../apps/server/test/fleets.ts'
import { times } from '../apps/server/test/long.ts'
import { opened, patiently, stageFor, until } from './harness.ts'

const cabinetCount = times(60, 200)
/** Six in ten devices of the demonstration are cabinets with a screen. */
const demoDevices = cabinetCount * 2
const name = '春节换电优惠'

/** In twenty cabinets, each of these troubles occurs once; the other cabinets have none. */
const plans: readonly TroublePlan[] = [
  always('refuses'),
  inTurn('disk-full'),
  inTurn('wrong-hash'),
  inTurn('cut-download'),
]
const refusing = cabinetCount / 20

describe(`an advertisement that is published from the page to ${cabinetCount} cabinets`, () => {
  const stage = stageFor({ demoDevices })
  let page: Page
  let fleet: Fleet
  let codes: string[]
  let answers: number
  let onAnswer = () => {}

  beforeAll(async () => {
    answers = 0
    const cabinets = cabinetsAmong(stage.identities, cabinetCount)
    codes = cabinets.map(({ code }) => code)
    expect(codes).toHaveLength(cabinetCount)
    fleet = await connectFleet(cabinets, stage.server.mqttPort, {
      onAcknowledged({ name: topic }) {
        if (topic !== 'reply') return
        answers += 1
        onAnswer()
      },
      commandsOf: ({ code }) => ({ hasScreen: true, trouble: plans[codes.indexOf(code) % 20] ?? inTurn() }),
    })
    page = await stage.open('/maintenance/advertise')
  })
  afterAll(() => {
    fleet?.cutPower()
  })

  const dialog = () => page.getByRole('dialog')
  const row = () => page.locator('tbody tr').filter({ hasText: name })
  const question = () => page.locator('dialog[open]')

  it('survives a kill of the server while it is delivered', async () => {
    await opened(dialog(), page.getByRole('button', { name: '发布广告' }))
    await dialog()
      .locator('input[type=file]')
      .setInputFiles({
        name: '春节.png',
        mimeType: 'image/png',
        buffer: Buffer.concat([png, randomBytes(512 * 1024)]),
      })
    await dialog().getByLabel('广告名称').fill(name)
    for (const [label, value] of [
      ['开始时间', '2026-01-01 00:00:00'],
      ['结束时间', '2099-12-31 23:59:59'],
    ] as const) {
      await dialog().getByLabel(label).fill(value)
      await dialog().getByLabel(label).press('Tab')
    }
    await dialog().getByRole('tab', { name: '按编号' }).click()
    await dialog().getByLabel('设备编号').fill(codes.join('\n'))
    await dialog().getByText(String(cabinetCount), { exact: true }).waitFor(patiently)
    await dialog().getByRole('button', { name: '确定' }).click()
    const died = new Promise<void>((resolve) => {
      onAnswer = () => {
        if (answers < cabinetCount / 4) return
        onAnswer = () => {}
        resolve(stage.server.kill())
      }
    })
    await question().getByRole('button', { name: '发布' }).click()
    await died
    expect(answers).toBeLessThan(cabinetCount)
    await stage.server.start()
    await fleet.whenOnline()
    await row().waitFor(patiently)
  })

  const counted = async (): Promise<DeliveryCounts | undefined> =>
    (await stage.call(listAdvertisements, { adName: name }))[0]?.counts
  /** Waits until every cabinet has it or has reported a failure. */
  const finished = () =>
    until(
      'every cabinet is done',
      async () => {
        const counts = await counted()
        return counts !== undefined && counts.waiting + counts.sent === 0
      },
      120_000,
    )

  it('shows live how many cabinets have it, and why the others do not', async () => {
    await finished()
    let counts: DeliveryCounts | undefined
    // Counted anew at each look: a cabinet that was given up may answer late.
    await until('the row shows what is counted', async () => {
      counts = await counted()
      const ready = (counts?.stored ?? 0) + (counts?.shown ?? 0)
      return row().getByText(`${ready}/${cabinetCount} 台就绪`).isVisible()
    })
    expect(counts).toMatchObject({ total: cabinetCount, refused: refusing })
    const { stored = 0, shown = 0, failed = 0 } = counts ?? {}
    expect(failed).toBeGreaterThan(0)
    expect(stored + shown + failed + refusing).toBe(cabinetCount)
    const panel = page.getByRole('complementary', { name })
    await opened(panel, row().getByRole('button', { name: '查看' }))
    await panel.getByText('存储空间不足').first().waitFor(patiently)
    await panel.getByText('设备拒绝执行').first().waitFor(patiently)
  })

  it('reaches failed cabinets on a retry, and each cabinet stores it once', async () => {
    const panel = page.getByRole('complementary', { name })
    await panel.getByRole('button', { name: /^重试失败的/ }).click()
    await panel.getByText(`${cabinetCount - refusing}/${cabinetCount} 台就绪`).waitFor({ timeout: 120_000 })
    await finished()
    expect(await counted()).toMatchObject({ failed: 0, refused: refusing })
    const keeping = fleet.devices.filter(({ advertisements }) => advertisements.length === 1)
    expect(keeping).toHaveLength(cabinetCount - refusing)
    expect(stage.faults).toEqual([])
  })
})
