// How a test reaches the states of a screen and opens a form, for the lists of them in apps/server/test/proofs/, which
// load no browser.
import type { Locator, Page } from 'playwright-core'
import { patiently } from './patiently.ts'

/** The name of a state, and how it is reached from the newly opened page. */
export type States = Readonly<Record<string, (page: Page) => Promise<void>>>

export interface FormCase {
  /** The component that renders it, below apps/web/src/features. */
  of: string
  path: string
  open: (page: Page) => Promise<void>
  /** Makes a form invalid that opens with valid values, such as that of a row. */
  spoil?: (form: Locator) => Promise<void>
  /** The messages when it is submitted like that, from the top. */
  problems: readonly string[]
  /** Chosen first: without it the form cannot be submitted. */
  file?: { name: string; mimeType: string; buffer: Buffer }
  /** Texts of fields by label; other required fields get their first choice or any text. */
  typed?: Readonly<Record<string, string>>
  /** Fills what is not marked as required. */
  complete?: (form: Locator) => Promise<void>
  /** The path of its call. */
  sends: string
}

/** The open form. */
export const formOn = (page: Page) => page.locator('.ant-modal').filter({ visible: true }).last()

export const whenOpen = (page: Page) => formOn(page).waitFor(patiently)

export const press = (name: string) => async (page: Page) => {
  await page
    .getByRole('button', { name: new RegExp(`${name}$`) })
    .first()
    .click()
  await whenOpen(page)
}

/** A button of the row with this text; of the first row by default. */
export const inRow =
  (name: string, text = '') =>
  async (page: Page) => {
    const row = page.locator('[data-key]').filter({ hasText: text }).first()
    await row.getByRole('button', { name, exact: true }).click()
    await whenOpen(page)
  }

/** A row in full: beside its list, or a page of its own. */
const details = 'aside, [data-watched]'

/** A button of the first row's detail. */
export const inDetail = (name: string) => async (page: Page) => {
  const detail = page.locator(details).filter({ has: page.locator('h3') })
  if (!(await detail.isVisible())) {
    await page.locator('[data-key]').first().focus()
    await page.keyboard.press('Enter')
    await detail.waitFor(patiently)
  }
  await detail
    .getByRole('button', { name: new RegExp(`${name}$`) })
    .first()
    .click()
  await whenOpen(page)
}

export const clear =
  (...labels: string[]) =>
  async (form: Locator) => {
    for (const label of labels) await form.getByLabel(label, { exact: true }).fill('')
  }

/** Chooses the first option of a field. */
export const chooseFirst = (item: Locator): Promise<void> =>
  chooseFirstOf(item.locator('.ant-select').first())

export async function chooseFirstOf(select: Locator): Promise<void> {
  const page = select.page()
  await select.locator('input').first().click()
  const popup = page.locator('.ant-select-dropdown').filter({ visible: true }).last()
  const choice = [
    '.ant-select-item-option:not(.ant-select-item-option-disabled)',
    '.ant-select-tree-treenode:not(.ant-select-tree-treenode-disabled) .ant-select-tree-node-content-wrapper',
    '.ant-cascader-menu-item',
  ]
  await popup.locator(choice.join(', ')).first().click()
  // A cascader and a multiple select stay open.
  await formOn(page).locator('.ant-modal-title').click()
  await popup.waitFor({ ...patiently, state: 'hidden' })
}

/**
 * Chooses by its name in a field of several: the list stays open, and Esc closes it. With a closed list, Esc would close
 * the form.
 */
export async function chooseAmong(form: Locator, label: string, name: string): Promise<void> {
  const page = form.page()
  await form.getByLabel(label).click()
  await page.locator('.ant-select-item-option').filter({ hasText: name }).last().click()
  await page.keyboard.press('Escape')
}

/** The whole field of a label. */
export const itemOf = (form: Locator, label: string) =>
  form.locator('.ant-form-item').filter({ has: form.page().locator('label', { hasText: label }) })

/** From a row that has a page of its own back to its list; a page with rows of its own stays. */
export const toList = async (page: Page) => {
  if (await page.locator('[data-key]').first().isVisible()) return
  const back = page.locator('[data-watched] > header a').first()
  if (await back.isVisible()) await back.click()
}

export const openFirst = async (page: Page) => {
  await toList(page)
  await page.locator('[data-key]').first().focus()
  await page.keyboard.press('Enter')
  await page.locator(details).locator('h3').first().waitFor(patiently)
}

export const pressFirst = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click()
  await page.getByRole('dialog').waitFor(patiently)
}

/** Presses a button in the first row's detail; on a phone rows have no buttons. */
export const pressInDetail =
  (...names: string[]) =>
  async (page: Page) => {
    await openFirst(page)
    for (const name of names) {
      const confirmation = page.locator('dialog[open]')
      const scope = (await confirmation.isVisible()) ? confirmation : page.locator(details)
      if (scope !== confirmation && ['重置密钥', '删除', '升级 JSON'].includes(name)) {
        await scope.getByRole('button', { name: '其他操作' }).first().click()
      }
      await scope
        .getByRole('button', { name: new RegExp(`${name}$`) })
        .first()
        .click()
      await page.getByRole('dialog').filter({ visible: true }).waitFor(patiently)
    }
  }

export const popup = '.ant-select-dropdown'

/** Opens the choices of a form's field. */
export const choicesOf = (form: (page: Page) => Promise<void>, label: string) => async (page: Page) => {
  await form(page)
  await page.getByRole('dialog').getByLabel(label, { exact: true }).first().click()
  await page.locator(popup).filter({ visible: true }).first().waitFor(patiently)
}

export const asItIs = async () => {}
