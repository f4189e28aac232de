// The walk through every screen, which several specs share: each takes the screens of its part of the console.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { shareAdvertisement } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { screens } from '../apps/server/test/proofs.ts'
import { bringAxe, expectAccessible } from './accessibility.ts'
import { specifiedColumns, specifiedFilters } from './columns.ts'
import { patiently, stageFor } from './harness.ts'
import { problemsOfPopups } from './popups.ts'
import { asItIs, type States } from './reach.ts'
import {
  expectNoSidewaysScroll,
  leave,
  publicScreens,
  publishPicture,
  setScene,
  whenShown,
} from './screens.ts'

/** Every size is walked in both themes; axe, which is slow, checks one of them. */
const sizes = [
  { width: 1440, height: 900, axeTheme: 'light' },
  { width: 390, height: 844, axeTheme: 'dark' },
] as const
const themes = ['light', 'dark'] as const

const root = join(import.meta.dirname, '..')
/** Set by `npm run docs:screens`: the walk then also writes the images of docs/screens.md. */
export const isWriting = process.env.WRITE_SCREENS === '1'
const folder = join(root, 'docs/images/screens')
export const page = join(root, 'docs/screens.md')
/** Small enough for the repository, and still legible. */
const image = { quality: 45, scale: { 1440: 0.65, 390: 0.8 } } as const

/** Of the public screens the one that shows an advertisement, whose id each run has anew. */
const shared = '/pic?id=…'
export const openScreens: readonly string[] = [...publicScreens, shared]
const places: readonly (readonly [path: string, states: States])[] = [
  ...screens,
  ...openScreens.map((path) => [path, { [path]: asItIs }] as const),
]

/** The parts of the console that are walked together, by how their addresses begin. */
const parts: readonly (readonly [part: 'maintenance' | 'devices', start: string])[] = [
  ['maintenance', '/maintenance/'],
  ['devices', '/dashboard'],
  ['devices', '/equipment/'],
  ['devices', '/upgrade/'],
]

const partOf = (path: string) => parts.find(([, start]) => path.startsWith(start))?.[0] ?? 'others'

/** The screens of a part with their states: each screen belongs to one. */
export const screensOf = (part: ReturnType<typeof partOf>) =>
  screens.filter(([path]) => partOf(path) === part)

/** A stage with something to show on every screen, for the tests of the suite that calls this, and the walks. */
export function stageOfWalk() {
  const stage = stageFor({
    environment: {
      NOTIFY_NETWORKS: '127.0.0.0/8',
      COMPANY_NAME: '深圳某某能源有限公司',
      AGREEMENT_DATE: '2026-11-01',
    },
  })
  let sharedPath: string
  /** Names of controls whose popups have been checked. */
  const openedPopups = new Set<string>()

  beforeAll(async () => {
    openedPopups.clear()
    await setScene(stage)
    const { path } = await stage.call(shareAdvertisement, { id: await publishPicture(stage) })
    sharedPath = path
    if (isWriting) mkdirSync(folder, { recursive: true })
  })

  async function walkScreen(path: string, states: States): Promise<void> {
    const opened = await stage.open(path)
    try {
      await expectColumns(opened, specifiedColumns[path] ?? [])
      await expectFilters(opened, specifiedFilters[path] ?? [])
      await walk(opened, path, states)
    } finally {
      await opened.close()
    }
  }

  /** Walks one of `openScreens`, signed out. */
  async function walkOpenScreen(path: string): Promise<void> {
    const context = await stage.otherBrowser()
    try {
      const opened = await context.newPage()
      await opened.goto(stage.server.url + (path === shared ? sharedPath : path))
      await walk(opened, path, { [path]: asItIs })
    } finally {
      await context.close()
    }
  }

  /** Expects these among the titles of the list's columns, in this order. */
  async function expectColumns(on: Page, wanted: readonly string[]): Promise<void> {
    if (wanted.length === 0) return
    await on.setViewportSize(sizes[0])
    const titles = () => on.locator('main thead th').allInnerTexts()
    const found = async () =>
      (await titles()).map((title) => title.trim()).filter((title) => wanted.includes(title))
    await expect.poll(found, patiently).toEqual(wanted)
  }

  /** Expects these filters to be visible without a press: each by its label, a range by its placeholder. */
  async function expectFilters(on: Page, wanted: readonly string[]): Promise<void> {
    const filters = on.getByRole('form', { name: '筛选' })
    for (const name of wanted) {
      const control = filters
        .getByLabel(name, { exact: true })
        .or(filters.getByPlaceholder(name, { exact: true }))
      await control.filter({ visible: true }).first().waitFor(patiently)
    }
  }

  /**
   * Checks each state in each size and theme: no errors, no horizontal scrolling, no serious problem by axe; in one
   * theme also with each popup open.
   */
  async function walk(on: Page, place: string, states: States): Promise<void> {
    const problems: string[] = []
    on.on('response', (answer) => {
      if (answer.status() >= 500) problems.push(`${answer.status()} ${answer.url()}`)
    })
    on.on('console', (message) => {
      // The browser also logs refused calls that a page expects, such as a missing app.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        problems.push(message.text())
    })
    const popupProblems: string[] = []
    await bringAxe(on)
    for (const { axeTheme, ...size } of sizes) {
      await on.setViewportSize(size)
      for (const [state, reach] of Object.entries(states)) {
        await whenShown(on)
        await reach(on)
        for (const colorScheme of themes) {
          await on.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          await expectNoSidewaysScroll(on)
          if (colorScheme === axeTheme && !isWriting)
            await expectAccessible(on, `${state}, ${size.width} px, ${colorScheme}`)
          if (colorScheme === axeTheme && size.width === 1440 && !isWriting)
            popupProblems.push(...(await problemsOfPopups(on, place, openedPopups)))
          if (isWriting) await photograph(on, size, nameOf(state, size.width, colorScheme))
        }
        await leave(on)
      }
    }
    expect(problems).toEqual([])
    expect(popupProblems).toEqual([])
    expect(stage.faults).toEqual([])
  }

  return { walkScreen, walkOpenScreen }
}

