import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { patiently, stageFor, until } from './harness.ts'
import { chooseFirst, itemOf } from './reach.ts'

describe('a form', () => {
  const stage = stageFor()
  let page: Page

  beforeAll(async () => {
    page = await stage.open('/system/user')
  })
  beforeEach(async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${stage.server.url}/system/user`)
    await page.getByRole('button', { name: '新增用户' }).click()
    await name().waitFor(patiently)
  })

  const form = () => page.getByRole('dialog').filter({ hasText: '新增用户' })
  const name = () => form().getByLabel('姓名', { exact: true })
  const question = () => page.getByRole('dialog', { name: '放弃修改' })

  it('takes what is typed as soon as it appears, and returns the focus when it closes', async () => {
    await name().press('Escape')
    await form().waitFor({ ...patiently, state: 'detached' })
    const opener = page.getByRole('button', { name: '新增用户' })
    await expect
      .poll(() => opener.evaluate((button) => button === document.activeElement), patiently)
      .toBe(true)

    // Types in the moment in which the dialog is added to the page.
    await page.evaluate(() => {
      new MutationObserver((_changes, observer) => {
        const title = document.querySelector('.ant-modal-title')
        if (!title?.checkVisibility()) return
        observer.disconnect()
        document.execCommand('insertText', false, '张')
      }).observe(document.body, { childList: true, subtree: true })
    })
    await opener.click()
    await expect.poll(() => name().inputValue(), patiently).toBe('张')
    await page.keyboard.type('三')
    expect(await name().inputValue()).toBe('张三')
  })

  it('asks before Esc discards changes, and closes without changes', async () => {
    await name().fill('张三')
    await name().press('Escape')
    await question().getByRole('button', { name: '继续填写' }).click()
    await question().waitFor({ ...patiently, state: 'detached' })
    expect(await name().inputValue()).toBe('张三')

    // Esc in the confirmation means no, and asks nothing again.
    await name().press('Escape')
    await question().waitFor(patiently)
    await page.keyboard.press('Escape')
    await question().waitFor({ ...patiently, state: 'detached' })
    expect(await name().inputValue()).toBe('张三')

    await name().press('Escape')
    await question().getByRole('button', { name: '放弃' }).click()
    await form().waitFor({ ...patiently, state: 'detached' })

    await page.getByRole('button', { name: '新增用户' }).click()
    await name().press('Escape')
    await form().waitFor({ ...patiently, state: 'detached' })
  })

  it('fills the screen on a phone, with its buttons visible', async () => {
    await page.setViewportSize({ width: 390, height: 700 })
    const send = form().getByRole('button', { name: '确定' })
    const box = async () => (await send.boundingBox()) ?? { y: Number.POSITIVE_INFINITY, height: 0, width: 0 }
    await until('the button is at the foot of the screen', async () => {
      const { y, height, width } = await box()
      return y + height <= 700 && y + height > 640 && width > 150
    })
    // Also after scrolling to the last field.
    await form().getByText('须修改密码').scrollIntoViewIfNeeded()
    expect((await box()).y).toBeLessThan(700)
  })

  it('begins below the notices on a phone: none covers its title or its close button', async () => {
    await page.setViewportSize({ width: 390, height: 700 })
    await page.route('**/api/user/insert', (route) =>
      route.fulfill({ status: 500, json: { code: 500, message: '系统繁忙，请稍后重试', data: null } }),
    )
    await name().fill('张三')
    await form().getByLabel('登录名').fill('zhangsan')
    await form().getByLabel('手机号').fill('13800000000')
    await form().getByText('组织内全部').click()
    for (const label of ['用户类型', '角色']) await chooseFirst(itemOf(form(), label))
    await form().getByRole('button', { name: '确定' }).click()
    const said = page.getByRole('alert').filter({ hasText: '系统繁忙' })
    await said.waitFor(patiently)
    const end = await said.evaluate((element) => element.getBoundingClientRect().bottom)
    for (const part of ['.ant-modal-header', '.ant-modal-close'])
      expect((await form().locator(part).boundingBox())?.y).toBeGreaterThanOrEqual(end)
    const send = await form().getByRole('button', { name: '确定' }).boundingBox()
    expect((send?.y ?? 700) + (send?.height ?? 0)).toBeLessThanOrEqual(700)
    await said.getByRole('button', { name: '关闭' }).click()
    await until('it is the whole screen again', async () => (await form().boundingBox())?.y === 0)
    await page.unroute('**/api/user/insert')
    expect(stage.faults).toEqual([])
  })
})
