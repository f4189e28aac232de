// The console in English: chosen at the sign-in or in the settings, whole on every screen, and nothing of it cut off.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { screens } from '../apps/server/test/proofs.ts'
import { patiently, stageFor } from './harness.ts'
import { expectNoSidewaysScroll, setScene, whenShown } from './screens.ts'

const stage = stageFor({ environment: { NOTIFY_NETWORKS: '127.0.0.0/8' } })
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const

async function english(path: string): Promise<Page> {
  const token = await stage.server.client.signIn('admin', stage.server.adminPassword)
  const context = await stage.otherBrowser(token)
  await context.addCookies([{ name: 'voltkeep_language', value: 'en', url: stage.server.url }])
  const page = await context.newPage()
  await page.setViewportSize(sizes[0])
  await page.goto(stage.server.url + path)
  return page
}

/** What the console itself says and has of controls; names of devices, people and the dictionary are data. */
const ownWords = [
  'main h1',
  'main h2',
  'main thead th',
  'main label',
  'main form button',
  'main [role=tab]',
  'main [role=toolbar] button',
  'header button',
  'nav a',
  'nav button',
].join(', ')

/** Of the page as it is: words of ours in Chinese, and words that do not fit where they stand. */
const faultsOf = (page: Page) =>
  page.evaluate((selector) => {
    const faults: string[] = []
    for (const element of document.querySelectorAll<HTMLElement>(selector)) {
      if (!element.checkVisibility()) continue
      const words = [
        element.innerText,
        element.getAttribute('aria-label') ?? '',
        element.querySelector('input')?.placeholder ?? '',
      ]
      const chinese = words.find((text) => /\p{Script=Han}/u.test(text))
      if (chinese !== undefined) faults.push(`Chinese: ${chinese}`)
      const isHidden = ['hidden', 'clip'].includes(getComputedStyle(element).overflowX)
      if (isHidden && element.scrollWidth > element.clientWidth + 1)
        faults.push(`cut off: ${element.innerText}`)
    }
    return [...new Set(faults)]
  }, ownWords)

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

describe('every screen is in English, and fits', () => {
  let page: Page
  beforeAll(async () => {
    await setScene(stage)
    page = await english('/dashboard')
  })

  test.each(screens.map(([path]) => path).filter((path) => !path.includes('…')))('%s', async (path) => {
    const found: Record<string, string[]> = {}
    for (const size of sizes) {
      await page.setViewportSize(size)
      await page.goto(stage.server.url + path)
      await whenShown(page)
      await expectNoSidewaysScroll(page)
      const faults = await faultsOf(page)
      if (faults.length > 0) found[size.width] = faults
    }
    expect(found).toEqual({})
    expect(stage.faults).toEqual([])
  })
})
