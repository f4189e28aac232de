import { listEquipTypes, listFirmware, saveBoard, updateFirmware } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { mcubootImage } from '../apps/server/src/demo/images.ts'
import { opened, patiently, pressBehind, stageFor } from './harness.ts'

describe('firmware, from the board to the package that is deleted', () => {
  const stage = stageFor({ isEmpty: true })
  let page: Page
  let typeName = ''
  beforeAll(async () => {
    page = await stage.open('/upgrade/board')
    const [type] = await stage.call(listEquipTypes, {})
    typeName = type?.name ?? ''
  })

  const dialog = () => page.getByRole('dialog').filter({ visible: true })
  const question = () => page.locator('dialog[open]')
  const rowOf = (text: string) => page.locator('tbody tr').filter({ hasText: text })
  const send = () => dialog().getByRole('button', { name: '确定' })
  const choose = async (label: string, option: string) => {
    await dialog().getByLabel(label, { exact: true }).click()
    await page.locator('.ant-select-item-option').getByText(option, { exact: true }).last().click()
  }
  const image = (name: string, version = { major: 1, minor: 4 }) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: mcubootImage(version),
  })
  const give = (file: ReturnType<typeof image>) => dialog().locator('input[type=file]').setInputFiles(file)
  const removeFile = () => dialog().getByRole('button', { name: '删除文件' }).click()

  it('needs a board, which is registered in a form that reports missing fields', async () => {
    await page.getByText('还没有板卡').waitFor(patiently)
    await opened(dialog(), page.getByRole('button', { name: '新增板卡' }))
    await send().click()
    for (const problem of ['板卡编号不能为空', '板卡名称不能为空', '设备类型不能为空', '部件不能为空'])
      await dialog().getByText(problem).waitFor(patiently)
    await dialog().getByLabel('板卡编号').fill('MB100')
    await dialog().getByLabel('板卡名称').fill('主控板')
    await choose('设备类型', typeName)
    await choose('部件', '主控')
    await send().click()
    await page.getByText('创建成功').waitFor(patiently)
    await rowOf('MB100').getByText(typeName).waitFor(patiently)
  })

  // proves: screen 12; rule firmware file first; rule firmware.file
  it('is uploaded first: a file that cannot be identified is refused with the problem', async () => {
    await page.goto(`${stage.server.url}/upgrade/firmware`)
    await page.getByText('还没有固件').waitFor(patiently)
    await opened(dialog(), page.getByRole('button', { name: '新增固件' }))
    await expect.poll(() => send().isDisabled(), patiently).toBe(true)
    expect(await dialog().getByLabel('中文说明').count()).toBe(0)
    for (const [file, problem] of [
      [image('firmware.bin'), '文件名应为 <板卡编号>_<部件>_V'],
      [image('MB999_EC_MASTER_V1.4_R.bin'), '板卡 MB999 不存在，请先登记板卡'],
      [
        image('MB100_EC_MASTER_V1.4_R.bin', { major: 1, minor: 5 }),
        '文件名中的版本为 1.4，MCUboot 镜像头部的版本为 1.5.0，两者不一致',
      ],
    ] as const) {
      await give(file)
      await dialog().getByText(problem).waitFor(patiently)
      await removeFile()
    }
    expect(await send().isDisabled()).toBe(true)
  })

  // proves: screen 12; rule firmware file first; rule firmware locked fields; rule firmware.file
  // proves: message 只能上传一个文件，请先删除当前文件!; constant upload limit
  it('fills the form, locks the fields that the file determines, and takes no second file', async () => {
    await give(image('MB100_EC_MASTER_V1.4_R.bin'))
    await dialog().getByLabel('中文说明').waitFor(patiently)
    for (const [label, value] of [
      ['板卡编号', 'MB100'],
      ['固件类型', '主控（PART_TYPE_EC_MASTER）'],
      ['软件版本', '1.4'],
      ['版本类型', '正式版'],
    ] as const) {
      const locked = dialog().getByLabel(label)
      expect(await locked.inputValue()).toBe(value)
      expect(await locked.isDisabled()).toBe(true)
    }
    await dialog()
      .getByText('MB100_EC_MASTER_V1.4_R.bin', { exact: true })
      .first()
      .evaluate((kept) => {
        const dropped = new DataTransfer()
        dropped.items.add(new File(['second'], 'MB100_EC_MASTER_V1.5_R.bin'))
        kept.dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true, cancelable: true }))
      })
    await dialog().getByText('只能上传一个文件，请先删除当前文件!').waitFor(patiently)
  })

  // proves: screen 12; rule firmware.remark; rule firmware confirmation; constant description languages
  it('needs a description in each language, and is confirmed before it is saved', async () => {
    await send().click()
    await expect.poll(() => dialog().getByText('版本说明不能为空').count(), patiently).toBe(4)
    await dialog().getByLabel('中文说明').fill('修复仓门误报')
    await dialog().getByLabel('英文说明').fill('Fixes false door alarms')
    await dialog().getByRole('button', { name: '其余语言同中文' }).click()
    expect(await dialog().getByLabel('德文说明').inputValue()).toBe('修复仓门误报')
    expect(await dialog().getByLabel('英文说明').inputValue()).toBe('Fixes false door alarms')
    for (const [label, text] of [
      ['中文说明', '修复仓门误报'],
      ['英文说明', 'Fixes false door alarms'],
      ['德文说明', 'Behebt falsche Türalarme'],
      ['法文说明', 'Corrige de fausses alarmes'],
    ] as const) {
      await dialog().getByLabel(label).fill(text)
    }
    await send().click()
    await question().getByText('将保存 MB100 主控 1.4 （正式版）。').waitFor(patiently)
    await question().getByRole('button', { name: '保存' }).click()
    await page.getByText('创建成功').waitFor(patiently)
    await dialog().waitFor({ ...patiently, state: 'hidden' })
    await rowOf('MB100').getByText('正式版').waitFor(patiently)
  })

  // proves: screen 11
  it('is found by type, part and version', async () => {
    const filters = page.getByRole('form', { name: '筛选' })
    const choose = async (label: string, option: string) => {
      await filters.getByLabel(label, { exact: true }).click()
      await page.locator('.ant-select-item-option').getByText(option, { exact: true }).last().click()
    }
    const ask = () => filters.getByRole('button', { name: '查询' }).click()
    await choose('设备类型', typeName)
    await choose('部件', '主控')
    await filters.getByLabel('软件版本').fill('1.4')
    await ask()
    await expect
      .poll(() => [...new URL(page.url()).searchParams.keys()].sort(), patiently)
      .toEqual(['equipTypeId', 'partType', 'version'])
    await rowOf('MB100').waitFor(patiently)
    await filters.getByLabel('软件版本').fill('9.')
    await ask()
    await page.getByText('没有符合条件的固件').waitFor(patiently)
    await filters.getByRole('button', { name: '重置' }).click()
    await rowOf('MB100').waitFor(patiently)
  })

  // proves: screen 11; message 复制成功
  it('shows the upgrade JSON, which can be copied', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await pressBehind(rowOf('MB100'), '升级 JSON')
    await dialog().getByText('"version": "1.4"').waitFor(patiently)
    await dialog().getByRole('button', { name: '复制' }).click()
    await page.getByText('复制成功').waitFor(patiently)
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))
    expect(copied).toMatchObject({ pcbCode: 'MB100', partType: 'PART_TYPE_EC_MASTER', sizeBytes: 288 })
    const address = new URL(copied.url)
    const file = await fetch(stage.server.url + address.pathname + address.search)
    expect((await file.arrayBuffer()).byteLength).toBe(288)
    await page.keyboard.press('Escape')
    await dialog().waitFor({ ...patiently, state: 'hidden' })
  })

  // proves: screen 11; rule firmware edit
  it('is edited with its descriptions unchanged; another file must have the same version', async () => {
    await rowOf('MB100').getByRole('button', { name: '编辑' }).click()
    await dialog().getByLabel('中文说明').waitFor(patiently)
    expect(await dialog().getByLabel('德文说明').inputValue()).toBe('Behebt falsche Türalarme')
    await removeFile()
    await give(image('MB100_EC_MASTER_V1.5_R.bin', { major: 1, minor: 5 }))
    await dialog()
      .getByText('文件与所修改的固件不一致：应为 MB100_PART_TYPE_EC_MASTER_V1.4_R')
      .waitFor(patiently)
    await removeFile()
    await give(image('MB100_EC_MASTER_V1.4_R.bin'))
    await dialog().getByLabel('中文说明').fill('第二次构建')
    await dialog().getByRole('switch').click()
    await send().click()
    await question().getByText('文件将被替换。').waitFor(patiently)
    await question().getByText('符合条件且版本较低的设备会自动升级到该版本。').waitFor(patiently)
    await question().getByText('现有 0 台设备版本较低，在线后自动升级。').waitFor(patiently)
    await question().getByRole('button', { name: '保存' }).click()
    await dialog().waitFor({ ...patiently, state: 'hidden' })
    const [row] = await stage.call(listFirmware, {})
    expect(row).toMatchObject({ isAutoUpgrade: true, lockVersion: 2 })
    expect(JSON.parse(row?.remark ?? '')).toMatchObject({ zh: '第二次构建', en: 'Fixes false door alarms' })
  })

  // proves: screen 9; rule isRelease
  it('is the same row as a software version, found by version, with all details beside the list', async () => {
    await page.goto(`${stage.server.url}/upgrade/softwareVersion?version=1.`)
    await rowOf('MB100_EC_MASTER_V1.4_R.bin').getByText(typeName).click()
    const panel = page.getByRole('complementary')
    await panel.getByText('第二次构建').waitFor(patiently)
    await panel.getByText('Behebt falsche Türalarme').waitFor(patiently)
    await panel.getByRole('button', { name: '关闭' }).click()
    await rowOf('MB100').getByText('正式版').waitFor(patiently)
    await pressBehind(rowOf('MB100'), '升级 JSON')
    await dialog().getByText('"version": "1.4"').waitFor(patiently)
    await page.keyboard.press('Escape')
    await dialog().waitFor({ ...patiently, state: 'hidden' })
  })

  // proves: screen 9
  it('is not overwritten by a form that was opened before another user saved', async () => {
    await rowOf('MB100').getByRole('button', { name: '编辑' }).click()
    await dialog().getByLabel('中文说明').waitFor(patiently)
    const [row] = await stage.call(listFirmware, {})
    if (!row) throw new Error('no package')
    const others = { ...JSON.parse(row.remark), zh: '他人所改' }
    await stage.call(updateFirmware, { ...row, remark: others, hwVersion: undefined, mcuNum: undefined })
    await dialog().getByLabel('中文说明').fill('我所改')
    const save = async () => {
      await send().click()
      await question().getByRole('button', { name: '保存' }).click()
    }
    await save()
    await dialog().getByText('数据已被他人修改').waitFor(patiently)
    await dialog().getByRole('button', { name: '载入最新内容' }).click()
    await expect.poll(() => dialog().getByLabel('中文说明').inputValue(), patiently).toBe('他人所改')
    await dialog().getByLabel('英文说明').fill('Mine')
    await save()
    await dialog().waitFor({ ...patiently, state: 'hidden' })
    const [kept] = await stage.call(listFirmware, {})
    expect(JSON.parse(kept?.remark ?? '')).toMatchObject({ zh: '他人所改', en: 'Mine' })
  })

  // proves: screen 9; rule confirmations; message 删除成功!
  it('is deleted after a confirmation; a board with packages stays', async () => {
    const [board] = await stage.call(listFirmware, {})
    await page.goto(`${stage.server.url}/upgrade/board`)
    const remove = async () => {
      await pressBehind(rowOf('MB100'), '删除')
      await question().getByRole('button', { name: '删除' }).click()
    }
    await remove()
    await page.getByText('板卡下存在固件').waitFor(patiently)
    await expect(
      stage.call(saveBoard, {
        id: '1',
        pcbCode: 'MB200',
        pcbName: '主控板',
        partType: 'PART_TYPE_EC_MASTER',
        equipTypeId: board?.equipTypeId ?? '',
      }),
    ).rejects.toThrow('409')
    await page.goto(`${stage.server.url}/upgrade/softwareVersion`)
    await pressBehind(rowOf('MB100'), '删除')
    await question().getByText('将删除 MB100 主控 1.4 （正式版）。').waitFor(patiently)
    await question().getByRole('button', { name: '删除' }).click()
    await page.getByText('删除成功!').waitFor(patiently)
    await page.getByText('还没有软件版本').waitFor(patiently)
    await page.goto(`${stage.server.url}/upgrade/board`)
    await remove()
    await page.getByText('还没有板卡').waitFor(patiently)
    expect(stage.faults).toEqual([])
  })
})
