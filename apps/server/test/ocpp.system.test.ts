// A server that is killed while stations speak: what it has answered is there afterwards, once.
import { listAlarms, listDevices, listEvents, readDevice, updateDevice } from '@voltkeep/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { connectStation, type Station, until } from './station.ts'

const count = 5
const kills = 2
/** Connectors that report a fault between two kills; the server is killed in the midst of them. */
const told = 12
let server: ServerProcess
let token: string
let devices: { code: string; secret: string }[]

beforeAll(async () => {
  server = await startServerProcess({ demoDevices: 40, environment: { LOG_LEVEL: 'warn' } })
  token = await server.client.signIn('admin', server.adminPassword)
  devices = server.devices().slice(0, count)
  for (const { code } of devices) {
    const { data: rows } = await server.client.call(listDevices, { code }, token)
    const { data: device } = await server.client.call(readDevice, { id: String(rows[0]?.id) }, token)
    const { id, operatorId, equipModelId, regionCode, version } = device
    const form = { id, operatorId, equipModelId, regionCode, version, protocol: 'ocpp16' as const }
    const { code: answer, message } = await server.client.call(updateDevice, form, token)
    if (answer !== 200) throw new Error(message)
  }
})
afterAll(() => server?.remove())

/** Connects as soon as the server takes it. */
const connect = (device: { code: string; secret: string }): Promise<Station> =>
  until(() => connectStation({ url: server.url, device }).catch(() => null))

const startOf = (code: string) => ({
  connectorId: 1,
  idTag: code.slice(0, 20),
  meterStart: 0,
  timestamp: new Date(Date.now() - 60_000).toISOString(),
})
const fault = (connectorId: number) => ({
  connectorId,
  status: 'Faulted' as const,
  errorCode: 'PowerMeterFailure' as const,
})

test('no alarm that a station was answered about is lost, nor a charging session counted twice', async () => {
  const starts = new Map(devices.map(({ code }) => [code, startOf(code)]))
  const answered = new Map(devices.map(({ code }) => [code, [] as number[]]))
  const numbers = new Map(devices.map(({ code }) => [code, new Set<unknown>()]))
  const start = async (station: Station, code: string) => {
    const { transactionId } = await station.call('StartTransaction', starts.get(code) as object)
    numbers.get(code)?.add(transactionId)
  }

  for (let kill = 0; kill < kills; kill += 1) {
    const stations = await Promise.all(devices.map(connect))
    let killed: Promise<void> | undefined
    const speak = async (station: Station, { code }: { code: string }) => {
      await station.boot()
      await start(station, code)
      for (let n = 0; n < told; n += 1) {
        const connectorId = kill * told + n
        await station.call('StatusNotification', fault(connectorId))
        answered.get(code)?.push(connectorId)
        if (code === devices[0]?.code && n === told / 2) killed = server.kill()
      }
    }
    // Cut off: a call without an answer may have been written, or not.
    const ends = await Promise.allSettled(stations.map((station, n) => speak(station, devices[n] as never)))
    await killed
    expect(ends.some(({ status }) => status === 'rejected')).toBe(true)
    await server.start()
  }

  token = await server.client.signIn('admin', server.adminPassword)
  const back = await Promise.all(devices.map(connect))
  for (const [n, station] of back.entries()) {
    const { code } = devices[n] as { code: string }
    await station.boot()
    // The former connectors are read anew: what they carry is not taken back by another one's report.
    await station.call('StatusNotification', {
      connectorId: kills * told,
      status: 'Available',
      errorCode: 'NoError',
    })
    await start(station, code)
    expect(numbers.get(code)?.size).toBe(1)
    const { data: events } = await server.client.call(listEvents, { code, pageSize: 500 }, token)
    expect(events.filter(({ semaphoreCode }) => semaphoreCode === 'OCPP0101')).toHaveLength(1)
    const { data: alarms } = await server.client.call(listAlarms, { code, pageSize: 500 }, token)
    const value = BigInt(alarms.find(({ semaphoreCode }) => semaphoreCode === 'OCPP0010')?.value ?? 0)
    const kept = answered.get(code) as number[]
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.filter((bit) => (value >> BigInt(bit)) & 1n)).toEqual(kept)
  }
  await Promise.all(back.map((station) => station.close()))
})
