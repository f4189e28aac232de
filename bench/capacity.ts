/**
 * What a machine holds: devices, messages a second, commands, campaigns, restarts and restores, for the three ways to run
 * the server. Writes the raw output, and from it the page docs/capacity.md. What is measured takes the place of what an
 * earlier run has left of the same part; each part keeps machine, load, date and commit of its own run.
 *
 *   npm run bench:capacity                                     all of it: 20 minutes on two idle cores
 *   npm run bench:capacity -- --only connections --in two      a part (or several, by commas), one way
 *   npm run bench:capacity -- --devices 10000 --seconds 60     larger, longer
 *   npm run bench:capacity -- --only none                      the page again, from what is there
 *
 * Parts: connections, messages, readings, commands, campaigns, many, restore. Ways: embedded, external, two.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { capacityPage } from './capacity-document.ts'
import {
  measureCampaign,
  measureCommandsOf,
  measureConnections,
  measureMessages,
  measureRestore,
  postgresVersion,
} from './capacity-parts.ts'
import { type PartName, type PartSizes, partNames, type Raw, type WayFound } from './capacity-raw.ts'
import { type CapacityWorld, createCapacityWorld, type WayName, wayNames } from './capacity-worlds.ts'
import { checkOpenFiles } from './fleet.ts'
import { currentLoad, describeMachine, machineText } from './machine.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    in: { type: 'string' },
    devices: { type: 'string', default: '5000' },
    reporting: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '6' },
    rates: { type: 'string', default: '500,1000,2000,4000,8000,16000,32000' },
    'readings-rates': { type: 'string', default: '250,500,1000,2000,4000,8000' },
    commands: { type: 'string', default: '20000' },
    many: { type: 'string', default: '50000' },
    alarms: { type: 'string', default: '1000000' },
    out: { type: 'string', default: join(import.meta.dirname, '../docs') },
  },
})

const wanted = <Name extends string>(names: readonly Name[], text: string | undefined) => {
  if (text === undefined) return names
  const given = text.split(',')
  const unknown = given.filter((name) => name !== 'none' && !names.includes(name as Name))
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: one of ${names.join(', ')}`)
  return names.filter((name) => given.includes(name))
}
const parts = wanted(partNames, options.only)
const ways = wanted(wayNames, options.in)
const numbers = (text: string) => text.split(',').map(Number)
const sizes: PartSizes = {
  devices: Number(options.devices),
  reporting: Math.min(Number(options.reporting), Number(options.devices)),
  seconds: Number(options.seconds),
  rates: numbers(options.rates),
  readingsRates: numbers(options['readings-rates']),
  commands: Number(options.commands),
  many: Number(options.many),
  alarms: Number(options.alarms),
}
const rawPath = join(options.out, 'capacity.raw.json')
const pagePath = join(options.out, 'capacity.md')

process.env.TZ = 'Asia/Shanghai'
mkdirSync(options.out, { recursive: true })
const raw: Raw = existsSync(rawPath)
  ? JSON.parse(readFileSync(rawPath, 'utf8'))
  : { command: 'npm run bench:capacity', ways: { embedded: {}, external: {}, two: {} } }
if (parts.length > 0) {
  console.log(machineText(describeMachine()))
  raiseOpenFiles()
  checkOpenFiles(Math.max(sizes.devices, parts.includes('many') ? sizes.many : 0) + 2_000)
}
const beganAt = performance.now()
for (const way of ways) await measureWay(way)
if (parts.includes('many') && ways.includes('embedded')) {
  await within('embedded', sizes.many, async (world, keep) => {
    await keep('many', () => measureConnections(world, { devices: sizes.many, isTls: false, staysUp: true }))
  })
}
if (parts.includes('restore')) {
  const machine = describeMachine()
  await measureRestore(sizes, ways, (way, figures) => {
    store(way, 'restore', { machine, loadAfter: currentLoad()[0] ?? 0, sizes, figures })
  })
}
writeFileSync(pagePath, capacityPage(raw))
if (parts.length > 0)
  console.log(`${((performance.now() - beganAt) / 60_000).toFixed(1)} min; ${rawPath}, ${pagePath}`)
process.exit()

async function measureWay(way: WayName): Promise<void> {
  if (!parts.some((part) => part !== 'many' && part !== 'restore')) return
  await within(way, sizes.devices, async (world, keep) => {
    await keep('connections', async () => {
      const plain = await measureConnections(world, { devices: sizes.devices, isTls: false })
      return [plain, await measureConnections(world, { devices: sizes.devices, isTls: true })]
    })
    await keep('messages', () => measureMessages(world, sizes, sizes.rates, 'alternating'))
    await keep('readings', () => measureMessages(world, sizes, sizes.readingsRates, 'readings'))
    await keep('commands', () => measureCommandsOf(world, sizes))
    await keep('campaigns', () => measureCampaign(world, sizes))
  })
}

type Keep = <Part extends PartName>(
  part: Part,
  work: () => Promise<NonNullable<NonNullable<WayFound[Part]>['figures']>>,
) => Promise<void>

/** A world with devices; what a part has found is stored at once, and a part that fails does not end the others. */
async function within(
  way: WayName,
  devices: number,
  work: (world: CapacityWorld, keep: Keep) => Promise<void>,
): Promise<void> {
  const world = await createCapacityWorld(way, devices)
  try {
    const postgres = await postgresVersion(world)
    await work(world, async (part, measure) => {
      if (!parts.includes(part)) return
      console.log(`${way}: ${part}, ${((performance.now() - beganAt) / 1_000).toFixed(0)} s`)
      const machine = describeMachine()
      const found = (more: object) => ({
        machine,
        loadAfter: currentLoad()[0] ?? 0,
        sizes,
        postgres,
        ...more,
      })
      try {
        const figures = await measure()
        store(way, part, found({ figures }))
      } catch (error) {
        console.error(error)
        store(way, part, found({ error: (error as Error).message }))
        process.exitCode = 1
      }
    })
  } finally {
    await world.remove()
  }
}

function store(way: WayName, part: PartName, found: object): void {
  Object.assign(raw.ways[way], { [part]: found })
  writeFileSync(rawPath, `${JSON.stringify(raw, null, 2)}\n`)
}

/** Root may have more files open than its limit; everybody else has to be given them. */
function raiseOpenFiles(): void {
  spawnSync('prlimit', ['--pid', String(process.pid), '--nofile=200000:200000'])
}
