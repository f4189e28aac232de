// The drill (bench/drill.ts) in small: a round of those disturbances that need no minutes.
import { afterEach, expect, test } from 'vitest'
import { type DisturbanceName, disturbances, mend } from './drill/disturbances.ts'
import { createDrill, type DrillWorld, hasHaproxy } from './drill/world.ts'

if (!hasHaproxy && process.env.CI !== 'true') console.warn('没有安装 haproxy，跳过它的测试')
const skips = !hasHaproxy && process.env.CI !== 'true'

let world: DrillWorld | undefined
afterEach(async () => {
  await world?.remove()
  world = undefined
})

test.skipIf(skips).each(['node', 'stopped', 'standby'] as const satisfies DisturbanceName[])(
  '%s: nothing acknowledged is lost or doubled, no command is executed twice, all devices are back and none was offline',
  async (name) => {
    world = await createDrill({ devices: 40, rate: 200 })
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
