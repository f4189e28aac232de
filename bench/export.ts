// `npm run bench:export [-- --devices 100000 --operations 1000000 --rounds 5]`: the time in which the real server exports
// all devices as a sheet, until the first and the last byte, and the growth of its memory over idle meanwhile; then the
// time of an import of ten thousand devices, and of the pages of an operation log with that many entries.
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import {
  type DeviceRow,
  exportDevices,
  importColumns,
  importDevices,
  listDevices,
  listOperations,
} from '@voltkeep/contract'
import { workbook } from '../apps/server/src/platform/files/sheets/spreadsheet.ts'
import { inWorld, timesText, type World } from './world.ts'

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '100000' },
    operations: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
  },
})
const deviceCount = Number(values.devices)
const operationCount = Number(values.operations)
const rounds = Number(values.rounds)
const importedAtOnce = 10_000
const sampleMs = 10

await inWorld({}, async (world) => {
  await fillDevices(world)
  const token = await world.server.client.signIn('admin', world.server.adminPassword)
  await measureExports(world, token)
  await measureImport(world, token)
  await measureOperations(world, token)
})

/** Written directly to the database, so that the server's idle memory is as after a start. */
async function fillDevices({ database: { pool } }: World): Promise<void> {
  await pool.query(
    `INSERT INTO device (code, name, operator_id, model_id, region_id, address, business_status, secret_hash)
     SELECT 'BN' || to_char(n, 'FM000000'), '南山智园' || n || '号柜', (SELECT min(id) FROM operator),
       models.ids[1 + n % cardinality(models.ids)], regions.ids[1 + n % cardinality(regions.ids)],
       '科技南路' || n || '号', 1 + n % 3, decode('00', 'hex')
     FROM generate_series(1, $1::int) n, (SELECT array_agg(id) AS ids FROM equip_model) models,
       (SELECT array_agg(id) AS ids FROM region WHERE path <> '/') regions`,
    [deviceCount],
  )
  await pool.query('INSERT INTO device_state (device_id, last_report_at) SELECT id, now() FROM device')
  await pool.query(
    `INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
       operator_id, model_id, region_id)
     SELECT id, '01110001', id, true, 1, now(), now(), operator_id, model_id, region_id FROM device WHERE id % 20 = 0`,
  )
  await pool.query('VACUUM ANALYZE device')
}

/**
 * Memory is compared with two kinds of idle. After a start, the first work of any kind makes V8 enlarge its young
 * generation, depending on the machine's memory (128 MB at 24 GB): round 0 includes that, compared with a server that
 * has done nothing. The other rounds are compared with a server that has worked before.
 */
async function measureExports({ server }: World, token: string): Promise<void> {
  for (let round = 0; round <= rounds; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    const idle = residentBytes(server)
    if (round === 0) console.log(`${deviceCount} devices; memory after the start: ${megabytes(idle)} MB`)
    let peak = 0
    const sampling = setInterval(() => {
      peak = Math.max(peak, residentBytes(server))
    }, sampleMs)
    const beganAt = performance.now()
    const response = await fetch(`${server.url}/api${exportDevices.path}`, {
      headers: { authorization: token },
    })
    let firstMs = 0
    let sizeBytes = 0
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      firstMs ||= performance.now() - beganAt
      sizeBytes += chunk.length
    }
    const allMs = performance.now() - beganAt
    clearInterval(sampling)
    if (response.status !== 200) throw new Error(`the export answered ${response.status}`)
    console.log(
      `export ${round}: first byte ${firstMs.toFixed(0)} ms, whole ${(allMs / 1000).toFixed(1)} s, ` +
        `${megabytes(sizeBytes)} MB, peak ${megabytes(peak)} MB, ${megabytes(peak - idle)} MB over idle`,
    )
  }
}

async function measureImport({ server }: World, token: string): Promise<void> {
  const { data } = await server.client.call(listDevices, { pageSize: 1 }, token)
  const [place] = data as [DeviceRow]
  const titles = Object.values(importColumns)
  const body = workbook([
    {
      name: '设备',
      columns: titles.map((title) => ({
        title,
        width: 10,
        cell: (row: Record<string, string>) => row[title] ?? null,
      })),
      batches: () => [
        Array.from({ length: importedAtOnce }, (_, n) => ({
          [importColumns.code]: `BENCHIMPORT${n}`,
          [importColumns.name]: `测试柜 ${n}`,
          [importColumns.operator]: place.operatorName,
          [importColumns.equipModel]: place.equipModelName,
          [importColumns.region]: place.regionName,
          [importColumns.address]: `科技路 ${n} 号`,
        })),
      ],
    },
  ])
  const chunks: BlobPart[] = []
  for await (const chunk of body) chunks.push(chunk as Uint8Array<ArrayBuffer>)
  for (const dryRun of ['true', 'false']) {
    const form = new FormData()
    form.append('dryRun', dryRun)
    form.append('file', new Blob(chunks), 'bench.xlsx')
    const beganAt = performance.now()
    const response = await fetch(`${server.url}/api${importDevices.path}`, {
      method: 'POST',
      headers: { authorization: token },
      body: form,
    })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`the import answered ${response.status}`)
    const what = dryRun === 'true' ? 'trial of' : 'import of'
    console.log(`${what} ${importedAtOnce} devices: ${(performance.now() - beganAt).toFixed(0)} ms`)
  }
}

async function measureOperations({ server, database: { pool } }: World, token: string): Promise<void> {
  await pool.query(
    `INSERT INTO operation_log (at, user_id, login_name, address, request_id, call, summary, target, result_code)
     SELECT now() - n * interval '30 days' / $1::int, n % 200, 'user' || n % 200, '10.0.' || n % 250 || '.1',
       gen_random_uuid(), '/bench/call' || n % 80, '批量操作' || n % 80,
       CASE n % 10 WHEN 0 THEN '用户 ' || left(md5((n % 3000)::text), 8)
         WHEN 1 THEN '设备编号 BN' || n % 50000 || '，名称 科技路' || n % 999 || '号柜'
         ELSE '设备 BN' || n % 50000 END,
       CASE WHEN n % 50 = 0 THEN 403 ELSE 200 END
     FROM generate_series(1, $1::int) n`,
    [operationCount],
  )
  await pool.query('VACUUM ANALYZE operation_log')
  const cases: [name: string, filter: Record<string, unknown>][] = [
    ['the last 30 days', {}],
    ['the last page', { pageNum: Math.floor(operationCount / 10) }],
    ['one user', { user: 'user17' }],
    ['one call', { call: '批量操作17' }],
    ['refused', { isOk: 0 }],
    ['one target', { target: 'BN12345' }],
    ['a part of 160 targets', { target: 'n1234' }],
    ['what a tenth has', { target: '用户' }],
    ['what nearly all have', { target: '设备' }],
    ['one character', { target: '柜' }],
    ['nowhere', { target: '没有这里' }],
    ['an address', { address: '10.0.17.' }],
  ]
  console.log(`an operation log of ${operationCount} entries in 30 days:`)
  for (const [name, filter] of cases) {
    const times: number[] = []
    let total = 0
    for (let round = 0; round < 10; round += 1) {
      const beganAt = performance.now()
      const answer = await server.client.call(listOperations, filter, token)
      times.push(performance.now() - beganAt)
      total = answer.total ?? 0
    }
    console.log(`  ${timesText(times)}  ${String(total).padStart(8)} found  ${name}`)
  }
}

function residentBytes(server: World['server']): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1)
}
