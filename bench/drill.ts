/**
 * Two processes behind HAProxy on a PostgreSQL with a synchronous standby, and what befalls them: each round by two lists,
 * what the fleet was acknowledged and what the tables hold.
 *
 *   npm run drill                                        every disturbance, 20 rounds each
 *   npm run drill -- --only node|primary|standby|stopped|clock --rounds 3
 *   npm run drill -- --devices 2000 --rate 500 --calm-seconds 5 --stopped-seconds 60 --away-seconds 10 --out figures.jsonl
 */
import { appendFileSync, globSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  clockAhead,
  type DisturbanceName,
  disturbances,
  mend,
  usesUp,
} from '../apps/server/test/drill/disturbances.ts'
import { createDrill, type DrillWorld, hasHaproxy } from '../apps/server/test/drill/world.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '20' },
    devices: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '500' },
    'calm-seconds': { type: 'string', default: '5' },
    'stopped-seconds': { type: 'string', default: '60' },
    'away-seconds': { type: 'string', default: '10' },
    out: { type: 'string' },
  },
})
const names = Object.keys(disturbances) as DisturbanceName[]
const wanted = options.only === undefined ? names : names.filter((name) => name === options.only)
if (wanted.length === 0) throw new Error(`--only ${options.only}: one of ${names.join(', ')}`)
if (!hasHaproxy) throw new Error('haproxy is not installed (Debian: apt-get install haproxy)')
const times = {
  calmMs: Number(options['calm-seconds']) * 1_000,
  stoppedMs: Number(options['stopped-seconds']) * 1_000,
  awayMs: Number(options['away-seconds']) * 1_000,
}
const backLimitMs = 30_000

for (const name of wanted) {
  const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1')
  if (name === 'clock' && library === undefined) {
    console.log('clock: libfaketime is not installed (Debian: apt-get install libfaketime), left out')
    continue
  }
  let world: DrillWorld | undefined
  for (let round = 1; round <= Number(options.rounds); round += 1) {
    world ??= await createDrill({
      devices: Number(options.devices),
      rate: Number(options.rate),
      ...(name === 'clock' && library !== undefined && { second: clockAhead(library) }),
    })
    const drilled: DrillWorld = world
    const result = await drilled.during(() => disturbances[name](drilled, times))
    const isGood = result.differences.length === 0 && result.offline === 0 && result.backMs <= backLimitMs
    console.log(
      `${name} ${round}: ${result.acknowledged} reports and ${result.commands} commands acknowledged, ` +
        `${result.differences.length} differences, all back after ${(result.backMs / 1_000).toFixed(1)} s, ` +
        `${result.offline} said to be offline: ${isGood ? 'good' : 'BAD'}`,
    )
    for (const line of result.differences.slice(0, 20)) console.log(`  ${line}`)
    if (options.out !== undefined)
      appendFileSync(options.out, `${JSON.stringify({ name, round, ...result })}\n`)
    if (!isGood) process.exitCode = 1
    if (usesUp(name) || !isGood) {
      await world.remove()
      world = undefined
    } else await mend(world, name)
  }
  await world?.remove()
}
