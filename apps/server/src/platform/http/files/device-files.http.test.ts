import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Readable } from 'node:stream'
import type { StoredFile } from '@voltkeep/contract'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bytesOf, openTestDisk, type TestBlobs, testStores } from '../../../../test/blobs.ts'
import { clientOf } from '../../../../test/client.ts'
import { databaseOfTests } from '../../../../test/database.ts'
import { readSecret } from '../../database/secrets.ts'
import { createFiles, type FileDelivery, type Files } from '../../files/kept/files.ts'
import { closeHttpServer, createHttpServer } from '../server.ts'
import { mountDeviceFiles } from './device-files.ts'

const log = pino({ level: 'silent' })
const inAnHour = () => new Date(Date.now() + 3_600_000)

const database = await databaseOfTests()

interface Process {
  url: string
  files: Files
}
/** The processes of an installation, closed after each test. */
const running: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of running.splice(0)) await close()
})

/** Codes of devices that have been deleted. */
const deleted = new Set<string>()

async function startProcess(store: TestBlobs, delivery: FileDelivery = 'server'): Promise<Process> {
  const server = createHttpServer({ log })
  const own = { url: '' }
  const files = createFiles({
    db: database.db,
    blobs: store.blobs,
    log,
    secret: await readSecret(database.db, 'files'),
    baseUrl: () => own.url,
    delivery,
  })
  mountDeviceFiles(server, files, async ({ kind, holder }) => kind === 'user' || !deleted.has(holder))
  await server.listen({ host: '127.0.0.1', port: 0 })
  own.url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  running.push(() => closeHttpServer(server))
  return { url: own.url, files }
}

const ask = (address: string, init?: RequestInit) => {
  const { origin } = new URL(address)
  return clientOf(origin).request(address.slice(origin.length), init)
}
const keep = (files: Files, text: string): Promise<StoredFile> =>
  files.keep(Readable.from([Buffer.from(text)]), { name: '广告.png' })

test('the secret is created once, even if several processes first need it at the same time', async () => {
  const secrets = await Promise.all(Array.from({ length: 8 }, () => readSecret(database.db, 'of a test')))
  expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(1)
  expect(secrets[0]).toHaveLength(32)
})

describe.each(testStores)('an address for a device, files %s,', (_place, openStore) => {
  let store: TestBlobs
  beforeAll(async () => {
    store = await openStore()
  })
  afterAll(() => store.remove())

  test('serves the file without a token, in ranges, until it expires', async () => {
    const { files } = await startProcess(store)
    const file = await keep(files, '0123456789')
    const address = files.addressFor('EC/仓 1', file.id, { expiresAt: inAnHour() })
    const whole = await ask(address)
    expect(whole).toMatchObject({ status: 200, text: '0123456789' })
    expect(whole.headers.get('content-disposition')).toMatch(/^attachment;/)
    expect(await ask(address, { headers: { range: 'bytes=8-' } })).toMatchObject({ status: 206, text: '89' })
    const head = await ask(address, { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe('10')
    expect(head.headers.get('etag')).toBe(`"${file.sha256}"`)

    const past = files.addressFor('EC/仓 1', file.id, { expiresAt: new Date(Date.now() - 1_000) })
    expect(await ask(past)).toMatchObject({ status: 403, code: 403, message: '下载地址已过期', data: null })
  })

  test('is valid on every process and after a restart', async () => {
    const first = await startProcess(store)
    const file = await keep(first.files, 'x')
    const address = first.files.addressFor('EC1', file.id, { expiresAt: inAnHour() })
    const second = await startProcess(store)
    expect(await ask(address.replace(first.url, second.url))).toMatchObject({ status: 200, text: 'x' })
  })

  test('is refused after any change', async () => {
    const { files, url } = await startProcess(store)
    const [file, other] = [await keep(files, 'mine'), await keep(files, 'other')]
    const address = files.addressFor('EC1', file.id, { expiresAt: inAnHour() })
    const expires = new URL(address).searchParams.get('expires') ?? ''
    for (const changed of [
      address.replace('/EC1?', '/EC2?'),
      address.replace(file.id, other.id),
      address.replace(expires, String(Number(expires) + 1)),
      address.replace(/signature=./, (text) => (text.endsWith('A') ? 'signature=B' : 'signature=A')),
      address.replace(/&signature=.*/, ''),
      address.replace(/&signature=.*/, '&signature='),
      `${address}&expires=${Number(expires) + 9_999}`,
      `${url}/files/${file.id}/EC1`,
    ]) {
      expect(await ask(changed)).toMatchObject({ status: 403, message: '下载地址无效', data: null })
    }
    expect((await ask(address)).text).toBe('mine')
  })

  test('ends with the device, and one for a user does not', async () => {
    const { files } = await startProcess(store)
    const file = await keep(files, 'x')
    const address = files.addressFor('EC9', file.id, { expiresAt: inAnHour() })
    const ofUser = files.addressForUser(9, file.id, { expiresAt: inAnHour() })
    expect(await ask(address)).toMatchObject({ status: 200, text: 'x' })
    deleted.add('EC9')
    expect((await fetch(address, { method: 'HEAD' })).status).toBe(403)
    expect(await ask(address)).toMatchObject({ status: 403, message: '下载地址无效', data: null })
    expect(await ask(ofUser)).toMatchObject({ status: 200, text: 'x' })
    deleted.delete('EC9')
  })

  test('is 404 after the file was collected', async () => {
    const { files } = await startProcess(store)
    const file = await keep(files, 'x')
    const address = files.addressFor('EC1', file.id, { expiresAt: inAnHour() })
    await files.discard(file.id)
    expect(await ask(address)).toMatchObject({ status: 404, code: 404, message: '文件不存在或已清理' })
  })

  test('may redirect the device to the bucket, where there is one', async () => {
    const { files } = await startProcess(store, 'bucket')
    const file = await keep(files, '0123456789')
    const address = files.addressFor('EC1', file.id, { expiresAt: inAnHour() })
    const answer = await ask(address)
    const followed = await fetch(address, { headers: { range: 'bytes=2-3' } })
    expect(await followed.text()).toBe('23')
    expect(answer.status).toBe(store.blobs.place.kind === 'bucket' ? 302 : 200)
    if (answer.status === 302) {
      expect(followed.headers.get('content-disposition')).toBe('attachment')
      expect(followed.url).not.toContain('/EC1')
    }
    expect((await ask(address, { method: 'HEAD' })).headers.get('content-length')).toBe('10')
    expect((await ask(address.replace('EC1', 'EC2'))).status).toBe(403)
  })
})

// ── Behind nginx, with the configuration of docs/operating.md ───────────────────────────────
const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter) }
const hasNginx = spawnSync('nginx', ['-v'], { env }).status === 0
if (!hasNginx && process.env.CI !== 'true') console.warn('没有安装 nginx，跳过由它发送文件的测试')

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The server block of the document, with this test's addresses. */
async function startNginx(upstream: string, filesFolder: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'voltkeep-nginx-'))
  const port = await freePort()
  const page = readFileSync(join(import.meta.dirname, '../../../../../../docs/operating.md'), 'utf8')
  const examples = [...page.matchAll(/```nginx\n([\s\S]*?)```/g)].map(([, text = '']) => text)
  const documented = examples.find((text) => text.includes('/stored-files/')) ?? ''
  const block = documented
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('http://127.0.0.1:8080', upstream)
    .replace('/var/lib/voltkeep/files/', `${filesFolder}/`)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
     events {} http { access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder};
     fastcgi_temp_path ${folder}; uwsgi_temp_path ${folder}; scgi_temp_path ${folder}; ${block} }`,
  )
  const nginx: ChildProcess = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    env,
    stdio: 'ignore',
  })
  running.push(async () => {
    nginx.kill('SIGQUIT')
    await new Promise((resolve) => nginx.once('exit', resolve))
    rmSync(folder, { recursive: true })
  })
  const url = `http://127.0.0.1:${port}`
  await expect
    .poll(
      () =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      { timeout: 30_000 },
    )
    .toBe(true)
  return url
}

