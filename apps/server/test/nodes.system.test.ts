// The drill (bench/drill.ts) in small: a round of those disturbances that need no minutes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { clocksOff, type DisturbanceName, disturbances, mend } from './drill/disturbances.ts'
import { makeReleases } from './drill/releases.ts'
import { createDrill, type DrillWorld, hasHaproxy } from './drill/world.ts'

if (!hasHaproxy && process.env.CI !== 'true') console.warn('没有安装 haproxy，跳过它的测试')
const skips = !hasHaproxy && process.env.CI !== 'true'

let world: DrillWorld | undefined
const removeWorld = async () => {
  await world?.remove()
  world = undefined
}

// A disturbance has to find devices at both processes. That of the standby needs none, and uses its world up.
const rounds = [['stopped'], ['node', 'standby']] as const satisfies DisturbanceName[][]

describe.skipIf(skips).each(rounds)('two processes on one database', (...names) => {
  afterAll(removeWorld)

  test.each(names)(
    '%s: nothing acknowledged is lost or doubled, no command is executed twice, all devices are back and none was offline',
    async (name) => {
      world ??= await createDrill({ devices: 40, rate: 200 })
      const drilled = world
      // A process is stopped for longer than its lease; the database is away for longer than a broken connection may be.
      const result = await drilled.during(() =>
        disturbances[name](drilled, { calmMs: 1_500, stoppedMs: 14_000, awayMs: 8_000 }),
      )
      expect(result.differences).toEqual([])
      expect(result).toMatchObject({ offline: 0 })
      // The disturbance was one.
      if (name !== 'standby') expect(result.moved).toBeGreaterThan(0)
      expect(result.backMs).toBeLessThan(30_000)
      expect(result.acknowledged).toBeGreaterThan(100)
      expect(result.commands).toBeGreaterThan(0)
      await mend(drilled, name)
    },
  )
})

describe('two processes that are made for it', () => {
  afterEach(removeWorld)

  test.skipIf(skips)(
    'two releases side by side, then the next alone, then the way back: nothing is lost or doubled, and calls are answered',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'voltkeep-releases-'))
      try {
        const releases = makeReleases(directory)
        world = await createDrill({
          devices: 40,
          rate: 200,
          both: { DRAIN_SECONDS: '2' },
          installation: releases.before,
        })
        const drilled = world
        const result = await drilled.during(() =>
          disturbances.releases(drilled, {
            calmMs: 1_500,
            stoppedMs: 0,
            awayMs: 0,
            besideMs: 3_000,
            releases,
          }),
        )
        expect(result.differences).toEqual([])
        expect(result).toMatchObject({ offline: 0 })
        expect(result.moved).toBeGreaterThan(0)
        expect(result.backMs).toBeLessThan(30_000)
        expect(result.acknowledged).toBeGreaterThan(100)
        expect(result.commands).toBeGreaterThan(0)
        expect(drilled.nodes[1].output).toContain('数据库已由更新的版本升级，本版本可以继续与它一起工作')
        // The release before works with what the next one has made.
        const made = await drilled.servers.primary.ask<{ release: string; isMade: boolean }>(
          `SELECT release, NOT EXISTS (SELECT FROM device WHERE of_the_next <> 'made') AS "isMade"
         FROM schema_migrations ORDER BY name DESC LIMIT 1`,
        )
        expect(made).toEqual([{ release: '99.0.0', isMade: true }])
      } finally {
        rmSync(directory, { recursive: true, force: true })
      }
    },
  )

  const clocks = clocksOff()
  if (!clocks && process.env.CI !== 'true') console.warn('没有安装 libfaketime（faketime），跳过时钟的测试')

  test.skipIf(skips || (!clocks && process.env.CI !== 'true'))(
    'one clock five minutes behind, the other ahead: nothing is over before its time, and all is executed',
    async () => {
      if (!clocks) throw new Error('faketime is not installed')
      world = await createDrill({ devices: 40, rate: 100, ...clocks })
      const drilled = world
      const result = await drilled.during(() =>
        disturbances.clock(drilled, { calmMs: 1_500, stoppedMs: 0, awayMs: 0 }),
      )
      expect(result.differences).toEqual([])
      expect(result).toMatchObject({ offline: 0 })
      expect(result.acknowledged).toBeGreaterThan(100)
    },
  )
})
