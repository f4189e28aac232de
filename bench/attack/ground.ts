// The installation on which an attack is measured.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { listDevices } from '@voltkeep/contract'
import { startServerProcess } from '../../apps/server/test/server-process.ts'
import type { NeighbourAnswer, NeighbourOrder } from './neighbour-process.ts'
import type { AttackPart, Figures, Ground } from './part.ts'

const callEveryMs = 50
const sampleEveryMs = 50
const megabyte = 1_048_576
/** An attack may be the first to use all connections, which stay open (DB_POOL_SIZE). */
const poolConnections = 20

/** Starts the part's server and its neighbour. `leave` ends both. */
export async function standOn(
  part: AttackPart,
  options: Ground['options'],
): Promise<Ground & { readonly brokenBounds: number; leave(): Promise<void> }> {
  const server = await startServerProcess({
    demoDevices: 20,
    ...part.server,
    environment: { LOG_LEVEL: 'warn', ...part.server?.environment },
  })
  const adminToken = await server.client.signIn('admin', server.adminPassword)
  const neighbour = fork(join(import.meta.dirname, 'neighbour-process.ts'), { stdio: 'inherit' })
  neighbour.send({
    kind: 'begin',
    url: server.url,
    path: `/api${listDevices.path}?pageSize=20`,
    token: adminToken,
    everyMs: callEveryMs,
  } satisfies NeighbourOrder)

  async function look(): Promise<NeighbourAnswer> {
    const answer = once(neighbour, 'message')
    neighbour.send({ kind: 'look' } satisfies NeighbourOrder)
    const [figures] = await answer
    return figures as NeighbourAnswer
  }

  let brokenBounds = 0
  function state(what: string, isMet: boolean, detail: string): void {
    if (!isMet) brokenBounds += 1
    console.log(`  ${isMet ? 'kept  ' : 'BROKEN'}  ${what.padEnd(52)} ${detail}`)
  }

  const measure: Ground['measure'] = async (when, work) => {
    await look()
    let mostResidentBytes = residentBytesOf(server.pid)
    const sampling = setInterval(() => {
      mostResidentBytes = Math.max(mostResidentBytes, residentBytesOf(server.pid))
    }, sampleEveryMs)
    try {
      await (typeof work === 'function' ? work() : delay(work.forMs))
    } finally {
      clearInterval(sampling)
    }
    const { latenciesMs, failed } = await look()
    const sorted = latenciesMs.toSorted((one, other) => one - other)
    const at = (share: number) =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
    const figures: Figures = {
      answered: latenciesMs.length - failed,
      failed,
      p50Ms: at(0.5),
      p95Ms: at(0.95),
      p99Ms: at(0.99),
      mostMs: at(1),
      residentBytes: residentBytesOf(server.pid),
      mostResidentBytes,
      descriptors: descriptorsOf(server.pid),
    }
    console.log(
      `  ${when.padEnd(14)}neighbour p50 ${ms(figures.p50Ms)}, p95 ${ms(figures.p95Ms)}, p99 ${ms(figures.p99Ms)}, most ${ms(figures.mostMs)}` +
        ` (${figures.answered} calls, ${failed} failed); memory ${mb(figures.residentBytes)}, most ${mb(mostResidentBytes)};` +
        ` ${figures.descriptors} descriptors`,
    )
    return figures
  }

  return {
    server,
    options,
    adminToken,
    measure,
    atMost(what, value, most, unit = '') {
      state(what, value <= most, `${round(value)}${unit}, at most ${round(most)}${unit}`)
    },
    isTrue(what, isMet, detail = '') {
      state(what, isMet, detail)
    },
    async returnsTo(
      before,
      { moreBytes = 150 * megabyte, moreDescriptors = poolConnections, withinMs = 60_000 } = {},
    ) {
      const giveUpAt = Date.now() + withinMs
      const mostBytes = before.residentBytes + moreBytes
      const mostDescriptors = before.descriptors + moreDescriptors
      while (
        Date.now() < giveUpAt &&
        (residentBytesOf(server.pid) > mostBytes || descriptorsOf(server.pid) > mostDescriptors)
      )
        await delay(500)
      const bytes = residentBytesOf(server.pid)
      const descriptors = descriptorsOf(server.pid)
      state(
        'memory is given back',
        bytes <= mostBytes,
        `${mb(before.residentBytes)} before, ${mb(bytes)} after`,
      )
      state(
        'descriptors are given back',
        descriptors <= mostDescriptors,
        `${before.descriptors} before, ${descriptors} after`,
      )
    },
    get brokenBounds() {
      return brokenBounds
    },
    async leave() {
      neighbour.kill('SIGKILL')
      await server.remove()
    },
  }
}

/** 0 if the process has ended; the part's own bounds report that. */
function residentBytesOf(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes ?? 0) * 1024
  } catch {
    return 0
  }
}

function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}

const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
const mb = (bytes: number) => `${(bytes / megabyte).toFixed(0)} MB`
const round = (value: number) => (Number.isInteger(value) ? String(value) : value.toFixed(2))
