/**
 * `npm run bench:cabinet [-- --rounds 15 --changes 60 --rate 333]`: a cabinet in a browser. How long after its data came
 * a chart is drawn, of a visitor who has never been here and of one who has, six curves over a day and over a week; and
 * how long after a device sent a report a compartment is drawn as it says, while other devices report at a rate.
 */
import { parseArgs } from 'node:util'
import { listDevices } from '@voltkeep/contract'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import type { BrowserContext, Page } from 'playwright-core'
import { createHistoryConsumer } from '../apps/server/src/features/readings/history/history.intake.ts'
import { createKeyBudget } from '../apps/server/src/features/readings/history/key-budget.ts'
import { makeReadingPartitions } from '../apps/server/src/features/readings/history/partitions-of-readings.ts'
import { firstNamedId } from '../apps/server/src/features/readings/history/reading-ids.ts'
import { sealHours } from '../apps/server/src/features/readings/history/sealing.ts'
import { createThinning, ordinaryRule } from '../apps/server/src/features/readings/history/thinning.ts'
import { statusReport, writeReports } from '../apps/server/test/readings.ts'
import { launchBrowser } from './alarm-page.ts'
import { reportEveryMs, reportOf } from './readings-fleet.ts'
import { inWorld, timesText, type World } from './world.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    changes: { type: 'string', default: '60' },
    /** Reports a second of other cabinets meanwhile: those of 100,000. */
    rate: { type: 'string', default: '333' },
  },
})
const rounds = Number(options.rounds)
const changes = Number(options.changes)
const rate = Number(options.rate)
const days = 8
const retention = { rawDays: 30, hourDays: 400, dayYears: 5 }
const curves = [1, 2, 3].flatMap((no) => [`compartments.${no}.soc`, `compartments.${no}.temperature`])
const patiently = { timeout: 60_000 }
const addresses = new WeakMap<BrowserContext, string>()
const serverOf = (context: BrowserContext) => addresses.get(context) ?? ''

await inWorld({ demoDevices: 40 }, async (world) => {
  const { server } = world
  const cabinets = server.devices().filter(({ code }) => code.startsWith('EC'))
  const [identity, ...others] = cabinets
  if (!identity) throw new Error('the demonstration has cabinets')
  const token = await server.client.signIn('admin', server.adminPassword)
  const { data } = await server.client.call(listDevices, { code: [identity.code] }, token)
  const id = data?.[0]?.id ?? ''
  await fill(world, Number(id))

  const connect = (one: (typeof cabinets)[number]) => {
    const device = new VirtualDevice(one, {
      broker: { host: '127.0.0.1', port: server.mqttPort, isTls: false },
      random: createRandom(1),
    })
    device.start()
    return device
  }
  const device = connect(identity)
  const beside = others.map(connect)
  await Promise.all([device, ...beside].map((one) => one.whenOnline()))
  const browser = await launchBrowser()
  const visit = async () => {
    const context = await browser.newContext({
      locale: 'zh-CN',
      timezoneId: 'Asia/Shanghai',
      viewport: { width: 1440, height: 900 },
    })
    context.setDefaultTimeout(patiently.timeout)
    await context.addCookies([{ name: 'voltkeep_token', value: token, url: server.url }])
    await context.addInitScript(watch)
    addresses.set(context, server.url)
    return context
  }
  const end = reportMeanwhile(beside)
  try {
    for (const range of ['24h', '7d']) {
      const first: number[] = []
      const again: number[] = []
      // The first visit of all waits for the server's compiler.
      for (let round = 0; round <= rounds; round += 1) {
        const context = await visit()
        const times = [await chartMs(context, id, range), await chartMs(context, id, range)]
        await context.close()
        if (round === 0) continue
        first.push(times[0] as number)
        again.push(times[1] as number)
      }
      console.log(`chart of six curves, ${range}, drawn after its data came (target 300 ms):`)
      console.log(`  first visit   ${timesText(first)}`)
      console.log(`  second visit  ${timesText(again)}`)
    }
    const context = await visit()
    const drawn = await changesMs(await context.newPage(), device, id)
    console.log(`a compartment drawn after its report was sent (target 1,000 ms):\n  ${timesText(drawn)}`)
  } finally {
    console.log(`meanwhile ${Math.round(await end())} reports/s of ${beside.length} other cabinets`)
    await browser.close()
    for (const one of [device, ...beside]) one.cutPower()
  }
})

