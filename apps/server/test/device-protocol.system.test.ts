import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  formatDateTime,
  insertFirmware,
  insertParameterBatch,
  insertUpgradeTask,
  listAlarmHistory,
  listCompartments,
  listDevices,
  listEvents,
  listIntakeRefusals,
  readDevice,
  readExtractedLog,
  readParameterBatch,
  readUpgradeTask,
  startLogExtraction,
} from '@voltkeep/contract'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FileServer, hashOf, startFileServer } from '../../simulator/test/file-server.ts'
import { createCommands } from '../src/platform/devices/commands/commands.ts'
import { createLog } from '../src/platform/process/log.ts'
import { type Authority, createAuthority, skipsTls, trustAuthority } from './certificates.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { equipTypeOf, insertBoard, remark, uploadPackage } from './packages.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const page = join(import.meta.dirname, '../../../docs/device-protocol.md')
const blocks = [...readFileSync(page, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
  ([, text = '']) => text,
)
const hasClient = spawnSync('mosquitto_pub', ['--help']).error === undefined
if (!hasClient && process.env.CI !== 'true') {
  console.warn(
    'SKIPPED: the examples of docs/device-protocol.md need mosquitto_pub (package mosquitto-clients)',
  )
}

/** Runs shell lines in an empty directory with the tools of this machine, without its environment. */
async function play(lines: string, directory: string, environment: Record<string, string>): Promise<void> {
  const env = { PATH: process.env.PATH, ...environment }
  await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', lines], { cwd: directory, env })
}

describe.skipIf((!hasClient && process.env.CI !== 'true') || skipsTls)(
  'the examples of docs/device-protocol.md',
  () => {
    const code = 'DOC20260001'
    const bytes = randomBytes(200_000)
    let database: TestDatabase
    let server: ServerProcess
    let files: FileServer
    let directory: string
    let token: string
    let authority: Authority
    let clientCa: string

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'voltkeep-shell-device-'))
      files = await startFileServer(bytes)
      authority = createAuthority(join(directory, 'ca'))
      trustAuthority(authority)
      const { cert, key } = authority.issue('localhost')
      // The page issues another certificate in its place, which the running server loads.
      clientCa = join(directory, 'devices-ca.pem')
      copyFileSync(authority.cert, clientCa)
      database = await createTestDatabase()
      // One device, because the demonstration then creates operators.
      server = await startServerProcess({
        demoDevices: 1,
        environment: {
          LOG_LEVEL: 'warn',
          DATABASE_URL: database.url,
          DATABASE_OWNER_URL: database.ownerUrl,
          TLS_CERT: cert,
          TLS_KEY: key,
          MQTT_CLIENT_CA: clientCa,
        },
      })
      token = await server.client.signIn('admin', server.adminPassword)
    })
    afterAll(async () => {
      await server?.remove()
      await database?.close()
      await files?.close()
      await rm(directory, { recursive: true, force: true })
    })

    const findDevice = () =>
      database.db.selectFrom('device').select(['id', 'model_id']).where('code', '=', code).executeTakeFirst()

    /**
     * Waits until the page has registered the device, then sends each command again every second until it is
     * answered.
     */
    async function sendCommands(): Promise<string[]> {
      await expect.poll(findDevice, { timeout: 60_000 }).toBeDefined()
      const device = await findDevice()
      const now = Date.now()
      const common = {
        deviceId: device?.id ?? 0,
        deviceCode: code,
        deadline: new Date(now + 600_000),
        rule: { maxAttempts: 600, intervalMs: 1_000 },
      }
      const commands = createCommands({ log: createLog({ level: 'silent' }), metrics: new Registry() })
      return database.db.transaction().execute((trx) =>
        commands.send(trx, [
          { ...common, topic: 'withdraw', body: { advertisementId: '12' } },
          {
            ...common,
            topic: 'advertise',
            body: {
              advertisementId: '13',
              name: '春节优惠',
              url: files.url,
              sizeBytes: files.sizeBytes,
              sha256: files.sha256,
              contentType: 'image/png',
              startTime: now - 60_000,
              endTime: now + 3_600_000,
            },
          },
          { ...common, topic: 'action', body: { action: 'openDoor', compartment: 2, reason: '电池卡住' } },
        ]),
      )
    }

    /** Waits for the device's versions, then creates an upgrade task; returns its id. */
    async function startTask(): Promise<string> {
      const { client } = server
      const readVersions = () =>
        database.db
          .selectFrom('device_version as v')
          .innerJoin('device as d', 'd.id', 'v.device_id')
          .select('v.version')
          .where('d.code', '=', code)
          .execute()
      await expect.poll(readVersions, { timeout: 60_000 }).toEqual([{ version: '1.4' }])
      const device = await findDevice()
      const partType = 'PART_TYPE_EC_MASTER'
      const equipTypeId = await equipTypeOf(database.db, device?.model_id ?? 0)
      const board = await insertBoard(database.db, { equipTypeId, partType })
      const name = `${board.code}_${partType}_V1.5_R.bin`
      const { filePath, pcbCode, version } = await uploadPackage(client, token, name, { bytes })
      const form = { filePath, pcbCode, partType, version, remark }
      const { data: added } = await client.call(insertFirmware, form, token)
      const task = await client.call(
        insertUpgradeTask,
        { softwareVersionId: added.id, upgradeTime: formatDateTime(new Date()), devices: { codes: [code] } },
        token,
      )
      return task.data.id
    }

    /** Waits for the device's parameters, then creates a batch; returns its id. */
    async function startBatch(): Promise<string> {
      const { client } = server
      const readParameters = () =>
        database.db
          .selectFrom('device_parameter as p')
          .innerJoin('device as d', 'd.id', 'p.device_id')
          .select('p.value')
          .where('d.code', '=', code)
          .execute()
      await expect.poll(readParameters, { timeout: 60_000 }).toEqual([{ value: '95' }])
      const batch = await client.call(
        insertParameterBatch,
        {
          paramSetRule: { upgradeCount: 3, interval: 3 },
          entitys: [{ id: '02121005', value: 90 }],
          queryParam: { codes: [code] },
        },
        token,
      )
      return batch.data.id
    }

    /** Waits until the device is online, then extracts its log; returns the extraction's id. */
    async function startExtraction(): Promise<string> {
      const { client } = server
      const endTime = formatDateTime(new Date())
      const asked: { id?: string } = {}
      await expect
        .poll(
          async () => {
            const [device] = (await client.call(listDevices, { code: [code] }, token)).data
            if (!device) return 0
            const logExtractParam = { level: 'RUN', startTime: endTime.slice(0, 10), endTime }
            const form = { equipCode: code, equipClassify: device.equipClassify, logExtractParam }
            const answer = await client.call(startLogExtraction, form, token)
            if (answer.code === 200) asked.id = answer.data.id
            return answer.code
          },
          { timeout: 120_000 },
        )
        .toBe(200)
      return asked.id as string
    }

    it('create and run a device with a shell, curl, sha256sum, mosquitto_pub and mosquitto_sub', async () => {
      expect(blocks.length).toBeGreaterThan(12)
      const [, commandIds, taskId, batchId, extractionId] = await Promise.all([
        play(blocks.join('\n'), directory, {
          BASE: server.url,
          HOST: '127.0.0.1',
          PORT: String(server.mqttPort),
          TLS_PORT: String(server.mqttTlsPort),
          CAFILE: authority.cert,
          CLIENT_CA: clientCa,
          // Makes curl trust the test's CA, in addition to what the page says.
          CURL_CA_BUNDLE: authority.cert,
          ADMIN_PASSWORD: server.adminPassword,
          CODE: code,
        }),
        sendCommands(),
        startTask(),
        startBatch(),
        startExtraction(),
      ])

      const { client } = server
      const devices = await client.call(listDevices, { code: [code] }, token)
      const id = devices.data[0]?.id ?? ''
      const device = (await client.call(readDevice, { id }, token)).data
      expect(device.equipSoftwareVersions.map(({ partType, version }) => [partType, version])).toEqual([
        ['PART_TYPE_EC_MASTER', '1.5'],
      ])
      expect(device.parameters.map(({ id: parameter, value }) => [parameter, value])).toEqual([
        ['02121005', '90'],
      ])
      expect(device.status.map(({ key, value }) => [key, value])).toEqual([
        ['柜内温度', '31.5'],
        ['在位电池数', '2'],
      ])
      const { compartments } = (await client.call(listCompartments, { id }, token)).data
      expect(compartments[1]?.isDoorOpen).toBe(true)
      expect(
        compartments.slice(0, 4).map(({ no, state, batteryCode, soc }) => [no, state, batteryCode, soc]),
      ).toEqual([
        [1, 'charging', 'BT24100001', 64],
        [2, 'full', 'BT24100002', 100],
        [3, 'empty', undefined, undefined],
        [4, undefined, undefined, undefined],
      ])

      const commands = await database.db
        .selectFrom('device_command')
        .select(['topic', 'result', 'outcome'])
        .where('id', 'in', commandIds)
        .orderBy('id')
        .execute()
      expect(commands.map(({ topic, result, outcome }) => [topic, result, outcome])).toEqual([
        ['withdraw', 'answered', 'done'],
        ['advertise', 'answered', 'done'],
        ['action', 'answered', 'done'],
      ])
      await expect
        .poll(async () => (await client.call(readUpgradeTask, { id: taskId }, token)).data, {
          timeout: 30_000,
        })
        .toMatchObject({ state: 'finished', counts: { total: 1, succeeded: 1 } })
      await expect
        .poll(async () => (await client.call(readParameterBatch, { id: batchId }, token)).data, {
          timeout: 30_000,
        })
        .toMatchObject({ state: 'finished', counts: { total: 1, succeeded: 1 } })
      const log = await client.call(readExtractedLog, { id: extractionId }, token)
      expect(log.text).toMatch(/^\d{4}-\d\d-\d\d .*\[INFO \] RUN: 固件版本 1\.5\n$/)
      for (const name of ['advertisement-13', 'firmware']) {
        expect(hashOf(readFileSync(join(directory, name)))).toBe(files.sha256)
      }

      const alarms = await client.call(listAlarmHistory, { code: [code] }, token)
      expect(
        alarms.data.map(({ semaphoreCode, firstValue, status }) => [semaphoreCode, firstValue, status]),
      ).toEqual([['01110002', 5, 0]])
      const events = await client.call(listEvents, { code: [code] }, token)
      expect(events.data.map(({ semaphoreCode, value }) => [semaphoreCode, value]).sort()).toEqual([
        ['03110002', 3],
        // Over TLS, with its secret and with its certificate.
        ['03110002', 8],
        ['03110002', 9],
        ['03110004', 3],
      ])
      await expect
        .poll(async () => {
          const refusals = await client.call(listIntakeRefusals, { code }, token)
          return refusals.data.map(({ reason }) => reason).sort()
        })
        .toEqual(['notJson', 'unknownTopic'])
    })

    /** The blocks of the page that define these functions, followed by the lines. */
    const withFunctions = (names: readonly string[], lines: string) =>
      [...blocks.filter((block) => names.some((name) => block.includes(`\n${name}() {`))), lines].join('\n')

    it('resume an interrupted download, start again where the file has changed, and detect a wrong one', async () => {
      const fetchFile = (path: string, sha256: string) =>
        play(withFunctions(['field', 'fetch'], `fetch ${path}`), directory, {
          COMMAND: JSON.stringify({ id: '1', url: files.url, sizeBytes: files.sizeBytes, sha256 }),
        })
      const hash = (path: string) => hashOf(readFileSync(join(directory, path)))
      const before = files.ranges.length
      files.cutOnce(100_000)
      await fetchFile('resumed', files.sha256)
      expect(files.ranges.slice(before)).toEqual(['', 'bytes=100000-'])
      expect(hash('resumed')).toBe(files.sha256)

      // The partial file belongs to another version: the server sends the new one from its beginning.
      const other = randomBytes(bytes.length)
      writeFileSync(join(directory, 'changed'), bytes.subarray(0, 50_000))
      writeFileSync(join(directory, 'changed.etag'), `"${hashOf(bytes)}"`)
      files.replace(other)
      await fetchFile('changed', hashOf(other))
      expect(hash('changed')).toBe(hashOf(other))

      await expect(fetchFile('wrong', hashOf(bytes))).rejects.toThrow()
      expect(existsSync(join(directory, 'wrong'))).toBe(false)
      files.refuseOnce(403)
      const tries = files.ranges.length
      await expect(fetchFile('expired', hashOf(other))).rejects.toThrow()
      expect(files.ranges.length - tries).toBe(1)
    })
  },
)
