import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { insertRole, insertUser, listMenus } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { patiently, stageFor } from './harness.ts'

describe('the server page', () => {
  const stage = stageFor()
  let page: Page

  beforeAll(async () => {
    page = await stage.open('/system/server')
  })

  it('shows the state of the server, its database, its broker and its jobs', async () => {
    const part = (name: string) => page.getByRole('region', { name })
    await part('概况').getByText('网页和接口、设备接入、后台任务').waitFor(patiently)
    await part('数据库').getByText('正常').waitFor(patiently)
    await part('数据库')
      .getByText(/^PostgreSQL \d+/)
      .waitFor(patiently)
    await part('设备接入').getByText('正常').waitFor(patiently)
    await part('后台任务').getByText('建立历史分区').waitFor(patiently)
    const jobs = await part('后台任务').locator('tbody tr td:first-child').allInnerTexts()
    expect(jobs.filter((name) => !/\p{Unified_Ideograph}/u.test(name))).toEqual([])
    // What was not reached is folded.
    expect(await part('限制').getByText('网页和接口的连接', { exact: true }).count()).toBe(0)
    await part('限制')
      .getByRole('button', { name: /^未达到的 \d+ 项$/ })
      .click()
    await part('限制').getByText('网页和接口的连接', { exact: true }).waitFor(patiently)
    // Present and maximum, the maximum alone, or that the limit applies to each request: never a row of dashes.
    const extentOf = (name: string) =>
      part('限制')
        .getByRole('row', { name: new RegExp(`^${name}`) })
        .getByRole('cell')
        .nth(1)
        .innerText()
    expect(await extentOf('网页和接口的连接')).toMatch(/^\d+ \/ [\d,]+$/)
    expect(await extentOf('一个用户的导出')).toMatch(/^上限 \d+$/)
    expect(await extentOf('下载的速度')).toBe('按次判断')
    expect(await part('限制').getByText('—').count()).toBe(0)
    await part('资源')
      .getByText(/本进程 \d+/)
      .first()
      .waitFor(patiently)
  })

  it('stands in a long menu that folds what the window has no room for, and is scrolled into view in a low one', async () => {
    const line = page.getByRole('navigation', { name: '主菜单' }).getByRole('link', { name: '服务器' })
    const placed = () =>
      line.evaluate((element) => {
        const menu = element.closest('nav') as HTMLElement
        return {
          isBelow: element.getBoundingClientRect().bottom > window.innerHeight,
          isWhole: menu.scrollHeight <= menu.clientHeight,
          folded: menu.querySelectorAll('[aria-expanded="false"]').length > 0,
        }
      })
    await page.setViewportSize({ width: 1440, height: 900 })
    await expect.poll(placed, patiently).toEqual({ isBelow: false, isWhole: true, folded: true })
    await page.setViewportSize({ width: 1440, height: 420 })
    await page.reload()
    await expect.poll(placed, patiently).toEqual({ isBelow: false, isWhole: false, folded: true })
    await page.setViewportSize({ width: 1440, height: 1440 })
    await page.reload()
    await expect.poll(placed, patiently).toEqual({ isBelow: false, isWhole: true, folded: false })
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.reload()
  })

  it('counts a newly connected device, without a reload', async () => {
    const [identity] = stage.identities
    if (!identity) throw new Error('the demonstration has devices')
    const device = stage.device(identity)
    device.start()
    await device.whenOnline()
    const broker = page.getByRole('region', { name: '设备接入' })
    await broker.locator('dl > div').filter({ hasText: '在线连接' }).getByText('1').waitFor(patiently)
    await device.stop()
  })

  it('shows the end of a log as it grows, and searches it', async () => {
    const log = page.getByRole('region', { name: '日志' }).last()
    const file = join(stage.server.dataDir, 'logs', 'voltkeep.log')
    const line = (msg: string) =>
      `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), msg, code: 'EC0042' })}\n`
    appendFileSync(file, line('第一条记号'))
    appendFileSync(file, line('第二条记号'))
    await log.getByText('第二条记号').waitFor(patiently)
    await page.getByLabel('关键字').fill('第一条')
    await page.getByLabel('关键字').press('Enter')
    await page.waitForURL(/text=/, patiently)
    await log.getByText('第二条记号').waitFor({ ...patiently, state: 'detached' })
    await log.getByText('第一条记号').waitFor(patiently)
    await log.getByText('code=EC0042').waitFor(patiently)
    expect(stage.faults).toEqual([])
  })

  it('shows the figures, and no log, to a user who was granted the page', async () => {
    const pages = (await stage.call(listMenus, {})).flatMap((menu) => [menu, ...menu.children])
    const granted = pages.find(({ url }) => url === 'system/server')
    if (!granted) throw new Error('the demonstration has the page')
    const menuIds = [granted.id, ...granted.children.map(({ id }) => id)]
    const role = await stage.call(insertRole, { name: '机房', code: 'ROOM', menuIds })
    const password = 'Room-12345'
    const form = { userName: '机房值班', phone: '13800138000', type: '1', roleIds: [role.id] }
    await stage.call(insertUser, { ...form, loginName: 'room', password })

    const browser = await stage.otherBrowser(await stage.server.client.signIn('room', password))
    const theirs = await browser.newPage()
    await theirs.goto(`${stage.server.url}/system/server`)
    await theirs.getByRole('region', { name: '数据库' }).getByText('正常').waitFor(patiently)
    expect(await theirs.getByRole('region', { name: '日志', exact: true }).count()).toBe(0)
    expect(stage.faults).toEqual([])
  })
})
