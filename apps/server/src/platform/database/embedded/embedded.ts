// The PostgreSQL that comes with the product: started with this process, restarted when it ends by itself,
// stopped last. The data directory's files are in cluster.ts, the server process in process.ts, what an
// earlier server left running in orphans.ts.

import type { ChildProcess } from 'node:child_process'
import { realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { spoken } from '../../process/sentences.ts'
import { makeServerRole, serverRole } from '../connections/server-role.ts'
import { findPostgresBinaries, invocation } from './binaries.ts'
import { giveToOwner, initializeCluster, makeSocketDir, refuseOtherMajor } from './cluster.ts'
import { endOrphans } from './orphans.ts'
import { type EmbeddedPostgresOptions, logDirectoryOf, startServer, stopServer, userName } from './process.ts'
import { keepServerLogShort } from './server-log.ts'

const restartPauseMs = 2_000

export interface EmbeddedPostgres {
  /** The address of the product's own database for the server's role, which owns nothing. */
  url: string
  /** The same for the owner of everything. */
  ownerUrl: string
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL that npm installed, on DATA_DIR/postgres-<major>, reachable through a unix
 * socket in a closed directory only. It ends with this process (or is ended by the next start), and is
 * started again when it ends by itself. Throws a StartupError that says what to do.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log } = options
  const binaries = findPostgresBinaries(options.binaries)
  const dataDir = realpathSync(options.dataDir)
  const clusterDir = join(dataDir, `postgres-${binaries.major}`)
  const how = invocation()
  refuseOtherMajor(dataDir, binaries.major)
  await endOrphans(clusterDir, log)
  await initializeCluster(clusterDir, binaries, how, options)
  giveToOwner(clusterDir, how)
  const socketDir = makeSocketDir(clusterDir, how)

  let isStopping = false
  let server: ChildProcess

  const launch = async () => {
    await endOrphans(clusterDir, log)
    server = await startServer(clusterDir, socketDir, binaries, how, options)
    const started = server
    started.once('exit', (code, signal) => {
      if (isStopping) return
      log.error(
        { code, signal },
        spoken({
          zh: '内置数据库意外退出，正在重新启动',
          en: 'the embedded database has ended unexpectedly and is started again',
        }),
      )
      void relaunch()
    })
  }
  const relaunch = async () => {
    while (!isStopping) {
      try {
        await launch()
        log.info(spoken({ zh: '内置数据库已恢复', en: 'the embedded database is back' }))
        return
      } catch (err) {
        log.error(
          { err },
          spoken({
            zh: '内置数据库未能启动，稍后重试',
            en: 'the embedded database could not be started, trying again later',
          }),
        )
        await delay(restartPauseMs)
      }
    }
  }

  await launch()
  const leaveLog = keepServerLogShort(logDirectoryOf(dataDir))
  const urlOf = (role: string, database: string) =>
    `postgresql://${role}@localhost/${database}?host=${encodeURIComponent(socketDir)}`
  await createWhatIsMissing(urlOf(userName, 'postgres'))
  return {
    url: urlOf(serverRole, userName),
    ownerUrl: urlOf(userName, userName),
    async stop() {
      isStopping = true
      leaveLog()
      await stopServer(server)
      rmSync(socketDir, { recursive: true, force: true })
    },
  }
}

/** The database, and the role: a cluster that an earlier release has made has none. */
async function createWhatIsMissing(maintenanceUrl: string): Promise<void> {
  const client = new Client({ connectionString: maintenanceUrl })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [userName])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(userName)}`)
    await makeServerRole(client)
  } finally {
    await client.end()
  }
}