/** More than a week of reports. */
async function fill({ database }: World, deviceId: number): Promise<void> {
  const { pool } = database
  await makeReadingPartitions(pool, { at: [new Date()], retention })
  const consumer = createHistoryConsumer({
    keys: createKeyBudget({ db: database.db, complain: () => undefined }),
    thinning: createThinning({ namesOfDevice: 300, firstNamedId }),
    ruleOf: async () => () => () => ordinaryRule,
    count: () => undefined,
  })
  const ticks = (days * 86_400_000) / reportEveryMs
  const startMs = Date.now() - ticks * reportEveryMs
  for (let from = 0; from < ticks; from += 500) {
    const batch = Array.from({ length: Math.min(500, ticks - from) }, (_, n) => {
      const { status, compartments } = reportOf(1, from + n)
      return statusReport(
        deviceId,
        startMs + (from + n) * reportEveryMs,
        status as Record<string, number | boolean>,
        compartments,
      )
    })
    await writeReports(database, consumer, batch)
  }
  // As if the hour of arrival were over; what arrives in the real one later is packed by the server.
  await sealHours({ pool, owner: pool, retention, now: new Date(Date.now() + 7_200_000) })
  await pool.query('DELETE FROM reading_sealing')
}

async function chartMs(context: BrowserContext, id: string, range: string): Promise<number> {
  const page = await context.newPage()
  const keys = curves.map((key) => `keys=${encodeURIComponent(key)}`).join('&')
  await page.goto(
    new URL(`/equipment/list?open=${id}&view=history&${keys}&range=${range}`, serverOf(context)).href,
  )
  await page.waitForFunction(() => (window as unknown as Watched).chartDrawnMs !== undefined)
  const { data, drawn } = await page.evaluate(() => {
    const asked = performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.includes('/reading/series')) as PerformanceResourceTiming[]
    return { data: asked[0]?.responseEnd, drawn: (window as unknown as Watched).chartDrawnMs }
  })
  await page.close()
  if (data === undefined || drawn === undefined) throw new Error('no chart was drawn')
  return drawn - data
}

/** From when a device begins to send its report until the page has painted what it says. */
async function changesMs(page: Page, device: VirtualDevice, id: string): Promise<number[]> {
  await page.goto(new URL(`/equipment/list?open=${id}`, serverOf(page.context())).href)
  await page.locator('[data-bin="1"]').waitFor(patiently)
  const times: number[] = []
  for (let n = 0; n <= changes; n += 1) {
    const state = n % 2 === 0 ? 'charging' : 'full'
    const drawn = page.evaluate(untilLook, state)
    const sentAt = Date.now()
    const compartments = [{ no: 1, state, batteryCode: 'BATTERY01', soc: 40 + (n % 50) }]
    if (
      (await device.report('status', { status: { temperature: 31 }, compartments } as never)) !==
      'acknowledged'
    )
      throw new Error('a report was not acknowledged')
    const at = await drawn
    // The first one makes the device known.
    if (n > 0) times.push(at - sentAt)
  }
  return times
}

/** Reports of the other cabinets, until it is ended; returns how many a second were acknowledged. */
function reportMeanwhile(devices: readonly VirtualDevice[]) {
  let isEnded = false
  let acknowledged = 0
  const began = performance.now()
  const loop = async () => {
    for (let n = 0; !isEnded; n += 1) {
      const due = began + (n * 1_000) / rate
      const wait = due - performance.now()
      if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait))
      const device = devices[n % devices.length]
      const { status, compartments } = reportOf(n % devices.length, n)
      void device?.report('status', { status, compartments } as never).then((fate) => {
        if (fate === 'acknowledged') acknowledged += 1
      })
    }
  }
  const running = rate > 0 && devices.length > 0 ? loop() : Promise.resolve()
  return async () => {
    isEnded = true
    await running
    return acknowledged / ((performance.now() - began) / 1_000)
  }
}

// ------------------------------------------------------------------ functions that run in the page

interface Watched {
  chartDrawnMs?: number
}

/** Runs before the page's scripts: records when the first chart has been painted. */
function watch(): void {
  const observer = new MutationObserver(() => {
    if (!document.querySelector('[aria-roledescription="曲线图"] canvas')) return
    observer.disconnect()
    // After two frames it has been painted.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => Object.assign(window, { chartDrawnMs: performance.now() })),
    )
  })
  observer.observe(document, { childList: true, subtree: true })
}

/** The time of this machine's clock at which the first compartment has been painted with this look. */
function untilLook(look: string): Promise<number> {
  return new Promise((resolve) => {
    const isThere = () => document.querySelector(`[data-bin="1"][data-look="${look}"]`) !== null
    const painted = () => requestAnimationFrame(() => requestAnimationFrame(() => resolve(Date.now())))
    if (isThere()) return painted()
    const observer = new MutationObserver(() => {
      if (!isThere()) return
      observer.disconnect()
      painted()
    })
    observer.observe(document, { childList: true, subtree: true, attributes: true })
  })
}
