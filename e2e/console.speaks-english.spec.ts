// The console in English: chosen at the sign-in or in the settings.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { patiently, stageFor } from './harness.ts'

const stage = stageFor({ environment: { NOTIFY_NETWORKS: '127.0.0.0/8' } })

async function english(path: string): Promise<Page> {
  const token = await stage.server.client.signIn('admin', stage.server.adminPassword)
  const context = await stage.otherBrowser(token)
  await context.addCookies([{ name: 'voltkeep_language', value: 'en', url: stage.server.url }])
  const page = await context.newPage()
  await page.goto(stage.server.url + path)
  return page
}

test('the sign-in page offers English, which is the user’s from then on', async () => {
  const context = await stage.otherBrowser()
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/login`)
  await page.getByRole('button', { name: 'English', exact: true }).click()
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor(patiently)
  await page.getByLabel('Login name').fill('admin')
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('Wrong login name or password').waitFor(patiently)
  await page.getByLabel('Password', { exact: true }).fill(stage.server.adminPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor(patiently)
  // Another browser has it from the user.
  const other = await stage.otherBrowser()
  const elsewhere = await other.newPage()
  await elsewhere.goto(`${stage.server.url}/login`)
  await elsewhere.getByLabel('登录名').fill('admin')
  await elsewhere.getByLabel('密码', { exact: true }).fill(stage.server.adminPassword)
  await elsewhere.getByRole('button', { name: '登录', exact: true }).click()
  await elsewhere.getByRole('heading', { level: 1, name: 'Home' }).waitFor(patiently)
})

test('and the settings take it back', async () => {
  const page = await english('/dashboard')
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  await page.getByText('中文', { exact: true }).click()
  await page.getByRole('heading', { level: 1, name: '首页' }).waitFor(patiently)
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh-CN')
})
