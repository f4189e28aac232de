import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DataFor, type Endpoint, type InputFor, login } from '@voltkeep/contract'
import { createApp, type Ports } from '../src/app.ts'
import { type Config, readConfig } from '../src/platform/config.ts'
import type { Db } from '../src/platform/database/database.ts'
import { createLog } from '../src/platform/log.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { insertUser, type TestUser } from './factories.ts'

export const adminPassword = 'Admin-1234'

/** An answer, its envelope taken apart. `data` is null on every error but a 400 with its fields. */
export interface Answer<Data = unknown> {
  status: number
  headers: Headers
  code: number
  message: string
  data: Data
  total?: number
  /** The body as it came. */
  text: string
}

/** What a test does as a client, from one address. */
export interface TestClient {
  /** Calls an endpoint of the contract as its first verb asks: fields in the query, or as a JSON body. */
  call<E extends Endpoint>(
    endpoint: E,
    input: InputFor<E> | Record<string, unknown>,
    token?: string | null,
  ): Promise<Answer<DataFor<E>>>
  /** Any request under the server's address; an envelope is taken apart where there is one. */
  request(path: string, init?: RequestInit): Promise<Answer>
  /** Signs in over the wire; throws where that is refused. */
  signIn(loginName: string, password: string): Promise<string>
}

export interface TestApp extends TestClient {
  /** `http://127.0.0.1:<port>` */
  url: string
  ports: Ports
  db: Db
  database: TestDatabase
  config: Config
  /** Every line that went to the console. */
  logged: string[]
  /** A client at another address, for what is counted by address. */
  from(address: string): TestClient
  /** A token of the first administrator. */
  asAdmin(): Promise<string>
  /** A fresh user of these function codes, signed in. */
  asUser(options?: Parameters<typeof insertUser>[1]): Promise<TestUser & { token: string }>
  close(): Promise<void>
}

/**
 * The whole app on a database of its own and free ports, as a process with all roles runs it.
 *
 *     const app = await createTestApp()
 *     afterAll(() => app.close())
 */
export async function createTestApp(environment: NodeJS.ProcessEnv = {}): Promise<TestApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'voltkeep-app-'))
  const config = readConfig({
    HOST: '127.0.0.1',
    HTTP_PORT: '0',
    MQTT_PORT: '0',
    DATA_DIR: dataDir,
    ADMIN_PASSWORD: adminPassword,
    // So that a test can be several clients; see from().
    TRUSTED_PROXIES: '127.0.0.1',
    ...environment,
  })
  process.env.TZ = config.zone
  const logged: string[] = []
  const log = createLog({
    level: config.logLevel,
    directory: join(dataDir, 'logs'),
    console: { write: (line) => logged.push(line) },
  })
  const database = await createTestDatabase({ zone: config.zone, poolSize: 10 })
  const app = await createApp({ config, log, database })
  const ports = await app.listen()
  const url = `http://127.0.0.1:${ports.httpPort}`

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
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function clientOf(url: string, standing: Record<string, string> = {}): TestClient {
  const request = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { ...standing, ...init.headers },
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const envelope = isJson ? JSON.parse(text) : { code: response.status, message: '', data: null }
    return { ...envelope, status: response.status, headers: response.headers, text }
  }

  const call: TestClient['call'] = async (endpoint, input, token) => {
    const [method] = endpoint.methods
    const fields = { ...(input as Record<string, unknown>) }
    const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
      const value = encodeURIComponent(String(fields[name]))
      delete fields[name]
      return value
    })
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
    if (method === 'GET') {
      const query = new URLSearchParams(
        Object.entries(fields).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)]],
        ),
      )
      return request(`/api${path}?${query}`, { headers }) as never
    }
    headers['content-type'] = 'application/json'
    return request(`/api${path}`, { method, headers, body: JSON.stringify(fields) }) as never
  }

  const signIn = async (loginname: string, password: string) => {
    const answer = await call(login, { loginname, password })
    if (answer.code !== 200) throw new Error(`sign-in of ${loginname}: ${answer.code} ${answer.message}`)
    return answer.data.token
  }

  return { call, request, signIn }
}
