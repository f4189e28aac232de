// The pages of alarms and of devices in a browser, for the benches of the first load.
import { listAlarms } from '@voltkeep/contract'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { type ServerProcess, startServerProcess } from '../apps/server/test/server-process.ts'

/** The page of current alarms, which an operator opens first. */
export const alarmPath = '/maintenance/exitWarning'
export const devicePath = '/equipment/list'
const patiently = { timeout: 60_000 }
/** A row with data, not a placeholder. */
const firstRow = 'tbody tr[data-key]'

export interface AlarmWorld {
  server: ServerProcess
  /** A token of the first administrator. */
  token: string
  close(): Promise<void>
}

/** The production server, of this checkout or another, its devices, and one that has reported `alarms` alarms. */
export async function openAlarmWorld({
  alarms = 10,
  devices = 10,
  installation = undefined as string | undefined,
} = {}): Promise<AlarmWorld> {
  const server = await startServerProcess({
    demoDevices: devices,
    installation,
    environment: { LOG_LEVEL: 'warn' },
  })
  let device: VirtualDevice | undefined
  try {
    const token = await server.client.signIn('admin', server.adminPassword)
    const [identity] = server.devices()
    if (!identity) throw new Error('the demonstration has devices')
    device = new VirtualDevice(identity, {
      broker: { host: '127.0.0.1', port: server.mqttPort, isTls: false },
      random: createRandom(1),
    })
    device.start()
    await device.whenOnline()
    for (let at = 1; at <= alarms; at += 1) await device.raise(`T${String(at).padStart(4, '0')}`, 1)
    const until = Date.now() + patiently.timeout
    while ((await server.client.call(listAlarms, {}, token)).total !== alarms) {
      if (Date.now() > until) throw new Error('the server has not taken the alarms')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return { server, token, close: () => server.remove() }
  } catch (error) {
    await server.remove()
    throw error
  } finally {
    device?.cutPower()
  }
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH || '/usr/bin/chromium',
    // As root Chromium has no sandbox.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
}

/** A browser without cache, signed in; `url` where the server's pages are served elsewhere. */
export async function visitor(
  browser: Browser,
  { server, token }: AlarmWorld,
  url = server.url,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    viewport: { width: 1440, height: 900 },
  })
  context.setDefaultTimeout(patiently.timeout)
  await context.addCookies([{ name: 'voltkeep_token', value: token, url }])
  await context.addInitScript(watchFirstRow, firstRow)
  return context
}

/** The page's own measurements, in milliseconds since the request. */
export interface FirstLoad {
  firstPaintMs: number
  /** When its first row was inserted: the row needed the requests made before. */
  rowAddedMs: number
  /** When that row was painted. */
  firstRowMs: number
  /** Cumulative layout shift from the first paint on. */
  shift: number
  /** Scripts and styles by path, with the time of each request. */
  files: { path: string; startMs: number; bytes: number }[]
  /** Calls of the API with the time of each request. */
  calls: { path: string; startMs: number }[]
}

/** Waits for the first row, and for the requests that the page makes after it by itself. */
export async function firstLoadOf(page: Page, row = firstRow): Promise<FirstLoad> {
  await page
    .locator(row)
    .first()
    .waitFor({ ...patiently, state: 'attached' })
  await page.waitForLoadState('load')
  await page.evaluate(untilQuiet)
  return page.evaluate(readFirstLoad)
}

// ------------------------------------------------------------------ functions that run in the page

interface Watched {
  rowAddedMs?: number
  firstRowMs?: number
  shift: number
}

/** Runs before the page's scripts: records when the first element that matches the selector is inserted and painted. */
export function watchFirstRow(row: string): void {
  const watched: Watched = { shift: 0 }
  Object.assign(window, { watched })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) watched.shift += (entry as unknown as { value: number }).value
  }).observe({ type: 'layout-shift', buffered: true })
  const look = () => {
    if (!document.querySelector(row)) return
    observer.disconnect()
    watched.rowAddedMs = performance.now()
    // After two frames it has been painted.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        watched.firstRowMs = performance.now()
      }),
    )
  }
  const observer = new MutationObserver(look)
  observer.observe(document, { childList: true, subtree: true })
}

/** Resolves after two seconds without a new script or style. */
function untilQuiet(): Promise<void> {
  return new Promise((resolve) => {
    let timer = setTimeout(resolve, 2_000)
    new PerformanceObserver((list) => {
      if (!list.getEntries().some(({ name }) => /\.(js|css)$/.test(new URL(name).pathname))) return
      clearTimeout(timer)
      timer = setTimeout(resolve, 2_000)
    }).observe({ type: 'resource' })
  })
}

function readFirstLoad(): FirstLoad {
  const { rowAddedMs, firstRowMs, shift } = (window as unknown as { watched: Watched }).watched
  if (rowAddedMs === undefined || firstRowMs === undefined) throw new Error('no row was painted')
  const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  const asked = resources.map(({ name, startTime, encodedBodySize }) => ({
    path: new URL(name).pathname,
    startMs: startTime,
    bytes: encodedBodySize,
  }))
  const [paint] = performance.getEntriesByName('first-contentful-paint')
  return {
    firstPaintMs: paint?.startTime ?? Number.NaN,
    rowAddedMs,
    firstRowMs,
    shift,
    files: asked.filter(({ path }) => /\.(js|css)$/.test(path)),
    calls: asked.filter(({ path }) => path.startsWith('/api/')),
  }
}
