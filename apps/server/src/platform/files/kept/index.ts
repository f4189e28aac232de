import { join } from 'node:path'
import type { Db } from '../../database/database.ts'
import { readSecret } from '../../database/secrets.ts'
import { type BucketAddress, bucketAddressOf } from '../../process/bucket-address.ts'
import type { Config } from '../../process/config.ts'
import type { DiskWatch } from '../../process/disk/disk-watch.ts'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import type { Blobs } from './blobs.ts'
import { openDiskBlobs } from './disk-blobs.ts'
import { createFiles, type Files } from './files.ts'

export { fileJobs } from './collector.ts'
export type { Uploader } from './files.queries.ts'
export type { Files, KeepOptions } from './files.ts'

/** The bucket of S3_URL, or DATA_DIR/files. */
async function openBlobs(config: Config, log: Log, disk?: DiskWatch): Promise<Blobs> {
  const { s3Url, s3AccessKeyId, s3SecretAccessKey, s3Region: region } = config
  if (s3Url === undefined) {
    return openDiskBlobs({
      directory: join(config.dataDir, 'files'),
      isGroupReadable: config.fileDelivery === 'nginx',
      ...(disk && { disk }),
    })
  }
  // The settings are checked to be one, and to come together.
  const address = bucketAddressOf(s3Url) as BucketAddress
  const credentials = { accessKeyId: s3AccessKeyId as string, secretAccessKey: s3SecretAccessKey as string }
  const { openS3Blobs } = await import('./s3-blobs.ts')
  return openS3Blobs({ address, region, ...credentials, log })
}

/**
 * The store of the settings. A bucket that is away does not stop the start: everything else works without it, the log
 * says so, and calls on files answer 503 until it is back.
 */
export async function openFiles(parts: {
  config: Config
  db: Db
  log: Log
  disk?: DiskWatch
  baseUrl: () => string
}): Promise<Files> {
  const { config, db, log, disk, baseUrl } = parts
  const blobs = await openBlobs(config, log, disk)
  const secret = await readSecret(db, 'files')
  const files = createFiles({
    db,
    blobs,
    log,
    secret,
    baseUrl,
    delivery: config.fileDelivery,
    unusedBytesPerUser: config.unusedFilesMbPerUser * 1024 * 1024,
  })
  files.ping().catch((err: unknown) => {
    log.error(
      { err },
      spoken({
        zh: '文件存储不可用：上传和下载会失败，请检查 S3_URL 及其密钥，或数据目录的权限',
        en: 'the file store cannot be used, uploads and downloads will fail: check S3_URL and its keys, or the permissions of DATA_DIR',
      }),
    )
  })
  return files
}
