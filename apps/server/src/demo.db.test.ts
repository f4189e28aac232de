import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../test/database.ts'
import { isDemo, openDemo, type PlayedDevice, seedDemo } from './demo.ts'
import { readImageHeader } from './features/firmware/image-header.ts'
import { parsePackageName } from './features/firmware/package-name.ts'
import { ensureAdministrator } from './features/users/index.ts'
import { seeds } from './features.ts'
import { plantSeeds } from './platform/database/seeds.ts'
import { readConfig } from './platform/process/config.ts'
import { createLog } from './platform/process/log.ts'

let database: TestDatabase
let directory: string
let secretsFile: string
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voltkeep-demo-'))
  secretsFile = join(directory, 'devices.json')
  database = await createTestDatabase()
  await plantSeeds(database.db, seeds)
})
afterAll(async () => {
  await database.close()
  rmSync(directory, { recursive: true })
})

const run = (deviceCount: number) => {
  const config = readConfig({ DATA_DIR: directory, ADMIN_PASSWORD: 'Demo-1234' })
  const log = createLog({ level: 'error', directory, console: { write: () => {} } })
  return seedDemo({ config, log, database, owner: database.owner, deviceCount, secretsFile })
}
const played = () => JSON.parse(readFileSync(secretsFile, 'utf8')) as PlayedDevice[]
const stored = async () => {
  const { rows } = await database.pool.query('SELECT code, secret_hash, created_at FROM device ORDER BY id')
  return rows as { code: string; secret_hash: Buffer; created_at: Date }[]
}
const hashOf = ({ secret }: PlayedDevice) => createHash('sha256').update(secret).digest()

test('creates as many devices as requested, of every family, in the districts of ten cities', async () => {
  await run(300)
  const { rows } = await database.pool.query(`
    SELECT count(*)::int AS devices, count(DISTINCT t.classify)::int AS families,
      count(DISTINCT d.operator_id)::int AS operators, count(DISTINCT d.region_id)::int > 50 AS spread,
      bool_and(r.full_name LIKE '中国 / %') AS placed, count(s.device_id)::int AS states
    FROM device d
    JOIN equip_model m ON m.id = d.model_id JOIN equip_type t ON t.id = m.equip_type_id
    JOIN region r ON r.id = d.region_id LEFT JOIN device_state s ON s.device_id = d.id`)
  expect(rows[0]).toEqual({
    devices: 300,
    families: 3,
    operators: 10,
    spread: true,
    placed: true,
    states: 300,
  })
})

test('writes the secrets of all devices to a file that only the server’s user may read', async () => {
  expect(statSync(secretsFile).mode & 0o777).toBe(0o600)
  const devices = played()
  const hashes = new Map((await stored()).map(({ code, secret_hash }) => [code, secret_hash]))
  expect(devices).toHaveLength(300)
  for (const device of devices) expect(hashes.get(device.code)).toEqual(hashOf(device))
  const battery = { partTypes: ['BMS'], boards: { BMS: 'VK-BM05' } }
  expect(devices.find(({ classify }) => classify === 'BAT')).toMatchObject(battery)
})

test('changes nothing at the next start, and adds devices when more are requested', async () => {
  const before = { file: played(), rows: await stored() }
  await run(300)
  expect({ file: played(), rows: await stored() }).toEqual(before)
  await run(320)
  expect(played().slice(0, 300)).toEqual(before.file)
  expect((await stored()).slice(0, 300)).toEqual(before.rows)
  expect(await stored()).toHaveLength(320)
  await run(10)
  expect(played()).toHaveLength(320)
})

test('gives new secrets to devices whose secrets were lost with the file', async () => {
  rmSync(secretsFile)
  await run(320)
  const hashes = new Map((await stored()).map(({ code, secret_hash }) => [code, secret_hash]))
  for (const device of played()) expect(hashes.get(device.code)).toEqual(hashOf(device))
})

