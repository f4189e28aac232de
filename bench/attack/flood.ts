import { fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '../../apps/server/src/platform/database/database.ts'
import { databaseUrlOf } from '../../apps/server/test/embedded-url.ts'
import { insertUser } from '../../apps/server/test/factories.ts'
import { quantile, startDevices } from './devices.ts'
import type { FloodOrder } from './flood-process.ts'
import type { Figures, Ground } from './part.ts'

export type Way = { name: string } & Omit<Extract<FloodOrder, { kind: 'flood' }>, 'kind' | 'port'>

const mostRatio = 1.5
/** Below this a ratio means nothing. */
const quietMs = 20
const rounds = 3
const megabyte = 1_048_576
const settlingMs = 1_500

/** The lines of a request without a body. */
export const get = (path: string, token = '') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${token && `Authorization: ${token}\r\n`}\r\n`

/** A token of a new user, who is signed in and has no function. */
export async function tokenOfUser({ server }: Ground): Promise<string> {
  const { db, close } = await openDatabase({
    url: databaseUrlOf(server.dataDir),
    zone: 'Asia/Shanghai',
    poolSize: 1,
  })
  const user = await insertUser(db)
  await close()
  return server.client.signIn(user.loginName, user.password)
}

/**
 * Each way for a third of `seconds`, three times, with quiet stretches as long between: other load of the machine
 * affects both. States what the neighbour, the devices and the memory may notice of it.
 */
export async function floodInTurns(ground: Ground, ways: readonly Way[]): Promise<void> {
  const { server, options } = ground
  const port = Number(new URL(server.url).port)
  const good = startDevices()
  const child = fork(join(import.meta.dirname, 'flood-process.ts'), { stdio: 'inherit' })
  const order = (one: FloodOrder) => void child.send(one)
  const forMs = (Number(options.seconds) * 1_000) / rounds
  try {
    good.order({ kind: 'honest', port: server.mqttPort, devices: server.devices() })
    await ground.measure('warming up', { forMs: 5_000 })
    for (const { name, ...way } of ways) {
      console.log(`  ${name}`)
      const quiet: (Figures & { ackMs: number })[] = []
      const attacked: typeof quiet = []
      const stretch = async (when: string) => {
        await good.look()
        const figures = await ground.measure(when, { forMs })
        return { ...figures, ackMs: quantile((await good.look()).latenciesMs, 0.99) }
      }
      for (let round = 0; round < rounds; round += 1) {
        quiet.push(await stretch('quiet'))
        order({ kind: 'flood', port, ...way })
        attacked.push(await stretch('attacked'))
        order({ kind: 'stop' })
        await delay(settlingMs)
      }
      const median = (list: typeof quiet, of: (one: (typeof quiet)[number]) => number) =>
        Math.max(quantile(list.map(of), 0.5), quietMs)
      const ratio = (of: (one: (typeof quiet)[number]) => number) => median(attacked, of) / median(quiet, of)
      const [first] = quiet
      ground.atMost(
        `${name}: neighbour's p95 against quiet`,
        ratio(({ p95Ms }) => p95Ms),
        mostRatio,
      )
      ground.atMost(
        `${name}: PUBACK p99 against quiet`,
        ratio(({ ackMs }) => ackMs),
        mostRatio,
      )
      ground.atMost(
        `${name}: neighbour's calls that failed`,
        attacked.reduce((sum, { failed }) => sum + failed, 0),
        0,
      )
      const grownBytes =
        Math.max(...attacked.map(({ mostResidentBytes }) => mostResidentBytes)) - (first?.residentBytes ?? 0)
      ground.atMost(`${name}: memory`, Math.max(0, grownBytes / megabyte), 100, ' MB')
    }
  } finally {
    child.kill('SIGKILL')
    good.end()
  }
}
