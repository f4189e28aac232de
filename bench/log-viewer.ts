// `npm run bench:log-viewer [-- --megabytes 100 --rounds 3]`: a log of that size is extracted from a device and opened
// in a browser. Measures the time of its first lines, of the whole text and of a search through it, and the longest
// task of the page's main thread while the log is opened, searched, scrolled, filtered and searched by time. A browser
// reports tasks of 50 ms and more. For comparison, in the same browser, the same bytes are fetched and decoded in the
// page and put into one element, which is what a page without a viewer does.
import { parseArgs } from 'node:util'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import { type Browser, chromium, type Page } from 'playwright-core'
import { startServerProcess } from '../apps/server/test/server-process.ts'
import { listDevices, listLogExtractions, startLogExtraction } from '../packages/contract/src/index.ts'

const { values } = parseArgs({
  options: { megabytes: { type: 'string', default: '100' }, rounds: { type: 'string', default: '3' } },
})
const textBytes = Number(values.megabytes) * 1024 * 1024
const rounds = Number(values.rounds)
const plainLimitMs = 120_000
const patiently = { timeout: 300_000 }

const server = await startServerProcess({ demoDevices: 10, environment: { LOG_LEVEL: 'warn' } })
let browser: Browser | undefined
let device: VirtualDevice | undefined
try {
  const token = await server.client.signIn('admin', server.adminPassword)
  const identity = server.devices().find(({ code }) => code.startsWith('EC'))
  if (!identity) throw new Error('the demonstration has cabinets')
  device = new VirtualDevice(identity, {
    broker: { host: '127.0.0.1', port: server.mqttPort, isTls: false },
    random: createRandom(1),
    commands: { logs: { textBytes } },
  })
  device.start()
  await device.whenOnline()
  await until(async () => (await listed())?.isOnline === 1)
  const extraction = await extract()
  device.cutPower()

  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH || '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
  const context = await browser.newContext({ locale: 'zh-CN', viewport: { width: 1440, height: 900 } })
  await context.addCookies([{ name: 'voltkeep_token', value: token, url: server.url }])
  for (let round = 1; round <= rounds; round += 1) {
    await inPage((page) => read(page, extraction, round))
  }
  await inPage((page) => readPlainly(page, extraction, token))

  async function inPage(work: (page: Page) => Promise<void>): Promise<void> {
    const page = await context.newPage()
    page.setDefaultTimeout(patiently.timeout)
    await page.addInitScript(() => {
      const tasks: number[] = []
      Object.assign(window, { tasks })
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) tasks.push(duration)
      }).observe({ type: 'longtask', buffered: true })
    })
    await work(page)
    await page.close()
  }

  async function listed() {
    const { data } = await server.client.call(listDevices, { code: identity?.code ?? '' }, token)
    return data?.[0]
  }

  async function extract(): Promise<string> {
    const day = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10)
    const started = await server.client.call(
      startLogExtraction,
      {
        equipCode: identity?.code ?? '',
        equipClassify: 'EC',
        logExtractParam: { level: 'RUN', startTime: day, endTime: day },
      },
      token,
    )
    const { id } = started.data ?? {}
    if (id === undefined) throw new Error(`not extracted: ${started.message}`)
    await until(async () => {
      const { data } = await server.client.call(listLogExtractions, { ids: [id] }, token)
      const [row] = data ?? []
      if (row?.state === 'failed') throw new Error(`not extracted: ${row.reason}`)
      return row?.state === 'done'
    })
    return id
  }
} finally {
  device?.cutPower()
  await browser?.close()
  await server.remove()
}

/** Opens, searches, scrolls, filters and jumps; prints the longest task of each step. */
async function read(page: Page, extraction: string, round: number): Promise<void> {
  const content = page.getByRole('region', { name: '日志内容' })
  const status = page.locator('footer').filter({ hasText: '行' })
  const told: string[] = []
  const step = async (name: string, work: () => Promise<void>) => {
    await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks.splice(0))
    const beganAt = performance.now()
    await work()
    // Includes the last paint of the step.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100))))
    const ms = performance.now() - beganAt
    const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks)
    told.push(`${name} ${(ms / 1_000).toFixed(1)} s, longest task ${longest(tasks)}`)
  }

  // The page without a log first, so that its own start is not measured.
  await page.goto(`${server.url}/maintenance/logextract`)
  await page.getByRole('button', { name: '提取日志' }).waitFor()
  await page.locator(`button:has-text("运行日志")`).first().waitFor()
  await step('first lines', async () => {
    await page.locator(`button:has-text("运行日志")`).first().click()
    await content.getByText('run/').first().waitFor()
  })
  await step('whole text', async () => {
    await status.getByText('已读取').waitFor({ state: 'detached' })
  })
  const lines = (await status.textContent())?.match(/[\d,]+ 行/)?.[0]
  await step('search', async () => {
    await page.getByLabel('搜索日志').fill('电池通信超时')
    await page.getByText(/^1\/[\d,]+$/).waitFor()
  })
  const hits = await page.getByText(/^1\/[\d,]+$/).textContent()
  await step('last hit', async () => {
    await page.getByLabel('搜索日志').press('Shift+Enter')
    await content.locator('mark[data-present]').waitFor()
  })
  await step('200 turns of the wheel', async () => {
    await content.hover()
    for (let turn = 0; turn < 200; turn += 1) await page.mouse.wheel(0, turn % 50 === 49 ? -20_000 : 400)
  })
  await step('one level', async () => {
    await page.getByRole('button', { name: /^错误/ }).click()
    await page.getByText(/^显示/).waitFor()
    await content.locator('[data-level=error]').first().waitFor()
  })
  await step('wrapped', async () => {
    await page.getByText('自动换行').click()
    await content.locator('[data-level=error]').first().waitFor()
  })
  await step('a time', async () => {
    await page.getByLabel('跳到时间').fill('00:05')
    await page.getByLabel('跳到时间').press('Enter')
    await content.getByText(' 00:05:').first().waitFor()
  })
  console.log(
    `round ${round}, extraction ${extraction}: ${values.megabytes} MB, ${lines}, hit ${hits}; ${told.join('; ')}`,
  )
}

/** A page that shows the bytes in one element; it may never respond again. */
async function readPlainly(page: Page, extraction: string, token: string): Promise<void> {
  await page.goto(`${server.url}/404`)
  const beganAt = performance.now()
  const shown = page.evaluate(
    async ({ id, authorization }) => {
      const response = await fetch(`/api/logextraction/text?id=${id}`, { headers: { authorization } })
      const element = document.createElement('pre')
      element.textContent = await response.text()
      document.body.append(element)
      element.getBoundingClientRect()
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)))
      return (window as unknown as { tasks: number[] }).tasks
    },
    { id: extraction, authorization: `Bearer ${token}` },
  )
  const tasks = await Promise.race([
    shown.catch(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), plainLimitMs)),
  ])
  const seconds = ((performance.now() - beganAt) / 1_000).toFixed(1)
  console.log(
    tasks
      ? `in one element: ${seconds} s, longest task ${longest(tasks)}`
      : `in one element: no answer of the page within ${seconds} s`,
  )
}

function longest(tasks: readonly number[]): string {
  return tasks.length === 0 ? 'below 50 ms' : `${Math.max(...tasks).toFixed(0)} ms`
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 100))
}
