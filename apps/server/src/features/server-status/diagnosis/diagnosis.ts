/**
 * `npm start -- --diagnose`: one file with what somebody who helps has to know, and without secrets: release, settings,
 * machine, database, migrations, processes, jobs, queues, and the last warnings of the logs. It is written also where the
 * database cannot be reached, and then says why.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onCommandDatabase } from '../../../platform/database/command-database.ts'
import { type OpenDatabase, openDatabase } from '../../../platform/database/database.ts'
import { migrationsDir, readMigrations } from '../../../platform/database/schema/migration-files.ts'
import type { Config } from '../../../platform/process/config.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import { readInstallation } from '../installation.queries.ts'
import { listJobs, listNodes, readDatabase } from '../server-status.queries.ts'
import * as queries from './diagnosis.queries.ts'
import { readLogs, readMachine } from './machine.ts'
import { secretsOf, shownSettings, withoutSecrets } from './masking.rules.ts'

const queryLimitMs = 30_000

/** Returns the file that it has written. */
export async function writeDiagnosis({
  config,
  log,
  release,
  env,
}: {
  config: Config
  log: Log
  release: string
  env: Readonly<Record<string, string | undefined>>
}): Promise<string> {
  const at = new Date()
  const diagnosis = {
    release,
    time: at.toISOString(),
    settings: shownSettings(env),
    roles: [...config.roles],
    machine: attempt(() => readMachine(config)),
    database: await readWholeDatabase(config, log),
    logs: attempt(() => readLogs(config.dataDir)),
  }
  const text = withoutSecrets(JSON.stringify(diagnosis, null, 2), secretsOf(env))
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const name = `diagnosis-${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}.json`
  const path = join(config.dataDir, name)
  writeFileSync(path, `${text}\n`, { mode: 0o600 })
  return path
}

export const diagnosisTexts = {
  written: (path: string) =>
    spoken({
      zh: `诊断文件已写入 ${path}。其中不含密码和密钥；主机名、地址、日志和错误信息在内，发送前请查看。`,
      en: `The diagnosis was written to ${path}. There are no passwords and keys in it; host names, addresses, lines of the logs and errors are: look at it before you send it.`,
    }),
}

async function readWholeDatabase(config: Config, log: Log) {
  try {
    return await onCommandDatabase({ config, log, whereNone: noDatabase() }, async (url) => {
      const database = await openDatabase({ url, zone: config.zone, poolSize: 1, queryLimitMs })
      try {
        return await readAll(database, config)
      } finally {
        await database.close()
      }
    })
  } catch (error) {
    return { error: describe(error) }
  }
}

const noDatabase = () =>
  spoken({ zh: '数据目录中没有数据库', en: 'there is no database in the data directory' })

/** Each part by itself: one that fails, on a schema of another release, says so in its place. */
async function readAll({ db }: OpenDatabase, { databaseUrl }: Config) {
  const part = async <Value>(read: () => Promise<Value>) => {
    try {
      return await read()
    } catch (error) {
      return { error: describe(error) }
    }
  }
  const migrations = await part(() => queries.listMigrations(db))
  const own = readMigrations(migrationsDir).map(({ name }) => name)
  const applied = 'error' in migrations ? [] : migrations.map(({ name }) => name)
  return {
    place: databaseUrl === undefined ? 'embedded' : 'external',
    server: await part(() => readDatabase(db)),
    settings: await part(() => queries.readSettings(db)),
    installation: await part(() => readInstallation(db)),
    schema: {
      own: own.at(-1) ?? null,
      applied: applied.at(-1) ?? null,
      missing: own.filter((name) => !applied.includes(name)),
      ahead: applied.filter((name) => !own.includes(name)),
      migrations,
    },
    tables: await part(() => queries.listTableSizes(db)),
    nodes: await part(() => listNodes(db)),
    jobs: await part(() => listJobs(db)),
    queues: await part(() => queries.listQueues(db)),
    connections: await part(() => queries.listActivity(db)),
    replication: await part(() => queries.listReplication(db)),
  }
}

function attempt<Value>(read: () => Value): Value | { error: string } {
  try {
    return read()
  } catch (error) {
    return { error: describe(error) }
  }
}

const describe = (error: unknown) => (error instanceof Error ? error.message : String(error))
