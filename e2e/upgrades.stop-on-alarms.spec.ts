import {
  listAlarms,
  listEquipTypes,
  listUpgradeTargets,
  listUpgradeTasks,
  readUpgradeTask,
  saveBoard,
} from '@voltkeep/contract'
import { always } from '@voltkeep/simulator/commands/trouble'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../apps/server/src/platform/database/database.ts'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import { passMinutes } from '../apps/server/test/upgrades.ts'
import { opened, patiently, stageFor, until } from './harness.ts'

const pcbCode = 'STOP1'
const partType = 'PART_TYPE_EC_MASTER'
/** Firmware with this minor version raises an alarm on every cabinet that runs it. */
const alarmingMinor = 5
/** Long enough for two restarts, and a gate that checks every minute. */
const aWhile = { timeout: 180_000 }

describe('a rollout whose first stage raises alarms', () => {
  const stage = stageFor()
  let page: Page
  let devices: VirtualDevice[] = []
  /** A device that refuses upgrades. */
  let refusing: VirtualDevice
  /** A device of another type. */
  let other: { code: string }

  beforeAll(async () => {
    devices = []
    const type = (await stage.call(listEquipTypes, {})).find(({ name }) => name === '换电柜')
    await stage.call(saveBoard, { pcbCode, pcbName: '主控板', partType, equipTypeId: type?.id ?? '' })
    const cabinets = stage.identities.filter(({ code }) => code.startsWith('EC'))
    expect(cabinets.length).toBeGreaterThan(8)
    other = stage.identities.find(({ code }) => code.startsWith('BT')) ?? { code: '' }
    for (const [n, identity] of cabinets.entries()) {
      const device = new VirtualDevice(identity, {
        broker: { host: '127.0.0.1', port: stage.server.mqttPort, isTls: false },
        random: createRandom(n),
        reconnectMs: [200, 1_000],
        parts: [{ partType, addrId: '0', version: '1.4', pcbCode }],
        commands: {
          rebootMs: 200,
          upgrade: { alarmingMinor, progressMs: 200, ...(n === 0 && { trouble: always('refuses') }) },
        },
      })
      devices.push(device)
      device.start()
    }
    refusing = devices[0] as VirtualDevice
    await Promise.all(devices.map((device) => device.whenOnline()))
    await until('they have said what they run', () => devices.every(({ outboxSize }) => outboxSize === 0))
    page = await stage.open('/upgrade/softwareVersion')
  })
  afterAll(() => {
    for (const device of devices) device.cutPower()
  })

  const dialog = () => page.getByRole('dialog').filter({ visible: true })
  const question = () => page.locator('dialog[open]')
  const confirm = () => dialog().getByRole('button', { name: '确定' })
  const versions = () => devices.map(({ parts }) => parts.list[0]?.version)
  const count = (version: string) => versions().filter((one) => one === version).length
  const newestTask = async () => {
    const [task] = await stage.call(listUpgradeTasks, { type: 'ALL' })
    if (!task) throw new Error('there is no task')
    return stage.call(readUpgradeTask, { id: task.id })
  }

  async function upload(version: string): Promise<void> {
    const name = `${pcbCode}_EC_MASTER_V${version}_R.bin`
    await opened(dialog(), page.getByRole('button', { name: '新增软件版本' }))
    await dialog()
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.alloc(20_000, version) })
    for (const language of ['中文', '英文', '德文', '法文']) {
      await dialog().getByLabel(`${language}说明`).fill(`${pcbCode} ${version}`)
    }
    await confirm().click()
    await question().getByRole('button', { name: '保存' }).click()
    await page.locator('tbody tr').filter({ hasText: name }).waitFor(patiently)
  }

  /** Opens the form and fills in everything but the stages. */
  async function plan(version: string): Promise<void> {
    await page.goto(`${stage.server.url}/upgrade/upgradeTask`)
    await opened(dialog(), page.getByRole('button', { name: '新增升级任务' }))
    await dialog().getByLabel('软件文件').click()
    const file = `主控 ${version} · 换电柜 · ${pcbCode}`
    await page.locator('.ant-select-item-option').filter({ hasText: file }).click()
    await dialog().getByRole('button', { name: '现在', exact: true }).click()
    await dialog().getByRole('tab', { name: '按编号' }).click()
    await dialog()
      .getByLabel('设备编号')
      .fill(devices.map(({ code }) => code).join('\n'))
  }

  async function begin(): Promise<void> {
    await expect.poll(() => confirm().isEnabled(), patiently).toBe(true)
    await confirm().click()
    await question().getByText(`对 ${devices.length} 台设备升级`).waitFor(patiently)
    await question().getByRole('button', { name: '创建' }).click()
    await page.getByText('创建成功').waitFor(patiently)
  }

  /** The server finds the task as it would a minute later. */
  async function passMinute(taskId: string): Promise<void> {
    const url = databaseUrlOf(stage.server.dataDir)
    const { db, close } = await openDatabase({ url, zone: 'UTC', poolSize: 1 })
    try {
      await passMinutes(db, taskId, 1)
    } finally {
      await close()
    }
  }

  async function watchNewest(): Promise<void> {
    const { id } = await newestTask()
    await page.goto(`${stage.server.url}/upgrade/upgradeTask?task=${id}`)
  }

  it('starts with packages: the version in the field, a bad one, and one that fixes it', async () => {
    for (const version of ['1.4', `1.${alarmingMinor}`, '1.6']) await upload(version)
  })

  it('is planned for now: three cabinets first, a minute of soak, then the rest', async () => {
    await plan(`1.${alarmingMinor}`)
    // What the choice has and the task leaves out is counted, with its reason.
    await dialog()
      .getByLabel('设备编号')
      .fill([...devices, other].map(({ code }) => code).join('\n'))
    await dialog().getByText('另有 1 台不是该设备类型，不升级').waitFor(patiently)
    await dialog().getByText('自定义', { exact: true }).click()
    await dialog().getByRole('button', { name: '删除第 2 批' }).click()
    await dialog().getByLabel('第 1 批 单位').click()
    await page
      .locator('.ant-select-item-option')
      .getByText('台', { exact: true })
      .filter({ visible: true })
      .click()
    await dialog().getByLabel('第 1 批 数量').fill('3')
    await dialog().getByLabel('第 1 批 观察').fill('1')
    await begin()
  })

  it('is paused by itself, and says why: how many devices have which alarm, and the usual number', async () => {
    await watchNewest()
    await until(
      'the first cabinets soak, and the alarms of each are known',
      async () => {
        const { pause, stages, counts } = await newestTask()
        const alarming = new Set((await stage.call(listAlarms, {})).map(({ code }) => code))
        const isSoaking = stages[0]?.state === 'soaking' && alarming.size === counts.succeeded
        // On a slow machine the check of every minute may come first.
        return isSoaking || pause !== null
      },
      aWhile.timeout,
    )
    await passMinute((await newestTask()).id)
    await page.getByText('升级后出现新告警，已自动暂停').waitFor(aWhile)
    await page
      .getByRole('status')
      .getByText(/观察已升级的 [23] 台，其中 [23] 台出现新告警.*最多允许 [01] 台/)
      .waitFor(patiently)
    const { pause, counts, stages } = await newestTask()
    expect(pause).toMatchObject({ reason: 'alarms', stage: 1, by: null })
    expect(pause?.gate).toMatchObject({ passes: false, alarmed: counts.succeeded })
    expect(stages.map(({ state }) => state)).toEqual(['failed', 'pending'])
    // No other device received it.
    expect(count(`1.${alarmingMinor}`)).toBe(counts.succeeded)
    const alarming = devices.filter(({ alarms }) => alarms.size > 0).map(({ code }) => code)
    expect(pause?.gate?.devices.map(({ code }) => code).sort()).toEqual(alarming.sort())
    for (const code of alarming) await page.getByRole('status').getByText(code).waitFor(patiently)
  })

  it('is marked wherever its package is offered, and is the newest of no device', async () => {
    const [alarming] = devices.filter(({ alarms }) => alarms.size > 0)
    await page.goto(`${stage.server.url}/upgrade/softwareVersion`)
    await page
      .locator('tbody tr')
      .filter({ hasText: `V1.${alarmingMinor}_R.bin` })
      .getByText('观察未通过')
      .waitFor(patiently)
    await page.goto(`${stage.server.url}/upgrade/version?code=${alarming?.code}`)
    const row = page.locator('tbody tr').filter({ hasText: alarming?.code ?? '' })
    await row.getByText(`1.${alarmingMinor}`).waitFor(patiently)
    expect(await row.innerText()).not.toMatch(/最新|1\.6/)
    await page.goto(`${stage.server.url}/upgrade/upgradeTask`)
    await opened(dialog(), page.getByRole('button', { name: '新增升级任务' }))
    await dialog().getByLabel('软件文件').click()
    const option = page
      .locator('.ant-select-item-option')
      .filter({ hasText: `主控 1.${alarmingMinor} · 换电柜 · ${pcbCode}` })
    await option.getByText('观察未通过').waitFor(patiently)
    await option.click()
    await dialog()
      .getByText(/升级后出现新告警，观察未通过。请确认问题已解决/)
      .waitFor(patiently)
    await watchNewest()
  })

  it('is rolled back: the cabinets of the stage run the former version, and their alarms have recovered', async () => {
    const { counts } = await newestTask()
    await page.getByRole('button', { name: '回退' }).click()
    await question()
      .getByText(`将新建回退任务，把 ${counts.succeeded} 台设备的 主控 1.${alarmingMinor} 恢复到原来的版本`)
      .waitFor(patiently)
    await question().getByRole('button', { name: '回退' }).click()
    await page.getByText('已新建回退任务').waitFor(patiently)
    await expect.poll(async () => (await newestTask()).state, aWhile).toBe('finished')
    const task = await newestTask()
    expect(task).toMatchObject({ type: 'ROLLBACK', version: '1.4' })
    expect(task.counts.succeeded).toBe(task.counts.total)
    expect(versions()).toEqual(devices.map(() => '1.4'))
    await expect.poll(() => stage.call(listAlarms, {}), patiently).toEqual([])
  })

  it('is cancelled, and the fixed version goes to all devices: each verified, or listed with a reason', async () => {
    const [stopped] = await stage.call(listUpgradeTasks, {})
    await page.goto(`${stage.server.url}/upgrade/upgradeTask?task=${stopped?.id}`)
    await page.getByRole('button', { name: '取消任务' }).click()
    await question().getByRole('button', { name: '取消任务' }).click()
    await page.getByText('已取消', { exact: true }).first().waitFor(patiently)
    await plan('1.6')
    await begin()
    await watchNewest()
    await page.getByText('已完成', { exact: true }).first().waitFor(aWhile)
    await page.getByRole('region', { name: '失败与跳过' }).getByText('板卡不符').waitFor(patiently)
    const { id, counts } = await newestTask()
    expect(counts).toMatchObject({ total: devices.length, succeeded: devices.length - 1, refused: 1 })
    const targets = await stage.call(listUpgradeTargets, { taskId: id, pageSize: 100 })
    expect(targets.filter(({ result }) => result === 'refused')).toMatchObject([
      { code: refusing.code, reason: '板卡不符' },
    ])
    expect([count('1.6'), refusing.parts.list[0]?.version]).toEqual([devices.length - 1, '1.4'])
    expect(stage.faults).toEqual([])
  })
})
