// Accessibility of popups: opens all popups of a page one after the other, and checks each with axe.
import type { Locator, Page } from 'playwright-core'
import { seriousProblems } from './accessibility.ts'
import { until } from './harness.ts'

/** Controls that open a popup: choices, calendars, menus, panels, the search. */
const openers = [
  '[role=combobox]',
  '.ant-picker input',
  '[aria-haspopup]:not([role=combobox])',
  'button[popovertarget]',
  'header button[aria-keyshortcuts]',
].join()

/** The popups. */
const popups =
  '.ant-select-dropdown, .ant-picker-dropdown, [popover]:popover-open, [role=menu], [role=dialog], dialog[open]'

/** The uppermost layer of the page: controls below a dialog cannot be used. */
async function topmost(page: Page): Promise<Locator> {
  const dialogs = page.locator('[role=dialog], dialog[open]').filter({ visible: true })
  return (await dialogs.count()) > 0 ? dialogs.last() : page.locator('body')
}

/**
 * Opens every popup of the uppermost layer, and returns the serious and critical problems that axe finds in it and in
 * its control. Controls whose name is in `seen` are skipped: all rows of a `screen` have the same menu, and the bars
 * are the same on every screen. Names of controls without problems are added to `seen`.
 */
export async function problemsOfPopups(page: Page, screen: string, seen: Set<string>): Promise<string[]> {
  const problems: string[] = []
  const opened = new Set(seen)
  const scope = await topmost(page)
  await until('all choices are read', async () => (await scope.locator('.anticon-loading').count()) === 0)
  // One control at a time: closing a popup may have rendered the others again.
  for (;;) {
    const name = await markNext(scope, screen, [...opened])
    if (name === undefined) return problems
    opened.add(name)
    await page.locator('[data-opener]').click()
    await until(`${name} is open`, () => hasOpened(page))
    const found = await seriousProblems(page, ['[data-opener]', '[data-opened]'])
    if (found.length === 0) seen.add(name)
    problems.push(...found.map((problem) => `${name}: ${problem}`))
    await until(`${name} is closed`, async () => {
      if (!(await hasOpened(page))) return true
      await page.keyboard.press('Escape')
      return false
    })
  }
}

/**
 * Marks the first visible control that opens a popup and whose name is not in `seen`, and marks popups that are
 * already open. Returns the control's name.
 */
function markNext(scope: Locator, screen: string, seen: readonly string[]): Promise<string | undefined> {
  return scope.evaluate(
    (element, { selector, known, opens, where }) => {
      for (const marked of document.querySelectorAll('[data-opener]')) marked.removeAttribute('data-opener')
      for (const popup of document.querySelectorAll<HTMLElement>(opens))
        if (popup.checkVisibility()) popup.dataset.before = ''
        else delete popup.dataset.before
      /** Not covered by a panel that lies over the page. */
      const isWithinReach = (control: HTMLElement) => {
        if (control.matches(':disabled') || !control.checkVisibility()) return false
        control.scrollIntoView({ block: 'nearest' })
        const { left, top, width, height } = control.getBoundingClientRect()
        const there = document.elementFromPoint(left + width / 2, top + height / 2)
        const frame = control.closest('.ant-select, .ant-picker') ?? control
        return frame.contains(there)
      }
      for (const control of element.querySelectorAll<HTMLInputElement>(selector)) {
        const label = control.labels?.[0]?.textContent ?? control.ariaLabel ?? control.title
        const place = control.closest('#content, [role=dialog], dialog') ? where : 'bar'
        // Rows have different names but the same popup, so digits are ignored.
        const name = `${place}: ${label || control.textContent} ${control.placeholder ?? ''}`
          .replace(/\d+/g, '#')
          .trim()
        if (known.includes(name) || !isWithinReach(control)) continue
        control.dataset.opener = ''
        return name
      }
      return undefined
    },
    { selector: openers, known: seen, opens: popups, where: screen },
  )
}

/** Whether a popup is visible that was not before; it gets marked. */
function hasOpened(page: Page): Promise<boolean> {
  return page.evaluate((selector) => {
    const shown = [...document.querySelectorAll<HTMLElement>(selector)].filter((popup) => {
      const { width, height } = popup.getBoundingClientRect()
      const isSeen = popup.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      return width > 0 && height > 0 && isSeen && popup.dataset.before === undefined
    })
    for (const marked of document.querySelectorAll('[data-opened]')) marked.removeAttribute('data-opened')
    for (const popup of shown) popup.dataset.opened = ''
    return shown.length > 0
  }, popups)
}
