// The short form of `npm run attack -- --only pipelining`: what one address may cost by requests whose answers nobody reads.
// Counts alone: how many answers are made, and how many bytes are kept for them.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { listDevices, readHealth, readOverview, readReadiness } from '@voltkeep/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { appOfTests } from './app.ts'

const app = await appOfTests({ METRICS_PORT: '0' })
const admin = await app.asAdmin()
const { token } = await app.asUser()

const connections = 8
const openapi = '/api/openapi.json'

/** The value of a metric, over all labels that contain these. */
async function figure(name: string, labels: readonly string[] = []): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${app.ports.metricsPort}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  return lines
    .filter((line) => labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
const answersTo = (route: string) =>
  figure('voltkeep_http_request_duration_seconds_count', [`route="${route}"`])
const floodsRefused = () => figure('voltkeep_http_limits_met_total', ['limit="tooManyAhead"'])

/** Calls of somebody else meanwhile, all of which succeed. */
async function neighbourCalls(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1)
    expect(await app.from('10.9.9.9').call(listDevices, {}, admin)).toMatchObject({ code: 200 })
}

/** Waits until nothing more is answered while a neighbour has several calls answered. */
async function settled(route: string): Promise<number> {
  for (;;) {
    const before = await answersTo(route)
    await neighbourCalls(5)
    if ((await answersTo(route)) === before) return before
  }
}

/** Writes so many requests on each of the connections, and reads nothing. */
async function flood(path: string, times: number, { authorization = '' } = {}): Promise<Socket[]> {
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\n${authorization && `Authorization: ${authorization}\r\n`}\r\n`
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(app.ports.httpPort as number, '127.0.0.1')
      socket.pause()
      socket.on('error', () => undefined)
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
      return socket
    }),
  )
  for (const socket of sockets) socket.write(request.repeat(times))
  return sockets
}

const ways: [string, string, string, { authorization?: string }][] = [
  ['the state of the server', `/api${readReadiness.path}`, `/api${readReadiness.path}`, {}],
  ['its health', `/api${readHealth.path}`, `/api${readHealth.path}`, {}],
  ['the API document', openapi, openapi, {}],
  ['a user’s overview', `/api${readOverview.path}`, `/api${readOverview.path}`, { authorization: token }],
]

describe('of thousands of requests for', () => {
  test.each(ways)(
    '%s, sent ahead, a few are answered and the rest is refused',
    async (_, path, route, more) => {
      const [before, refusedBefore] = [await answersTo(route), await floodsRefused()]
      const bytesBefore = keptBytes()
      await flood(path, 4_000, more)
      await expect.poll(async () => (await floodsRefused()) - refusedBefore).toBe(connections)
      const answers = (await settled(route)) - before
      // One under way on each connection, and what had been read with it.
      expect(answers).toBeLessThanOrEqual(4 * connections)
      expect(keptBytes() - bytesBefore).toBeLessThan(100_000_000)
    },
  )
})

test('a call waits unmade for those before it on its connection to be taken, and is dropped when its client leaves', async () => {
  const bytesBefore = keptBytes()
  const before = await answersTo(openapi)
  // As much as may be sent ahead: less than 32 KB.
  const sockets = await flood(openapi, 500)
  await expect.poll(async () => (await answersTo(openapi)) - before).toBeGreaterThan(0)
  const made = (await settled(openapi)) - before
  expect(await callsBegun()).toBeLessThanOrEqual(connections)
  expect(keptBytes() - bytesBefore).toBeLessThan(100_000_000)
  for (const socket of sockets) socket.destroy()
  await expect.poll(callsBegun).toBe(0)
  expect((await settled(openapi)) - before - made).toBeLessThanOrEqual(connections)
})

/** Calls that have been read: under way, or waiting for their turn. */
const callsBegun = async () =>
  (await figure('voltkeep_http_calls_under_way')) + (await figure('voltkeep_http_calls_waiting'))

/** Buffers of this process, which is the server's. */
function keptBytes(): number {
  const { external, arrayBuffers } = process.memoryUsage()
  return external + arrayBuffers
}
