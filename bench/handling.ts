/**
 * `npm run bench:handling [-- --alarms 50000 --rounds 10 --pages 3]`: alarms acknowledged by one call, as pages see it that
 * stand open meanwhile. How long the call takes, and how long after its answer the last of the pages shows every row of it
 * as acknowledged.
 */
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { ackAlarms } from '@voltkeep/contract'
import { insertStandingAlarms } from '../apps/server/test/standing-alarms.ts'
import { alarmPath, launchBrowser } from './alarm-page.ts'
import { inWorld, timesText } from './world.ts'

const { values: options } = parseArgs({
  options: {
    alarms: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '10' },
    pages: { type: 'string', default: '3' },
  },
})
const alarms = Number(options.alarms)
const rounds = Number(options.rounds)
const pageCount = Number(options.pages)
const patiently = { timeout: 60_000 }
const rows = 'tbody tr[data-key]'

await inWorld({ demoDevices: 10 }, async ({ server, database: { pool } }) => {
  const [identity] = server.devices()
  if (!identity) throw new Error('the demonstration has devices')
  await insertStandingAlarms(pool, identity.code, alarms)
  const token = await server.client.signIn('admin', server.adminPassword)
  const browser = await launchBrowser()
  try {
    const context = await browser.newContext({
      locale: 'zh-CN',
      timezoneId: 'Asia/Shanghai',
      viewport: { width: 1440, height: 900 },
    })
    context.setDefaultTimeout(patiently.timeout)
    await context.addCookies([{ name: 'voltkeep_token', value: token, url: server.url }])
    const pages = await Promise.all(Array.from({ length: pageCount }, () => context.newPage()))
    const calls: number[] = []
    const shown: number[] = []
    // The first round waits for the server's compiler.
    for (let round = 0; round <= rounds; round += 1) {
      await pool.query('TRUNCATE alarm_handling, alarm_handling_action')
      for (const page of pages) {
        await page.goto(server.url + alarmPath)
        await page.locator(rows).filter({ hasText: '未确认' }).nth(19).waitFor(patiently)
      }
      const seen = pages.map((page) =>
        page
          .waitForFunction(
            (selector) => {
              const all = [...document.querySelectorAll(selector)]
              return all.length > 0 && all.every((row) => row.textContent?.includes('已确认'))
            },
            rows,
            patiently,
          )
          .then(() => performance.now()),
      )
      const beganMs = performance.now()
      const answer = await server.client.call(ackAlarms, { filter: {}, count: alarms }, token)
      const endedMs = performance.now()
      if (answer.code !== 200) throw new Error(answer.message)
      const lastMs = Math.max(...(await Promise.all(seen)))
      if (round === 0) continue
      calls.push(endedMs - beganMs)
      shown.push(Math.max(0, lastMs - endedMs))
    }
    console.log(`${alarms} alarms acknowledged by one call (target 10,000 ms):\n  ${timesText(calls)}`)
    console.log(
      `shown by the last of ${pageCount} open pages after the answer (target 1,000 ms):\n  ${timesText(shown)}`,
    )
  } finally {
    await browser.close()
  }
})
