import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createAdvertisement, type DeliveryRow, listDeliveries, retryDeliveries } from '@voltkeep/contract'
import { always, inTurn, type TroubleName, type TroublePlan } from '@voltkeep/simulator/commands/trouble'
import type { Fleet } from '@voltkeep/simulator/fleet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wake } from '../src/platform/database/work/lease-queue.ts'
import { advertisementOf, png, uploadAnnex } from './annex.ts'
import { withDatabase } from './command-ledger.ts'
import { cabinetsAmong, connectFleet } from './fleets.ts'
import { times } from './long.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const cabinetCount = times(60, 200)
/** Six in ten devices of the demonstration are cabinets with a screen. */
const demoDevices = cabinetCount * 2
/** Large enough that downloads are in progress when the server is killed. */
const sizeBytes = 512 * 1024
/** More than the cabinets that answer without a download. */
const answersBeforeKill = cabinetCount / 4

/** In twenty cabinets, this many have each trouble; the others have none. */
const plans = {
  refuses: always('refuses'),
  full: always('disk-full'),
  fullOnce: inTurn('disk-full'),
  wrongHashOnce: inTurn('wrong-hash'),
  cutDownload: inTurn('cut-download'),
  powerCut: inTurn('power-cut'),
  neverAnswers: always('never-answers'),
  answersTwice: always('answers-twice'),
  foreignReply: always('foreign-reply'),
} as const satisfies Record<string, TroublePlan>
type PlanName = keyof typeof plans | 'none'
const planNames = Object.keys(plans) as PlanName[]
const planOf = (number: number): PlanName => planNames[number % 20] ?? 'none'

interface CommandBook {
  id: string
  code: string
  result: string | null
  outcome: string | null
  reason: string | null
}

