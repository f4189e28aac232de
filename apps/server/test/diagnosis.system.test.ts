// `npm start -- --diagnose` on an installation whose every secret is known to the test.
import { execFile } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settings } from '../src/platform/process/config.ts'
import { databaseUrlOf } from './embedded-url.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const entry = join(import.meta.dirname, '../src/main.ts')
/** Settings whose names sound like a secret, and that are none: paths, and addresses that pages show. */
const noSecrets = ['TLS_KEY', 'SYSLOG_KEY', 'PUBLIC_URL']
const planted = {
  ADMIN_PASSWORD: 'planted-admin',
  SEAL_KEY: Buffer.from('planted-seal-key-of-32-bytes-abc').toString('base64'),
  DDI_GATEWAY_TOKEN: 'planted-gateway-token-0123456789abcdef',
  MQTT_URL: 'mqtt://someone:planted-mqtt@broker.example.com:1883',
  SYSLOG_URL: 'tls://log.example.com:6514',
  OTLP_URL: 'http://someone:planted-otlp@collector.example.com:4318',
  OTLP_AUTHORIZATION: 'Bearer planted-authorization',
  S3_URL: 'https://files.example.com/voltkeep',
  S3_ACCESS_KEY_ID: 'planted-access-id',
  S3_SECRET_ACCESS_KEY: 'planted/access+key',
  DATABASE_URL: 'postgresql://someone:planted%2Ddatabase@127.0.0.1:1/voltkeep',
  DATABASE_OWNER_URL: 'postgresql://owner:planted%2Downer@127.0.0.1:1/voltkeep',
}
const { DATABASE_URL: _database, DATABASE_OWNER_URL: _owner, ...ofEmbedded } = planted

let server: ServerProcess
const directory = mkdtempSync(join(tmpdir(), 'voltkeep-diagnosis-'))
beforeAll(async () => {
  server = await startServerProcess({ demoDevices: 3, environment: { LOG_LEVEL: 'warn' } })
})
afterAll(async () => {
  await server?.remove()
  rmSync(directory, { recursive: true, force: true })
})

async function diagnose(dataDir: string, env: NodeJS.ProcessEnv, locale = 'C.UTF-8') {
  const { stdout } = await promisify(execFile)(process.execPath, [entry, '--diagnose'], {
    env: { ...process.env, DATABASE_URL: '', ...env, DATA_DIR: dataDir, LC_ALL: locale },
  })
  const names = readdirSync(dataDir).filter((name) => /^diagnosis-[\d-]+\.json$/.test(name))
  expect(names).toHaveLength(1)
  const path = join(dataDir, names[0] as string)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const text = readFileSync(path, 'utf8')
  rmSync(path)
  return { stdout, text, diagnosis: JSON.parse(text) }
}

test('every setting that may be a secret is planted here', () => {
  const names = Object.values(settings).map(({ name }) => name)
  const suspicious = names.filter((name) => /PASSWORD|SECRET|TOKEN|KEY|URL|AUTHORIZATION/.test(name))
  expect(suspicious.toSorted()).toEqual([...Object.keys(planted), ...noSecrets].toSorted())
})

test('says what the server is and does, beside it, without a secret of settings, database or logs', async () => {
  const secrets = await secretsInDatabase()
  appendFileSync(
    join(server.dataDir, 'logs/voltkeep.log'),
    `${JSON.stringify({ level: 'error', time: 'x', msg: 'of the test', url: 'https://robot.example.com/send?access_token=planted-robot' })}\n`,
  )
  const { stdout, text, diagnosis } = await diagnose(server.dataDir, ofEmbedded)
  expect(stdout).toMatch(/^诊断文件已写入 \S+diagnosis-[\d-]+\.json。/)
  expect(diagnosis).toMatchObject({
    release: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    settings: { SEAL_KEY: '***', MQTT_URL: 'mqtt://broker.example.com:1883' },
    machine: { node: process.versions.node, disks: [{ isThere: true }] },
    database: {
      place: 'embedded',
      installation: { deviceCount: 3 },
      schema: { missing: [], ahead: [] },
      nodes: [{ state: 'serving' }],
    },
  })
  const { tables, jobs, queues, schema } = diagnosis.database
  expect(tables.map(({ table }: { table: string }) => table)).toEqual(
    expect.arrayContaining(['device', 'event_history']),
  )
  expect(jobs.length).toBeGreaterThan(5)
  expect(queues.map(({ name }: { name: string }) => name)).toContain('device_command')
  expect(schema.migrations.length).toBeGreaterThan(80)
  expect(JSON.stringify(diagnosis.logs)).toContain('of the test')
  expect(text).not.toContain('planted')
  expect(secrets.length).toBeGreaterThan(3)
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
})

test('is written where the database is away, in the language of the machine, and says so', async () => {
  const { stdout, text, diagnosis } = await diagnose(join(directory, 'data'), planted, 'en_US.UTF-8')
  expect(stdout).toMatch(/^The diagnosis was written to /)
  expect(diagnosis.settings.DATABASE_URL).toBe('postgresql://127.0.0.1:1/voltkeep')
  expect(diagnosis.database).toEqual({ error: expect.any(String) })
  expect(text).not.toContain('planted')
})

/** What the database keeps of secrets, as it would be written in a text. */
async function secretsInDatabase(): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrlOf(server.dataDir) })
  await client.connect()
  const { rows } = await client.query<{ secret: Buffer | string }>(`
    SELECT secret FROM platform_secret UNION ALL SELECT secret_hash FROM device`)
  const { rows: passwords } = await client.query<{ hash: string }>(
    'SELECT password_hash AS hash FROM app_user',
  )
  await client.end()
  return [
    ...rows.flatMap(({ secret }) => [
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64'),
    ]),
    ...passwords.map(({ hash }) => hash),
    ...server.devices().map(({ secret }) => secret),
  ].filter((text) => text.length > 8)
}
