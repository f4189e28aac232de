import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { patiently, type Stage, setStage, until } from './harness.ts'

describe('a form', () => {
  let stage: Stage
  let page: Page

  beforeAll(async () => {
    stage = await setStage()
    page = await stage.open('/system/user')
  })
  afterAll(() => stage?.close())
  beforeEach(async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${stage.server.url}/system/user`)
    await page.getByRole('button', { name: '新增用户' }).click()
    await name().waitFor(patiently)
  })

  const form = () => page.getByRole('dialog').filter({ hasText: '新增用户' })
  const name = () => form().getByLabel('姓名', { exact: true })
  const question = () => page.getByRole('dialog', { name: '放弃修改' })
  const focused = () => page.evaluate(() => document.activeElement?.id)

  it('focuses the first invalid field from the top', async () => {
    await form().getByRole('button', { name: '确定' }).click()
    await form().locator('.ant-form-item-explain-error').first().waitFor(patiently)
    const id = await name().getAttribute('id')
    await expect.poll(focused, patiently).toBe(id)
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
    expect(stage.faults).toEqual([])
  })
})
