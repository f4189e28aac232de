import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'

const orphanLimitMs = 30_000

/**
 * Ends the server processes that an earlier process of ours left running in the cluster's directory. The
 * caller has the lock on DATA_DIR, so every such server was started by a process that was killed. With the
 * parent-death signal it is shutting down already; without it, it is told to.
 *
 * A pid file that is left after that is stale and is removed: its number may belong to another process by
 * now, which PostgreSQL would take for a running server.
 */
export async function endOrphans(clusterDir: string, log: Log): Promise<void> {
  if (!existsSync(clusterDir)) return
  const pid = Number(readPidFile(clusterDir)[0])
  if (process.platform !== 'linux') {
    // Without /proc the number may be that of any process; PostgreSQL's own check decides.
    if (pid > 0) signal(pid, 'SIGINT')
    for (let waited = 0; pid > 0 && signal(pid, 0) && waited < orphanLimitMs; waited += 50) await delay(50)
    return
  }
  const started = Date.now()
  let orphans = serversIn(clusterDir)
  if (orphans.includes(pid)) {
    log.warn(
      { pid },
      spoken({
        zh: '上次运行遗留的内置数据库仍在运行，正在停止',
        en: 'the embedded database of the last run is still running and is stopped',
      }),
    )
    signal(pid, 'SIGINT')
  }
  while (orphans.length > 0) {
    if (Date.now() - started > orphanLimitMs) {
      for (const orphan of orphans) signal(orphan, 'SIGKILL')
    }
    await delay(20)
    orphans = serversIn(clusterDir)
  }
  rmSync(join(clusterDir, 'postmaster.pid'), { force: true })
}

/** The server and its helper processes: named `postgres`, with the cluster as working directory. */
function serversIn(clusterDir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return (
          readlinkSync(`/proc/${name}/cwd`) === clusterDir &&
          readFileSync(`/proc/${name}/comm`, 'utf8') === 'postgres\n'
        )
      } catch {
        return false // It has ended, or belongs to another user.
      }
    })
    .map(Number)
}

/** False when there is no such process: it may end at any moment. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

export function readPidFile(clusterDir: string): string[] {
  try {
    return readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}
