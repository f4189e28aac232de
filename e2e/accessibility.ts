// Accessibility checks by axe, limited to serious and critical problems.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { patiently } from './harness.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Injects axe; call once per opened page. By evaluation, because the content security policy forbids foreign scripts.
 */
export async function bringAxe(page: Page): Promise<void> {
  await page.evaluate(axeSource)
}

/** Fails where the page has a serious or critical problem; `what` names the state in the message. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  // Polled: during a change of theme, colours are in transition.
  await expect.poll(() => seriousProblems(page), { ...patiently, message: what }).toEqual([])
}

/** The serious and critical problems of the page, or of the elements that match the selectors. */
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
