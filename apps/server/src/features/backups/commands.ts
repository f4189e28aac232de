// `npm start -- --backup FILE`, `--verify-backup FILE` and `--restore FILE`: what each does, and the line that it says.
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { onCommandDatabase } from '../../platform/database/command-database.ts'
import type { Config } from '../../platform/process/config.ts'
import { openDataDir } from '../../platform/process/data-dir.ts'
import { spareOn } from '../../platform/process/disk/spare.ts'
import type { Log } from '../../platform/process/log.ts'
import { spoken } from '../../platform/process/sentences.ts'
import { StartupError } from '../../platform/process/startup-error.ts'
import { type Manifest, rowsIn, rowsOf } from './manifest.ts'
import { NoRoomForBackup } from './no-room.ts'
import { type Counted, NotEmpty, OtherSealKey, restoreBackup } from './restore.ts'
import { NothingToBackUp, takeBackup } from './take.ts'
import { BrokenBackup, verifyBackup } from './verify.ts'

export type BackupCommand = { kind: 'backup' | 'verify' | 'restore'; path: string }

interface Setting {
  config: Config
  log: Log
  release: string
  print: (line: string) => void
}

/** Prints what was done. Throws a StartupError that says what to do. */
export async function runBackupCommand(
  { kind, path: given }: BackupCommand,
  setting: Setting,
): Promise<void> {
  const path = resolve(given)
  try {
    switch (kind) {
      case 'backup':
        return await backUp(path, setting)
      case 'verify':
        return setting.print(texts.verified(await verifyBackup(path)))
      case 'restore':
        return await restore(path, setting)
    }
  } catch (error) {
    throw refusalOf(error, path, setting)
  }
}

async function backUp(path: string, { config, log, release, print }: Setting): Promise<void> {
  const { dataDir, s3Url } = config
  if (existsSync(path)) throw new StartupError(texts.exists(path))
  const beganAt = performance.now()
  const { manifest, bytes } = await onCommandDatabase(
    { config, log, whereNone: texts.nothing(dataDir) },
    async (connectionString) =>
      takeBackup(
        { database: { connectionString }, dataDir, hasBucket: s3Url !== undefined },
        { path, release, spareBytes: spareOn(dirname(path), config) },
      ),
  )
  print(texts.taken(path, manifest, bytes, performance.now() - beganAt))
  if (manifest.files.missing.length > 0) print(texts.missingFiles(manifest.files.missing.length))
  if (manifest.files.place === 'bucket') print(texts.inBucket)
}

async function restore(path: string, { config, log, print }: Setting): Promise<void> {
  const { dataDir } = config
  openDataDir(dataDir)
  const manifest = await verifyBackup(path)
  print(texts.verified(manifest))
  const counted = await onCommandDatabase(
    { config, log, isNew: true, whereNone: texts.nothing(dataDir) },
    (databaseUrl) => restoreBackup(path, manifest, { databaseUrl, dataDir }),
  )
  for (const line of texts.restored(manifest, counted)) print(line)
}

function refusalOf(error: unknown, path: string, { config }: Setting): unknown {
  if (error instanceof BrokenBackup) return new StartupError(texts.broken(path, error.message))
  if (error instanceof NotEmpty) return new StartupError(texts.notEmpty(placeOf(config)))
  if (error instanceof OtherSealKey) return new StartupError(texts.otherSealKey(config.dataDir))
  if (error instanceof NothingToBackUp) return new StartupError(texts.nothing(placeOf(config)))
  if (error instanceof NoRoomForBackup) return new StartupError(error.message)
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return new StartupError(texts.noFile(path))
  if (code === 'EACCES' || code === 'EROFS') return new StartupError(texts.notAllowed(path))
  if (code === 'ENOSPC') return new StartupError(texts.noRoom(path))
  return error
}

const placeOf = ({ databaseUrl, dataDir }: Config) => (databaseUrl === undefined ? dataDir : 'DATABASE_URL')

const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1)
const whole = (value: number) => value.toLocaleString('en')
const seconds = (ms: number) => (ms / 1000).toFixed(1)

/** Tables that an operator knows by their numbers. */
const known = [
  { table: 'device', zh: '设备', en: 'devices' },
  { table: 'app_user', zh: '用户', en: 'users' },
  { table: 'alarm_history', zh: '告警历史', en: 'alarm history' },
  { table: 'event_history', zh: '事件', en: 'events' },
  { table: 'operation_log', zh: '操作日志', en: 'operation log' },
  { table: 'stored_file', zh: '文件', en: 'files' },
]

