import { setTimeout as delay } from 'node:timers/promises'
import type { Fleet } from '@voltkeep/simulator/fleet'
import { createRandom } from '@voltkeep/simulator/random'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectFleet } from './fleets.ts'
import { times } from './long.ts'
import {
  accountOf,
  type Providers,
  raiseEvenly,
  stormEnvironment,
  tellProviders,
  whenTold,
} from './notice-storm.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const alarms = times(240, 600)
const kills = times(2, 3)
const random = createRandom(23)

let server: ServerProcess
let fleet: Fleet
let told: Providers

beforeAll(async () => {
  server = await startServerProcess({ demoDevices: 40, environment: stormEnvironment })
  told = await tellProviders(server, await server.client.signIn('admin', server.adminPassword))
  fleet = await connectFleet(server.devices(), server.mqttPort)
})
afterAll(async () => {
  fleet?.cutPower()
  await server?.remove()
  await told?.close()
})

it('tells everybody of every alarm of a storm in which it is killed, within the rate of each provider', async () => {
  const raised = raiseEvenly(fleet.devices, alarms, 2_000 * kills)
  for (let kill = 1; kill <= kills; kill += 1) {
    await delay(800 + 1_200 * random.next())
    await server.kill()
    await server.start()
  }
  await raised
  await whenTold(server, { alarms, isHurried: true })
  const { faults, doubled } = await accountOf(server, told, alarms)
  expect(faults).toEqual([])
  // A message that was taken by its provider when its sender died comes again.
  expect(doubled).toBeLessThanOrEqual(3)
})
