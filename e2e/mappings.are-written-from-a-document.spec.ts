// A maker's format, from its document to alarms: the mapping is the one that docs/mappings.md makes of it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listDevices, listIntakeRefusals, listMappedMessages, listMappings } from '@voltkeep/contract'
import type { DeviceIdentity } from '@voltkeep/simulator/device'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectDevice, type RawClient } from '../apps/server/test/mqtt-client.ts'
import { patiently, stageFor, until } from './harness.ts'
import { formOn } from './reach.ts'

const manual = readFileSync(join(import.meta.dirname, '../docs/mappings.md'), 'utf8')
const mapping = /```json\n([\s\S]*?)```/.exec(manual)?.[1] ?? ''
const name = '艾克米换电柜'

describe('devices of another maker', () => {
  const stage = stageFor()
  let page: Page
  let identity: DeviceIdentity
  let model: string
  let client: RawClient

  beforeAll(async () => {
    const found = stage.identities.find(({ code }) => code.startsWith('EC'))
    if (!found) throw new Error('the demonstration has cabinets')
    identity = found
    const [row] = await stage.call(listDevices, { code: [identity.code] })
    model = row?.equipModelName ?? ''
    page = await stage.open('/equipment/mapping')
  })
  afterAll(() => client?.breakOff())

  const row = () => page.locator('[data-key]').filter({ hasText: name })
  const trial = () => page.getByRole('dialog', { name: `试运行 ${name}` })
  const say = (leaf: string, message: object) =>
    client.publish(`acme/${identity.code}/${leaf}`, { ts: Math.floor(Date.now() / 1_000), ...message })
  const alarm = { cmd: 'alarm', list: [{ no: 17, on: true }] }
  const state = { cmd: 'state', temp: 235, doors: [{ open: 0, bat: 'B001', soc: 64 }] }

  it('have a mapping written for them, which is a draft', async () => {
    await page.getByRole('button', { name: '新增映射' }).first().click()
    const form = formOn(page)
    await form.getByLabel('映射名称').fill(name)
    await form.getByLabel('设备型号').click()
    await page.locator('.ant-select-item-option').filter({ hasText: model }).first().click()
    await page.keyboard.press('Escape')
    const document = form.getByLabel('映射内容')
    await document.fill('{ "topic": ')
    await form.getByRole('button', { name: '确定' }).click()
    await form.getByText('映射内容不是 JSON 对象').waitFor(patiently)
    await document.fill(mapping.replace('"target": "reading"', '"target": "readings"'))
    await form.getByRole('button', { name: '确定' }).click()
    await form.getByText(/第 1 条规则 target：target 应为/).waitFor(patiently)
    await document.fill(mapping)
    await form.getByRole('button', { name: '确定' }).click()
    await form.waitFor({ ...patiently, state: 'hidden' })
    await row().getByText('未启用').waitFor(patiently)
    expect(stage.faults).toEqual([])
  })

  it('say what becomes nothing, and is kept', async () => {
    client = await connectDevice(stage.server.mqttPort, identity)
    expect(await say('up', alarm)).toBe(true)
    expect(await say('up', state)).toBe(true)
    await until('it is counted as refused', async () => {
      const refusals = await stage.call(listIntakeRefusals, { code: identity.code })
      return refusals.some(({ reason }) => reason === 'unmapped')
    })
    const [mapping] = await stage.call(listMappings, { keyword: name })
    const mappingId = mapping?.id ?? ''
    await until('it is kept for trials', async () => {
      const kept = await stage.call(listMappedMessages, { mappingId })
      return kept.length > 0
    })
  })

  it('are seen in the trial as what they will be, and a message that is typed as well', async () => {
    await row().getByRole('button', { name: '试运行' }).click()
    const kept = trial().getByRole('listitem').filter({ hasText: identity.code })
    await kept.filter({ hasText: '01110002' }).getByText('告警', { exact: true }).waitFor(patiently)
    await kept
      .getByText(/^收到时：/)
      .first()
      .waitFor(patiently)
    await trial()
      .getByLabel('报文', { exact: true })
      .fill(JSON.stringify({ ...state, ts: 1_767_225_600, rssi: -70 }))
    await trial().getByRole('button', { name: '试运行' }).click()
    const becomes = trial().getByRole('region', { name: '会变为' })
    await becomes.getByText('读数', { exact: true }).first().waitFor(patiently)
    await becomes.getByText(/"柜内温度": 23\.5/).waitFor(patiently)
    await becomes.getByText('没有用到：/rssi').waitFor(patiently)
    await trial().getByLabel('报文', { exact: true }).fill('{"cmd":"hello"}')
    await trial().getByRole('button', { name: '试运行' }).click()
    await becomes.getByText('没有规则适用').waitFor(patiently)
  })

  it('are understood from the press of a button on', async () => {
    await trial().getByRole('button', { name: '启用草稿' }).click()
    await trial()
      .getByText(/^v1 · admin/)
      .waitFor(patiently)
    await expect
      .poll(() => trial().getByRole('button', { name: '启用草稿' }).isDisabled(), patiently)
      .toBe(true)
    await page.keyboard.press('Escape')
    await row().getByText('v1', { exact: true }).waitFor(patiently)
    const alarms = await stage.open(`/maintenance/exitWarning?code=${identity.code}`)
    await alarms.getByText('没有符合条件的告警').waitFor(patiently)
    // The connection of before is one to a device whose words were unknown.
    await until('it is understood', async () => {
      if (client.isClosed) client = await connectDevice(stage.server.mqttPort, identity)
      await say('up', alarm)
      return (await alarms.locator('[data-key]').count()) > 0
    })
    await alarms.locator('[data-key]').filter({ hasText: '烟感告警' }).waitFor(patiently)
    expect(await say('up', state)).toBe(true)
    await alarms.locator('[data-key]').first().getByRole('link', { name: identity.code }).click()
    await alarms.getByText('23.5').first().waitFor(patiently)
    await alarms.getByRole('list', { name: '仓位', exact: true }).getByText('64').first().waitFor(patiently)
    expect(stage.faults).toEqual([])
  })
})
