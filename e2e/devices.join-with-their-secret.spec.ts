import { listDevices, listIntakeRefusals } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, pressBehind, stageFor, until } from './harness.ts'

describe('a device from registration to its first connection', () => {
  const stage = stageFor()
  let page: Page
  let owner: { organizationName: string; operatorName: string; equipModelName: string }
  let secret: string
  const code = 'E2ECABINET01'

  beforeAll(async () => {
    const [row] = await stage.call(listDevices, { pageSize: 1 })
    if (!row) throw new Error('the demonstration has devices')
    owner = row
    page = await stage.open('/equipment/list')
  })

  const rowOf = (of: string) => page.locator('tbody tr').filter({ hasText: of })
  const optionOf = (name: string) => page.getByTitle(name, { exact: true }).last()

  it('is registered in a form, which shows its secret once', async () => {
    await page.getByRole('button', { name: '新增设备' }).click()
    const form = page.getByRole('dialog').filter({ hasText: '设备型号' })
    await form.getByRole('button', { name: '确定' }).click()
    for (const problem of ['请输入设备编号', '请选择厂商', '请选择设备型号', '请选择地区']) {
      await form.getByText(problem).waitFor(patiently)
    }
    // The field is disabled until a manufacturer is chosen, so its error is not shown.
    await expect.poll(() => form.getByText('请选择运营商').count(), patiently).toBe(0)
    await form.getByLabel('设备编号').fill(code)
    await expect.poll(() => form.getByLabel('运营商').isDisabled(), patiently).toBe(true)
    await form.getByLabel('厂商').click()
    await page.locator('.ant-select-tree').getByText(owner.organizationName, { exact: true }).click()
    await until('the operator can be chosen', () => form.getByLabel('运营商').isEnabled())
    await form.getByLabel('运营商').click()
    await optionOf(owner.operatorName).click()
    await form.getByLabel('设备型号').click()
    await optionOf(owner.equipModelName).click()
    await form.getByLabel('地区').click()
    await optionOf('中国').click()
    await page.keyboard.press('Escape')
    await form.getByRole('button', { name: '确定' }).click()

    const shown = page.getByRole('dialog').filter({ hasText: '密钥只显示这一次' })
    await shown.waitFor(patiently)
    const example = await shown.getByText(/^mosquitto_pub /).textContent()
    expect(example).toContain(`-i ${code} -u ${code}`)
    secret = /-P '([^']+)'/.exec(example ?? '')?.[1] ?? ''
    expect(secret.length).toBeGreaterThanOrEqual(16)
    await shown.getByRole('button', { name: '我已保存' }).click()
    await shown.waitFor({ ...patiently, state: 'hidden' })
    // The secret is removed from the whole document, including hidden parts and labels.
    expect((await page.content()).includes(secret)).toBe(false)
    await rowOf(code).getByText('未接入').waitFor(patiently)
  })

  // proves: rule online status
  it('comes online in the open list once it connects with that secret', async () => {
    const device = stage.device({ code, secret })
    device.start()
    await device.whenOnline()
    await rowOf(code).getByText('在线').waitFor(patiently)
    await device.report('version', {
      versions: [{ partType: 'PART_TYPE_EC_MASTER', addrId: '0', version: 'V2.17' }],
    })
    await rowOf(code).locator('td').nth(2).click()
    const panel = page.locator('[data-watched]').filter({ hasText: '部件版本' })
    await panel.getByText('V2.17').first().waitFor(patiently)
    await device.stop()
    await panel.getByText('离线', { exact: true }).first().waitFor(patiently)
    await page.keyboard.press('Escape')
  })

  it('is refused with a wrong secret, and the list of refusals shows it', async () => {
    const stranger = stage.device({ code: 'NOBODY01', secret: 'x'.repeat(20) })
    const impostor = stage.device({ code, secret: 'y'.repeat(20) })
    stranger.start()
    impostor.start()
    await until('both refusals are kept', async () => {
      const rows = await stage.call(listIntakeRefusals, {})
      return ['NOBODY01', code].every((of) => rows.some((row) => row.code === of))
    })
    await page.goto(`${stage.server.url}/equipment/intake`)
    await rowOf('NOBODY01').getByText('设备未登记').waitFor(patiently)
    await rowOf(code).getByText('密钥错误').waitFor(patiently)
    stranger.cutPower()
    impostor.cutPower()
  })

  // proves: rule confirmations; message 已取消删除; message 删除成功!
  it('is deleted only after a confirmation that names it', async () => {
    await page.goto(`${stage.server.url}/equipment/list?code=${code}`)
    await pressBehind(rowOf(code), '删除')
    const question = page.locator('dialog[open]')
    await question.getByText(code).waitFor(patiently)
    await question.getByRole('button', { name: '取消' }).click()
    await page.getByText('已取消删除').waitFor(patiently)
    await pressBehind(rowOf(code), '删除')
    await question.getByRole('button', { name: '删除' }).click()
    await page.getByText('删除成功!').waitFor(patiently)
    await rowOf(code).waitFor({ ...patiently, state: 'detached' })
    expect(stage.faults).toEqual([])
  })
})
