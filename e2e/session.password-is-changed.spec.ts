import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor, until } from './harness.ts'

describe('the first administrator', () => {
  /** Started without ADMIN_PASSWORD: the server generated a password and printed it. */
  const stage = stageFor({ isEmpty: true, environment: { ADMIN_PASSWORD: '' } })
  let context: BrowserContext
  let page: Page
  const firstPassword = () => /密码 (\S+?)（/.exec(stage.server.output)?.[1] ?? ''
  const newPassword = 'Volt-2026'

  beforeAll(async () => {
    context = await stage.otherBrowser()
    page = await context.newPage()
    await page.goto(stage.server.url)
  })

  const signIn = async (password: string) => {
    await page.getByLabel('登录名').fill('admin')
    await page.getByLabel('密码', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
  }
  const fill = async (values: { old?: string; fresh?: string; again?: string }) => {
    const { old = '', fresh = '', again = '' } = values
    await page.getByLabel('原密码', { exact: true }).fill(old)
    await page.getByLabel('新密码', { exact: true }).fill(fresh)
    await page.getByLabel('确认新密码', { exact: true }).fill(again)
    await page.getByRole('button', { name: '确定' }).click()
  }
  const dialog = () => page.getByRole('dialog', { name: '修改密码' })

  it('must change the generated password, and cannot postpone it', async () => {
    await signIn(firstPassword())
    await dialog().waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => dialog().isVisible(), patiently).toBe(true)
    await expect.poll(() => dialog().getByRole('button', { name: '取消' }).count(), patiently).toBe(0)
    await page.reload()
    await dialog().waitFor()
  })

  // proves: rule password.old; rule password.new; rule password.kinds; rule password.confirmation
  // proves: message 两次密码输入不一致
  it('sees what is wrong with a new one, under its field', async () => {
    await fill({})
    for (const words of ['请输入原密码', '请输入新密码', '请再次输入新密码'])
      await page.getByText(words).waitFor()
    await fill({ old: 'x', fresh: 'Ab1', again: 'Ab1' })
    await page.getByText('长度在6到20个字之间').waitFor()
    await fill({ old: 'x', fresh: 'abcdef', again: 'abcdef' })
    await page.getByText('密码必须由大写字母、小写字母、数字、特殊符号中的2种及以上类型组成!').waitFor()
    await fill({ old: 'x', fresh: newPassword, again: `${newPassword}!` })
    await page.getByText('两次密码输入不一致').waitFor()
  })

  it('keeps the typed values when the server refuses', async () => {
    await fill({ old: 'not-the-old-one', fresh: newPassword, again: newPassword })
    await page.getByText('原密码错误').waitFor()
    await expect
      .poll(() => page.getByLabel('新密码', { exact: true }).inputValue(), patiently)
      .toBe(newPassword)
  })

  it('continues with the new one, and signs in with it', async () => {
    await fill({ old: firstPassword(), fresh: newPassword, again: newPassword })
    await dialog().waitFor({ state: 'detached' })
    await page.getByText('还没有设备').waitFor()
    await context.clearCookies()
    await page.goto(stage.server.url)
    await signIn(newPassword)
    await until('the first page is there', () => new URL(page.url()).pathname === '/dashboard')
  })

  // proves: screen 18
  it('may change it again at any time, or cancel', async () => {
    await page.getByRole('button', { name: /^账号/ }).click()
    await page.getByRole('menuitem', { name: '修改密码' }).click()
    await dialog().waitFor()
    await dialog().getByRole('button', { name: '取消' }).click()
    await dialog().waitFor({ state: 'detached' })
  })

  it('may change it from the personal settings, where the look and the rows are chosen, too', async () => {
    await page.getByRole('button', { name: '外观' }).click()
    await page.getByRole('menuitem', { name: '个人设置' }).click()
    const settings = page.getByRole('dialog', { name: '个人设置' })
    await settings.waitFor()
    const root = page.locator('html')
    await settings.getByText('深色').click()
    await expect.poll(() => root.getAttribute('data-theme'), patiently).toBe('dark')
    await settings.getByText('紧凑').click()
    await expect.poll(() => root.getAttribute('data-density'), patiently).toBe('compact')
    await settings.getByRole('button', { name: '修改密码' }).click()
    await settings.waitFor({ state: 'detached' })
    await dialog().getByRole('button', { name: '取消' }).click()
    await dialog().waitFor({ state: 'detached' })
  })
})
