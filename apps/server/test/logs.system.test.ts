import {
  extractLog,
  formatDateTime,
  type LogExtractionRow,
  listLogExtractions,
  readExtractedLog,
  startLogExtraction,
} from '@voltkeep/contract'
import type { LogOptions } from '@voltkeep/simulator/commands/logs'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestBucket, type TestBucket } from './bucket.ts'
import type { TestClient } from './client.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const textBytes = 400_000
const running: VirtualDevice[] = []
afterEach(() => {
  for (const device of running.splice(0)) device.cutPower()
})

async function switchOn(server: ServerProcess, logs: LogOptions): Promise<VirtualDevice> {
  const cabinet = server.devices().find(({ code }) => code.startsWith('EC'))
  if (!cabinet) throw new Error('the demonstration has no cabinet')
  const device = new VirtualDevice(cabinet, {
    broker: { host: '127.0.0.1', port: server.mqttPort, isTls: false },
    random: createRandom(1),
    reconnectMs: [100, 500],
    commands: { logs: { textBytes, uploadRetryMs: [200, 2_000], ...logs } },
  })
  running.push(device)
  device.start()
  await device.whenOnline()
  return device
}

const formOf = (equipCode: string) => ({
  equipCode,
  equipClassify: 'EC',
  logExtractParam: {
    level: 'RUN',
    startTime: formatDateTime(new Date(Date.now() - 3_600_000)),
    endTime: formatDateTime(new Date()),
  },
})

/** Repeats the call until the server knows that the device is online. */
async function begin(client: TestClient, token: string, code: string): Promise<string> {
  const asked: { id?: string } = {}
  await expect
    .poll(
      async () => {
        const answer = await client.call(startLogExtraction, formOf(code), token)
        if (answer.code === 200) asked.id = answer.data.id
        return answer.code
      },
      { timeout: 30_000 },
    )
    .toBe(200)
  return asked.id as string
}

describe('a log whose server is killed during the upload', () => {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServerProcess({ demoDevices: 40, environment: { LOG_LEVEL: 'warn' } })
  })
  afterAll(() => server?.remove())

  it('is uploaded again and stored whole, once, with a row in the history', async () => {
    const token = await server.client.signIn('admin', server.adminPassword)
    const device = await switchOn(server, { uploadMs: 4_000 })
    const id = await begin(server.client, token, device.code)
    const read = async () =>
      (await server.client.call(listLogExtractions, { ids: [id] }, token)).data[0] as LogExtractionRow
    await expect
      .poll(read, { timeout: 30_000, interval: 50 })
      .toMatchObject({ state: 'uploading', receivedBytes: expect.toSatisfy((bytes) => bytes > 0) })
    await server.kill()
    expect(device.deliveredLogCount).toBe(0)
    await server.start()
    await expect.poll(read, { timeout: 60_000 }).toMatchObject({ state: 'done', hasFile: true })
    const { text } = await server.client.call(readExtractedLog, { id }, token)
    expect(Buffer.byteLength(text)).toBe((await read()).sizeBytes)
    expect(text.endsWith('\n')).toBe(true)
    await expect.poll(() => device.deliveredLogCount).toBe(1)
    expect((await server.client.call(listLogExtractions, { code: device.code }, token)).total).toBe(1)
  })
})

describe('a log across three processes', () => {
  let database: TestDatabase
  let bucket: TestBucket
  let ingest: ServerProcess
  let uploads: ServerProcess
  let pages: ServerProcess

  beforeAll(async () => {
    database = await createTestDatabase()
    bucket = await createTestBucket()
    const environment = {
      LOG_LEVEL: 'warn',
      DATABASE_URL: database.url,
      DATABASE_OWNER_URL: database.ownerUrl,
      ...bucket.environment,
    }
    ingest = await startServerProcess({
      demoDevices: 5,
      environment: { ...environment, ROLES: 'ingest,jobs' },
    })
    uploads = await startServerProcess({ environment: { ...environment, ROLES: 'api' } })
    // The user's process differs from the one that the device uploads to.
    pages = await startServerProcess({
      environment: { ...environment, ROLES: 'api', PUBLIC_URL: uploads.url },
    })
  })
  afterAll(async () => {
    await pages?.remove()
    await uploads?.remove()
    await ingest?.remove()
    await bucket?.remove()
    await database?.close()
  })

  it('is requested at one, commanded by another, uploaded to the third, and answers the open request', async () => {
    const token = await pages.client.signIn('admin', pages.adminPassword)
    const device = await switchOn(ingest, {})
    await begin(pages.client, token, device.code)
    await expect.poll(() => device.deliveredLogCount, { timeout: 30_000 }).toBe(1)
    const response = await pages.client.request(`/api${extractLog.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(formOf(device.code)),
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-disposition')).toContain(device.code)
    expect(response.text.length).toBeGreaterThan(textBytes / 4)
  })
})
