// `npm run bench:device-list [-- --devices 100000 --rounds 40]`: how long the device registry takes to answer
// a page with its exact total, by filter, straight from the service. One device in twenty has alarms.
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { createDevices } from '../apps/server/src/features/devices/devices.service.ts'
import { createSpokenProtocols } from '../apps/server/src/features/mappings/index.ts'
import type { Actor } from '../apps/server/src/platform/calls/actor.ts'
import { openNotices } from '../apps/server/src/platform/database/notices/notices.ts'
import { createLog } from '../apps/server/src/platform/process/log.ts'
import { inWorld, timesText, type World } from './world.ts'

const { values } = parseArgs({
  options: { devices: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '40' } },
})
const deviceCount = Number(values.devices)
const rounds = Number(values.rounds)

await inWorld({ demoDevices: deviceCount }, async (world) => {
  await fill(world)
  await measure(world)
})

async function fill({ database: { pool } }: World): Promise<void> {
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

async function measure({ database }: World): Promise<void> {
  const notices = await openNotices({ pool: database.pool, log: createLog({ level: 'error' }) })
  const devices = createDevices({
    db: database.db,
    notices,
    ports: { mqttPort: null, mqttTlsPort: null },
    ...createSpokenProtocols({ isShared: false }),
  })
  const admin = await actorOf(database, 'admin', true)
  const watcher = await actorOf(database, 'shenzhen', false)
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
    console.log(`${timesText(times)}  ${String(total).padStart(7)} found  ${name}`)
  }
  await notices.close()
}

async function actorOf({ pool }: World['database'], loginName: string, isSystem: boolean): Promise<Actor> {
  const { rows } = await pool.query('SELECT id, organization_id FROM app_user WHERE login_name = $1', [
    loginName,
  ])
  return {
    userId: rows[0]?.id ?? 0,
    loginName,
    organizationId: rows[0]?.organization_id ?? 1,
    isSystem,
    makerId: null,
    functionCodes: new Set(),
    mustChangePassword: false,
    tokenHash: Buffer.alloc(32),
    client: { address: '::1', userAgent: null, requestId: '', call: '', summary: '' },
  }
}
