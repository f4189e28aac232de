// `npm run bench:first-load [-- --page devices --rounds 5 --before ../before]`: the alarm page, or with `--page devices`
// the list of devices, of a visitor who has never been here, on a CPU slowed to a quarter and a line of 1.44 Mbit/s with 562 ms (fast 3G), until its first row is painted; then the
// same visitor's second visit. With --before, a checkout of another commit with its dependencies installed takes turns
// with this one. With --pages, which may be repeated, a directory with another build of the pages does, on the same
// server: what one change of the build is worth. With --beside, the built site of another console does (beside.ts):
// `git archive gh-pages` of github.com/PanJiaChen/vue-element-admin.
import { spawnSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, BrowserContext } from 'playwright-core'
import {
  type AlarmWorld,
  alarmPath,
  devicePath,
  type FirstLoad,
  firstLoadOf,
  launchBrowser,
  openAlarmWorld,
  visitor,
} from './alarm-page.ts'
import { openBeside, openPages } from './beside.ts'

const { values } = parseArgs({
  options: {
    page: { type: 'string', default: 'alarms' },
    rounds: { type: 'string', default: '5' },
    before: { type: 'string' },
    pages: { type: 'string', multiple: true, default: [] },
    beside: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const paths: Record<string, string> = { alarms: alarmPath, devices: devicePath }
const path = paths[values.page]
if (path === undefined) throw new Error(`--page is one of ${Object.keys(paths).join(', ')}`)
/** More than a page of them. */
const devices = 40
const slowCpu = 4
/** Fast 3G as in Chromium's developer tools. */
const line = { latencyMs: 562.5, downBytesPerSecond: 188_744, upBytesPerSecond: 86_400 }

interface Variant {
  name: string
  address: string
  /** The selector of a row, for another console's page. */
  row?: string
  visitor(browser: Browser): Promise<BrowserContext>
  close(): Promise<void>
  visits: Visit[]
}

/** Both visits of one visitor: without a cache, and with what the first one left in it. */
interface Visit {
  first: Load
  second: Load
}

interface Load extends FirstLoad {
  /**
   * CPU time of the page's main thread until the first row, throttled: hardly affected by other load of the machine.
   */
  cpuMs: number
}

const variants: Variant[] = []
let browser: Browser | undefined
try {
  if (values.before !== undefined) {
    buildPagesOf(values.before)
    const world = await openAlarmWorld({ devices, installation: values.before })
    variants.push({ ...ours('before', world), close: () => world.close() })
  }
  const world = await openAlarmWorld({ devices })
  variants.push({ ...ours('now', world), close: () => world.close() })
  for (const directory of values.pages) {
    const { url, close } = await openPages(directory, world.server.url)
    variants.push({ ...ours(basename(directory), world, url), close })
  }
  if (values.beside !== undefined) {
    variants.push({ name: 'vue-element-admin', ...(await openBeside(values.beside)), visits: [] })
  }
  browser = await launchBrowser()
  // Warm-up: the first visitor waits for the compression of answers and for the first read of each file.
  for (const each of variants) await visit(browser, each)
  for (let round = 1; round <= rounds; round += 1) {
    for (const each of variants) {
      const made = await visit(browser, each)
      each.visits.push(made)
      console.log(`${each.name}, round ${round}: ${described(made.first)}`)
    }
  }
  for (const { name, visits } of variants) {
    const of = (value: (visit: Visit) => number) => median(visits.map(value))
    console.log(
      `${name}, median of ${rounds}: first paint ${seconds(of(({ first }) => first.firstPaintMs))}, ` +
        `first row ${seconds(of(({ first }) => first.firstRowMs))}, CPU ${seconds(of(({ first }) => first.cpuMs))}, ` +
        `layout shift ${of(({ first }) => first.shift).toFixed(4)}; second visit: ` +
        `first row ${seconds(of(({ second }) => second.firstRowMs))}, CPU ${seconds(of(({ second }) => second.cpuMs))}`,
    )
  }
} finally {
  await browser?.close()
  for (const each of variants) await each.close()
}

function ours(name: string, world: AlarmWorld, url = world.server.url): Omit<Variant, 'close'> {
  return {
    name,
    address: url + path,
    visitor: (from) => visitor(from, world, url),
    visits: [],
  }
}

function buildPagesOf(directory: string): void {
  const build = join(directory, 'scripts/web-build.mjs')
  const { status } = spawnSync(process.execPath, [build], { cwd: directory, stdio: 'inherit' })
  if (status !== 0) throw new Error(`the pages of ${directory} could not be built`)
}

async function visit(from: Browser, { address, row, ...variant }: Variant): Promise<Visit> {
  const context = await variant.visitor(from)
  try {
    const first = await load(context, address, row)
    return { first, second: await load(context, address, row) }
  } finally {
    await context.close()
  }
}

async function load(context: BrowserContext, address: string, row: string | undefined): Promise<Load> {
  const page = await context.newPage()
  const tools = await context.newCDPSession(page)
  await tools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: line.latencyMs,
    downloadThroughput: line.downBytesPerSecond,
    uploadThroughput: line.upBytesPerSecond,
  })
  await tools.send('Emulation.setCPUThrottlingRate', { rate: slowCpu })
  await tools.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.goto(address, { waitUntil: 'commit' })
  await page.waitForFunction(
    () => (window as { watched?: { firstRowMs?: number } }).watched?.firstRowMs,
    undefined,
    { polling: 50 },
  )
  const { metrics } = await tools.send('Performance.getMetrics')
  const cpu = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
  const loaded = { ...(await firstLoadOf(page, row)), cpuMs: cpu * 1_000 }
  await page.close()
  return loaded
}

function described({ firstPaintMs, firstRowMs, cpuMs, shift, files, calls, rowAddedMs }: Load): string {
  const before = files.filter(({ startMs }) => startMs < rowAddedMs)
  const called = calls.filter(({ startMs }) => startMs < rowAddedMs)
  const bytes = before.reduce((sum, file) => sum + file.bytes, 0)
  return (
    `first paint ${seconds(firstPaintMs)}, first row ${seconds(firstRowMs)}, CPU ${seconds(cpuMs)}, ` +
    `layout shift ${shift.toFixed(4)}, ${before.length} scripts and styles before it, ${Math.round(bytes / 1_000)} KB, ` +
    `${called.length} calls`
  )
}

function median(of: number[]): number {
  const sorted = of.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`
}
