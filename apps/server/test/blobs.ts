import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import type { Blobs } from '../src/platform/files/kept/blobs.ts'
import { openDiskBlobs } from '../src/platform/files/kept/disk-blobs.ts'
import { openS3Blobs } from '../src/platform/files/kept/s3-blobs.ts'
import { type BucketAddress, bucketAddressOf } from '../src/platform/process/bucket-address.ts'
import { createTestBucket, type TestBucket } from './bucket.ts'

/** A store of files, with access to its contents for tests. */
export interface TestBlobs {
  blobs: Blobs
  /** The store's directory, for a store on disk. */
  directory?: string
  /** Keys of all blobs, without the marker of the owner. */
  keys(): string[]
  /** Keys of blobs that are being written, or were left incomplete by a crash. */
  unfinished(): string[]
  /** Sets the age of a blob, complete or incomplete. */
  age(key: string, at: Date): void
  remove(): Promise<void>
}

export async function openTestDisk(): Promise<TestBlobs> {
  const parent = mkdtempSync(join(tmpdir(), 'voltkeep-files-'))
  const directory = join(parent, 'files')
  const incoming = join(directory, 'incoming')
  return {
    blobs: openDiskBlobs({ directory }),
    directory,
    keys: () =>
      readdirSync(directory)
        .filter((name) => name.length === 2)
        .flatMap((shard) => readdirSync(join(directory, shard)).map((name) => `${shard}/${name}`)),
    unfinished: () => readdirSync(incoming),
    age: (key, at) => utimesSync(join(key.includes('/') ? directory : incoming, key), at, at),
    remove: async () => rmSync(parent, { recursive: true, force: true }),
  }
}

export function openBlobsOf(
  { environment }: TestBucket,
  { secretAccessKey, log = pino({ level: 'silent' }) }: { secretAccessKey?: string; log?: Logger } = {},
): Blobs {
  return openS3Blobs({
    address: bucketAddressOf(environment.S3_URL) as BucketAddress,
    region: 'us-east-1',
    accessKeyId: environment.S3_ACCESS_KEY_ID,
    secretAccessKey: secretAccessKey ?? environment.S3_SECRET_ACCESS_KEY,
    log,
  })
}

export async function openTestBucket(): Promise<TestBlobs & { bucket: TestBucket }> {
  const bucket = await createTestBucket()
  const blobs = openBlobsOf(bucket)
  return {
    bucket,
    blobs,
    keys: () =>
      bucket
        .keys()
        .map((key) => key.slice('files/'.length))
        .filter((key) => key !== 'installation'),
    unfinished: bucket.uploads,
    age: (key, at) => bucket.age(key.includes('/') ? `files/${key}` : key, at),
    remove: async () => {
      blobs.close()
      await bucket.remove()
    },
  }
}

/** The stores that all file tests run on. */
export const testStores: [place: string, open: () => Promise<TestBlobs>][] = [
  ['on disk', openTestDisk],
  ['in a bucket', openTestBucket],
]

/** Bytes without repetition, so that any shift or swap shows. */
export function bytesOf(length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE(Math.imul(at, 2_654_435_761) >>> 0, at)
  return bytes
}
