// `npm run bench:device-list [-- --devices 100000 --rounds 40]`: how long the device registry takes to answer
// a page with its exact total, by filter, straight from the service. One device in twenty has alarms.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { seedDemo } from '../apps/server/src/demo.ts'
import { createDevices } from '../apps/server/src/features/devices/devices.service.ts'
import { seeds } from '../apps/server/src/features.ts'
import type { Actor } from '../apps/server/src/platform/calls/actor.ts'
import { openDatabase } from '../apps/server/src/platform/database/database.ts'
import { openNotices } from '../apps/server/src/platform/database/notices/notices.ts'
import { migrate } from '../apps/server/src/platform/database/schema/migrate.ts'
import { plantSeeds } from '../apps/server/src/platform/database/seeds.ts'
import { readConfig } from '../apps/server/src/platform/process/config.ts'
import { createLog } from '../apps/server/src/platform/process/log.ts'
import { startScratchPostgres } from '../apps/server/test/postgres.ts'

const { values } = parseArgs({
  options: { devices: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '40' } },
})
const deviceCount = Number(values.devices)
const rounds = Number(values.rounds)

const directory = mkdtempSync(join(tmpdir(), 'voltkeep-bench-'))
const log = createLog({ level: 'error' })
const postgres = await startScratchPostgres()
const database = await openDatabase({ url: postgres.url, zone: 'Asia/Shanghai', poolSize: 4, log })
const notices = await openNotices({ pool: database.pool, log })
try {
  await fill()
  await measure()
} finally {
  await notices.close()
  await database.close()
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}

async function fill(): Promise<void> {
  const { db, pool } = database
  await migrate(pool)
  await plantSeeds(db, seeds)
  const beganAt = performance.now()
  const config = readConfig({ DATA_DIR: directory, ADMIN_PASSWORD: 'Bench-1234' })
  await seedDemo({
    config,
    log,
    database,
    owner: pool,
    deviceCount,
    secretsFile: join(directory, 'devices.json'),
  })
  console.log(`${deviceCount} demo devices made in ${Math.round(performance.now() - beganAt)} ms\n`)
  await pool.query(`
    INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
      operator_id, model_id, region_id)
    SELECT d.id, c.code, d.id, d.id % 20 = 0, 1, now(), now(), d.operator_id, d.model_id, d.region_id
    FROM device d, (VALUES ('01110001'), ('01110002'), ('01120001')) AS c(code) WHERE d.id % 4 = 0`)
  await pool.query(`
    UPDATE device_state SET is_online = device_id % 10 <> 0, last_report_at = now(),
      online_changed_at = CASE WHEN device_id % 50 <> 0 THEN now() END`)
  await pool.query('VACUUM ANALYZE')
}

async function measure(): Promise<void> {
  const devices = createDevices({ db: database.db, notices, ports: { mqttPort: null, mqttTlsPort: null } })
  const admin = await actorOf('admin', true)
  const watcher = await actorOf('shenzhen', false)
  const { rows: operators } = await database.pool.query('SELECT id::text FROM operator LIMIT 1')
  const { rows: sample } = await database.pool.query('SELECT code FROM device WHERE id % 150 = 7 LIMIT 500')
  const codes = sample.map(({ code }) => code as string)
  const { rows: makers } = await database.pool.query(
    "SELECT id::text FROM organization WHERE code = 'DEMO010000'",
  )
  const cases: [name: string, actor: Actor, input: Partial<Parameters<typeof devices.listDevices>[1]>][] = [
    ['everything', admin, {}],
    ['everything, last page', admin, { pageNum: Math.floor(deviceCount / 10) }],
    ['everything, 500 rows', admin, { pageSize: 500 }],
    ['manufacturer with those under it', admin, { organizationId: makers[0]?.id }],
    ['operator', admin, { operatorId: operators[0]?.id }],
    ['province', admin, { regionCode: '440000' }],
    ['district', admin, { regionCode: '440305' }],
    ['online', admin, { isOnline: 1 }],
    ['offline', admin, { isOnline: 0 }],
    ['offline for a day', admin, { offlineHours: 24 }],
    ['never connected', admin, { isOnline: 2 }],
    ['connected once', admin, { hasConnected: 1 }],
    ['activated', admin, { statuses: [1] }],
    ['cabinets', admin, { equipClassify: 'EC' }],
    ['cabinets, offline, with an alarm', admin, { equipClassify: 'EC', isOnline: 0, hasAlarm: 1 }],
    ['with an alarm', admin, { hasAlarm: 1 }],
    ['without an alarm', admin, { hasAlarm: 0 }],
    ['address contains', admin, { address: '科技路88' }],
    ['address nowhere', admin, { address: '没有这里' }],
    ['code contains', admin, { code: ['ec2502'] }],
    ['one code', admin, { code: ['EC2502000001'] }],
    ['500 codes', admin, { code: codes }],
    ['search, part of a code', admin, { keyword: '000300' }],
    ['search, one digit', admin, { keyword: '7' }],
    ['search, two letters that most codes have', admin, { keyword: 'ec' }],
    ['search, one character', admin, { keyword: '东' }],
    ['search, a word', admin, { keyword: '菜市场' }],
    ['search, two words', admin, { keyword: '科技路 换电柜' }],
    ['search nowhere', admin, { keyword: '没有这里' }],
    ['search, online', admin, { keyword: '科技路', isOnline: 1 }],
    ['search of the scope', watcher, { keyword: '菜市场' }],
    ['everything of the scope', watcher, {}],
    ['scope, district, online, alarm', watcher, { regionCode: '440305', isOnline: 1, hasAlarm: 1 }],
  ]
  for (const [name, actor, input] of cases) {
    const times: number[] = []
    let total = 0
    for (let round = 0; round < rounds; round += 1) {
      const beganAt = performance.now()
      const answer = await devices.listDevices(actor, { pageNum: 1, pageSize: 10, ...input })
      times.push(performance.now() - beganAt)
      total = answer.total
    }
    times.sort((a, b) => a - b)
    const at = (share: number) => (times[Math.floor(share * (rounds - 1))] as number).toFixed(1).padStart(7)
    console.log(`p50 ${at(0.5)} ms  p95 ${at(0.95)} ms  ${String(total).padStart(7)} found  ${name}`)
  }
}

async function actorOf(loginName: string, isSystem: boolean): Promise<Actor> {
  const { rows } = await database.pool.query(
    'SELECT id, organization_id FROM app_user WHERE login_name = $1',
    [loginName],
  )
  return {
    userId: rows[0]?.id ?? 0,
    loginName,
    organizationId: rows[0]?.organization_id ?? 1,
    isSystem,
    functionCodes: new Set(),
    mustChangePassword: false,
    tokenHash: Buffer.alloc(32),
    client: { address: '::1', userAgent: null, requestId: '', call: '', summary: '' },
  }
}
