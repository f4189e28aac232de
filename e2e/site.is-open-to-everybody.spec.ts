import { deleteAdvertisement, insertDictionaryEntry } from '@voltkeep/contract'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { opened, patiently, stageFor } from './harness.ts'
import { saveMasterBoard, uploadMasterPackage } from './masters.ts'
import { publishPicture } from './screens.ts'

const company = '深圳某某能源有限公司'
describe('the public pages', () => {
  const stage = stageFor({
    environment: {
      COMPANY_NAME: company,
      COMPANY_NAME_EN: 'Sample Energy Co., Ltd.',
      COMPANY_ADDRESS: '深圳市南山区科技园1号',
      AGREEMENT_DATE: '2026-11-01',
    },
  })
  /** A visitor with a Chinese browser, not signed in. */
  let visitor: BrowserContext
  let page: Page

  beforeAll(async () => {
    visitor = await stage.otherBrowser()
    page = await visitor.newPage()
  })

  const go = (path: string) => page.goto(stage.server.url + path)
  /** A page of another visitor, by the browser's language. */
  const pageOf = async (locale: string, path: string) => {
    const context = await stage.otherBrowser(undefined, locale)
    const other = await context.newPage()
    await other.goto(stage.server.url + path)
    return other
  }
  const heading = (name: string, on = page) => on.getByRole('heading', { level: 1, name }).waitFor(patiently)

  // proves: route /agreement_zh; route /agreement_en; route /privacy_zh; route /privacy_en
  it('name the company that runs the platform, its address and the effective date, in Chinese and English', async () => {
    for (const [path, title] of [
      ['/agreement', '用户协议'],
      ['/privacy', '隐私政策'],
    ] as const) {
      await go(`${path}_zh`)
      await heading(title)
      await page.getByText(`${company} · 生效日期：2026-11-01`).waitFor(patiently)
      await page.getByText(`${company}，深圳市南山区科技园1号`).waitFor(patiently)
      await page.getByRole('link', { name: 'English' }).click()
      await page.getByText('Sample Energy Co., Ltd. · In force since 2026-11-01').waitFor(patiently)
      expect(new URL(page.url()).pathname).toBe(`${path}_en`)
      await page.getByRole('link', { name: '中文' }).click()
      await heading(title)
    }
  })

  it('are printed without navigation', async () => {
    await go('/agreement_zh')
    await heading('用户协议')
    await page.emulateMedia({ media: 'print' })
    expect(
      await page.locator('header, footer').evaluateAll((parts) => parts.map((part) => part.clientHeight)),
    ).toEqual([0, 0])
    await page.emulateMedia({ media: 'screen' })
  })

  // proves: route /privacy
  it('have a privacy policy in the language of the visitor', async () => {
    await go('/privacy')
    await heading('隐私政策')
    const other = await pageOf('de-DE', '/privacy')
    await heading('Privacy Policy', other)
    await other.context().close()
  })

  // proves: route /asgoft; route /estolife; route /e-ark
  it('show the brands', async () => {
    for (const [path, name] of [
      ['/asgoft', 'ASGOFT'],
      ['/estolife', 'ESTOLIFE'],
      ['/e-ark', 'e-Ark'],
    ] as const) {
      await go(path)
      await heading(name)
    }
  })

  it('draw beside a brand what it is: energy storage has no compartments', async () => {
    const compartments = async (path: string) => {
      await go(path)
      await page.locator('main svg').first().waitFor(patiently)
      return page.locator('main svg [data-state="empty"]').count()
    }
    expect(await compartments('/asgoft')).toBeGreaterThan(0)
    expect(await compartments('/estolife')).toBe(0)
  })

  // proves: route /download; message 下载地址不存在
  it('report a missing app until its address is set, and then offer it with a QR code', async () => {
    await go('/download')
    await page.getByText('下载地址不存在').waitFor(patiently)
    expect(await page.getByRole('img', { name: '应用下载地址二维码' }).count()).toBe(0)

    const url = 'https://example.com/app/voltkeep-3.2.apk'
    await stage.call(insertDictionaryEntry, { type: 'APP_ADDR', code: '3.2', name: '安卓应用', note: url })
    await page.reload()
    const link = page.getByRole('link', { name: '下载应用' }).first()
    await expect.poll(() => link.getAttribute('href'), patiently).toBe(url)
    await page.getByRole('img', { name: '应用下载地址二维码' }).waitFor(patiently)
  })

  // proves: route /upgradation
  it('list the release notes in the language of the visitor', async () => {
    await saveMasterBoard(stage)
    await uploadMasterPackage(stage, '7.1', {
      remark: {
        zh: '修复仓门误报\n<b onclick="window.struck=1">加粗</b><img src=x onerror="window.struck=1">',
        en: 'Fixes false door alarms',
        de: 'Behebt falsche Türalarme',
        fr: 'Corrige de fausses alarmes de porte',
      },
    })
    await uploadMasterPackage(stage, '7.2', { kind: 'T' })
    await go('/upgradation')
    await heading('版本更新')
    const release = page.getByRole('article').filter({ hasText: 'V7.1' })
    await release.getByText('修复仓门误报').waitFor(patiently)
    expect(await page.getByText('V7.2').count()).toBe(0)

    // Release notes are rendered as text, even if they look like HTML.
    await release.getByText('onerror="window.struck=1"').waitFor(patiently)
    expect(await release.locator('img, b').count()).toBe(0)
    expect(await page.evaluate(() => 'struck' in window)).toBe(false)

    await page.getByRole('button', { name: 'Deutsch' }).click()
    await heading('Neuerungen')
    await page.getByText('Behebt falsche Türalarme').waitFor(patiently)
    expect(new URL(page.url()).search).toBe('?lang=de')
    await page.reload()
    await heading('Neuerungen')

    for (const [locale, title, note] of [
      ['fr-CH', 'Nouveautés', 'Corrige de fausses alarmes de porte'],
      ['ja-JP', "What's new", 'Fixes false door alarms'],
    ] as const) {
      const other = await pageOf(locale, '/upgradation')
      await heading(title, other)
      await other.getByText(note).waitFor(patiently)
      await other.context().close()
    }
  })

  it('report that no version was released, or that the notes cannot be read', async () => {
    await page.route('**/api/site/release/page*', (route) =>
      route.fulfill({ json: { code: 200, message: '操作成功', data: [], total: 0 } }),
    )
    await go('/upgradation?lang=zh')
    await page.getByText('还没有正式发布的版本。').waitFor(patiently)
    await page.unroute('**/api/site/release/page*')
    await page.route('**/api/site/release/page*', (route) => route.abort())
    await go('/upgradation?lang=nonsense')
    await page.getByRole('alert').waitFor(patiently)
    await page.unroute('**/api/site/release/page*')
    await page.getByRole('button', { name: '重试' }).click()
    await page.getByText('修复仓门误报').waitFor(patiently)
  })

  // proves: route /pic
  it('show a picture to anybody with its address, until the advertisement is deleted', async () => {
    const id = await publishPicture(stage)
    const console = await stage.open('/maintenance/advertise')
    await console.getByRole('button', { name: '查看' }).first().click()
    const dialog = await opened(
      console.getByRole('dialog', { name: '分享广告图片' }),
      console.getByRole('button', { name: '分享' }),
    )
    await dialog.getByRole('button', { name: '生成链接' }).click()
    await dialog.getByRole('img', { name: '分享链接二维码' }).waitFor(patiently)
    const address = (await dialog.getByText(`${stage.server.url}/pic?`).textContent()) ?? ''
    await console.close()

    await page.goto(address)
    await heading('春节换电优惠')
    const picture = page.getByRole('img', { name: '春节换电优惠' })
    await expect
      .poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth), patiently)
      .toBe(320)
    await page.getByText('链接有效期至').waitFor(patiently)

    await page.goto(address.replace('signature=', 'signature=A'))
    await heading('分享链接无效')
    await go('/pic')
    await heading('没有要显示的图片')
    await stage.call(deleteAdvertisement, { id })
    await page.goto(address)
    await heading('图片不存在或已停止分享')
  })

  // proves: route /404; message The webmaster said that you can not enter this page...; screen 18
  it('keep the requested address where there is no such page', async () => {
    await go('/404?from=/no/such/page')
    await page.getByText('The webmaster said that you can not enter this page...').waitFor(patiently)
    await page.getByText('访问的地址 /no/such/page').waitFor(patiently)
    // Only a path of this site can have been requested here.
    await go('/404?from=https://example.com/')
    await page.getByText('The webmaster said that you can not enter this page...').waitFor(patiently)
    expect(await page.getByText('访问的地址').count()).toBe(0)
  })

  // proves: rule public routes
  it('are the same for a signed-in user, without the layout', async () => {
    const own = await stage.open('/agreement_zh')
    await heading('用户协议', own)
    expect(await own.getByRole('navigation', { name: '主菜单' }).count()).toBe(0)
    expect(new URL(own.url()).pathname).toBe('/agreement_zh')
    await own.close()
    expect(stage.faults).toEqual([])
  })
})
