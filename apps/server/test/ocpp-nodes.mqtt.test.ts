// Stations at one of several processes: a relay is set by a call that another of them answers.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deleteOcppRelay, insertOcppRelay, readOcppRelay, updateOcppRelay } from '@voltkeep/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, createApp } from '../src/app.ts'
import { createLog } from '../src/platform/process/log.ts'
import { createTestApp, type TestApp } from './app.ts'
import { startBackOffice, type TestBackOffice } from './back-office.ts'
import { insertDevice } from './factories.ts'
import { connectStation, type Station, until } from './station.ts'

let app: TestApp
let second: App
let secondUrl: string
let secondDir: string
let old: TestBackOffice
let admin: string

beforeAll(async () => {
  app = await createTestApp({ OCPP_RELAY_NETWORKS: '127.0.0.0/8' })
  secondDir = mkdtempSync(join(tmpdir(), 'voltkeep-second-'))
  second = await createApp({
    config: {
      ...app.config,
      dataDir: secondDir,
      roles: new Set(['api', 'ingest'] as const),
      drainSeconds: 1,
    },
    log: createLog({ level: 'silent' }),
    database: app.database,
    owner: app.database.owner,
  })
  const { httpPort } = await second.listen()
  secondUrl = `http://127.0.0.1:${httpPort}`
  old = await startBackOffice()
  admin = await app.asAdmin()
})
afterAll(async () => {
  await old.close()
  await second.close()
  await app.close()
  rmSync(secondDir, { recursive: true, force: true })
})

const closingOf = (station: Station) =>
  new Promise<number>((resolve) => {
    station.client.once('close', ({ code }: { code: number }) => resolve(code))
  })
const stateOf = async (id: string) => (await app.call(readOcppRelay, { id }, admin)).data.relay

test('a station at the second process gets the relay that was set at the first, and loses it again', async () => {
  const device = await insertDevice(app.db, { protocol: 'ocpp16' })
  const id = String(device.id)
  const first = await connectStation({ url: secondUrl, device })
  expect(await first.boot()).toMatchObject({ interval: 300 })

  // The row, a notice, and the process that has the station.
  const sent = closingOf(first)
  expect(await app.call(insertOcppRelay, { id, url: old.url }, admin)).toMatchObject({ code: 200 })
  expect(await sent).toBe(1012)
  const relayed = await connectStation({ url: secondUrl, device })
  expect(await relayed.boot()).toMatchObject({ interval: 77 })
  expect(
    await until(async () => ((await stateOf(id))?.state === 'connected' ? stateOf(id) : null)),
  ).toMatchObject({
    lastError: null,
  })

  // Switched off at the first.
  const off = closingOf(relayed)
  const version = (await stateOf(id))?.version ?? 0
  const change = { id, url: old.url, isEnabled: 0 as const, version }
  expect(await app.call(updateOcppRelay, change, admin)).toMatchObject({ code: 200 })
  expect(await off).toBe(1012)
  await until(() => old.stations.size === 0)
  // It comes back to the other process, which knows as well.
  const own = await connectStation({ url: app.url, device })
  expect(await own.boot()).toMatchObject({ interval: 300 })
  expect(await stateOf(id)).toMatchObject({ state: 'off' })
  const gone = closingOf(own)
  expect(
    await app.call(updateOcppRelay, { ...change, isEnabled: 1, version: version + 1 }, admin),
  ).toMatchObject({
    code: 200,
  })
  expect(await gone).toBe(1012)
  const again = await connectStation({ url: secondUrl, device })
  expect(await again.boot()).toMatchObject({ interval: 77 })

  const ended = closingOf(again)
  await app.call(deleteOcppRelay, { id }, admin)
  expect(await ended).toBe(1012)
  const last = await connectStation({ url: secondUrl, device })
  expect(await last.boot()).toMatchObject({ interval: 300 })
  await last.close()
})

test('a station that goes from one process to the other has one line to its platform, that of where it is', async () => {
  const device = await insertDevice(app.db, { protocol: 'ocpp16' })
  const id = String(device.id)
  await app.call(insertOcppRelay, { id, url: old.url }, admin)
  const here = await connectStation({ url: app.url, device })
  expect(await here.boot()).toMatchObject({ interval: 77 })
  await until(async () => (await stateOf(id))?.state === 'connected')
  // The former connection is dead to the station, and open to the first process.
  const gone = closingOf(here)
  const there = await connectStation({ url: secondUrl, device })
  expect(await there.boot()).toMatchObject({ interval: 77 })
  await gone
  await until(async () => (await stateOf(id))?.state === 'connected')
  expect(old.stations.has(device.code)).toBe(true)
  // What the platform asks goes to the station where it is.
  there.answers('Reset', { status: 'Accepted' })
  const line = await until(() => old.stations.get(device.code))
  expect(await line.call('Reset', { type: 'Soft' })).toEqual({ status: 'Accepted' })
  expect(there.asked.map(({ action }) => action)).toContain('Reset')
  await there.close()
  await until(async () => (await stateOf(id))?.state === 'waiting')
})
