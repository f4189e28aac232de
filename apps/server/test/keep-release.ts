// `node apps/server/test/keep-release.ts`: keeps a backup of a small installation of this release in test/releases, which
// every later release has to start (upgrade.system.test.ts). Run once for a release, before its tag.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { connectFleet } from './fleets.ts'
import { startServerProcess } from './server-process.ts'

process.env.TZ = 'Asia/Shanghai'
const file = join(import.meta.dirname, 'releases', `${packageJson.version}.tar.zst`)
const server = await startServerProcess({ demoDevices: 20, environment: { LOG_LEVEL: 'warn' } })
try {
  const fleet = await connectFleet(server.devices(), server.mqttPort)
  await fleet.whenOnline()
  for (const [at, device] of fleet.devices.entries()) void device.raise(`K${at % 3}`, 1_000_000)
  await fleet.whenDrained()
  fleet.cutPower()
  rmSync(file, { force: true })
  execFileSync(process.execPath, [join(import.meta.dirname, '../src/main.ts'), '--backup', file], {
    env: { ...process.env, DATA_DIR: server.dataDir, DATABASE_URL: '' },
    stdio: 'inherit',
  })
} finally {
  await server.remove()
}
