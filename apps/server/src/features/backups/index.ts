import { connectionOf } from '../../platform/database/database.ts'
import { feature } from '../../platform/feature.ts'
import { backUpWhenDue, lastGood } from './nightly.ts'

export { type BackupCommand, runBackupCommand } from './commands.ts'
export type { LastBackup } from './nightly.ts'

/** A nightly backup that is late by two hours is one that has failed. */
const lateAfterMs = 26 * 3_600_000
const lookEveryMs = 600_000
/** A backup that has failed is not begun anew by each look: it reads the whole database. */
const againAfterMs = 3_600_000

/** Backups of the whole installation: by the clock here, by command line, and back. */
export const backups = feature({
  name: 'backups',
  create({ config, version, owner, warnings }) {
    const { backupDir: directory, backupHour: hour, dataDir, s3Url } = config
    const startedAt = Date.now()
    let late: number | null = null
    let failedAtMs = Number.NEGATIVE_INFINITY
    const look = async () => {
      if (directory === undefined) return undefined
      const last = await lastGood(directory)
      // A new installation has none for the first day.
      const since = last?.at.getTime() ?? startedAt
      late = Date.now() - since > lateAfterMs ? Math.floor((Date.now() - since) / 3_600_000) : null
      return last
    }
    warnings.add(() =>
      late === null
        ? null
        : {
            zh: `最近一次成功的备份已是 ${late} 小时前，请查看任务“自动备份”的错误和 BACKUP_DIR 的空间`,
            en: `the last good backup is ${late} hours old: see the error of the job and the room in BACKUP_DIR`,
          },
    )
    let timer: NodeJS.Timeout | undefined
    return {
      service: { last: look },
      async prepare() {
        if (directory === undefined) return
        await look()
        timer = setInterval(() => void look(), lookEveryMs).unref()
      },
      unmount: () => clearInterval(timer),
      jobs:
        directory === undefined || owner === null
          ? []
          : [
              {
                name: 'backups.nightly',
                everyMs: lookEveryMs,
                run: async (signal) => {
                  if (performance.now() - failedAtMs < againAfterMs) return
                  const source = {
                    database: await connectionOf(owner),
                    dataDir,
                    hasBucket: s3Url !== undefined,
                  }
                  await backUpWhenDue({ directory, hour, source, release: version }, signal).catch(
                    (error) => {
                      failedAtMs = performance.now()
                      throw error
                    },
                  )
                  await look()
                },
              },
            ],
    }
  },
})