describe(`an advertisement for ${cabinetCount} cabinets`, () => {
  let server: ServerProcess
  let fleet: Fleet
  let token: string
  const planned = new Map<string, PlanName>()
  /** The number of times that a cabinet began to execute a command. */
  const executed = new Map<string, number>()
  /** Outcomes that the server has acknowledged, by command id. */
  const answered = new Map<string, string>()
  let onAnswer = () => {}

  const counting = (code: string, plan: PlanName): TroublePlan => {
    const script = plan === 'none' ? () => () => undefined : plans[plan]
    return (random) => {
      const next: () => TroubleName | undefined = script(random)
      return () => {
        executed.set(code, (executed.get(code) ?? 0) + 1)
        return next()
      }
    }
  }

  beforeAll(async () => {
    // A second try begins with what nobody has executed.
    for (const one of [planned, executed, answered]) one.clear()
    server = await startServerProcess({ demoDevices, environment: { LOG_LEVEL: 'warn' } })
    token = await server.client.signIn('admin', server.adminPassword)
    const cabinets = cabinetsAmong(server.devices(), cabinetCount)
    for (const [number, { code }] of cabinets.entries()) planned.set(code, planOf(number))
    fleet = await connectFleet(cabinets, server.mqttPort, {
      onAcknowledged({ name, body }) {
        if (name !== 'reply') return
        const { commandId, outcome } = body as { commandId: string; outcome: string }
        if (commandId.startsWith('foreign-')) return
        answered.set(commandId, outcome)
        onAnswer()
      },
      commandsOf: ({ code }) => ({
        hasScreen: true,
        rebootMs: 300,
        trouble: counting(code, planned.get(code) as PlanName),
      }),
    })
  })
  afterAll(async () => {
    fleet?.cutPower()
    await server?.remove()
  })

  async function publish(): Promise<string> {
    const bytes = Buffer.concat([png, randomBytes(sizeBytes - png.length)])
    const { annexUrl } = await uploadAnnex(server.client, token, bytes)
    const answer = await server.client.call(
      createAdvertisement,
      advertisementOf(annexUrl, { codes: [...planned.keys()] }),
      token,
    )
    expect(answer).toMatchObject({ code: 200, data: { cabinetCount } })
    return answer.data.id
  }

  const deliveriesOf = async (adId: string): Promise<DeliveryRow[]> =>
    (await server.client.call(listDeliveries, { adId, pageSize: 500 }, token)).data

  const readCommands = () =>
    withDatabase(server, async (pool) => {
      const { rows } = await pool.query<CommandBook>(
        'SELECT id, device_code AS code, result, outcome, reason FROM device_command ORDER BY id',
      )
      return rows
    })

  /**
   * Simulates the end of the minute after which the command is sent again to a cabinet that has not answered. It counts
   * no attempt: a busy machine needs more of these short minutes for a download than a command has attempts.
   */
  const passInterval = (codes: readonly string[]) =>
    withDatabase(server, async (pool) => {
      await pool.query(
        `UPDATE device_command SET next_at = now(), attempts = least(attempts, 1)
         WHERE device_code = ANY ($1) AND state IN ('sent', 'delivered')`,
        [codes],
      )
      await pool.query(wake('device_command', 0))
    })

  /**
   * Waits until every cabinet has the advertisement or has reported a failure; returns the deliveries. Where nothing
   * happens any more, the minute is over for all that are open. Ends with its server, since it would go on with that of a
   * second try.
   */
  async function finished(adId: string): Promise<DeliveryRow[]> {
    const own = server
    for (let quiet = 0, last = ''; ; ) {
      if (server !== own) throw new Error('the test is over')
      const deliveries = await deliveriesOf(adId)
      const open = deliveries.filter(({ state }) => state === 'waiting' || state === 'sent')
      if (open.length === 0) return deliveries
      // A cabinet that lost its power, or one that never answers and whose download ended with the server.
      const isSilent = ({ code }: DeliveryRow) =>
        planned.get(code) === 'powerCut' || planned.get(code) === 'neverAnswers'
      const present = JSON.stringify(open.map(({ code, state }) => [code, state]))
      quiet = present === last ? quiet + 1 : 0
      last = present
      if (open.every(isSilent) || quiet >= 5) await passInterval(open.map(({ code }) => code))
      await delay(500)
    }
  }

  const codesOf = (...names: PlanName[]) =>
    [...planned].filter(([, name]) => names.includes(name)).map(([code]) => code)
  const statesOf = (deliveries: readonly DeliveryRow[], codes: readonly string[]) => {
    const wanted = new Set(codes)
    const own = deliveries.filter(({ code }) => wanted.has(code))
    return [...new Set(own.map(({ state, reason }) => `${state} ${reason ?? ''}`.trim()))].sort()
  }

  const patience = { timeout: times(200_000, 400_000) }
  it(
    'gets a delivery result on each of them, although the server is killed during it',
    patience,
    async () => {
      const died = new Promise<void>((resolve) => {
        onAnswer = () => {
          if (answered.size < answersBeforeKill) return
          onAnswer = () => {}
          resolve(server.kill())
        }
      })
      const adId = await publish()
      await died
      const answeredBefore = answered.size
      expect(answeredBefore).toBeLessThan(cabinetCount)
      await server.start()
      await fleet.whenOnline()

      const first = await finished(adId)
      expect(first).toHaveLength(cabinetCount)
      const unexplained = first.filter(
        ({ state, reason }) =>
          !(state === 'shown' || ((state === 'failed' || state === 'refused') && reason !== null)),
      )
      expect(unexplained).toEqual([])
      expect(statesOf(first, codesOf('refuses'))).toEqual(['refused 设备拒绝执行'])
      expect(statesOf(first, codesOf('full'))).toEqual(['failed 存储空间不足'])

      // Failed deliveries, also those that failed because the server was down, succeed at the next attempt.
      await server.client.call(retryDeliveries, { id: adId }, token)
      const last = await finished(adId)
      expect(statesOf(last, codesOf('refuses'))).toEqual(['refused 设备拒绝执行'])
      expect(statesOf(last, codesOf('full'))).toEqual(['failed 存储空间不足'])
      const others = codesOf(...planNames.filter((name) => name !== 'refuses' && name !== 'full'), 'none')
      expect(statesOf(last, others)).toEqual(['shown'])
      const keeping = fleet.devices.filter(({ advertisements }) => advertisements.length === 1)
      expect(keeping.map(({ code }) => code).sort()).toEqual(others.sort())
    },
  )

  it('was downloaded once per command, and acknowledged outcomes are stored', async () => {
    await fleet.whenDrained()
    const commands = await readCommands()
    const byId = new Map(commands.map((command) => [command.id, command]))
    const differing = [...answered].filter(([id, outcome]) => byId.get(id)?.outcome !== outcome)
    expect(differing).toEqual([])
    // A command that a newer one replaces is answered without being executed.
    const wasExecuted = ({ result, reason }: CommandBook) =>
      result !== 'cancelled' && reason !== '已被更新的命令取代'
    const counts = [...planned].map(([code, name]) => {
      const own = commands.filter((command) => command.code === code && wasExecuted(command))
      // A power cut ends one execution, and the command is executed again.
      return [code, name, own.length + (name === 'powerCut' ? 1 : 0)]
    })
    expect([...planned].map(([code, name]) => [code, name, executed.get(code)])).toEqual(counts)
    // After a cabinet stored it, it was not sent again.
    const stored = Map.groupBy(
      commands.filter(({ outcome }) => outcome === 'done'),
      ({ code }) => code,
    )
    expect([...stored].filter(([, own]) => own.length > 1)).toEqual([])
  })
})
