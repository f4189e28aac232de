// The event feed as somebody sees it who connects another system.
import { feedTypes } from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { patiently, stageFor } from './harness.ts'

const stage = stageFor()

test('the address, the kinds and the newest events stand beside the keys', async () => {
  const page = await stage.open('/system/apiKey')
  await page.getByRole('tab', { name: '事件流' }).click()
  await expect.poll(() => new URL(page.url()).search, patiently).toBe('?tab=feed')
  await page.getByText(`${stage.server.url}/api/feed`, { exact: true }).waitFor(patiently)
  const kinds = page.getByRole('table').first()
  expect(await kinds.locator('tbody th').allInnerTexts()).toEqual([...feedTypes])
  // Nothing is recorded before somebody reads.
  await page.getByRole('button', { name: '读取最近事件' }).click()
  await page.getByText('没有最近的事件').waitFor(patiently)
  const [identity] = stage.identities
  if (!identity) throw new Error('the demonstration has devices')
  const device = stage.device(identity)
  device.start()
  await device.whenOnline()
  const row = page.getByRole('table').last().locator('tbody tr').filter({ hasText: identity.code })
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: '刷新' }).click()
      return await row.filter({ hasText: '设备上线' }).count()
    }, patiently)
    .toBe(1)
  await page.getByRole('tab', { name: '密钥' }).click()
  await page.getByRole('button', { name: '新增密钥' }).first().waitFor(patiently)
  expect(stage.faults).toEqual([])
})
