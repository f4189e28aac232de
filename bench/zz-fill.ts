import { startEmbeddedPostgres } from '../apps/server/src/platform/database/embedded.ts'
import { createLog } from '../apps/server/src/platform/log.ts'
import { openDatabase } from '../apps/server/src/platform/database/database.ts'
import { migrate } from '../apps/server/src/platform/database/migrate.ts'
import { keepPartitions } from '../apps/server/src/platform/history/partitions.ts'
import { plantSeeds } from '../apps/server/src/seeds/index.ts'
import { fillRegistry, fillHistory } from './lists-fill.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
process.env.TZ='Asia/Shanghai'
mkdirSync('/tmp/vkexp', { recursive: true })
const pgs = await startEmbeddedPostgres({ dataDir: '/tmp/vkexp', log: createLog({level:'error'}), zone: 'Asia/Shanghai', isDurable: false, sharedBuffersMb: 2048 })
writeFileSync('/tmp/vkexp.url', pgs.url)
const database = await openDatabase({ url: pgs.url, zone: 'Asia/Shanghai', poolSize: 2 })
await migrate(database.pool); await keepPartitions(database.pool, {retentionDays: 365}); await plantSeeds(database.db)
const { rows } = await database.pool.query('select count(*)::int n from alarm_history')
if (rows[0].n === 0) {
const size = { alarms: Number(process.argv[2] ?? 3000000), events: 300000, days: 60, devices: 100000 }
await fillRegistry(database, size)
const t = performance.now()
await fillHistory(database, size, (x) => console.log(x, Math.round((performance.now() - t)/1000)))
console.log('filled', performance.now() - t)
}
await database.close()
await new Promise(r => process.on('SIGTERM', r))
await pgs.stop()
