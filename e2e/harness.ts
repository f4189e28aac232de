import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { DataFor, Endpoint, InputFor } from '@voltkeep/contract'
import { type DeviceIdentity, VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { type ServerProcess, startServerProcess } from '../apps/server/test/server-process.ts'

const root = join(import.meta.dirname, '..')
const web = join(root, 'apps/web')
const browserPath = process.env.CHROMIUM_PATH || '/usr/bin/chromium'

/** Long enough for a machine that does ten other things: what is waited for is what is proved, not how fast. */
export const patiently = { timeout: 30_000 }

export interface Stage {
  readonly server: ServerProcess
  /** Devices of the demonstration: registered, with an operator each, and silent until started. */
  readonly identities: readonly DeviceIdentity[]
  /** A virtual device on the server's broker; it ends with the stage. */
  device(identity: DeviceIdentity): VirtualDevice
  /** Calls the server as the first administrator, and expects success. */
  call<E extends Endpoint>(endpoint: E, input: InputFor<E>): Promise<DataFor<E>>
  /** A page signed in as the first administrator, at this address. */
  open(path: string, size?: { width: number; height: number }): Promise<Page>
  /** Faults of the pages that nobody caught, so far. */
  readonly faults: readonly string[]
  close(): Promise<void>
}

/**
 * The server as it runs in earnest, the built pages, a real browser, and devices on the wire: with the
 * demonstration's data, or empty as an installation begins.
 */
export async function setStage({ isEmpty = false } = {}): Promise<Stage> {
  buildWebWhereOutdated()
  const server = await startServerProcess({
    ...(!isEmpty && { demoDevices: 30 }),
    environment: { LOG_LEVEL: 'warn' },
  })
  const devices: VirtualDevice[] = []
  const faults: string[] = []
  let browser: Browser | undefined
  let context: BrowserContext | undefined
  const token = await server.client.signIn('admin', server.adminPassword)

  return {
    server,
    identities: isEmpty ? [] : server.devices(),
    faults,
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
      const answer = await server.client.call(endpoint, input, token)
      if (answer.code !== 200) throw new Error(`${endpoint.path}: ${answer.code} ${answer.message}`)
      return answer.data
    },
    async open(path, size = { width: 1440, height: 900 }) {
      browser ??= await chromium.launch({
        executablePath: browserPath,
        // As root Chromium has no sandbox to offer.
        args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
      })
      if (!context) {
        context = await browser.newContext({ locale: 'zh-CN', timezoneId: 'Asia/Shanghai' })
        context.setDefaultTimeout(patiently.timeout)
        await context.addCookies([{ name: 'voltkeep_token', value: token, url: server.url }])
      }
      const page = await context.newPage()
      page.on('pageerror', (error) => faults.push(error.message))
      await page.setViewportSize(size)
      await page.goto(server.url + path)
      return page
    },
    async close() {
      for (const device of devices) device.cutPower()
      await browser?.close()
      await server.remove()
    },
  }
}

/** Waits until the condition holds; says what it waited for where it never does. */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  timeoutMs = patiently.timeout,
): Promise<void> {
  const end = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Builds the pages where a source is newer than what was built. */
function buildWebWhereOutdated(): void {
  const built = join(web, 'dist/index.html')
  const sources = [join(web, 'src'), join(web, 'public'), join(root, 'packages/contract/src')]
  const newest = Math.max(...sources.map(newestIn), statSync(join(web, 'index.html')).mtimeMs)
  if (existsSync(built) && statSync(built).mtimeMs > newest) return
  const vite = join(createRequire(join(web, 'package.json')).resolve('vite/package.json'), '../bin/vite.js')
  execFileSync(process.execPath, [vite, 'build', web], {
    stdio: 'pipe',
    // Under a test runner vite would build the development variant.
    env: { ...process.env, NODE_ENV: 'production' },
  })
}

function newestIn(folder: string): number {
  let newest = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) newest = Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs)
  }
  return newest
}