interface Size {
  readonly width: 1440 | 390
  readonly height: number
}

async function photograph(on: Page, size: Size, name: string): Promise<void> {
  // The live stream never ends, so the network never becomes idle.
  await on
    .locator('[aria-busy=true]')
    .first()
    .waitFor({ ...patiently, state: 'detached' })
  const devtools = await on.context().newCDPSession(on)
  // The picture is of the page, which may be scrolled.
  const y = await on.evaluate(() => window.scrollY)
  // By the protocol itself: playwright writes no WebP.
  const { data } = await devtools.send('Page.captureScreenshot', {
    format: 'webp',
    quality: image.quality,
    clip: { x: 0, y, ...size, scale: image.scale[size.width] },
  })
  await devtools.detach()
  writeFileSync(join(folder, name), Buffer.from(data, 'base64'))
}

const nameOf = (state: string, width: number, theme: string) =>
  `${state
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')}-${width}-${theme}.webp`

const imagesOf = (state: string) =>
  sizes.flatMap(({ width }) => themes.map((theme) => nameOf(state, width, theme)))

/** Expects docs/screens.md to show every state in an image; with `isWriting`, after the walks, it is written first. */
export function expectDocument(): void {
  const wanted = new Set(places.flatMap(([, states]) => Object.keys(states).flatMap(imagesOf)))
  const others = () => readdirSync(folder).filter((name) => !wanted.has(name))
  if (isWriting) {
    for (const name of others()) rmSync(join(folder, name))
    writeFileSync(page, documentOf())
  }
  expect([...wanted].filter((name) => !existsSync(join(folder, name)))).toEqual([])
  expect(others()).toEqual([])
  expect(readFileSync(page, 'utf8')).toBe(documentOf())
}

function documentOf(): string {
  const base = relative(join(root, 'docs'), folder).replaceAll('\\', '/')
  return [
    '# Screens',
    '',
    'Every page and dialog, at 1440 and at 390 px, light and dark, with the data of the demonstration. Written by',
    '`npm run docs:screens`; the walk is `e2e/walk.ts`, its lists are `apps/server/test/proofs/`.',
    ...places.flatMap(([path, states]) => [
      '',
      `## \`${path}\``,
      ...Object.keys(states).flatMap((state) => [
        ...(state === path ? [] : ['', `### ${state}`]),
        '',
        imagesOf(state)
          .map((name) => {
            const width = name.includes('-390-') ? 12 : 36
            return `<img src="${base}/${name}" width="${width}%" alt="${state}, ${/-(\d+-\w+)\.webp$/.exec(name)?.[1]}">`
          })
          .join('\n'),
      ]),
    ]),
    '',
  ].join('\n')
}
