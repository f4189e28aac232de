/**
 * Two processes behind HAProxy on a PostgreSQL with a synchronous standby, and what befalls them: each round by two lists,
 * what the fleet was acknowledged and what the tables hold.
 *
 *   npm run drill                                        every disturbance, 20 rounds each
 *   npm run drill -- --only node|primary|standby|stopped|releases|patroni|clock --rounds 3
 *   npm run drill -- --devices 2000 --rate 500 --calm-seconds 5 --stopped-seconds 60 --away-seconds 10 --out figures.jsonl
 *   npm run drill -- --only releases --beside-seconds 120 --previous v1.0.0
 *
 * The release before is the newest tag, or `--previous` names a commit; without either this release is the former one, and
 * the next is a copy of it with further migrations.
 */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  clocksOff,
  type DisturbanceName,
  disturbances,
  mend,
  usesUp,
} from '../apps/server/test/drill/disturbances.ts'
import { makeReleases, previousTag } from '../apps/server/test/drill/releases.ts'
import { createDrill, type DrillWorld, hasHaproxy } from '../apps/server/test/drill/world.ts'
import { hasPatroni, type PatroniCluster, startPatroni } from '../apps/server/test/patroni.ts'
import { currentLoad, describeMachine, machineText } from './machine.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '20' },
    devices: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '500' },
    'calm-seconds': { type: 'string', default: '5' },
    'stopped-seconds': { type: 'string', default: '60' },
    'away-seconds': { type: 'string', default: '10' },
    'beside-seconds': { type: 'string', default: '120' },
    previous: { type: 'string' },
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
  besideMs: Number(options['beside-seconds']) * 1_000,
}
const backLimitMs = 30_000
const directory = mkdtempSync(join(tmpdir(), 'voltkeep-releases-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
const releases = wanted.includes('releases')
  ? makeReleases(directory, options.previous ?? previousTag())
  : undefined
console.log(machineText(describeMachine()))
if (releases) console.log(`releases: ${releases.what}`)

for (const name of wanted) {
  const clocks = name === 'clock' ? clocksOff() : {}
  if (clocks === undefined) {
    console.log('clock: libfaketime is not installed (Debian: apt-get install libfaketime), left out')
    continue
  }
  if (name === 'patroni' && !hasPatroni()) {
    console.log('patroni: not installed (Debian: apt-get install patroni etcd-server postgresql), left out')
    continue
  }
  let world: DrillWorld | undefined
  let cluster: PatroniCluster | undefined
  for (let round = 1; round <= Number(options.rounds); round += 1) {
    if (name === 'patroni' && !world)
      cluster = await startPatroni(mkdtempSync(join(tmpdir(), 'voltkeep-patroni-')))
    world ??= await createDrill({
      cluster,
      devices: Number(options.devices),
      rate: Number(options.rate),
      ...(name === 'releases' && { installation: releases?.before }),
      ...clocks,
    })
    const drilled: DrillWorld = world
    const result = await drilled.during(() => disturbances[name](drilled, { ...times, releases, cluster }))
    const isGood = result.differences.length === 0 && result.offline === 0 && result.backMs <= backLimitMs
    console.log(
      `${name} ${round}: ${result.acknowledged} reports and ${result.commands} commands acknowledged, ` +
        `${result.differences.length} differences, all back after ${(result.backMs / 1_000).toFixed(1)} s, ` +
        `${result.offline} said to be offline, load ${currentLoad()[0]}: ${isGood ? 'good' : 'BAD'}`,
    )
    for (const line of result.differences.slice(0, 20)) console.log(`  ${line}`)
    if (result.offline > 0) console.log(`  offline after ${result.offlineAfter.slice(0, 20).join(', ')} s`)
    if (options.out !== undefined)
      appendFileSync(options.out, `${JSON.stringify({ name, round, load: currentLoad()[0], ...result })}\n`)
    if (!isGood) process.exitCode = 1
    if (usesUp(name) || !isGood) {
      await world.remove()
      world = undefined
    } else await mend(world, name, { cluster })
  }
  await world?.remove()
}
