import { login, logout, nameSignInProviders } from '@voltkeep/contract'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { patiently, stageFor, until } from './harness.ts'

describe('a session', () => {
  const stage = stageFor()
  let context: BrowserContext
  let page: Page

  /** A page in a browser that is not signed in. */
  const freshPage = async (path: string) => {
    context = await stage.otherBrowser()
    page = await context.newPage()
    await page.goto(stage.server.url + path)
  }
  const address = () => page.url().slice(stage.server.url.length)
  const arrivesAt = (path: string) => until(`the address is ${path}`, () => address() === path)
  const token = async () => (await context.cookies()).find(({ name }) => name === 'voltkeep_token')?.value
  const signIn = async () => {
    await page.getByLabel('登录名').fill('admin')
    await page.getByLabel('密码', { exact: true }).fill(stage.server.adminPassword)
    await page.keyboard.press('Enter')
  }
  /** Ends the session as an administrator or another window would. */
  const endElsewhere = async () => {
    await stage.server.client.call(logout, {}, await token())
  }
  /** Not by the pointer: the page also polls, and the result of a poll may cover the button. */
  const ask = () => page.getByRole('button', { name: '查询' }).dispatchEvent('click')

  // proves: screen sign-in; route /login; rule login redirect; rule login failure; rule token cookie
  it('returns to the requested page after sign-in, filters included', async () => {
    await freshPage('/equipment/list?isOnline=0&pageSize=20')
    await page.getByRole('button', { name: '登录' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/login')
    expect(new URL(page.url()).searchParams.get('redirect')).toBe('/equipment/list?isOnline=0&pageSize=20')

    await page.getByRole('button', { name: '登录' }).click()
    await page.getByText('请输入登录名').waitFor()
    await page.getByText('请输入密码').waitFor()

    await page.getByLabel('登录名').fill('admin')
    await page.getByLabel('密码', { exact: true }).fill('Wrong-1')
    await page.keyboard.press('Enter')
    await page.getByText('登录名或密码错误').waitFor()
    await expect.poll(() => page.getByLabel('登录名').inputValue(), patiently).toBe('admin')

    await signIn()
    await page.getByRole('heading', { name: '设备列表' }).waitFor()
    expect(address()).toBe('/equipment/list?isOnline=0&pageSize=20')
    const cookie = (await context.cookies()).find(({ name }) => name === 'voltkeep_token')
    expect(cookie).toMatchObject({ name: 'voltkeep_token', sameSite: 'Strict' })
  })

  // proves: screen layout; route /; route /dashboard; route /login; route /maintenance; rule signed in
  // proves: rule breadcrumb
  it('redirects the signed-in user from the sign-in page, / and /maintenance', async () => {
    for (const path of ['/login', '/']) {
      await page.goto(stage.server.url + path)
      await arrivesAt('/dashboard')
      await expect.poll(() => page.title(), patiently).toMatch(/^(\(\d+\) )?首页 · /)
    }
    const firstCrumb = page.getByRole('navigation', { name: '当前位置' }).getByTitle('Home Page')
    const crumbs = () => page.getByRole('navigation', { name: '当前位置' }).innerText()
    await expect.poll(() => firstCrumb.textContent(), patiently).toBe('首页')
    await page.goto(`${stage.server.url}/maintenance`)
    await arrivesAt('/maintenance/exitWarning')
    await expect.poll(crumbs, patiently).toMatch(/^首页[^\p{L}]+.*告警管理/su)
    await firstCrumb.click()
    await arrivesAt('/dashboard')
  })

  // proves: route /404; rule unknown path; screen 18
  // proves: message The webmaster said that you can not enter this page...
  it('shows the 404 page for unknown paths', async () => {
    await page.goto(`${stage.server.url}/no/such/page`)
    await page.getByRole('heading', { name: '页面不存在，或当前账号没有访问权限。' }).waitFor()
    await page.getByText('The webmaster said that you can not enter this page...').waitFor()
    await page.getByText('访问的地址 /no/such/page').waitFor()
    expect(new URL(page.url()).pathname).toBe('/404')
    const sidebar = page.getByRole('navigation', { name: '主菜单' })
    await sidebar.waitFor()
    await page.reload()
    await page.getByText('访问的地址 /no/such/page').waitFor()
    await sidebar.getByRole('link', { name: '设备列表' }).click()
    await arrivesAt('/equipment/list')
  })

  // proves: screen layout; rule sidebar cookie; constant sidebar width
  it('remembers the sidebar and the theme', async () => {
    await page.goto(`${stage.server.url}/dashboard`)
    const sidebar = page.getByRole('navigation', { name: '主菜单' })
    const width = () => sidebar.evaluate((element) => element.getBoundingClientRect().width)
    await until('the sidebar is 240 px wide', async () => (await width()) === 240)
    await page.getByRole('button', { name: '收起菜单' }).click()
    const cookies = async () => (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`)
    await expect.poll(cookies, patiently).toContain('voltkeep_sidebar=closed')
    await page.getByRole('button', { name: '外观' }).click()
    await page.getByRole('menuitemradio', { name: '深色' }).click()
    await page.reload()
    await page.getByRole('button', { name: '展开菜单' }).waitFor()
    expect(await width()).toBeLessThan(100)
    await expect.poll(() => page.locator('html').getAttribute('data-theme'), patiently).toBe('dark')
    await page.getByRole('button', { name: '展开菜单' }).click()
  })

  // proves: rule sidebar collapse; constant mobile breakpoint
  it('turns the sidebar into a drawer below 992 px', async () => {
    await page.setViewportSize({ width: 992, height: 800 })
    const drawer = page.getByRole('button', { name: '展开菜单' })
    await until('the sidebar is here', isInSight)
    await expect.poll(() => drawer.isVisible(), patiently).toBe(false)
    await page.setViewportSize({ width: 991, height: 800 })
    const link = page.getByRole('link', { name: '设备列表' })
    await until('the drawer is away', async () => !(await isInSight()))
    await page.getByRole('button', { name: '展开菜单' }).click()
    await until('the drawer is here', isInSight)
    await link.click()
    await arrivesAt('/equipment/list')
    await until('the drawer is away again', async () => !(await isInSight()))
    await page.setViewportSize({ width: 1440, height: 900 })

    async function isInSight() {
      const box = await page.getByRole('navigation', { name: '主菜单', includeHidden: true }).boundingBox()
      return box !== null && box.x >= 0
    }
  })

  // proves: rule codes 50008, 50012, 50014; message Confirm logout; message Cancel
  it('that was ended elsewhere asks once, and the page can be kept', async () => {
    await page.goto(`${stage.server.url}/equipment/list`)
    await page.locator('tbody tr[data-key]').first().waitFor()
    await endElsewhere()
    const box = page.getByRole('dialog', { name: '退出确认 Confirm logout', exact: true })
    await ask()
    await box.waitFor()
    await expect.poll(() => page.locator('dialog').count(), patiently).toBe(1)
    await box.getByRole('button', { name: '取消 Cancel', exact: true }).click()
    await box.waitFor({ state: 'detached' })
    // The list must not look as if it were still updated.
    await page.getByRole('alert').getByText('登录已失效，数据已停止更新').waitFor()
    expect(address()).toBe('/equipment/list')
    await expect.poll(() => page.locator('tbody tr[data-key]').count(), patiently).toBeGreaterThan(0)
  })

  // proves: rule codes 50008, 50012, 50014; message Re-Login
  it('is started again with Re-Login, at the same place', async () => {
    await ask()
    await page.getByRole('button', { name: '重新登录 Re-Login', exact: true }).click()
    await until('the sign-in page is there', () => new URL(page.url()).pathname === '/login')
    expect(await token()).toBeUndefined()
    await signIn()
    await arrivesAt('/equipment/list')
    await page.getByRole('heading', { name: '设备列表' }).waitFor()
  })

  // proves: rule session start; message Verification failed, please Login again.
  it('with an invalid token ends before anything is shown', async () => {
    // The open page also polls: with the invalid token, it would be the one that signs out.
    await page.goto('about:blank')
    await context.addCookies([{ name: 'voltkeep_token', value: 'worthless', url: stage.server.url }])
    await page.goto(`${stage.server.url}/maintenance/exitWarning`)
    await page.getByText('身份验证失败，请重新登录。Verification failed, please Login again.').waitFor()
    expect(address()).toBe('/login?redirect=/maintenance/exitWarning')
    expect(await token()).toBeUndefined()
  })

  // proves: rule code 401
  it('is ended by a 401 of the server, with the reason shown', async () => {
    await signIn()
    await page.getByRole('heading', { name: '告警管理' }).waitFor()
    await page.route('**/api/alarm/page*', (route) =>
      route.fulfill({ status: 401, json: { code: 401, message: '请先登录', data: null } }),
    )
    await page.getByRole('button', { name: '查询' }).click()
    await page.getByText('请先登录').first().waitFor()
    await until('the sign-in page is there', () => new URL(page.url()).pathname === '/login')
    await page.unroute('**/api/alarm/page*')
  })

  // proves: screen 18; rule confirmations
  it('is ended by 退出登录 after a confirmation, on the server too', async () => {
    await signIn()
    await page.getByRole('heading', { name: '告警管理' }).waitFor()
    const signedInAs = await token()
    await page.getByRole('button', { name: /^账号/ }).click()
    await page.getByRole('menuitem', { name: '退出登录' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '取消' }).click()
    expect(await token()).toBe(signedInAs)

    await page.getByRole('button', { name: /^账号/ }).click()
    await page.getByRole('menuitem', { name: '退出登录' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '退出登录' }).click()
    await arrivesAt('/login')
    expect(await token()).toBeUndefined()
    const { code } = await stage.server.client.call(logout, {}, signedInAs)
    expect(code).toBe(50008)
    await context.close()
  })

  // proves: rule public routes
  it('is not needed for the public pages', async () => {
    await freshPage('/404')
    for (const path of [
      ...['/asgoft', '/estolife', '/agreement_en', '/agreement_zh', '/privacy_en', '/privacy_zh', '/privacy'],
      ...['/e-ark', '/upgradation', '/pic', '/404'],
    ]) {
      await page.goto(stage.server.url + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(address()).toBe(path)
    }
    await page.goto(`${stage.server.url}/download`)
    await page.getByText('下载地址不存在').waitFor()
    await context.close()
    expect(stage.faults).toEqual([])
  })

  // proves: rule request
  it('never puts its token into an address, and sends the required headers', async () => {
    await freshPage('/dashboard')
    const requests: { url: string; headers: Record<string, string> }[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/')) requests.push({ url: request.url(), headers: request.headers() })
    })
    await signIn()
    await arrivesAt('/dashboard')
    await until('the live stream is open', () => requests.some(({ url }) => url.endsWith('/api/stream')))
    const signedInAs = await token()
    for (const { url, headers } of requests) {
      expect(url).not.toContain(signedInAs)
      expect(headers['x-requested-with']).toBe('XMLHttpRequest')
      expect(headers['content-type']).toContain('application/json')
      // The page of the sign-in asks for the company's providers before anybody has signed in.
      if (![login.path, nameSignInProviders.path].some((open) => url.endsWith(open)))
        expect(headers.authorization).toBe(`Bearer ${signedInAs}`)
    }
    await context.close()
  })
})
