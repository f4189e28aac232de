/**
 * The page of bench:capacity: what was measured, side by side, and what follows from it for fleets that no machine here
 * holds. Everything on it comes from the raw output.
 */
import type { Found, PartName, RateFigures, Raw, WayFound } from './capacity-raw.ts'
import { kneeMs } from './capacity-raw.ts'
import { type WayName, wayNames } from './capacity-worlds.ts'

const wayTexts: Record<WayName, string> = {
  embedded: 'embedded database',
  external: 'external PostgreSQL',
  two: 'two processes, HAProxy',
}
const whole = (value: number) => Math.round(value).toLocaleString('en')
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
const kilobytes = (bytes: number) => `${(bytes / 1_024).toFixed(1)} KB`
const megabytes = (bytes: number) => `${whole(bytes / 2 ** 20)} MB`
const micros = (us: number) => `${us >= 100 ? Math.round(us) : us.toFixed(1)} µs`
const none = '–'

type Ways = Raw['ways']
type Column = (found: WayFound) => string | undefined

function table(title: string, ways: Ways, rows: readonly [what: string, of: Column][]): string {
  const lines = rows
    .map(([what, of]) => [what, ...wayNames.map((way) => of(ways[way]) ?? none)])
    .filter(([, ...values]) => values.some((value) => value !== none))
  return [
    `| ${[title, ...wayNames.map((way) => wayTexts[way])].join(' | ')} |`,
    `|${'---|'.repeat(wayNames.length + 1)}`,
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n')
}

/** On what a part was measured, once where all ways of it agree. */
function madeOn(ways: Ways, part: PartName): string {
  const texts = wayNames.flatMap((way) => {
    const found: Found<unknown> | undefined = ways[way][part]
    if (!found) return []
    const { machine, loadAfter, error, sizes } = found
    const size =
      part === 'messages' || part === 'readings'
        ? `, ${whole(sizes.reporting)} connections, ${sizes.seconds} s a rate`
        : ''
    const failed = error === undefined ? '' : `, **not measured: ${error.split('\n')[0]}**`
    return [
      `${wayTexts[way]}: ${machine.at.slice(0, 16).replace('T', ' ')} UTC, commit ${machine.commit}, load ` +
        `${machine.load[0]} before and ${loadAfter} after${size}${failed}`,
    ]
  })
  return texts.length === 0 ? '_Not measured yet._' : `_${texts.join('; ')}._`
}

// ── What was measured ────────────────────────────────────────────────────────────────────────

function connections(ways: Ways): string {
  const of = (isTls: boolean) => (found: WayFound) =>
    found.connections?.figures?.find((one) => one.isTls === isTls)
  const rows = [false, true].flatMap((isTls): [string, Column][] => {
    const figures = of(isTls)
    const by = isTls ? 'TLS' : 'plain'
    const row =
      (text: (one: NonNullable<ReturnType<typeof figures>>) => string | undefined): Column =>
      (found) => {
        const one = figures(found)
        return one && text(one)
      }
    return [
      [`${by}: devices connected`, row((one) => whole(one.devices))],
      [`${by}: all connected after (2,000 begin a second)`, row((one) => seconds(one.connectMs))],
      [`${by}: CPU a connection, server`, row((one) => micros(one.serverUs))],
      [`${by}: CPU a connection, database`, row((one) => micros(one.databaseUs))],
      [`${by}: memory a device`, row((one) => kilobytes(one.bytesPerDevice))],
      [
        `${by}: memory, idle and with all`,
        row((one) => `${megabytes(one.idleBytes)}, ${megabytes(one.fullBytes)}`),
      ],
      [
        `${by}: \`kill -9\` of all, ready again after`,
        row((one) => (one.startMs === undefined ? undefined : seconds(one.startMs))),
      ],
      [
        `${by}: from then on until all are back`,
        row((one) => (one.returnMs === undefined ? undefined : seconds(one.returnMs))),
      ],
      [
        `${by}: \`kill -9\` of one of two, until its devices are at the other`,
        row((one) =>
          one.failoverMs === undefined
            ? undefined
            : `${seconds(one.failoverMs)} (${whole(one.moved ?? 0)} devices)`,
        ),
      ],
    ]
  })
  return table('', ways, rows)
}

function rates(ways: Ways, part: 'messages' | 'readings'): string {
  const all = [
    ...new Set(wayNames.flatMap((way) => ways[way][part]?.figures?.map(({ rate }) => rate) ?? [])),
  ].toSorted((a, b) => a - b)
  const text = ({ acknowledged, rate, p50, p99, p999, load }: RateFigures) => {
    const got = acknowledged < rate * 0.98 ? ` (${whole(acknowledged)} came)` : ''
    return `${whole(p50)}, ${whole(p99)}, ${whole(p999)} ms${got}; load ${load}`
  }
  return table('asked for a second', ways, [
    ...all.map((rate): [string, Column] => [
      whole(rate),
      (found) => {
        const one = found[part]?.figures?.find((figures) => figures.rate === rate)
        return one && text(one)
      },
    ]),
    [
      '**p99 passes a second**',
      (found) => {
        const figures = found[part]?.figures
        if (!figures) return undefined
        const knee = kneeOf(figures)
        if (!knee.beyond) return `not up to ${whole(knee.within?.rate ?? 0)}`
        return `between ${whole(knee.within?.rate ?? 0)} and ${whole(knee.beyond.rate)}`
      },
    ],
    [
      'CPU a message at the last rate within it: server, database',
      (found) => {
        const one = found[part]?.figures && kneeOf(found[part].figures).within
        return one && `${micros(one.serverUs)}, ${micros(one.databaseUs)}`
      },
    ],
  ])
}

/** The last rate that was borne, and the first that was not. */
function kneeOf(figures: readonly RateFigures[]) {
  const isBorne = ({ p99, acknowledged, rate }: RateFigures) => p99 <= kneeMs && acknowledged >= rate * 0.9
  return { within: figures.findLast(isBorne), beyond: figures.find((one) => !isBorne(one)) }
}

function others(ways: Ways): string {
  return table('', ways, [
    [
      'commands sent and answered a second',
      ({ commands }) => commands?.figures && whole(commands.figures.rate),
    ],
    [
      'CPU a command: server, database',
      ({ commands }) =>
        commands?.figures && `${micros(commands.figures.serverUs)}, ${micros(commands.figures.databaseUs)}`,
    ],
    ['campaign: devices', ({ campaigns }) => campaigns?.figures && whole(campaigns.figures.devices)],
    [
      'campaign: all targets written after',
      ({ campaigns }) => campaigns?.figures && seconds(campaigns.figures.plannedMs),
    ],
    [
      'campaign: upgrades sent and taken on a second',
      ({ campaigns }) => campaigns?.figures && whole(campaigns.figures.rate),
    ],
    [
      'campaign: CPU a device: server, database',
      ({ campaigns }) =>
        campaigns?.figures &&
        `${micros(campaigns.figures.serverUs)}, ${micros(campaigns.figures.databaseUs)}`,
    ],
  ])
}

const tenGb = 10e9

function restores(ways: Ways): string {
  const of =
    (text: (figures: NonNullable<NonNullable<WayFound['restore']>['figures']>) => string): Column =>
    ({ restore }) =>
      restore?.figures && text(restore.figures)
  return table('', ways, [
    ['database, with indexes', of((one) => megabytes(one.databaseBytes))],
    ['file of the backup', of((one) => megabytes(one.fileBytes))],
    ['backup', of((one) => seconds(one.backupMs))],
    ['verifying it', of((one) => seconds(one.verifyMs))],
    ['restore', of((one) => seconds(one.restoreMs))],
    [
      '**restore of 10 GB**, scaled by size',
      of((one) => `${((one.restoreMs * tenGb) / one.databaseBytes / 60_000).toFixed(0)} min`),
    ],
    [
      'backup of 10 GB, scaled by size',
      of((one) => `${((one.backupMs * tenGb) / one.databaseBytes / 60_000).toFixed(0)} min`),
    ],
  ])
}

// ── On paper ─────────────────────────────────────────────────────────────────────────────────

const fleets = [10_000, 100_000, 1_000_000]
/** What a cabinet is taken to send. */
const reportEveryS = 300
const alarmMessagesPerDay = 20
const readingsPerReport = 66
/** docs/performance.md. */
const bytesPerPoint = 0.92
/** Of a fleet that has lost its server: all are to be back within this. */
const returnWithinS = 60
/** Of a core; above it waiting grows. */
const usableShare = 0.7

/** Of a machine of the same kind with nothing else on it, by docs/performance.md: where no run here was large and quiet enough. */
const documented = {
  plain: { bytesPerDevice: 6.4 * 1024, serverUs: 160 },
  alarm: { serverUs: 12.4, databaseUs: 21.5 },
  // Writing and packing; decoding and checking a message comes to it.
  report: { serverUs: 25.6, databaseUs: 8 },
  commandRate: 6_464,
  campaignRate: 2_617,
  planned: { plannedMs: 3_800, devices: 100_000 },
}
/** Load for each core that a run makes by itself, with its fleet and load generator beside server and database: up to 3. */
const quietLoad = 4
/** With fewer devices the server's own work would count as theirs. */
const leastDevices = 2_000

interface Basis {
  what: string
  plain: { bytesPerDevice: number; serverUs: number }
  tls: { bytesPerDevice: number; serverUs: number } | undefined
  alarm: { serverUs: number; databaseUs: number }
  report: { serverUs: number; databaseUs: number }
  commandRate: number
  campaignRate: number
  planned: { plannedMs: number; devices: number }
}

function basisOf({ external }: Ways): Basis {
  const { connections: held, messages, readings, commands, campaigns } = external
  const isQuiet = [held, messages, readings, commands, campaigns].every(
    (found) =>
      found && found.loadAfter <= found.machine.cores * quietLoad && found.sizes.devices >= leastDevices,
  )
  const plain = held?.figures?.find(({ isTls }) => !isTls)
  const alarm = messages?.figures && kneeOf(messages.figures).within
  const report = readings?.figures && kneeOf(readings.figures).within
  if (!isQuiet || !plain || !alarm || !report || !commands?.figures || !campaigns?.figures)
    return {
      ...documented,
      tls: undefined,
      what:
        'The runs above were too small, or the machine too busy, to compute from: the basis are the figures of ' +
        '[performance.md](performance.md), taken on a machine of the same kind with nothing else running.',
    }
  return {
    what: 'The basis are the figures of the external PostgreSQL above.',
    plain,
    tls: held?.figures?.find(({ isTls }) => isTls),
    alarm,
    report,
    commandRate: commands.figures.rate,
    campaignRate: campaigns.figures.rate,
    planned: campaigns.figures,
  }
}

function onPaper(ways: Ways): string {
  const { what, plain, tls, alarm, report, commandRate, campaignRate, planned } = basisOf(ways)
  const cores = (cpuSeconds: number) => (cpuSeconds / usableShare).toFixed(1)
  const perSecond = (devices: number) => ({
    reports: devices / reportEveryS,
    alarms: (devices * alarmMessagesPerDay) / 86_400,
  })
  const row = (what: string, of: (devices: number) => string) =>
    `| ${what} | ${fleets.map((devices) => of(devices)).join(' | ')} |`
  const cpu = (devices: number, of: 'serverUs' | 'databaseUs') => {
    const { reports, alarms } = perSecond(devices)
    return (reports * report[of] + alarms * alarm[of]) / 1e6
  }
  const plannedMs = (devices: number) => (planned.plannedMs * devices) / planned.devices
  const diskPerDay = (devices: number) =>
    (devices * readingsPerReport * (86_400 / reportEveryS) * bytesPerPoint) / 1e9
  const ends = ways.external.restore?.figures
  return [
    what,
    '',
    `| devices | ${fleets.map(whole).join(' | ')} |`,
    `|---|${'---|'.repeat(fleets.length)}`,
    row('readings reports a second', (devices) => whole(perSecond(devices).reports)),
    row('alarm messages a second', (devices) => perSecond(devices).alarms.toFixed(1)),
    row('cores for both: processes', (devices) => cores(cpu(devices, 'serverUs'))),
    row('cores for both: database, writing', (devices) => cores(cpu(devices, 'databaseUs'))),
    row(
      'memory of connections, plain',
      (devices) => `${((devices * plain.bytesPerDevice) / 2 ** 30).toFixed(1)} GB`,
    ),
    row(`cores for all to come back within ${returnWithinS} s, plain: processes`, (devices) =>
      cores((devices * plain.serverUs) / 1e6 / returnWithinS),
    ),
    ...(tls
      ? [
          row(
            'memory of connections, TLS',
            (devices) => `${((devices * tls.bytesPerDevice) / 2 ** 30).toFixed(1)} GB`,
          ),
          row('cores for all to come back, TLS', (devices) =>
            cores((devices * tls.serverUs) / 1e6 / returnWithinS),
          ),
        ]
      : []),
    row('a command to each, at the rate of the basis', (devices) => seconds((devices / commandRate) * 1_000)),
    row('a campaign planned', (devices) => seconds(plannedMs(devices))),
    row('a campaign sent, at the rate of the basis and without a pace', (devices) =>
      seconds((devices / campaignRate) * 1_000),
    ),
    row('readings on disk a day', (devices) => `${diskPerDay(devices).toFixed(1)} GB`),
    ...(ends
      ? [
          row(
            'restore of 30 days of readings, as scaled above',
            (devices) =>
              `${(((ends.restoreMs / ends.databaseBytes) * diskPerDay(devices) * 30e9) / 3_600_000).toFixed(1)} h`,
          ),
        ]
      : []),
  ].join('\n')
}

// ── The page ─────────────────────────────────────────────────────────────────────────────────

export function capacityPage(raw: Raw): string {
  const { ways } = raw
  const newest = wayNames
    .flatMap((way) => Object.values(ways[way]))
    .map(({ machine }) => machine)
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))[0]
  const busiest = Math.max(
    0,
    ...wayNames.flatMap((way) =>
      Object.values(ways[way]).map(({ machine, loadAfter }) => Math.max(machine.load[0] ?? 0, loadAfter)),
    ),
  )
  const many = ways.embedded.many?.figures
  const postgres = ways.external.connections?.postgres ?? ways.embedded.connections?.postgres ?? none
  const machine = newest
    ? `${newest.cores} cores (${newest.processor}), ${newest.memoryGb} GB, ${newest.system}, Linux ${newest.kernel}, Node ` +
      `${newest.node}, PostgreSQL ${postgres}, Voltkeep ${newest.version}`
    : none
  const wasBusy = newest !== undefined && busiest > newest.cores * quietLoad
  return `# Capacity

<!-- Made by \`${raw.command}\` from capacity.raw.json beside it. Change bench/capacity-document.ts, not this page. -->

What one machine holds, for the three ways to run the server, and what that means for fleets that it does not hold. One
command measures it and writes this page: \`${raw.command}\` (\`-- --only messages --in two\` a part of it); the raw output
is [capacity.raw.json](capacity.raw.json).

- **The machine**: ${machine}. Server, database, HAProxy, devices and load generators share its cores.
- **The load** stands with each figure: the average number of processes that ran or waited in the minute before. ${
    wasBusy
      ? `**It was up to ${busiest} on ${newest.cores} cores: others worked on this machine meanwhile. Times and rates below are those of
  a fraction of it, and figures of two ways that were measured at different loads cannot be compared. A run on a machine of
  one's own takes the place of all this.**`
      : 'The runs make up to 3 for each core by themselves.'
  }
