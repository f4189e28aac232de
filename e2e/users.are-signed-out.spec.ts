import { insertUser, listRoles } from '@voltkeep/contract'
import { expect, it } from 'vitest'
import { patiently, stageFor } from './harness.ts'

const stage = stageFor()

it('an administrator signs a user out, who is asked to sign in again', async () => {
  const role = (await stage.call(listRoles, {})).find(({ isAssignable }) => isAssignable)
  const credentials = { loginName: 'e2e-online', password: 'Volt-1234' }
  await stage.call(insertUser, {
    ...credentials,
    userName: '在线的人',
    phone: '13800000000',
    roleIds: [role?.id ?? ''],
    type: '2',
  })
  const page = await stage.open('/system/session')
  const token = await stage.server.client.signIn(credentials.loginName, credentials.password)
  const context = await stage.otherBrowser(token)
  const theirs = await context.newPage()
  await theirs.goto(`${stage.server.url}/dashboard`)
  await theirs.getByRole('button', { name: /^账号/ }).waitFor()

  const rowOf = (text: string) => page.locator('tbody tr').filter({ hasText: text })
  await page.getByRole('form', { name: '筛选' }).getByLabel('姓名').fill('e2e-online')
  await page.keyboard.press('Enter')
  await rowOf('在线的人').getByRole('button', { name: '强制下线' }).click()
  await page.locator('dialog[open]').getByText('将结束用户 在线的人').waitFor()
  await page.locator('dialog[open]').getByRole('button', { name: '强制下线' }).click()
  await rowOf('在线的人').waitFor({ state: 'detached' })
  await page.getByText('没有符合条件的在线用户').waitFor()
  await page.getByRole('button', { name: '清除筛选' }).click()
  await rowOf('系统管理员').getByText('当前会话').waitFor()
  await expect
    .poll(() => rowOf('当前会话').getByRole('button', { name: '其他操作' }).count(), patiently)
    .toBe(0)

  await theirs.goto(`${stage.server.url}/maintenance/exitWarning`)
  await theirs.getByRole('button', { name: '登录', exact: true }).waitFor()
  await context.close()
  expect(stage.faults).toEqual([])
})
