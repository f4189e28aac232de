import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DeviceRow, listDevices, listOperations } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSpreadsheet } from '../apps/server/src/platform/files/sheets/spreadsheet-reader.ts'
import { bringAxe, expectAccessible } from './accessibility.ts'
import { downloadBy, opened, patiently, stageFor, until } from './harness.ts'

let directory: string

describe('devices from a sheet', () => {
  const stage = stageFor()
  let page: Page
  let place: DeviceRow

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'voltkeep-import-'))
    const [row] = await stage.call(listDevices, { pageSize: 1 })
    if (!row) throw new Error('the demonstration has devices')
    place = row
    page = await stage.open('/equipment/list')
  })
  afterAll(() => {
    rmSync(directory, { recursive: true })
  })

  const dialog = () => page.getByRole('dialog').filter({ hasText: '下载模板' })
  const rowOf = (code: string, { region = place.regionCode, name = '' } = {}) =>
    [code, name, place.operatorName, place.equipModelName, region].join(',')
  function sheet(...rows: string[]): string {
    const path = join(directory, '设备.csv')
    writeFileSync(path, ['设备编号,设备名称,运营商,设备型号,地区', ...rows].join('\r\n'))
    return path
  }
  const importing = () => opened(dialog(), page.getByRole('button', { name: /导入$/ }))
  const choose = async (path: string) => (await importing()).locator('input[type=file]').setInputFiles(path)
  async function cellsOf(path: string): Promise<(string | undefined)[][]> {
    const rows: (string | undefined)[][] = []
    for await (const { cells } of readSpreadsheet(path)) rows.push(cells)
    return rows
  }

  it('start with a template to fill in', async () => {
    const download = await downloadBy((await importing()).getByRole('button', { name: '下载模板' }))
    expect(download.suggestedFilename()).toBe('设备导入模板.xlsx')
    const path = join(directory, 'template.xlsx')
    await download.saveAs(path)
    const [titles] = await cellsOf(path)
    expect(titles).toEqual([
      '设备编号',
      '设备名称',
      '运营商',
      '设备类型',
      '设备型号',
      '地区',
      '地址',
      '业务状态',
      '接入协议',
    ])
  })

  it('are checked first: every problem is shown with its rows, and nothing is written', async () => {
    await choose(sheet(rowOf('IMP1'), rowOf('IMP-2'), rowOf('IMP1'), rowOf('IMP4', { region: '月球' })))
    await dialog().getByText('共 4 台设备，发现 3 处问题，请修改后重新上传。').waitFor(patiently)
    const problems = dialog().locator('tbody tr')
    await expect
      .poll(() => problems.allInnerTexts(), patiently)
      .toEqual([
        '设备编号\t设备编号只能是 1 到 32 位字母或数字\tIMP-2\t1 行\t3',
        '设备编号\t与第 2 行的设备编号重复\tIMP1\t1 行\t4',
        '地区\t地区“月球”不存在\t月球\t1 行\t5',
      ])
    await expect
      .poll(() => dialog().getByRole('button', { name: '导入', exact: true }).isDisabled(), patiently)
      .toBe(true)
    expect(await stage.call(listDevices, { code: ['IMP'] })).toEqual([])

    const download = await downloadBy(dialog().getByRole('button', { name: '保存问题清单' }))
    expect(download.suggestedFilename()).toBe('导入问题清单.csv')
  })

  it('are refused with a message where the file is not a sheet', async () => {
    const path = join(directory, 'picture.xlsx')
    writeFileSync(path, Buffer.from('89504e470d0a1a0a00', 'hex'))
    await choose(path)
    await dialog().getByText('不支持的文件类型，请上传 .xlsx 或 .csv 文件').waitFor(patiently)
  })

  it('are written together once all rows are valid, and their secrets are downloaded', async () => {
    await choose(sheet(...Array.from({ length: 120 }, (_, n) => rowOf(`IMP${n}`, { name: `柜${n}` }))))
    await dialog().getByText('共 120 台设备，检查全部通过，可以导入。').waitFor(patiently)
    const download = await downloadBy(dialog().getByRole('button', { name: '导入 120 台' }))
    expect(download.suggestedFilename()).toMatch(/^设备导入结果_\d{14}\.xlsx$/)
    const done = page.getByRole('dialog').filter({ hasText: '已导入 120 台设备。' })
    await done.getByText('只提供这一次').waitFor(patiently)
    await done.getByRole('button', { name: '完成' }).click()
    await page.locator('tbody tr').filter({ hasText: 'IMP119' }).waitFor(patiently)

    const path = join(directory, 'result.xlsx')
    await download.saveAs(path)
    const [, first] = await cellsOf(path)
    const [, code = '', secret = ''] = first ?? []
    expect(code).toBe('IMP0')
    const device = stage.device({ code, secret })
    device.start()
    await device.whenOnline()
    await until('it is online', async () => {
      const [row] = await stage.call(listDevices, { code: [code, 'x'] })
      return row?.isOnline === 1
    })
    await device.stop()
  })

  it('are recorded in the operation log with their file, without secrets', async () => {
    const [entry] = await stage.call(listOperations, { call: '/equip/import', isOk: 1 })
    expect(entry).toMatchObject({
      target: '设备 120 台（设备.csv）',
      changes: { before: null, after: { count: 120 } },
    })
  })

  it('are among the tasks of the importing user, after a reload and in another browser', async () => {
    const token = await stage.server.client.signIn('admin', stage.server.adminPassword)
    const elsewhere = await (await stage.otherBrowser(token)).newPage()
    await elsewhere.goto(`${stage.server.url}/dashboard`)
    await page.reload()
    for (const one of [page, elsewhere]) {
      await one.getByRole('button', { name: '我的任务' }).click()
      const panel = one.getByRole('region', { name: '我的任务' })
      await panel.getByText('120 / 120 台').waitFor(patiently)
      await bringAxe(one)
      await expectAccessible(one, 'the list of tasks')
    }
    // For a user who lost the file: new secrets for all devices except the one that has connected.
    await elsewhere.getByRole('button', { name: '重新生成密钥' }).click()
    const asked = elsewhere.getByRole('dialog', { name: '重新生成设备密钥' })
    const download = await downloadBy(asked.getByRole('button', { name: '重新生成密钥' }))
    const path = join(directory, 'secrets.xlsx')
    await download.saveAs(path)
    expect(await cellsOf(path)).toHaveLength(1 + 119)
    await elsewhere.close()
  })

  it('are checked and written in the background, after the dialog is closed and the page left', async () => {
    const tasks = async () => {
      const list = page.getByRole('region', { name: '我的任务' })
      if (!(await list.isVisible())) await page.getByRole('button', { name: /^我的任务/ }).click()
      return list
    }
    let release = () => undefined as void
    await page.route('**/api/equip/import', async (route) => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      await route.continue()
    })
    await page.goto(`${stage.server.url}/equipment/list`)
    await choose(sheet(rowOf('BACK1')))
    await dialog().getByRole('button', { name: '转到后台' }).click()
    await dialog().waitFor({ ...patiently, state: 'hidden' })
    await (await tasks()).getByText('正在上传，关闭或刷新浏览器页面会中断').waitFor(patiently)
    await page.keyboard.press('Escape')
    release()
    await page.getByText('设备.csv 已上传').waitFor(patiently)
    await (await tasks()).getByText('已上传，重新打开表单即可继续').waitFor(patiently)
    await page.keyboard.press('Escape')
    await importing()
    await dialog().getByText('共 1 台设备，检查全部通过，可以导入。').waitFor(patiently)

    await dialog().getByRole('button', { name: '导入 1 台' }).click()
    await dialog().getByRole('button', { name: '转到后台' }).click()
    await page.getByRole('navigation', { name: '主菜单' }).getByRole('link', { name: '事件查询' }).click()
    await page.getByRole('form', { name: '筛选' }).getByText('事件名称').first().waitFor(patiently)
    const download = page.waitForEvent('download')
    release()
    expect((await download).suggestedFilename()).toMatch(/^设备导入结果_\d{14}\.xlsx$/)
    await (await tasks()).getByText('1 / 1 台').waitFor(patiently)
    await page.unroute('**/api/equip/import')
  })

  it('are exported with the filters of the list', async () => {
    await page.goto(`${stage.server.url}/equipment/list?code=IMP11`)
    await page.locator('tbody tr').filter({ hasText: 'IMP119' }).waitFor(patiently)
    const download = await downloadBy(page.getByRole('button', { name: '导出' }))
    expect(download.suggestedFilename()).toMatch(/^设备_\d{14}\.xlsx$/)
    const path = join(directory, 'export.xlsx')
    await download.saveAs(path)
    const [, ...rows] = await cellsOf(path)
    expect(rows.map(([code]) => code)).toEqual([
      ...Array.from({ length: 10 }, (_, n) => `IMP${119 - n}`),
      'IMP11',
    ])
    expect(stage.faults).toEqual([])
  })
})
