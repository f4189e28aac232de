import { connectionOf } from '../../platform/database/database.ts'
import { feature } from '../../platform/feature.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import { spareOn } from '../../platform/process/disk/spare.ts'
import { backUpWhenDue, type KeptBackups, readKept } from './nightly.ts'

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
    const startedMs = performance.now()
    let late: number | null = null
    let ahead: KeptBackups['ahead'] = []
    let failedAtMs = Number.NEGATIVE_INFINITY
    const look = async () => {
      if (directory === undefined) return undefined
      const kept = await readKept(directory)
      // A new installation has none for the first day.
      const agoMs = kept.last ? sharedNowMs() - kept.last.at.getTime() : performance.now() - startedMs
      late = agoMs > lateAfterMs ? Math.floor(agoMs / 3_600_000) : null
      ahead = kept.ahead
      return kept.last
    }
    warnings.add(() =>
      late === null
        ? null
        : {
            zh: `最近一次成功的备份已是 ${late} 小时前，请查看任务“自动备份”的错误和 BACKUP_DIR 的空间`,
            en: `the last good backup is ${late} hours old: see the error of the job and the room in BACKUP_DIR`,
          },
    )
    warnings.add(() =>
      ahead.length === 0
        ? null
        : {
            zh: `BACKUP_DIR 中有 ${ahead.length} 个备份的时间在将来（${ahead[0]}）：时钟曾经偏快，这些备份不计入自动备份，也不会自动清理，请核对后改名或移走`,
            en: `${ahead.length} backups in BACKUP_DIR are of a time to come (${ahead[0]}): a clock was ahead; they count for nothing and are not cleaned up, check and rename or move them`,
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
                  const spareBytes = spareOn(directory, config)
                  await backUpWhenDue(
                    { directory, hour, source, release: version, spareBytes },
                    signal,
                  ).catch((error) => {
                    failedAtMs = performance.now()
                    throw error
                  })
                  await look()
                },
              },
            ],
    }
  },
})
