/**
 * Installations that servers of tests begin with, each made once for a whole run: to create a cluster, its tables and the
 * devices of a demonstration takes three times as long as to start on a copy.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Where they are, and of how many devices; inherited by the workers of a run. */
const variable = 'PREPARED_INSTALLATIONS'
/** Settings that decide what a first start makes, or where. */
const decisive = ['ADMIN_PASSWORD', 'DATABASE_URL', 'LC_ALL', 'ROLES', 'S3_URL', 'SEAL_KEY', 'TZ']

interface Prepared {
  directory: string
  /** Those that several tests begin with: one that a single test has would cost more than it saves. */
  sizes: readonly number[]
}

/** For a run's global setup; returns what ends it. */
export function prepareInstallations(sizes: readonly number[]): () => void {
  const prepared: Prepared = { directory: mkdtempSync(join(tmpdir(), 'voltkeep-prepared-')), sizes }
  process.env[variable] = JSON.stringify(prepared)
  return () => {
    delete process.env[variable]
    rmSync(prepared.directory, { recursive: true, force: true })
  }
}

/**
 * The data directory of a stopped server with so many devices of the demonstration, 0 without it, to be copied; undefined
 * where none is prepared, or these settings need a first start of their own. Whoever asks first makes it, by `make`.
 */
export async function preparedInstallation(
  devices: number,
  environment: NodeJS.ProcessEnv,
  make: (dataDir: string) => Promise<void>,
): Promise<string | undefined> {
  const known = process.env[variable]
  if (known === undefined || decisive.some((name) => name in environment)) return undefined
  const { directory, sizes }: Prepared = JSON.parse(known)
  if (!sizes.includes(devices)) return undefined
  const place = join(directory, String(devices))
  const unfinished = `${place}.unfinished`
  while (!existsSync(place)) {
    try {
      mkdirSync(unfinished)
    } catch {
      // Another worker is making it.
      await delay(50)
      continue
    }
    try {
      // It may have been finished in between.
      if (existsSync(place)) break
      await make(join(unfinished, 'data'))
      renameSync(join(unfinished, 'data'), place)
    } finally {
      rmSync(unfinished, { recursive: true, force: true })
    }
  }
  return place
}
