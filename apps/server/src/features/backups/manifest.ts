// What a backup says of itself: the last member of its archive, so that an archive without it is not complete.
import { z } from 'zod'

export const manifestName = 'manifest.json'
export const sealKeyName = 'seal.key'

const name = z.string().regex(/^[a-z][a-z0-9_]*$/)
/** These two become parts of a statement. */
const bound = z.string().regex(/^(DEFAULT|FOR VALUES FROM \('?[\w :.+-]*'?\) TO \('?[\w :.+-]*'?\))$/)
const storageOption = z.string().regex(/^[a-z_.]+=[\w.-]+$/)

export const Manifest = z.object({
  format: z.literal(1),
  /** Of the program that made the backup. */
  release: z.string(),
  /** The moment of the data: everything that was committed by then is in the backup, and nothing later. */
  takenAt: z.iso.datetime(),
  /** Tells installations apart; says nothing of their secrets. */
  installation: z.string(),
  /** PostgreSQL's server_version. */
  database: z.string(),
  /** The schema: the migrations that were applied, in order. */
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  /** Tables with rows of their own, partitions among them. */
  tables: z.array(
    z.object({
      name,
      columns: z.array(name),
      rows: z.number(),
      /** Of a partition; null for a table that the migrations make. */
      partition: z.object({ of: name, bound: bound.nullable(), options: z.array(storageOption) }).nullable(),
    }),
  ),
  sequences: z.array(z.object({ name, value: z.string(), isCalled: z.boolean() })),
  files: z.object({
    /** `bucket`: the bytes are in the bucket of S3_URL and not in the backup. */
    place: z.enum(['disk', 'bucket']),
    count: z.number(),
    /** Ids of files that have a row and no bytes. */
    missing: z.array(z.string()),
  }),
  members: z.array(z.object({ name: z.string(), size: z.number(), sha256: z.string() })),
})
export type Manifest = z.infer<typeof Manifest>
export type BackedUpTable = Manifest['tables'][number]

export const rowsOf = ({ tables }: Manifest): number => tables.reduce((sum, { rows }) => sum + rows, 0)

/** The rows of a table and of its partitions. */
export const rowsIn = ({ tables }: Manifest, table: string): number =>
  tables
    .filter(({ name: own, partition }) => own === table || partition?.of === table)
    .reduce((sum, { rows }) => sum + rows, 0)
