// What axe finds on a page, down to what keeps a reader from using it.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { patiently } from './harness.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Once for each page that is opened. By evaluation: the page's policy lets no foreign script in. */
export async function bringAxe(page: Page): Promise<void> {
  await page.evaluate(axeSource)
}

/** Fails where the page has a serious or critical problem; `what` names the state in the message. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  // Polled: between two themes there are colours of neither.
  await expect.poll(() => seriousProblems(page), { ...patiently, message: what }).toEqual([])
}

/** What is serious or critical, on the page or in what these selectors find of it. */
export async function seriousProblems(page: Page, within?: readonly string[]): Promise<string[]> {
  return page.evaluate(async (include) => {
    interface Violation {
      id: string
      impact: string
      nodes: { html: string; failureSummary: string }[]
    }
    const { axe } = window as unknown as {
      axe: { run(context: unknown, options: object): Promise<{ violations: Violation[] }> }
    }
    const { violations } = await axe.run(include ? { include } : document, {
      resultTypes: ['violations'],
    })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
      )
  }, within)
}
