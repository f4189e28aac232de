import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { patiently, type Stage, setStage } from './harness.ts'
import {
  expectNoSidewaysScroll,
  leave,
  publicScreens,
  type States,
  screens,
  setScene,
  whenShown,
} from './screens.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Each size in one of the themes: an axe run takes its time. */
const views = [
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const

describe('pages, light on a desk and dark on a phone', () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await setStage()
    await setScene(stage)
  })
  afterAll(() => stage?.close())

  for (const [path, states] of screens) {
    it(`are without serious accessibility problems: ${Object.keys(states).join(', ')}`, async () => {
      const page = await stage.open(path, views[0])
      try {
        await expectAccessible(page, states)
      } finally {
        await page.close()
      }
      expect(stage.faults).toEqual([])
    })
  }

  it.each(publicScreens)('are so before anybody has signed in: %s', async (path) => {
    const context = await stage.otherBrowser()
    try {
      const page = await context.newPage()
      await page.goto(stage.server.url + path)
      await expectAccessible(page, { [path]: async () => {} })
    } finally {
      await context.close()
    }
    expect(stage.faults).toEqual([])
  })
})

/** Without serious problems in each of the views, in each state of the page. */
async function expectAccessible(page: Page, states: States): Promise<void> {
  // By evaluation: the page's policy lets no foreign script in.
  await page.evaluate(axeSource)
  for (const { colorScheme, ...size } of views) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize(size)
    await whenShown(page)
    for (const [what, reach] of Object.entries(states)) {
      await reach(page)
      // Polled: between two themes there are colours of neither.
      await expect
        .poll(() => seriousProblems(page), {
          ...patiently,
          message: `${what}, ${size.width} px, ${colorScheme}`,
        })
        .toEqual([])
      await expectNoSidewaysScroll(page)
      await leave(page)
    }
  }
}

async function seriousProblems(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    interface Violation {
      id: string
      impact: string
      nodes: { html: string; failureSummary: string }[]
    }
    const { axe } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> }
    }
    const { violations } = await axe.run({ resultTypes: ['violations'] })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
      )
  })
}
