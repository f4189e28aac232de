import { startEmbeddedPostgres } from '../src/platform/database/embedded/embedded.ts'
import { lockDataDir, openDataDir } from '../src/platform/process/data-dir.ts'
import { createLog } from '../src/platform/process/log.ts'

// A process that only runs an embedded PostgreSQL, to be killed by embedded.system.test.ts.
const [dataDir = ''] = process.argv.slice(2)
openDataDir(dataDir)
await lockDataDir(dataDir)
const postgres = await startEmbeddedPostgres({
  dataDir,
  log: createLog({ level: 'info' }),
  zone: 'Asia/Shanghai',
  sharedBuffersMb: 64,
})
process.on('disconnect', () => void postgres.stop().then(() => process.exit(0)))
process.send?.({ url: postgres.ownerUrl })
