// Every screen in English, of a new installation with a device: what is Chinese there was written by nobody but us.
import { insertDevice, listEquipTypes, listOperators, login } from '@voltkeep/contract'
import { seedsInEnglish } from '@voltkeep/contract/english/seeds'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { screens } from '../apps/server/test/proofs.ts'
import { patiently, stageFor } from './harness.ts'
import { whenShown } from './screens.ts'

/** Where names are kept: their rows show them as they are, since their forms are filled with them. */
const namesAreKept: readonly string[] = ['/system/dictionary', '/system/menu', '/system/user', '/reference/']
/** A log is in the language of the machine (docs/decisions/0038): its lines are no words of the page. */
const logPage = '/system/server'
const logLine = '[data-level]'
/** Chinese is called so in every language, and the administrator has a name of that one. */
const always = ['中文', '系统管理员']
const kept: ReadonlySet<string> = new Set(Object.keys(seedsInEnglish))

/** All that is Chinese on the page: texts, and the names and hints of controls. */
const chineseOn = (page: Page, outside: string): Promise<string[]> =>
  page.evaluate((outside) => {
    const han = /\p{Script=Han}/u
    const found = new Set<string>()
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const within = node.parentElement?.closest(`script, style, noscript, ${outside}`)
      const text = node.textContent?.trim() ?? ''
      if (!within && han.test(text)) found.add(text)
    }
    for (const element of document.querySelectorAll(`:not(${outside}, :is(${outside}) *)`))
      for (const name of ['aria-label', 'placeholder', 'title', 'alt', 'data-label'])
        if (han.test(element.getAttribute(name) ?? '')) found.add(`${name}: ${element.getAttribute(name)}`)
    if (han.test(document.title)) found.add(`title: ${document.title}`)
    return [...found]
  }, outside)

describe('in English', () => {
  const stage = stageFor({ isEmpty: true })
  let context: BrowserContext

  beforeAll(async () => {
    const [type] = (await stage.call(listEquipTypes, {})).filter(({ classify }) => classify === 'EC')
    const [operator] = await stage.call(listOperators, {})
    const { code, secret } = await stage.call(insertDevice, {
      code: 'ENGLISH1',
      name: 'Cabinet one',
      operatorId: operator?.id ?? '',
      equipModelId: type?.equipModels[0]?.id ?? '',
      regionCode: '440300',
    })
    const device = stage.device({ code, secret } as never)
    device.start()
    await device.whenOnline()
    await device.report('status', { status: { 柜内温度: 61.5, 烟感报警: false } })
    await device.report('alarm', { code: '01110002', value: 5 })
    await device.report('event', { code: '03110005', value: 3 })
    // The log has a line that the reader of the page did not choose the language of.
    const refused = await fetch(`${stage.server.url}/api${login.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ loginname: 'a'.repeat(4_000_000) }),
    })
    expect(refused.status).toBe(413)
    const token = await stage.server.client.signIn('admin', stage.server.adminPassword)
    context = await stage.otherBrowser(token)
    await context.addCookies([{ name: 'voltkeep_language', value: 'en', url: stage.server.url }])
  })

  const paths = [...new Set([...screens.map(([path]) => path), '/login', '/404?from=/no/such/page'])]

  it('says nothing in Chinese on any screen', async () => {
    const page = await context.newPage()
    const chinese: Record<string, string[]> = {}
    for (const path of paths) {
      await page.goto(stage.server.url + path)
      await whenShown(page).catch(() => page.getByRole('heading').first().waitFor(patiently))
      const isOfNames = namesAreKept.some((start) => path.startsWith(start))
      if (path.startsWith(logPage)) await page.locator(logLine).first().waitFor(patiently)
      const outside = isOfNames ? '[data-key]' : path.startsWith(logPage) ? logLine : 'script'
      const found = (await chineseOn(page, outside)).filter((text) => {
        const rest = always.reduce((all, name) => all.replace(name, ''), text)
        return (
          /\p{Script=Han}/u.test(rest) && !(isOfNames && kept.has(rest.replace(/^[\w-]+: | \(\d+\)$/g, '')))
        )
      })
      if (found.length > 0) chinese[path] = found
    }
    await page.close()
    expect(chinese).toEqual({})
  }, 300_000)
})
