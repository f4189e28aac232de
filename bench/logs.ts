// `npm run bench:logs [-- --megabytes 100 --rounds 5]`: a device uploads a log of 100 MB while a user waits for it in
// the open request. Printed for each round: the rate of the upload beside the same file PUT to one nginx worker
// (alternating, in the same run, the same curl), the duration of the whole request, and the increase of the server's
// memory over idle meanwhile.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { extractLog, formatDateTime, listLogExtractions } from '@voltkeep/contract'
import { parseTopic, topicOf } from '@voltkeep/contract/topics/index'
import { connectDevice, type RawClient } from '../apps/server/test/mqtt-client.ts'
import { startServerProcess } from '../apps/server/test/server-process.ts'
import { startNginx } from './nginx.ts'
import { noDeviceLimits } from './no-device-limits.ts'

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
  },
})
const megabytes = Number(values.megabytes)
const rounds = Number(values.rounds)
const megabyte = 1024 * 1024
const sampleMs = 10

const directory = mkdtempSync(join(tmpdir(), 'voltkeep-bench-logs-'))
const logFile = join(directory, 'device.log')
writeLines(logFile)

const server = await startServerProcess({
  demoDevices: 10,
  environment: { ...noDeviceLimits, LOG_LEVEL: 'warn', LOG_FILE_LIMIT_MB: String(megabytes + 1) },
})
try {
  const nginx = await startNginx(directory, { takesUploads: true })
  try {
    await measure(nginx.port)
  } finally {
    await nginx.stop()
  }
} finally {
  await server.remove()
  rmSync(directory, { recursive: true, force: true })
}

async function measure(nginxPort: number): Promise<void> {
  const { client } = server
  const token = await client.signIn('admin', server.adminPassword)
  const cabinet = server.devices().find(({ code }) => code.startsWith('EC'))
  if (!cabinet) throw new Error('the demonstration has no cabinet')
  const device = await connectDevice(server.mqttPort, cabinet, { keepalive: 3_600 })
  device.send({
    cmd: 'subscribe',
    messageId: 1,
    subscriptions: [{ topic: `voltkeep/${cabinet.code}/down/#`, qos: 1 }],
  })
  await device.next('suback')
  await delay(1_000)
  const ratios: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const theirs = await put(`http://127.0.0.1:${nginxPort}/device.log`)
    await delay(2_000)
    const { result, overIdleBytes, idleBytes } = await whileSampling(async () => {
      const uploading = obey(device, cabinet.code)
      const asked = await ask(token, cabinet.code)
      return { ours: await uploading, request: asked }
    })
    // The first round is a warm-up for both.
    if (round === 0) continue
    ratios.push(theirs / result.ours)
    console.log(
      `log ${round}: ${megabytes} MB in ${result.ours.toFixed(2)} s (${rate(result.ours)} MB/s), ` +
        `nginx ${theirs.toFixed(2)} s (${rate(theirs)} MB/s), ratio ${(theirs / result.ours).toFixed(2)}; ` +
        `the open request ${result.request.toFixed(2)} s in all; ` +
        `idle ${toMegabytes(idleBytes)} MB, ${toMegabytes(overIdleBytes)} MB over idle`,
    )
  }
  const sorted = ratios.toSorted((a, b) => a - b)
  console.log(`log: median ratio ${sorted[Math.floor(sorted.length / 2)]?.toFixed(2)}`)
  const { data } = await client.call(listLogExtractions, { states: 'done', pageSize: 500 }, token)
  if (data.length !== rounds + 1) throw new Error(`${data.length} of ${rounds + 1} logs arrived`)
  await device.disconnect()
}

/** The device's part of a round: it accepts the command and uploads. Returns the duration of the upload in seconds. */
async function obey(device: RawClient, code: string): Promise<number> {
  for (;;) {
    const packet = await device.next('publish')
    if (!packet) throw new Error('the connection ended')
    device.send({ cmd: 'puback', messageId: packet.messageId ?? 0 })
    if (parseTopic(packet.topic)?.name !== 'extractLog') continue
    const command = JSON.parse(packet.payload.toString()) as { id: string; url: string }
    const reply = {
      id: `r-${command.id}`.slice(0, 64),
      time: Date.now(),
      commandId: command.id,
      outcome: 'done',
    }
    await device.publish(topicOf(code, 'up', 'reply'), reply)
    return put(command.url)
  }
}

/** The duration of one PUT in seconds. */
function put(url: string): Promise<number> {
  return curl(['-T', logFile, url])
}

/** The duration of the open request with the whole file, in seconds. */
function ask(token: string, equipCode: string): Promise<number> {
  const form = {
    equipCode,
    equipClassify: 'EC',
    logExtractParam: {
      level: 'RUN',
      startTime: formatDateTime(new Date(Date.now() - 86_400_000)),
      endTime: formatDateTime(new Date()),
    },
  }
  const headers = ['-H', `Authorization: Bearer ${token}`, '-H', 'Content-Type: application/json']
  return curl([...headers, '-d', JSON.stringify(form), `${server.url}/api${extractLog.path}`])
}

async function curl(args: readonly string[]): Promise<number> {
  const child = spawn('curl', ['-fsS', '-o', '/dev/null', '-w', '%{time_total}', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes.toString()
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`curl ended with ${code}`)
  return Number(text)
}

/** Writes log lines like a device's. */
function writeLines(path: string): void {
  const file = openSync(path, 'w')
  let line = 0
  for (let written = 0; written < megabytes * megabyte; ) {
    let piece = ''
    while (piece.length < megabyte / 2) {
      piece += `2026-11-22 08:00:00.${String(line % 1000).padStart(3, '0')} [INFO ] run/bin: 仓位${line % 12}充电完成，SOC=${line % 100}%\n`
      line += 1
    }
    const bytes = Buffer.from(piece).subarray(0, megabytes * megabyte - written)
    written += writeSync(file, bytes)
  }
  closeSync(file)
}

/** The growth of the server's memory during the work. */
async function whileSampling<Result>(work: () => Promise<Result>) {
  const idleBytes = residentBytes()
  let peak = idleBytes
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentBytes())
  }, sampleMs)
  const result = await work()
  clearInterval(sampling)
  return { result, idleBytes, overIdleBytes: peak - idleBytes }
}

function residentBytes(): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024
}

function rate(seconds: number): string {
  return (megabytes / seconds).toFixed(0)
}

function toMegabytes(bytes: number): string {
  return (bytes / megabyte).toFixed(0)
}
