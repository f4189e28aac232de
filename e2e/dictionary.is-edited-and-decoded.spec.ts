import { insertDictionaryEntry, listDevices, listDictionary, updateDictionaryEntry } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { opened, patiently, pressBehind, stageFor, until } from './harness.ts'

describe('the dictionary', () => {
  const stage = stageFor()
  let page: Page
  let device: VirtualDevice
  let equipClassify: string

  beforeAll(async () => {
    const [identity] = stage.identities
    if (!identity) throw new Error('the demonstration has devices')
    device = stage.device(identity)
    const [row] = await stage.call(listDevices, { code: [identity.code] })
    equipClassify = row?.equipClassify ?? ''
    page = await stage.open('/system/dictionary')
  })

  const rowOf = (code: string) => page.locator('tbody tr').filter({ hasText: code })
  const dialogOf = (title: string) => page.getByRole('dialog').filter({ hasText: title })
  const choose = async (label: string, option: string, title: string) => {
    await dialogOf(title).getByLabel(label).click()
    await page.locator('.ant-select-item-option').filter({ hasText: option }).last().click()
  }
  const adding = () => opened(dialogOf('新增字典'), page.getByRole('button', { name: '新增字典' }))
  const send = (title: string) => dialogOf(title).getByRole('button', { name: '确定' }).click()
  const entryOf = async (code: string) => {
    const rows = await stage.call(listDictionary, { code })
    return rows.find((row) => row.code === code)
  }

  // proves: screen 6; rule dictionary.alarmLevel; rule dictionary.analysisType; message 长度不能超过8个字符
  it('reports missing fields, which for an alarm include level and analysis type', async () => {
    const form = await adding()
    await send('新增字典')
    for (const problem of ['请选择类型', '请输入编码', '请输入名称', '请输入备注']) {
      await form.getByText(problem, { exact: true }).waitFor(patiently)
    }
    await choose('类型', '告警 ALARM', '新增字典')
    await send('新增字典')
    for (const problem of ['请选择告警级别', '请选择解析方式']) {
      await form.getByText(problem, { exact: true }).waitFor(patiently)
    }
    await form.getByLabel('编码').fill('123456789')
    await form.getByText('长度不能超过8个字符', { exact: true }).waitFor(patiently)
    await form.getByLabel('编码').fill('12345678')
    await form.getByText('长度不能超过8个字符', { exact: true }).waitFor({ ...patiently, state: 'detached' })
  })

  it('edits the definitions in the same form, and reports problems by row', async () => {
    const form = await adding()
    await choose('类型', '告警 ALARM', '新增字典')
    await form.getByLabel('编码').fill('E2EALARM')
    await form.getByLabel('名称').fill('浏览器测试告警')
    await form.getByLabel('备注').fill('按位定义')
    await choose('告警级别', '重要', '新增字典')
    await choose('解析方式', '按位', '新增字典')
    for (const family of ['换电柜', '电池', '储能设备']) {
      await form.getByRole('tab', { name: family }).click()
      await form.getByRole('button', { name: '添加一项' }).click()
      await form.getByLabel('第 1 行含义').fill('旧的含义')
    }
    await form.getByRole('button', { name: '添加一项' }).click()
    await form.getByLabel('第 2 行位').fill('0')
    await form.getByText('同一设备类别下位号重复', { exact: true }).waitFor(patiently)
    await form.getByLabel('第 2 行位').fill('53')
    await form.getByText('按位解析时位号应为 0 到 52', { exact: true }).waitFor(patiently)
    await form.getByLabel('第 2 行位').fill('5.5')
    await form.getByText('位号或值应为整数', { exact: true }).waitFor(patiently)
    await form.getByLabel('第 2 行位').fill('5')
    await send('新增字典')
    await form.getByText('请输入含义', { exact: true }).waitFor(patiently)
    await form.getByRole('tab', { name: '储能设备（2） 有误' }).waitFor(patiently)
    await form.getByRole('button', { name: '删除 位 5' }).click()
    await send('新增字典')
    await page.getByText('创建成功').first().waitFor(patiently)
    await form.waitFor({ ...patiently, state: 'detached' })
    const entry = await entryOf('E2EALARM')
    expect(entry).toMatchObject({ alarmLevel: 2, analysisType: 'BIT' })
    expect(entry?.definitions).toHaveLength(3)
  })

  // proves: screen 6
  it('is searched by code, name and type, which are part of the address', async () => {
    await page.getByLabel('编码').first().fill('E2EALARM')
    await page.keyboard.press('Enter')
    await rowOf('浏览器测试告警').waitFor(patiently)
    expect(new URL(page.url()).searchParams.get('code')).toBe('E2EALARM')
    const again = await stage.open('/system/dictionary?type=PARAM&name=过温')
    await again.locator('tbody tr').filter({ hasText: '02121006' }).waitFor(patiently)
    await expect.poll(() => again.locator('tbody tr').count(), patiently).toBe(1)
    await again.goto(`${stage.server.url}/system/dictionary?name=NOSUCH`)
    await again.getByText('没有符合条件的字典').waitFor(patiently)
    await again.close()
  })

  it('takes effect at once in an alarm’s open dialog elsewhere', async () => {
    device.start()
    await device.whenOnline()
    await device.raise('E2EALARM', 1)
    const elsewhere = await stage.open('/maintenance/exitWarning?semaphoreName=E2EALARM')
    await elsewhere.getByRole('button', { name: '告警内容', exact: true }).click()
    const decoded = elsewhere.getByRole('dialog')
    await decoded.getByText('旧的含义').waitFor(patiently)

    await rowOf('E2EALARM').getByRole('button', { name: '编辑' }).click()
    const form = dialogOf('编辑字典 E2EALARM')
    await form.getByLabel('名称').fill('改名后的告警')
    const family = { EC: '换电柜', BAT: '电池', ESS: '储能设备' }[equipClassify] ?? ''
    await form.getByRole('tab', { name: family }).click()
    await form.getByLabel('第 1 行含义').fill('新的含义')
    await send('编辑字典 E2EALARM')
    await form.waitFor({ ...patiently, state: 'detached' })

    await decoded.getByText('新的含义').waitFor(patiently)
    await elsewhere.locator('tbody tr').filter({ hasText: '改名后的告警' }).waitFor(patiently)
    await elsewhere.close()
  })

  // proves: screen 6; rule confirmations; message 已取消删除
  it('keeps entries that devices report, and deletes others after a confirmation', async () => {
    const remove = () => pressBehind(rowOf('E2EALARM'), '删除')
    const question = page.locator('dialog[open]')
    await remove()
    await question.getByText('将删除告警 E2EALARM（改名后的告警）。').waitFor(patiently)
    await question.getByRole('button', { name: '取消' }).click()
    await page.getByText('已取消删除').waitFor(patiently)
    await remove()
    await question.getByRole('button', { name: '删除' }).click()
    await page.getByText('该告警仍有设备未恢复，不能修改编码或删除').waitFor(patiently)
    await device.raise('E2EALARM', 0)
    await remove()
    await question.getByRole('button', { name: '删除' }).click()
    await page.getByText('删除成功!').waitFor(patiently)
    await until('the entry is gone', async () => (await entryOf('E2EALARM')) === undefined)
  })

  it('does not change type and code of entries that the server depends on', async () => {
    await page.goto(`${stage.server.url}/system/dictionary?type=ONLINE_STATUS`)
    await rowOf('在线').first().waitFor(patiently)
    await expect
      .poll(() => rowOf('在线').getByRole('button', { name: '其他操作' }).count(), patiently)
      .toBe(0)
    await rowOf('离线').getByRole('button', { name: '编辑' }).click()
    const form = dialogOf('编辑字典 0')
    await form.getByText('系统内置：类型和编码不能修改。').waitFor(patiently)
    await expect.poll(() => form.getByLabel('编码').isDisabled(), patiently).toBe(true)
    await expect.poll(() => form.getByLabel('类型').isDisabled(), patiently).toBe(true)
    await page.keyboard.press('Escape')
    await form.waitFor({ ...patiently, state: 'detached' })
  })

  it('warns the later of two administrators, and keeps the typed values', async () => {
    const entry = { code: 'E2EBOTH', name: '两人同改', type: 'EVENT', note: '测试' }
    const { id } = await stage.call(insertDictionaryEntry, entry)
    await page.goto(`${stage.server.url}/system/dictionary?code=E2EBOTH`)
    await rowOf('E2EBOTH').getByRole('button', { name: '编辑' }).click()
    const form = dialogOf('编辑字典 E2EBOTH')
    await stage.call(updateDictionaryEntry, { ...entry, id, note: '别人先存' })
    await form.getByLabel('名称').fill('后来的人')
    await send('编辑字典 E2EBOTH')
    await form.getByText('数据已被他人修改', { exact: true }).waitFor(patiently)
    await expect.poll(() => form.getByLabel('名称').inputValue(), patiently).toBe('后来的人')
    await form.getByRole('button', { name: '载入最新内容' }).click()
    await until('the present note is there', async () => {
      return (await form.getByLabel('备注').inputValue()) === '别人先存'
    })
    await form.getByLabel('名称').fill('后来的人')
    await send('编辑字典 E2EBOTH')
    await form.waitFor({ ...patiently, state: 'detached' })
    expect(await entryOf('E2EBOTH')).toMatchObject({ name: '后来的人', note: '别人先存' })
    expect(stage.faults).toEqual([])
  })
})