const texts = {
  taken: (path: string, manifest: Manifest, bytes: number, ms: number) =>
    spoken({
      zh: `已备份到 ${path}：${whole(rowsOf(manifest))} 行，设备 ${whole(rowsIn(manifest, 'device'))} 台，文件 ${whole(manifest.files.count)} 个，${megabytes(bytes)} MB，用时 ${seconds(ms)} 秒`,
      en: `Backed up to ${path}: ${whole(rowsOf(manifest))} rows, ${whole(rowsIn(manifest, 'device'))} devices, ${whole(manifest.files.count)} files, ${megabytes(bytes)} MB, in ${seconds(ms)} s`,
    }),
  verified: (manifest: Manifest) =>
    spoken({
      zh: `备份完整：Voltkeep ${manifest.release}，${momentOf(manifest)} 的数据，安装 ${manifest.installation}，${whole(rowsOf(manifest))} 行，设备 ${whole(rowsIn(manifest, 'device'))} 台，文件 ${whole(manifest.files.count)} 个`,
      en: `The backup is whole: Voltkeep ${manifest.release}, data of ${momentOf(manifest)}, installation ${manifest.installation}, ${whole(rowsOf(manifest))} rows, ${whole(rowsIn(manifest, 'device'))} devices, ${whole(manifest.files.count)} files`,
    }),
  restored: (manifest: Manifest, counted: Counted) => [
    spoken({
      zh: `已恢复 ${whole(counted.length)} 张表，逐表核对行数（备份 → 恢复）：`,
      en: `Restored ${whole(counted.length)} tables, their rows counted (backup → restored):`,
    }),
    ...known.map(({ table, ...name }) => {
      const own = manifest.tables.filter((one) => one.name === table || one.partition?.of === table)
      const names = new Set(own.map((one) => one.name))
      const after = counted.filter((one) => names.has(one.table)).reduce((sum, one) => sum + one.restored, 0)
      return `  ${spoken(name)}  ${whole(rowsIn(manifest, table))} → ${whole(after)}`
    }),
    spoken({
      zh: `  合计  ${whole(rowsOf(manifest))} → ${whole(counted.reduce((sum, one) => sum + one.restored, 0))}`,
      en: `  in all  ${whole(rowsOf(manifest))} → ${whole(counted.reduce((sum, one) => sum + one.restored, 0))}`,
    }),
  ],
  missingFiles: (count: number) =>
    spoken({
      zh: `注意：${count} 个文件在数据库中有记录，但磁盘上没有，未能备份`,
      en: `Note: ${count} files have a row and no bytes on disk, and are not in the backup`,
    }),
  inBucket: spoken({
    zh: '注意：文件保存在存储桶（S3_URL）中，不在备份里，请由存储桶自身备份',
    en: 'Note: the files are in the bucket of S3_URL and not in the backup, have the bucket backed up by itself',
  }),
  exists: (path: string) =>
    spoken({
      zh: `文件 ${path} 已存在：请用另一个文件名，或先移走它。`,
      en: `The file ${path} is there already: choose another name, or move it away first.`,
    }),
  nothing: (place: string) =>
    spoken({
      zh: `${place} 中没有可备份的数据：请用 DATA_DIR 或 DATABASE_URL 指定要备份的系统。`,
      en: `There is nothing to back up in ${place}: name the installation with DATA_DIR or DATABASE_URL.`,
    }),
  otherSealKey: (dataDir: string) =>
    spoken({
      zh: `${dataDir} 中已有另一套安装的密钥 seal.key，数据库未做任何修改。请换用空的 DATA_DIR；确认不再需要该密钥时，先将它移走再恢复。`,
      en: `${dataDir} has the seal.key of another installation; the database was not changed. Use an empty DATA_DIR, or move that key away first if it is not needed any more.`,
    }),
  notEmpty: (place: string) =>
    spoken({
      zh: `${place} 中已有数据，恢复只能写入空的系统：请用 DATA_DIR 指定一个新目录，或用 DATABASE_URL 指定一个空库。未做任何修改。`,
      en: `There are data in ${place}, and a restore goes into an empty installation alone: choose a new DATA_DIR, or an empty database with DATABASE_URL. Nothing was changed.`,
    }),
  broken: (path: string, why: string) =>
    spoken({
      zh: `${path} 不是完整的备份（${why}），未做任何修改：请使用另一份备份。`,
      en: `${path} is no whole backup (${why}), nothing was changed: use another one.`,
    }),
  noFile: (path: string) =>
    spoken({ zh: `文件或目录不存在：${path}`, en: `There is no such file or directory: ${path}` }),
  notAllowed: (path: string) =>
    spoken({
      zh: `没有权限读写 ${path}：请检查目录权限。`,
      en: `No permission for ${path}: check the directory.`,
    }),
  noRoom: (path: string) =>
    spoken({
      zh: `磁盘空间不足，无法写入 ${path}：请腾出空间，或换一个磁盘。`,
      en: `There is no room for ${path}: make some, or choose another disk.`,
    }),
}

const momentOf = ({ takenAt }: Manifest) => {
  const at = new Date(takenAt)
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19).replace('T', ' ')
}
