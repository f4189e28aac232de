import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createAdvertisement,
  formatDateTime,
  listDeliveries,
  listDevices,
  listLogExtractions,
  readExtractedLog,
  startLogExtraction,
} from '@voltkeep/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { advertisementOf, uploadAnnex } from './annex.ts'
import { type Authority, createAuthority, skipsTls, trustAuthority } from './certificates.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const entry = join(import.meta.dirname, '../../simulator/src/main.ts')

describe.skipIf(skipsTls)('a server that is reachable by TLS only', () => {
  let directory: string
  let authority: Authority
  let server: ServerProcess
  let token: string
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'voltkeep-tls-'))
    authority = createAuthority(directory)
    trustAuthority(authority)
    const pair = authority.issue('localhost')
    server = await startServerProcess({
      demoDevices: 5,
      environment: { TLS_CERT: pair.cert, TLS_KEY: pair.key, MQTT_TLS_ONLY: 'true', HTTP_HOST: '127.0.0.1' },
    })
    token = await server.client.signIn('admin', server.adminPassword)
  })
  afterAll(async () => {
    await server?.remove()
    if (directory) rmSync(directory, { recursive: true, force: true })
  })

  const call: ServerProcess['client']['call'] = (endpoint, input) =>
    server.client.call(endpoint, input, token)

  /** The demonstration's simulator with one device without troubles. */
  function startDevice(...options: string[]) {
    const noTrouble = ['--trouble', 'refuses=0', '--log-trouble', 'refuses=0']
    const child = spawn(
      process.execPath,
      [
        ...[entry, '--mqtt', `mqtts://localhost:${server.mqttTlsPort}`, '--scenario', 'calm'],
        ...['--secrets', join(server.dataDir, 'demo-devices.json'), ...noTrouble, ...options],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const run = { output: '', stop: () => child.kill('SIGTERM'), ended: once(child, 'exit') }
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        run.output += bytes.toString()
      })
    }
    return run
  }

  it('prints its address', () => {
    expect(server.output).toContain(`网页：https://localhost:${server.httpsPort}`)
    expect(server.output).toContain(`设备接入：mqtts://localhost:${server.mqttTlsPort}\n`)
    expect(server.output).not.toContain('没有加密')
    expect(server.mqttPort).toBe(0)
  })

  it('is not trusted by a device that does not know its CA', async () => {
    const stranger = startDevice()
    await expect.poll(() => stranger.output, { timeout: 60_000 }).toContain('未能接入')
    stranger.stop()
    await stranger.ended
  })

  it('receives reports, serves a file and receives a log from devices that know its CA', async () => {
    const fleet = startDevice('--ca', authority.cert)
    const online = async () =>
      (await call(listDevices, { pageSize: 50 })).data.filter((device) => device.isOnline).length
    await expect.poll(online, { timeout: 60_000 }).toBe(5)
    const code = server.devices().find((device) => device.code.startsWith('EC'))?.code ?? ''

    const { annexUrl } = await uploadAnnex(server.client, token)
    const advertisement = await call(createAdvertisement, advertisementOf(annexUrl, { codes: [code] }))
    const { id: adId } = advertisement.data
    const deliveries = async () => (await call(listDeliveries, { adId })).data.map(({ state }) => state)
    await expect.poll(deliveries, { timeout: 60_000 }).toEqual(['shown'])

    const now = Date.now()
    const extraction = await call(startLogExtraction, {
      equipCode: code,
      equipClassify: 'EC',
      logExtractParam: {
        level: 'RUN',
        startTime: formatDateTime(new Date(now - 3_600_000)),
        endTime: formatDateTime(new Date(now)),
      },
    })
    const { id } = extraction.data
    const states = async () => (await call(listLogExtractions, { ids: [id] })).data.map(({ state }) => state)
    await expect.poll(states, { timeout: 60_000 }).toEqual(['done'])
    expect((await call(readExtractedLog, { id })).text.length).toBeGreaterThan(0)
    fleet.stop()
    await fleet.ended
  })
})
