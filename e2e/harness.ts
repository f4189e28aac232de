// The stage of a browser test: server, browser and simulated devices, and helpers that tests share.
import type { DataFor, Endpoint, InputFor } from '@voltkeep/contract'
import { type DeviceIdentity, VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Download,
  type Locator,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, inject } from 'vitest'
import { type ServerProcess, startServerProcess } from '../apps/server/test/server-process.ts'
import { patiently } from './patiently.ts'

const browserPath = process.env.CHROMIUM_PATH || '/usr/bin/chromium'

export { patiently }

let launched: Promise<Browser> | undefined

/** The worker's browser, for one spec after the other, each with contexts of its own; it ends with the worker. */
function browserOfWorker(): Promise<Browser> {
  launched ??= launch()
  return launched
}

async function launch(): Promise<Browser> {
  const forget = () => {
    launched = undefined
  }
  try {
    const browser = await chromium.launch({
      executablePath: browserPath,
      // As root, Chromium has no sandbox.
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    })
    // After a crash the next spec gets another one.
    browser.on('disconnected', forget)
    return browser
  } catch (error) {
    forget()
    throw error
  }
}

export interface Look {
  width: number
  height: number
  colorScheme?: 'light' | 'dark'
}

export interface Stage {
  readonly server: ServerProcess
  /** Devices of the demonstration: registered, each with an operator, offline until started. */
  readonly identities: readonly DeviceIdentity[]
  /** A virtual device connected to the server's broker; closed with the stage. */
  device(identity: DeviceIdentity): VirtualDevice
  /** Calls the server as the first administrator, and expects success. */
  call<E extends Endpoint>(endpoint: E, input: InputFor<E>): Promise<DataFor<E>>
  /** A page signed in as the first administrator, at this address. */
  open(path: string, look?: Look): Promise<Page>
  /**
   * A separate browser context: not signed in, or with this token; in Chinese, or in this language. Closed with the
   * stage.
   */
  otherBrowser(token?: string, locale?: string): Promise<BrowserContext>
  /** Uncaught errors of the pages so far. */
  readonly faults: readonly string[]
  close(): Promise<void>
}

/**
 * The stage of the block or file that calls it: set before its other hooks and tests, closed after them. It is empty
 * until then.
 */
export function stageFor(options?: Parameters<typeof setStage>[0]): Stage {
  const stage: Partial<Stage> = {}
  beforeAll(async () => {
    Object.assign(stage, await setStage(options))
  })
  afterAll(() => stage.close?.())
  return stage as Stage
}

/**
 * A production server with the built pages, a real browser, and devices over MQTT. The data are those of the
 * demonstration, optionally with more devices (which takes seconds to create), or empty like a new installation.
 */
async function setStage({
  isEmpty = false,
  demoDevices = undefined as number | undefined,
  environment = {} as NodeJS.ProcessEnv,
} = {}): Promise<Stage> {
  const server = await startServerProcess({
    ...(demoDevices === undefined
      ? { copiedDataDir: isEmpty ? undefined : inject('demonstrationDataDir') }
      : { demoDevices }),
    environment: { LOG_LEVEL: 'warn', ...environment },
  })
  const devices: VirtualDevice[] = []
  const faults: string[] = []
  const contexts: BrowserContext[] = []
  let administrators: Promise<BrowserContext> | undefined
  let token: Promise<string> | undefined
  const administratorToken = () => {
    token ??= server.client.signIn('admin', server.adminPassword)
    return token
  }

  async function otherBrowser(cookie?: string, locale = 'zh-CN'): Promise<BrowserContext> {
    const context = await (await browserOfWorker()).newContext({
      locale,
      timezoneId: 'Asia/Shanghai',
      // On a slow machine, a click on an element that is still moving misses it.
      reducedMotion: 'reduce',
    })
    contexts.push(context)
    context.setDefaultTimeout(patiently.timeout)
    context.on('weberror', (fault) => faults.push(fault.error().message))
    if (cookie !== undefined) {
      await context.addCookies([{ name: 'voltkeep_token', value: cookie, url: server.url }])
    }
    return context
  }

  return {
    server,
    identities: isEmpty ? [] : server.devices(),
    faults,
    otherBrowser,
    device(identity) {
      const device = new VirtualDevice(identity, {
        broker: { host: '127.0.0.1', port: server.mqttPort, isTls: false },
        random: createRandom(1),
        reconnectMs: [200, 1_000],
      })
      devices.push(device)
      return device
    },
    async call(endpoint, input) {
      const answer = await server.client.call(endpoint, input, await administratorToken())
      if (answer.code !== 200) throw new Error(`${endpoint.path}: ${answer.code} ${answer.message}`)
      return answer.data
    },
    async open(path, { colorScheme = 'light', ...size } = { width: 1440, height: 900 }) {
      administrators ??= administratorToken().then((own) => otherBrowser(own))
      const page = await (await administrators).newPage()
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme })
      await page.goto(server.url + path)
      return page
    },
    async close() {
      for (const device of devices) device.cutPower()
      await Promise.allSettled(contexts.map((context) => context.close()))
      await server.remove()
    },
  }
}

/**
 * The dialog that a button opens, once its animation has ended: on a slow machine, a click on a moving element misses
 * it. The dialog may already be open from the step before.
 */
export async function opened(dialog: Locator, button: Locator): Promise<Locator> {
  if (!(await dialog.isVisible())) await button.click()
  await dialog.waitFor(patiently)
  await until('it has come to rest', () =>
    dialog.evaluate((element) => element.getAnimations({ subtree: true }).length === 0),
  )
  return dialog
}

/** Counts the pointer presses of a page from now on, to measure what a task costs its user. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = window as unknown as { clicks?: number }
    if (counted.clicks === undefined) {
      window.addEventListener(
        'pointerdown',
        () => {
          counted.clicks = (counted.clicks ?? 0) + 1
        },
        { capture: true },
      )
    }
    counted.clicks = 0
  })
  return () => page.evaluate(() => (window as unknown as { clicks: number }).clicks)
}

/** The file that a button downloads. */
export async function downloadBy(button: Locator): Promise<Download> {
  const [download] = await Promise.all([button.page().waitForEvent('download', patiently), button.click()])
  return download
}

/** Presses an item in the ⋯ menu of a row or of a detail's header. */
export async function pressBehind(of: Locator, name: string): Promise<void> {
  await of.getByRole('button', { name: '其他操作' }).click()
  await of.getByRole('button', { name }).click()
}

/** Waits until the condition is met; a timeout's error names the condition. */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  timeoutMs = patiently.timeout,
): Promise<void> {
  const end = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
