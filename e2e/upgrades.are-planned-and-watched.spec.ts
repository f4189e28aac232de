import { insertUpgradeTask, listDeviceVersions, listUpgradeTasks } from '@voltkeep/contract'
import { inTurn } from '@voltkeep/simulator/commands/trouble'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { opened, patiently, pressBehind, stageFor, until } from './harness.ts'
import { master, saveMasterBoard, uploadMasterPackage } from './masters.ts'

describe('an upgrade', () => {
  const stage = stageFor()
  let page: Page
  /** The first device fails its first installation. */
  let devices: VirtualDevice[] = []
  const codes = () => devices.map(({ code }) => code)

  beforeAll(async () => {
    devices = []
    await saveMasterBoard(stage)
    await uploadMasterPackage(stage, '9.1')
    for (const identity of stage.identities.filter(({ code }) => code.startsWith('EC')).slice(0, 3)) {
      const device = new VirtualDevice(identity, {
        broker: { host: '127.0.0.1', port: stage.server.mqttPort, isTls: false },
        random: createRandom(1),
        reconnectMs: [100, 500],
        parts: [{ partType: master, addrId: '0', version: '1.0' }],
        commands: {
          rebootMs: 50,
          upgrade: {
            downloadMs: 50,
            installMs: 50,
            progressMs: 0,
            trouble: inTurn(devices.length === 0 ? 'install-fails' : undefined),
          },
        },
      })
      devices.push(device)
      device.start()
    }
    await until('the devices have told their versions', async () => {
      const told = await stage.call(listDeviceVersions, { version: '1.0', partType: master, pageSize: 100 })
      return codes().every((code) => told.some((row) => row.code === code))
    })
    page = await stage.open('/upgrade/upgradeTask')
  })
  afterAll(() => {
    for (const device of devices) device.cutPower()
  })

  const dialog = () => page.getByRole('dialog')
  const question = () => page.locator('dialog[open]')
  const rowOf = (text: string) => page.locator('tbody tr').filter({ hasText: text })
  const send = () => dialog().getByRole('button', { name: '确定' }).click()
  const openForm = () => opened(dialog(), page.getByRole('button', { name: '新增升级任务' }))

  // proves: screen 8; rule upgradeTask.softwareVersionId; rule upgradeTask.upgradeTime
  it('cannot be planned without a file and a time', async () => {
    await page.getByText('还没有升级任务').waitFor(patiently)
    await openForm()
    await send()
    await dialog().getByText('请选择软件文件', { exact: true }).last().waitFor(patiently)
    await dialog().getByText('请选择升级时间').waitFor(patiently)
  })

  // proves: screen 8; rule upgrade task filled in; rule confirmations
  it('previews the devices that it will reach, and confirms their number', async () => {
    await dialog().getByLabel('软件文件').click()
    await page.locator('.ant-select-item-option').filter({ hasText: '主控 9.1' }).click()
    // The device type and the part follow from the file.
    await dialog().getByText('换电柜 · 主控').waitFor(patiently)
    await dialog().getByRole('button', { name: '凌晨 02:00' }).click()
    await dialog().getByRole('tab', { name: '按编号' }).click()
    await dialog().getByLabel('设备编号').fill(codes().join('\n'))
    await dialog().getByText('将一次升级 3 台').waitFor(patiently)
    await dialog().getByText('主控 → 9.1：3 台').waitFor(patiently)
    await dialog().getByLabel('每台最多尝试').fill('1')
    await dialog().getByLabel('备注').fill('端到端')
    await expect.poll(() => dialog().getByRole('button', { name: '确定' }).isEnabled(), patiently).toBe(true)
    await send()
    await question().getByText('对 3 台设备升级 主控 9.1').waitFor(patiently)
    await question().getByRole('button', { name: '创建' }).click()
    await page.getByRole('heading', { name: '换电柜 · 主控 9.1' }).waitFor(patiently)
    await page.getByText(/^将于 .+ 02:00:00 开始$/).waitFor(patiently)
    expect(new URL(page.url()).searchParams.get('task')).toMatch(/^\d+$/)
  })

  // proves: screen 8
  it('is found by device type, parts and version', async () => {
    await page.getByRole('link', { name: '‹ 升级任务' }).click()
    await rowOf('端到端').waitFor(patiently)
    const filters = page.getByRole('form', { name: '筛选' })
    const choose = async (label: string, ...options: string[]) => {
      await filters.getByLabel(label, { exact: true }).click()
      for (const option of options)
        await page.locator('.ant-select-item-option').getByText(option, { exact: true }).last().click()
      await page.keyboard.press('Escape')
    }
    await choose('设备类型', '换电柜')
    await choose('部件', '主控', '仓控')
    await filters.getByLabel('软件版本').fill('9.1')
    await filters.getByRole('button', { name: '查询' }).click()
    await expect
      .poll(() => new URL(page.url()).searchParams.get('partTypes')?.split(',').sort(), patiently)
      .toEqual(['PART_TYPE_EC_BIN', 'PART_TYPE_EC_MASTER'])
    await rowOf('端到端').waitFor(patiently)
    await filters.getByLabel('软件版本').fill('8.0')
    await filters.getByRole('button', { name: '查询' }).click()
    await page.getByText('没有符合条件的升级任务').waitFor(patiently)
    await filters.getByRole('button', { name: '重置' }).click()
  })

  // proves: screen 8; message 删除成功!
  it('can be deleted and changed before it has begun', async () => {
    const [task] = await stage.call(listUpgradeTasks, {})
    await stage.call(insertUpgradeTask, {
      softwareVersionId: task?.softwareVersionId,
      upgradeTime: '2099-01-01 00:00:00',
      remark: '不要了',
    })
    await rowOf('端到端').waitFor(patiently)
    await page.reload()
    await pressBehind(rowOf('不要了'), '删除')
    await question().getByText('将删除“换电柜 主控 9.1”的升级任务。').waitFor(patiently)
    await question().getByRole('button', { name: '删除' }).click()
    await page.getByText('删除成功!').waitFor(patiently)
    await rowOf('不要了').waitFor({ ...patiently, state: 'detached' })

    await opened(dialog(), rowOf('端到端').getByRole('button', { name: '编辑' }))
    await dialog().getByText('将一次升级 3 台').waitFor(patiently)
    await dialog().getByRole('button', { name: '现在' }).click()
    await expect.poll(() => dialog().getByRole('button', { name: '确定' }).isEnabled(), patiently).toBe(true)
    await send()
    await question().getByRole('button', { name: '保存' }).click()
    await dialog().waitFor({ ...patiently, state: 'hidden' })
  })

  // proves: screen 8
  it('is watched live: what failed, why, and on which device', async () => {
    await rowOf('端到端').getByText('2/3 成功').waitFor(patiently)
    await rowOf('端到端').getByText('1 失败').waitFor(patiently)
    expect(await rowOf('端到端').getByRole('button', { name: '编辑' }).count()).toBe(0)
    expect(await rowOf('端到端').getByRole('button', { name: '其他操作' }).count()).toBe(0)
    await rowOf('端到端').getByRole('button', { name: '详情' }).click()
    const reasons = page.getByRole('region', { name: '失败与跳过' })
    await reasons.getByRole('button', { name: /失败/ }).first().waitFor(patiently)
    await reasons.locator('li button').first().click()
    const targets = page.getByRole('region', { name: '设备' })
    await expect.poll(() => targets.locator('[data-key]').count(), patiently).toBe(1)
    await targets.getByText(codes()[0] ?? '').waitFor(patiently)
    await targets.locator('[data-key]').first().focus()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: codes()[0] ?? '' })
    await panel.getByText('升级过程').waitFor(patiently)
    await expect.poll(() => panel.locator('ol li').count(), patiently).toBeGreaterThan(2)
    await panel.getByRole('button', { name: '关闭' }).click()
  })

  it('is retried, and ends when every device runs the new version', async () => {
    await page.getByRole('button', { name: '重试失败的 1 个' }).click()
    await page.getByText('已安排重试 1 个').waitFor(patiently)
    await page.getByRole('region', { name: '批次' }).getByText('成功 3').waitFor(patiently)
    await page.locator('header').getByText('已完成').waitFor(patiently)
    await page.getByRole('button', { name: /^我的任务/ }).click()
    const task = page
      .getByRole('region', { name: '我的任务' })
      .locator('li')
      .filter({ hasText: '升级' })
      .first()
    await task.getByText('3 / 3 个部件').waitFor(patiently)
    await page.keyboard.press('Escape')
    expect(devices.map(({ parts }) => parts.find(master, '0')?.version)).toEqual(['9.1', '9.1', '9.1'])
  })

  // proves: screen 10
  it('is in the log', async () => {
    await page.goto(`${stage.server.url}/upgrade/upgradeLog?code=${codes()[0]}`)
    await rowOf(codes()[0] ?? '')
      .getByText('1.0 → 9.1')
      .waitFor(patiently)
    await rowOf(codes()[0] ?? '')
      .getByText('成功')
      .waitFor(patiently)
  })

  // proves: screen 14
  it('of one device is started from its versions', async () => {
    await uploadMasterPackage(stage, '9.2')
    await page.goto(`${stage.server.url}/upgrade/version?code=${codes()[1]}`)
    await opened(dialog(), rowOf(codes()[1] ?? '').getByRole('button', { name: '查看版本' }))
    await dialog().getByText('最新 9.2').waitFor(patiently)
    await dialog().locator('li').filter({ hasText: '主控' }).getByText('9.1').waitFor(patiently)
    await dialog().getByRole('button', { name: '升级' }).click()
    const form = page.getByRole('dialog', { name: '立即升级' })
    await form.getByText('主控 9.2').filter({ visible: true }).first().waitFor(patiently)
    await form.getByRole('button', { name: '升级' }).click()
    await question().getByText(`将立即把 ${codes()[1]}（换电柜）升级到 主控 9.2`).waitFor(patiently)
    await question().getByRole('button', { name: '升级' }).click()
    await page.getByRole('heading', { name: '换电柜 · 主控 9.2' }).waitFor(patiently)
    await page.locator('header').getByText('已完成').waitFor(patiently)
    expect(devices[1]?.parts.find(master, '0')?.version).toBe('9.2')
    expect(stage.faults).toEqual([])
  })
})