- **Devices** of the connections are simulated ones at rest. Those of messages are connections of a load generator that sends at
  the rate asked for, for some seconds after two of warming up; a longer run has more checkpoints and folding in it.
- **The external PostgreSQL** is the same program and settings in a process of its own on the same machine, reached by a
  socket, without a standby. The two processes behind HAProxy use it, too.

## Connections, restart and failover

${connections(ways)}

${madeOn(ways, 'connections')}

Memory is that of the server's processes, together where there are two; PostgreSQL's is in [operating.md](operating.md#the-machine).
The failover of a database is in [the drill's figures](performance.md#several-machines-npm-run-drill).

${
  many
    ? `**${whole(many.devices)} devices** at one process with the embedded database, plain: all connected after ${seconds(many.connectMs)}, ` +
      `${kilobytes(many.bytesPerDevice)} each, ${megabytes(many.fullBytes)} in all, CPU a connection ${micros(many.serverUs)} of the server and ` +
      `${micros(many.databaseUs)} of the database.\n\n`
    : ''
}${madeOn(ways, 'many')}

## Alarm messages: PUBACK p50, p99, p99.9

Every second message recovers what the first raised; PUBACK comes after the commit.

${rates(ways, 'messages')}

${madeOn(ways, 'messages')}

## Readings: PUBACK p50, p99, p99.9

Status reports of ${readingsPerReport} readings each.

${rates(ways, 'readings')}

${madeOn(ways, 'readings')}

## Commands and campaigns

${others(ways)}

_Commands: ${madeOn(ways, 'commands').slice(1)}

_Campaigns: ${madeOn(ways, 'campaigns').slice(1)}

## Backup and restore

Of an installation with alarms and events. For two processes it is as for the external PostgreSQL. Scaled by size: rows are
copied in and indexes are built, so that a database larger than memory takes somewhat longer than that.

${restores(ways)}

${madeOn(ways, 'restore')}

## Up to a million devices, on paper

What such figures make of larger fleets. A cabinet is taken to send ${readingsPerReport} readings every ${reportEveryS / 60}
minutes and ${alarmMessagesPerDay} alarm messages a day; a core is used to ${usableShare * 100} %. The CPU of pages, lists and devices that merely ping is not
in it; packing of readings is in it where performance.md is the basis.

${onPaper(ways)}

What is bound by what:

- **Connections by memory and open files** of the processes, and they add up over any number of processes: each has its
  devices for itself. A balancer needs two open files for each device, and has some 28,000 ports to each process for each
  address that it connects from: more devices at one process need more addresses (\`source\` of HAProxy).
- **A reconnect storm by the CPU of the processes**, with TLS by its handshakes; more processes, more cores. Devices that find no
  room come back in a window that doubles.
- **Messages by the database**, of which there is one: a second process takes the work of the sockets and of checking off the
  first, and nothing off the database. On one machine it only adds to what shares the cores.
- **Readings by the database's disk** before its CPU: so many GB a day, and what packing reads and writes again.
- **Commands and campaigns by writes of the database**, and a campaign in practice by its pace and stages, which people choose.
- **A restore by the database's disk and one core**, since it is one transaction. Large external databases are better served
  by copies of their files ([operating.md](operating.md#backup)).
`
}
