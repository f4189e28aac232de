// What all forms of the console have in common: the focus begins in the first field, Enter and Esc, the messages of
// empty fields, and one request for two presses. The forms are in
// apps/server/test/proofs/. No request reaches the server.
import type { CDPSession, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { forms } from '../apps/server/test/proofs.ts'
import { patiently, stageFor, until } from './harness.ts'
import { chooseFirst, type FormCase, formOn } from './reach.ts'
import { setScene, whenShown } from './screens.ts'

describe('every form', () => {
  const stage = stageFor()
  let page: Page
  let devtools: CDPSession

  beforeAll(async () => {
    await setScene(stage)
    page = await stage.open('/dashboard')
    devtools = await page.context().newCDPSession(page)
  })

  it.each(Object.entries(forms))('%s', async (_name, each) => {
    await page.goto(stage.server.url + each.path)
    await whenShown(page)
    await each.open(page)
    const form = page.getByRole('dialog', { name: await titleOf(formOn(page)), exact: true })
    await beginsInItsFirstField(form)
    // Without changes Esc closes without a question.
    await page.keyboard.press('Escape')
    await gone(form)

    await each.open(page)
    await each.spoil?.(form)
    if (each.file) {
      await form.locator('input[type=file]').setInputFiles(each.file)
      await until('the file is there', () => submitOf(form).isEnabled())
    }
    await composesUndisturbed(form)
    await saysWhatIsWrong(form, each)
    await fillIn(form, each)
    await sendsOnce(form, each)
    await page.keyboard.press('Escape')
    const question = page.getByRole('dialog', { name: '放弃修改' })
    await question.getByRole('button', { name: '放弃', exact: true }).click()
    await gone(form)
    expect(stage.faults).toEqual([])
  })

  const gone = (form: Locator) => form.waitFor({ ...patiently, state: 'detached' })

  async function beginsInItsFirstField(form: Locator) {
    const isThere = () =>
      form.evaluate((element) => {
        const fields = [...element.querySelectorAll('.ant-form-item')]
        const first = fields.find((field) =>
          field.querySelector('input:enabled, textarea:enabled, button:enabled'),
        )
        return first?.contains(document.activeElement)
      })
    await until('its focus is in its first field', async () => (await isThere()) === true)
  }

  /** During an IME composition Enter does not send, and Esc does not close. */
  async function composesUndisturbed(form: Locator) {
    const field = lineOf(form).first()
    if (!(await field.isVisible())) return
    const before = await field.inputValue()
    await field.focus()
    await devtools.send('Input.imeSetComposition', { text: 'ni', selectionStart: 2, selectionEnd: 2 })
    for (const key of ['Enter', 'Escape']) {
      const code = { key, code: key, windowsVirtualKeyCode: 229 }
      await devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...code })
      await devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', ...code })
    }
    await devtools.send('Input.imeSetComposition', { text: '', selectionStart: 0, selectionEnd: 0 })
    expect(await field.inputValue()).toBe(before)
    expect(await page.locator('dialog[open]').count()).toBe(0)
    expect(await form.locator(problem).count()).toBe(0)
  }

  /** Sends by Enter in a single-line field; a form without one by its button. */
  async function saysWhatIsWrong(form: Locator, { problems }: FormCase) {
    if (problems.length === 0) return
    const line = lineOf(form).first()
    if (await line.isVisible()) await line.press('Enter')
    else await submitOf(form).click()
    await expect.poll(() => form.locator(problem).allTextContents(), patiently).toEqual(problems)
    const first = form
      .locator('.ant-form-item')
      .filter({ has: page.locator(problem) })
      .first()
    await until('the first wrong field has the focus', () =>
      first.evaluate((item) => item.contains(document.activeElement)),
    )
  }

  async function sendsOnce(form: Locator, { sends }: FormCase) {
    let count = 0
    // The request is pending until the form has been checked.
    const checked = Promise.withResolvers<void>()
    const path = `**/api/${sends}`
    await page.route(path, async (route) => {
      count += 1
      await checked.promise
      await route.fulfill({ status: 500, json: { code: 500, message: '系统繁忙', data: null } })
    })
    try {
      const before = await valuesOf(form)
      await until('it can be sent', () => submitOf(form).isEnabled())
      await submitOf(form).dblclick()
      const question = page.locator('dialog[open]')
      await until('it is sent or asks', async () => count > 0 || (await question.isVisible()))
      if (await question.isVisible()) await question.locator('button').last().dblclick()
      await until('it is sent', () => count > 0)
      // Meanwhile another submit, and a typed letter.
      await form.locator('form').evaluate((element: HTMLFormElement) => element.requestSubmit())
      await page.keyboard.type('x')
      checked.resolve()
      await page.getByRole('alert').filter({ hasText: '系统繁忙' }).waitFor(patiently)
      expect(count).toBe(1)
      expect(await valuesOf(form)).toEqual(before)
      await until(
        'it can be sent again',
        async () => !(await submitOf(form).getAttribute('class'))?.includes('loading'),
      )
    } finally {
      checked.resolve()
      await page.unroute(path)
    }
  }
})

const problem = '.ant-form-item-explain-error'
const submitOf = (form: Locator) => form.locator('.ant-modal-footer .ant-btn-primary')
const titleOf = (form: Locator) => form.locator('.ant-modal-title').innerText()
/** Single-line text fields. */
// In a moment Enter ends its typing.
const lineOf = (form: Locator) =>
  form.locator('form input:is([type=text], :not([type])):enabled:not([role], [readonly], .ant-picker input)')

/** The values of all fields, and what is chosen in them. */
const valuesOf = (form: Locator) =>
  form.evaluate((element) => [
    ...[...element.querySelectorAll<HTMLInputElement>('input, textarea')].map(({ type, checked, value }) =>
      type === 'checkbox' || type === 'radio' ? String(checked) : value,
    ),
    ...[...element.querySelectorAll('.ant-select-content')].map(({ textContent }) => textContent),
  ])

/** Fills in what is required and empty: as the form's table says, else the first choice, else any text. */
async function fillIn(form: Locator, { typed = {}, complete }: FormCase) {
  const items = form.locator('.ant-form-item').filter({ has: form.page().locator('label .required') })
  for (let at = 0; at < (await items.count()); at++) {
    const item = items.nth(at)
    const label = (await item.locator('label .required').first().textContent()) ?? ''
    const select = item.locator('.ant-select').first()
    const input = item
      .locator('input[type=text]:enabled, input[type=password], input:not([type]), textarea')
      .first()
    if (await select.isVisible()) {
      const isChosen =
        (await select.locator('.ant-select-content-has-value, .ant-select-selection-item').count()) > 0
      if (!isChosen) await chooseFirst(item)
    } else if ((await input.isVisible()) && (await input.isEditable()) && !(await input.inputValue())) {
      await input.fill(typed[label] ?? 'A1')
      // A calendar takes what was typed when it is left.
      await input.press('Tab')
    }
  }
  await complete?.(form)
}