describe.skipIf(!hasNginx && process.env.CI !== 'true')('behind nginx, which sends the bytes,', () => {
  let store: TestBlobs
  beforeAll(async () => {
    store = await openTestDisk()
  })
  afterAll(() => store.remove())

  test('a device gets its own file only', async () => {
    const { files, url } = await startProcess(store, 'nginx')
    const bytes = bytesOf(3_000_000)
    const file = await files.keep(Readable.from([Buffer.from('GIF89a'), bytes]), { name: '片.gif' })
    const proxy = await startNginx(url, store.directory ?? '')
    const direct = files.addressFor('EC1', file.id, { expiresAt: inAnHour() })
    const address = direct.replace(url, proxy)

    const whole = await fetch(address)
    expect(whole.status).toBe(200)
    expect(whole.headers.get('content-type')).toBe('image/gif')
    expect(whole.headers.get('content-disposition')).toMatch(/^attachment;/)
    expect(whole.headers.get('content-security-policy')).toContain('sandbox')
    expect(whole.headers.get('x-content-type-options')).toBe('nosniff')
    expect(whole.headers.get('x-accel-redirect')).toBeNull()
    expect(
      Buffer.from(await whole.arrayBuffer())
        .subarray(6)
        .equals(bytes),
    ).toBe(true)

    const tag = whole.headers.get('etag') ?? ''
    const rest = await fetch(address, { headers: { range: 'bytes=3000000-', 'if-range': tag } })
    expect(rest.status).toBe(206)
    expect((await rest.arrayBuffer()).byteLength).toBe(6)
    expect((await fetch(address, { headers: { 'if-none-match': tag } })).status).toBe(304)
    expect((await fetch(address, { headers: { range: 'bytes=9999999-' } })).status).toBe(416)

    expect(await ask(address.replace('EC1', 'EC2'))).toMatchObject({ status: 403, message: '下载地址无效' })
    // The location itself is internal, and without nginx the server sends the file.
    const shard = `${file.id.slice(0, 2)}/${file.id}`
    expect((await fetch(`${proxy}/stored-files/${shard}`)).status).toBe(404)
    expect((await (await fetch(direct)).arrayBuffer()).byteLength).toBe(file.sizeBytes)
  })
})