test('gives each operator a user who sees only that operator', async () => {
  const { rows } = await database.pool.query(`
    SELECT count(DISTINCT u.id)::int AS users, count(DISTINCT a.value)::int AS operators,
      bool_and(r.code = 'OPERATOR') AS alike
    FROM app_user u JOIN user_authority a ON a.user_id = u.id AND a.authority_type = 'O'
    JOIN user_role ur ON ur.user_id = u.id JOIN role r ON r.id = ur.role_id`)
  expect(rows[0]).toEqual({ users: 10, operators: 10, alike: true })
})

describe('the demonstration', () => {
  let own: TestDatabase
  let dataDir: string
  beforeEach(async () => {
    own = await createTestDatabase({ isSeeded: true })
    dataDir = mkdtempSync(join(tmpdir(), 'voltkeep-demo-'))
  })
  afterEach(async () => {
    await own.close()
    rmSync(dataDir, { recursive: true })
  })

  /** The administrator's part of a start; returns how to sign in. */
  async function start(environment: NodeJS.ProcessEnv = {}): Promise<string> {
    const { db } = own
    const demo = await openDemo({ db, config: readConfig({ DATA_DIR: dataDir, ...environment }) })
    if (demo.config.adminPassword !== undefined) await ensureAdministrator(db, demo.config.adminPassword)
    return demo.describeSignIn()
  }
  const kept = () => readFileSync(join(dataDir, 'demo-password'), 'utf8').trim()

  test('writes nothing to a real installation', async () => {
    await ensureAdministrator(own.db, 'Chosen-1234')
    await expect(start()).rejects.toThrow(`数据目录 ${dataDir} 中是一套正式系统，演示不会写入`)
    expect(await isDemo(own.db)).toBe(false)
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('has its own password, and shows it at every start', async () => {
    expect(await start()).toBe(`登录名 admin，密码 ${kept()}（保存在 ${join(dataDir, 'demo-password')}）`)
    expect(await start()).toContain(`密码 ${kept()}（`)
    const given = await start({ ADMIN_PASSWORD: 'Chosen-1234' })
    expect(given).toContain(`密码 ${kept()}（`)
    expect(given).toContain('ADMIN_PASSWORD 只在首次启动时生效')
  })

  test('uses ADMIN_PASSWORD at its first start and writes it nowhere', async () => {
    expect(await start({ ADMIN_PASSWORD: 'Chosen-1234' })).toBe('登录名 admin，密码 Chosen-1234')
    for (const environment of [{}, { ADMIN_PASSWORD: 'Other-1234' }]) {
      expect(await start(environment)).toContain('密码已另行设置')
    }
    expect(readdirSync(dataDir)).toEqual([])
  })
})

test('has boards for the parts of its devices, and packages that can be downloaded', async () => {
  const { rows } = await database.pool.query(`
    SELECT k.file_name AS name, k.major || '.' || k.minor AS version, f.id, f.sha256, f.size_bytes::int AS size,
      EXISTS (
        SELECT FROM device d JOIN equip_model m ON m.id = d.model_id
        JOIN equip_type_part tp ON tp.equip_type_id = m.equip_type_id
        WHERE m.equip_type_id = b.equip_type_id AND tp.part_type = k.part_type
      ) AS used
    FROM software_package k JOIN pcb_board b ON b.id = k.pcb_board_id JOIN stored_file f ON f.id = k.file_id
    ORDER BY k.id`)
  expect(rows.length).toBeGreaterThan(5)
  for (const { name, version, id, sha256, size, used } of rows) {
    const bytes = readFileSync(join(directory, 'files', id.slice(0, 2), id))
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
    expect(bytes).toHaveLength(size)
    const header = readImageHeader(bytes)
    expect(header).toMatchObject({
      major: Number(version.split('.')[0]),
      minor: Number(version.split('.')[1]),
    })
    expect(parsePackageName(name)).toMatchObject({ minor: Number(version.split('.')[1]) })
    expect(used).toBe(true)
  }
})

test('does not restore a deleted package', async () => {
  await database.pool.query('DELETE FROM software_package')
  await run(300)
  const { rows } = await database.pool.query('SELECT FROM software_package')
  expect(rows).toHaveLength(0)
})
