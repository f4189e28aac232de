// Cabinets with screens, as the simulator has them, and advertisements for them.
import { createAdvertisement, listDeliveries } from '@voltkeep/contract'
import { inTurn, type TroubleName } from '@voltkeep/simulator/commands/trouble'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { advertisementOf, uploadAnnex } from './annex.ts'
import type { TestApp } from './app.ts'
import { insertDevice, insertModel, insertOperator, type TestDevice } from './factories.ts'

export type AdvertisingWorld = Awaited<ReturnType<typeof createAdvertisingWorld>>

export async function createAdvertisingWorld(app: TestApp, token: string) {
  const modelId = await insertModel(app.db)
  const running: VirtualDevice[] = []
  let operatorId = 0
  const wakeUp = (table: string) =>
    sql`SELECT pg_notify('voltkeep', ${JSON.stringify({ name: 'workDue', ids: [`${table} 0`] })})`.execute(
      app.db,
    )
  const deliveriesOf = async (adId: string) =>
    (await app.call(listDeliveries, { adId, pageSize: 100 }, token)).data

  return {
    modelId,
    /** Has the work queue of that table look at it now. */
    wakeUp,
    get operatorId() {
      return operatorId
    },

    /** Cabinets with their own operator, by which advertisements choose them. */
    async cabinets(count: number, organizationId = 1): Promise<TestDevice[]> {
      operatorId = await insertOperator(app.db, { organizationId })
      return Promise.all(Array.from({ length: count }, () => insertDevice(app.db, { operatorId, modelId })))
    },

    async switchOn({ code, secret }: TestDevice, ...troubles: (TroubleName | undefined)[]) {
      const device = new VirtualDevice(
        { code, secret },
        {
          broker: { host: '127.0.0.1', port: app.ports.mqttPort as number, isTls: false },
          random: createRandom(1),
          reconnectMs: [50, 200],
          commands: { hasScreen: true, trouble: inTurn(...troubles) },
        },
      )
      running.push(device)
      device.start()
      await device.whenOnline()
      return device
    },

    switchOff() {
      for (const device of running.splice(0)) device.cutPower()
    },

    /** For the cabinets made last; returns the id. */
    async publish(form: object = {}, by = token): Promise<string> {
      const { annexUrl } = await uploadAnnex(app, by)
      const answer = await app.call(
        createAdvertisement,
        { ...advertisementOf(annexUrl, { filters: { operatorId: String(operatorId) } }), ...form },
        by,
      )
      if (answer.code !== 200) throw new Error(answer.message)
      return answer.data.id
    },

    deliveriesOf,

    becomes: (adId: string, states: Record<string, string>) =>
      expect
        .poll(
          async () => Object.fromEntries((await deliveriesOf(adId)).map(({ code, state }) => [code, state])),
          { timeout: 30_000, interval: 50 },
        )
        .toEqual(states),

    /** Makes the next attempts due now. */
    async hurry() {
      await sql`UPDATE advertisement_delivery SET next_at = now() WHERE next_at IS NOT NULL`.execute(app.db)
      await wakeUp('advertisement_delivery')
    },

    /** Has the advertisement look for its cabinets now. */
    async renew(adId: string) {
      await sql`UPDATE advertisement SET next_at = now() WHERE id = ${adId}`.execute(app.db)
      await wakeUp('advertisement')
    },

    /** The same; resolves when it has looked. */
    async renewed(adId: string) {
      const { rows } = await sql<{ at: Date }>`
        UPDATE advertisement SET next_at = now() WHERE id = ${adId} RETURNING next_at AS at`.execute(app.db)
      await wakeUp('advertisement')
      const next = async () =>
        (
          await sql<{ at: Date }>`SELECT next_at AS at FROM advertisement WHERE id = ${adId}`.execute(app.db)
        ).rows[0]?.at.getTime()
      // A lease is a minute; the next look is ten minutes away.
      await expect.poll(next, { timeout: 30_000 }).toBeGreaterThan((rows[0]?.at.getTime() ?? 0) + 120_000)
    },
  }
}
