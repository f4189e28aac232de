// `npm run bench:files [-- --megabytes 1024 --devices 200 --download 20 --rounds 5]`: what an upload of a gigabyte
// takes, beside writing the same bytes to the same disk, and how much the server's memory grows over idle meanwhile;
// then how fast 200 devices download 20 MB each at once from us, beside one nginx worker that sends the same file
// (alternating, in the same run), and what that does to the memory.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '../apps/server/src/platform/database/database.ts'
import { startEmbeddedPostgres } from '../apps/server/src/platform/database/embedded/embedded.ts'
import { migrate } from '../apps/server/src/platform/database/schema/migrate.ts'
import { createLog } from '../apps/server/src/platform/process/log.ts'
import { serverFlags } from '../scripts/server-flags.mjs'
import type { FilesOrder } from './files-process.ts'
import { startNginx } from './nginx.ts'

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '1024' },
    devices: { type: 'string', default: '200' },
    download: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '5' },
  },
})
const uploadMegabytes = Number(values.megabytes)
const deviceCount = Number(values.devices)
const downloadMegabytes = Number(values.download)
const rounds = Number(values.rounds)
const megabyte = 1024 * 1024
const sampleMs = 10
/** Downloaded bytes are only counted. */
const shared = Buffer.alloc(256 * 1024)

const directory = mkdtempSync(join(tmpdir(), 'voltkeep-bench-files-'))
const postgres = await startEmbeddedPostgres({
  dataDir: directory,
  log: createLog({ level: 'warn' }),
  zone: 'UTC',
})
const database = await openDatabase({ url: postgres.ownerUrl, zone: 'UTC', poolSize: 1 })
await migrate(database.pool)
await database.close()

const blobs = join(directory, 'files')
const server = spawn(process.execPath, [...serverFlags, join(import.meta.dirname, 'files-process.ts')], {
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
})
server.send({ databaseUrl: postgres.ownerUrl, directory: blobs } satisfies FilesOrder)
const [{ port }] = (await once(server, 'message')) as [{ port: number }]
try {
  await measureUploads()
  await measureDownloads()
} finally {
  const ended = once(server, 'exit')
  server.kill()
  await ended
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}

async function measureUploads(): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    const plainMs = await writePlainly()
    await delay(2_000)
    const { ms, overIdleBytes, idleBytes } = await whileSampling(() => upload(uploadMegabytes))
    console.log(
      `upload ${round}: ${uploadMegabytes} MB in ${(ms / 1000).toFixed(1)} s, ` +
        `${(uploadMegabytes / (ms / 1000)).toFixed(0)} MB/s; plain write ${(plainMs / 1000).toFixed(1)} s; ` +
        `idle ${megabytes(idleBytes)} MB, ${megabytes(overIdleBytes)} MB over idle`,
    )
  }
}

/** Uploads like a browser; returns the address of the file for a device. */
async function upload(ofMegabytes: number): Promise<string> {
  const sending = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/api/bench/keep',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  })
  const answering = once(sending, 'response')
  async function* form() {
    yield Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="film.bin"\r\n\r\n')
    yield* contentOf(ofMegabytes)
    yield Buffer.from('\r\n--b--\r\n')
  }
  await pipeline(form(), sending)
  const [answer] = (await answering) as [NodeJS.ReadableStream]
  let text = ''
  for await (const bytes of answer) text += bytes
  const { code, data } = JSON.parse(text)
  if (code !== 200) throw new Error(`the upload answered ${text}`)
  return data.address
}

function* contentOf(ofMegabytes: number) {
  const piece = Buffer.alloc(megabyte, 'voltkeep')
  for (let at = 0; at < ofMegabytes; at += 1) {
    piece.writeUInt32LE(at)
    yield piece
  }
}

/** The same bytes written to the same disk with fsync: the lower bound of an upload. */
async function writePlainly(): Promise<number> {
  const path = join(directory, 'plain')
  const beganAt = performance.now()
  await pipeline(Readable.from(contentOf(uploadMegabytes)), createWriteStream(path, { flush: true }))
  const ms = performance.now() - beganAt
  rmSync(path)
  return ms
}

async function measureDownloads(): Promise<void> {
  const address = await upload(downloadMegabytes)
  const id = address.split('/')[2] as string
  const nginx = await startNginx(directory, { serves: join(blobs, id.slice(0, 2)) })
  const ratios: number[] = []
  try {
    await downloadAll(port, address)
    await downloadAll(nginx.port, `/${id}`)
    for (let round = 1; round <= rounds; round += 1) {
      await delay(1_000)
      const ours = await whileSampling(() => downloadAll(port, address))
      const theirs = await whileSampling(() => downloadAll(nginx.port, `/${id}`))
      ratios.push(theirs.ms / ours.ms)
      console.log(
        `download ${round}: ${deviceCount} × ${downloadMegabytes} MB in ${(ours.ms / 1000).toFixed(2)} s ` +
          `(${rate(ours.ms)} MB/s), nginx ${(theirs.ms / 1000).toFixed(2)} s (${rate(theirs.ms)} MB/s), ` +
          `ratio ${(theirs.ms / ours.ms).toFixed(2)}; ${megabytes(ours.overIdleBytes)} MB over idle ` +
          `(${megabytes(ours.idleBytes)} MB)`,
      )
    }
  } finally {
    await nginx.stop()
  }
  const sorted = ratios.toSorted((a, b) => a - b)
  console.log(`download: median ratio ${sorted[Math.floor(sorted.length / 2)]?.toFixed(2)}`)
}

function rate(ms: number): string {
  return ((deviceCount * downloadMegabytes) / (ms / 1000)).toFixed(0)
}

async function downloadAll(from: number, path: string): Promise<void> {
  await Promise.all(Array.from({ length: deviceCount }, () => download(from, path)))
}

/** A plain socket that counts: the bench shares the cores with the server. */
function download(from: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = ''
    let expectedBytes = Infinity
    let receivedBytes = 0
    const socket = connect({
      port: from,
      host: '127.0.0.1',
      onread: {
        buffer: shared,
        callback: (count) => {
          receivedBytes += count
          if (expectedBytes === Infinity) {
            head += shared.toString('latin1', 0, count)
            const headBytes = head.indexOf('\r\n\r\n') + 4
            if (headBytes < 4) return true
            if (!head.startsWith('HTTP/1.1 200')) reject(new Error(head.slice(0, 200)))
            expectedBytes = headBytes + Number(/content-length: (\d+)/i.exec(head)?.[1])
          }
          if (receivedBytes >= expectedBytes) {
            socket.destroy()
            resolve()
          }
          return true
        },
      },
    })
    socket.on('error', reject)
    socket.on('end', () => reject(new Error(`${receivedBytes} of ${expectedBytes} bytes`)))
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`)
  })
}

/** The duration of the work, and the growth of the server's memory during it. */
async function whileSampling(work: () => Promise<unknown>) {
  const idleBytes = residentBytes()
  let peak = idleBytes
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentBytes())
  }, sampleMs)
  const beganAt = performance.now()
  await work()
  const ms = performance.now() - beganAt
  clearInterval(sampling)
  return { ms, idleBytes, overIdleBytes: peak - idleBytes }
}

function residentBytes(): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024
}

function megabytes(bytes: number): string {
  return (bytes / megabyte).toFixed(0)
}
