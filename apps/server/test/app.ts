/**
 * The whole app with all roles, on its own database and free ports. `reaching`: the database address for the app
 * alone, where a test puts a proxy in between.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/app.ts'
import type { Db, OpenDatabase } from '../src/platform/database/database.ts'
import { type Config, readConfig } from '../src/platform/process/config.ts'
import { createLog } from '../src/platform/process/log.ts'
import type { Ports } from '../src/platform/process/own-url.ts'
import { clientOf, type TestClient } from './client.ts'
import { createTestDatabase, endWithFile, type TestDatabase } from './database.ts'
import { insertUser, type TestUser } from './factories.ts'

export const adminPassword = 'Admin-1234'

export interface TestApp extends TestClient {
  /** `http://127.0.0.1:<port>`; with TLS `https://…`, which the process has to trust: trustAuthority(). */
  url: string
  ports: Ports
  db: Db
  database: TestDatabase
  config: Config
  /** All lines that were written to the console. */
  logged: string[]
  /** A client with another IP address, for limits per address. */
  from(address: string): TestClient
  /** The token of the first administrator, signed in. */
  asAdmin(): Promise<string>
  /** A new user with these function codes, signed in. */
  asUser(options?: Parameters<typeof insertUser>[1]): Promise<TestUser & { token: string }>
  close(): Promise<void>
}

export async function createTestApp(
  environment: NodeJS.ProcessEnv = {},
  reaching: (database: TestDatabase, config: Config) => Promise<OpenDatabase> = async (database) => database,
): Promise<TestApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'voltkeep-app-'))
  const config = readConfig({
    HOST: '127.0.0.1',
    HTTP_PORT: '0',
    MQTT_PORT: '0',
    DATA_DIR: dataDir,
    ADMIN_PASSWORD: adminPassword,
    DB_POOL_SIZE: '10',
    // Tests sign one user in very often.
    SESSIONS_PER_USER: '1000',
    // Trusts X-Forwarded-For, so that a test can use several addresses; see from().
    TRUSTED_PROXIES: '127.0.0.1',
    // The fill level of the developer's disk must not affect tests.
    DISK_WARN_PERCENT: '100',
    DISK_STOP_PERCENT: '100',
    ...environment,
  })
  process.env.TZ = config.zone
  const logged: string[] = []
  const log = createLog({
    level: config.logLevel,
    directory: join(dataDir, 'logs'),
    console: { write: (line) => logged.push(line) },
  })
  const database = await createTestDatabase({
    zone: config.zone,
    poolSize: config.dbPoolSize,
    isSeeded: true,
  })
  const reached = await reaching(database, config)
  const app = await createApp({ config, log, database: reached, owner: database.owner })
  const ports = await app.listen()
  const { httpPort, httpsPort } = ports
  const url = httpsPort === null ? `http://127.0.0.1:${httpPort}` : `https://127.0.0.1:${httpsPort}`

  const here = clientOf(url)

  return {
    url,
    ports,
    db: database.db,
    database,
    config,
    logged,
    ...here,
    from: (address) => clientOf(url, { 'x-forwarded-for': address }),
    asAdmin: () => here.signIn('admin', adminPassword),
    async asUser(options) {
      const user = await insertUser(database.db, options)
      return { ...user, token: await here.signIn(user.loginName, user.password) }
    },
    async close() {
      await app.close()
      if (reached !== database) await reached.close()
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The app of a test file, which is closed behind its tests. */
export async function appOfTests(...options: Parameters<typeof createTestApp>): Promise<TestApp> {
  const app = await createTestApp(...options)
  endWithFile(() => app.close())
  return app
}
