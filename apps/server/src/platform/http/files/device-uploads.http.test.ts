import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { StoredFile } from '@voltkeep/contract'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bytesOf, type TestBlobs, testStores } from '../../../../test/blobs.ts'
import { clientOf } from '../../../../test/client.ts'
import { databaseOfTests } from '../../../../test/database.ts'
import { Refusal } from '../../calls/refusal.ts'
import { readSecret } from '../../database/secrets.ts'
import type { UploadReceiver } from '../../files/kept/device-uploads.ts'
import { createFiles, type Files } from '../../files/kept/files.ts'
import { closeHttpServer, createHttpServer } from '../server.ts'
import { mountDeviceUploads } from './device-uploads.ts'

const log = pino({ level: 'silent' })
const inAnHour = () => new Date(Date.now() + 3_600_000)
const limitBytes = 4 * 1024 * 1024

const database = await databaseOfTests()

const running: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of running.splice(0)) await close()
})

/** The feature's events about uploads of a test. */
interface Heard {
  begun: { id: string; deviceCode: string; sizeBytes: number | null }[]
  received: number
  stored: StoredFile[]
  failed: unknown[]
  /** The answer to the stored file. */
  objection: Refusal | null
  unwanted: AbortController
}

async function startProcess(store: TestBlobs) {
  const server = createHttpServer({ log })
  const own = { url: '' }
  const files: Files = createFiles({
    db: database.db,
    blobs: store.blobs,
    log,
    secret: await readSecret(database.db, 'files'),
    baseUrl: () => own.url,
  })
  const heard: Heard = {
    begun: [],
    received: 0,
    stored: [],
    failed: [],
    objection: null,
    unwanted: new AbortController(),
  }
  const report: UploadReceiver = {
    limitBytes,
    async begin(asked) {
      if (asked.id === 'used') throw new Refusal('uploadAddressUsed')
      heard.begun.push(asked)
      return {
        name: 'report.txt',
        signal: heard.unwanted.signal,
        progressed(receivedBytes) {
          heard.received = receivedBytes
        },
        async stored(file) {
          if (heard.objection) throw heard.objection
          heard.stored.push(file)
        },
        async failed(error) {
          heard.failed.push(error)
        },
      }
    },
  }
  server.post('/echo', async (call) => call.body)
  mountDeviceUploads(server, { files, uploads: { report }, log })
  await server.listen({ host: '127.0.0.1', port: 0 })
  own.url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  running.push(() => closeHttpServer(server))
  const addressOf = (id: string, expiresAt = inAnHour()) =>
    files.uploadAddressFor('EC/仓 1', 'report', id, { expiresAt })
  return { url: own.url, files, heard, addressOf }
}

const put = (address: string, body: BodyInit, headers: Record<string, string> = {}) => {
  const { origin } = new URL(address)
  return clientOf(origin).request(address.slice(origin.length), { method: 'PUT', body, headers })
}

