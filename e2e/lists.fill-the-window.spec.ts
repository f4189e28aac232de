import { describe, expect, it } from 'vitest'
import { patiently, stageFor, until } from './harness.ts'

describe('a list', () => {
  const stage = stageFor()

  // proves: constant table height
  it('has the height of the window less its offset less 200, also after the part above it grows', async () => {
    const page = await stage.open('/equipment/list', { width: 1440, height: 1000 })
    const table = page.getByRole('table', { name: '设备' })
    await table.waitFor(patiently)
    /** The height that the list asks for, and the specified one. */
    const heights = () =>
      table.evaluate((element) => {
        const rows = element.parentElement as HTMLElement
        return [getComputedStyle(rows).flexBasis, `${window.innerHeight - rows.offsetTop - 200}px`]
      })
    const isAsSpecified = async () => {
      const [asked, specified] = await heights()
      return asked === specified
    }
    await until('the height fits', isAsSpecified)
    const [before] = await heights()
    await page.getByRole('form', { name: '筛选' }).getByRole('button', { name: '更多' }).click()
    await until('the table gives way to the filters', async () => (await heights())[0] !== before)
    await until('the height fits again', isAsSpecified)
    await page.setViewportSize({ width: 1440, height: 800 })
    await until('the height follows the window', isAsSpecified)
    expect(Number.parseInt((await heights())[0] ?? '', 10)).toBeGreaterThan(240)
    expect(stage.faults).toEqual([])
  })

  it('keeps its columns together on a wide screen: the rest is the last one’s', async () => {
    const page = await stage.open('/reference/operator', { width: 2560, height: 1440 })
    for (const path of ['/reference/operator', '/system/role', '/upgrade/board', '/equipment/hwVersion']) {
      await page.goto(stage.server.url + path)
      const heads = page.locator('main thead th')
      await heads.first().waitFor(patiently)
      const widths = () => heads.evaluateAll((all) => all.map((head) => head.getBoundingClientRect().width))
      await expect.poll(async () => Math.max(...(await widths()).slice(0, -1)), patiently).toBeLessThan(400)
      const inner = await page
        .locator('main table')
        .evaluate((table) => table.parentElement?.clientWidth ?? 0)
      expect((await widths()).reduce((sum, width) => sum + width, 0)).toBeCloseTo(inner, -1)
    }
  })
})
