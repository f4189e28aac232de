// The PostgreSQL of a test run, with migrated templates with and without seeds, which createTestDatabase() clones.
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type pg from 'pg'
import type { TestProject } from 'vitest/node'
import { makePartitions } from '../src/domain/history/partitions/partitions.ts'
import { makeReadingPartitions } from '../src/features/readings/history/partitions-of-readings.ts'
import { seeds } from '../src/features.ts'
import {
  grantServerRole,
  makeServerRole,
  serverRole,
} from '../src/platform/database/connections/server-role.ts'
import { openDatabase } from '../src/platform/database/database.ts'
import { startEmbeddedPostgres } from '../src/platform/database/embedded/embedded.ts'
import { migrate } from '../src/platform/database/schema/migrate.ts'
import { plantSeeds } from '../src/platform/database/seeds.ts'
import { createLog } from '../src/platform/process/log.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the owner; other databases of the server are reached by replacing the name. */
    postgresUrl: string
    templateDatabase: string
    /** The server is deleted after the run. */
    isScratchServer: boolean
    /** The template with seeds. */
    seededTemplate: string
  }
}

const projectsWithoutDatabase = new Set(['', 'unit', 'dom', 'e2e'])

/**
 * DATABASE_URL names a server to use in place of the embedded one (its user must be allowed to create databases and
 * roles); TEST_POSTGRES_BIN names another PostgreSQL's programs, e.g. a distribution's version 15.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const names = project.vitest.projects.map(({ name }) => name)
  if (names.every((name) => projectsWithoutDatabase.has(name))) return undefined

  const { DATABASE_URL: externalUrl, TEST_POSTGRES_BIN: binaries } = process.env
  const server = externalUrl
    ? { url: externalUrl, stop: async () => undefined }
    : await startScratchPostgres(binaries)
  const templateDatabase = `voltkeep_template_${process.pid}`
  const seededTemplate = `voltkeep_seeded_${process.pid}`
  try {
    await onServer(server.url, (pool) => makeServerRole(pool))
    // For an external server; the embedded one needs no password.
    await onServer(server.url, `ALTER ROLE ${serverRole} PASSWORD '${serverRole}'`)
    await onServer(server.url, `CREATE DATABASE ${templateDatabase}`)
    const url = withDatabase(server.url, templateDatabase)
    const database = await openDatabase({ url, zone: 'Asia/Shanghai', poolSize: 1 })
    await migrate(database.pool)
    await grantServerRole(database.pool, serverRole)
    await makePartitions(database.pool, { at: [new Date()], retentionDays: 365 })
    await makeReadingPartitions(database.pool, {
      at: [new Date()],
      retention: { rawDays: 30, hourDays: 400, dayYears: 5 },
    })
    await database.close()
    await onServer(server.url, `CREATE DATABASE ${seededTemplate} TEMPLATE ${templateDatabase}`)
    const seeded = await openDatabase({
      url: asServer(withDatabase(server.url, seededTemplate)),
      zone: 'Asia/Shanghai',
      poolSize: 1,
    })
    await plantSeeds(seeded.db, seeds)
    await seeded.close()
  } catch (error) {
    await server.stop()
    throw error
  }
  project.provide('postgresUrl', server.url)
  project.provide('templateDatabase', templateDatabase)
  project.provide('isScratchServer', !externalUrl)
  project.provide('seededTemplate', seededTemplate)
  return async () => {
    if (externalUrl) {
      for (const name of [templateDatabase, seededTemplate]) {
        await onServer(externalUrl, `DROP DATABASE ${name} WITH (FORCE)`)
      }
    }
    await server.stop()
  }
}

/** Durability is off, since the server is deleted after the run. */
export async function startScratchPostgres(binaries?: string) {
  const dataDir = mkdtempSync(join(tmpdir(), 'voltkeep-test-'))
  const log = createLog({ level: 'error' })
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log,
    zone: 'Asia/Shanghai',
    isDurable: false,
    sharedBuffersMb: 128,
    binaries: binaries || undefined,
  })
  return {
    url: postgres.ownerUrl,
    stop: async () => {
      await postgres.stop()
      await removeDatabases(dataDir)
    },
  }
}

const removers = 4

/**
 * Removes the databases in parallel: hundreds, with a thousand files each. One process takes 15 seconds, and ten
 * minutes on a machine with busy cores, because every deletion waits for the scheduler.
 */
async function removeDatabases(dataDir: string): Promise<void> {
  const databases = globSync('*/base/*', { cwd: dataDir }).map((path) => join(dataDir, path))
  const shares = Array.from({ length: removers }, (_, share) =>
    databases.filter((_path, at) => at % removers === share),
  )
  await Promise.all(shares.map((share) => promisify(execFile)('rm', ['-rf', ...share])))
  rmSync(dataDir, { recursive: true, force: true })
}

export function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/** The same database with the server's role. */
export function asServer(url: string): string {
  const changed = new URL(url)
  changed.username = serverRole
  changed.password = serverRole
  return changed.href
}

export async function onServer(
  url: string,
  work: string | ((pool: pg.Pool) => Promise<unknown>),
): Promise<void> {
  const { pool, close } = await openDatabase({ url, zone: 'UTC', poolSize: 1 })
  try {
    await (typeof work === 'string' ? pool.query(work) : work(pool))
  } finally {
    await close()
  }
}