describe.each(testStores)('an address for an upload, files %s,', (_place, openStore) => {
  let store: TestBlobs
  beforeAll(async () => {
    store = await openStore()
  })
  afterAll(() => store.remove())

  test('accepts a file without a token, on every process', async () => {
    const [first, second] = [await startProcess(store), await startProcess(store)]
    const bytes = bytesOf(3_000_000)
    const answer = await put(first.addressOf('7').replace(first.url, second.url), bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(answer).toMatchObject({ status: 200, code: 200, data: { sizeBytes: bytes.length, sha256 } })
    expect(second.heard).toMatchObject({
      begun: [{ id: '7', deviceCode: 'EC/仓 1', sizeBytes: bytes.length }],
      stored: [{ name: 'report.txt', sizeBytes: bytes.length, sha256, uploadedBy: null }],
      received: bytes.length,
      failed: [],
    })
  })

  test('is refused after any change, or when it is too old', async () => {
    const { url, heard, addressOf, files } = await startProcess(store)
    const address = addressOf('7')
    const expires = new URL(address).searchParams.get('expires') ?? ''
    const download = files.addressFor('EC1', '7', { expiresAt: inAnHour() })
    for (const changed of [
      address.replace('/7/', '/8/'),
      address.replace('/report/', '/other/'),
      address.replace(encodeURIComponent('EC/仓 1'), 'EC2'),
      address.replace(expires, String(Number(expires) + 1)),
      address.replace(/&signature=.*/, ''),
      `${url}/uploads/report/7/EC1${new URL(download).search}`,
    ])
      expect(await put(changed, 'x')).toMatchObject({ status: 403, message: '上传地址无效' })
    const past = addressOf('7', new Date(Date.now() - 1_000))
    expect(await put(past, 'x')).toMatchObject({ status: 403, message: '上传地址已过期' })
    expect((await fetch(address)).status).toBe(404)
    expect(heard.begun).toEqual([])
  })

  test('stores nothing that its row does not want', async () => {
    const { heard, addressOf } = await startProcess(store)
    const before = store.keys().length
    expect(await put(addressOf('used'), 'x')).toMatchObject({ status: 409, refusal: 'uploadAddressUsed' })
    heard.objection = new Refusal('wrongMediaType')
    expect(await put(addressOf('7'), 'x')).toMatchObject({ status: 415 })
    expect(heard.stored).toEqual([])
    expect([store.keys().length, store.unfinished()]).toEqual([before, []])
  })

  test('compares the received file with the device’s declaration', async () => {
    const { heard, addressOf } = await startProcess(store)
    const before = store.keys().length
    const hashOf = (name: string) => createHash(name).update('12345')
    const right = {
      'content-md5': hashOf('md5').digest('base64'),
      'x-content-sha256': hashOf('sha256').digest('hex'),
    }
    for (const wrong of [
      { ...right, 'content-md5': 'AAAA' },
      { ...right, 'x-content-sha256': 'no hash' },
    ])
      expect(await put(addressOf('7'), '12345', wrong)).toMatchObject({
        status: 400,
        refusal: 'uploadDamaged',
      })
    expect(heard.failed).toHaveLength(2)
    expect(store.keys().length).toBe(before)
    expect(await put(addressOf('7'), '12345', right)).toMatchObject({ status: 200 })
  })

  test('refuses more than the limit, also from a device that does not declare the size', async () => {
    const { heard, addressOf } = await startProcess(store)
    const before = store.keys().length
    const piece = bytesOf(1024 * 1024)
    const chunked = await new Promise<number | undefined>((resolve, reject) => {
      const sending = request(addressOf('7'), { method: 'PUT' }, (response) => {
        resolve(response.statusCode)
        sending.destroy()
      })
      // After the answer the connection is closed.
      sending.on('error', reject)
      const send = () => sending.write(piece, () => !sending.destroyed && send())
      send()
    })
    expect(chunked).toBe(413)
    expect(heard.received).toBeGreaterThan(limitBytes)
    expect(heard.failed).toMatchObject([{ refusal: 'bodyTooLarge' }])
    expect([store.keys().length, store.unfinished()]).toEqual([before, []])
  })

  test('refuses before the first byte, if the device asks (Expect: 100-continue)', async () => {
    const { heard, addressOf } = await startProcess(store)
    const askFirst = (address: string, length: number) =>
      new Promise<{ status: number | undefined; isAsked: boolean }>((resolve, reject) => {
        let isAsked = false
        const headers = { 'content-length': length, expect: '100-continue' }
        const sending = request(address, { method: 'PUT', headers }, (response) => {
          response.resume()
          resolve({ status: response.statusCode, isAsked })
          sending.destroy()
        })
        sending.on('continue', () => {
          isAsked = true
          sending.end(Buffer.alloc(length, 'x'))
        })
        sending.on('error', reject)
        sending.flushHeaders()
      })
    expect(await askFirst(addressOf('7'), limitBytes + 1)).toEqual({ status: 413, isAsked: false })
    expect(await askFirst(addressOf('used'), 10)).toEqual({ status: 409, isAsked: false })
    expect(await askFirst(addressOf('7').replace('/7/', '/8/'), 10)).toEqual({ status: 403, isAsked: false })
    expect(heard.received).toBe(0)
    expect(await askFirst(addressOf('7'), 10)).toEqual({ status: 200, isAsked: true })
    expect(heard.received).toBe(10)
  })

  test('keeps nothing of an interrupted upload, and accepts the next one', async () => {
    const { url, heard, addressOf } = await startProcess(store)
    const before = store.keys().length
    const address = addressOf('7')
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(
      `PUT ${address.slice(url.length)} HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(500)}`,
    )
    await expect.poll(() => heard.received).toBe(500)
    socket.destroy()
    await expect.poll(() => heard.failed.length).toBe(1)
    await expect.poll(() => store.unfinished()).toEqual([])
    expect(store.keys().length).toBe(before)
    expect(await put(address, 'whole')).toMatchObject({ status: 200 })
  })

  test('closes a connection whose upload is no longer wanted', async () => {
    const { url, heard, addressOf } = await startProcess(store)
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => undefined)
    socket.write(
      `PUT ${addressOf('7').slice(url.length)} HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(500)}`,
    )
    await expect.poll(() => heard.received).toBe(500)
    heard.unwanted.abort(new Refusal('uploadAddressUsed'))
    await closed
    await expect.poll(() => heard.failed).toMatchObject([{ refusal: 'uploadAddressUsed' }])
    expect(store.unfinished()).toEqual([])
  })

  test('does not affect other calls', async () => {
    const { url } = await startProcess(store)
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': 2, expect: '100-continue' }
      const sending = request(`${url}/echo`, { method: 'POST', headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sending.on('continue', () => sending.end('{}'))
      sending.on('error', reject)
      sending.flushHeaders()
    })
    expect(answer).toBe(200)
  })
})
