import { setTimeout as delay } from 'node:timers/promises'
import type { Fleet } from '@voltkeep/simulator/fleet'
import { createRandom } from '@voltkeep/simulator/random'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CommandLedger } from './command-ledger.ts'
import { connectFleet } from './fleets.ts'
import { times } from './long.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

describe('commands of a server that is killed', () => {
  let ledger: CommandLedger
  let server: ServerProcess
  let fleet: Fleet

  beforeAll(async () => {
    ledger = new CommandLedger()
    server = await startServerProcess({ demoDevices: 40, environment: { LOG_LEVEL: 'warn' } })
    fleet = await connectFleet(server.devices(), server.mqttPort, {
      commandsOf: ({ code }) => ({ hasScreen: true, trouble: ledger.counting(code) }),
    })
  })
  afterAll(async () => {
    fleet?.cutPower()
    await server?.remove()
  })

  const kills = times(2, 4)
  it(`are all executed exactly once, although it is killed ${kills} times during them`, async () => {
    const playing = new AbortController()
    const storm = ledger.storm(server.dataDir, playing.signal)
    const random = createRandom(2)
    for (let kill = 1; kill <= kills; kill += 1) {
      await delay(300 + 900 * random.next())
      await server.kill()
      await server.start()
    }
    await delay(500)
    playing.abort()
    await storm
    await fleet.whenOnline()
    expect(await ledger.differences(server.dataDir)).toEqual([])
    expect(ledger.promised.size).toBeGreaterThan(100)
  })
})
