import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog } from '../../process/log.ts'
import { openDatabase } from '../database.ts'
import { startEmbeddedPostgres } from '../embedded/embedded.ts'
import { readCatalog } from './catalog.ts'
import { migrate, migrationsDir } from './migrate.ts'
import { schemaText } from './schema-text.ts'
import { tableTypes } from './table-types.ts'

// `npm run db:types` writes schema.sql and tables.ts from a freshly migrated database; with --check
// (in `npm test`) it only compares, so that neither can drift from the migrations.
const isCheck = process.argv.includes('--check')
const tablesPath = fileURLToPath(new URL('../tables.ts', import.meta.url))
const scratchDir = mkdtempSync(join(tmpdir(), 'voltkeep-types-'))
const log = createLog({ level: 'warn' })
const postgres = await startEmbeddedPostgres({ dataDir: scratchDir, log, zone: 'UTC', isDurable: false })
try {
  const database = await openDatabase({ url: postgres.ownerUrl, zone: 'UTC', poolSize: 1 })
  await migrate(database.pool)
  const catalog = await readCatalog(database.pool)
  await database.close()
  writeOrCompare(join(migrationsDir, 'schema.sql'), schemaText(catalog))
  writeOrCompare(tablesPath, formatted(tablesPath, tableTypes(catalog)))
} finally {
  await postgres.stop()
  rmSync(scratchDir, { recursive: true, force: true })
}

function writeOrCompare(path: string, text: string): void {
  if (!isCheck) {
    writeFileSync(path, text)
    return
  }
  if (readIfThere(path) === text) return
  console.error(`${path} is not what the migrations come to: run \`npm run db:types\` and review the result.`)
  process.exitCode = 1
}

/** As the format check wants it. */
function formatted(path: string, text: string): string {
  const biome = fileURLToPath(new URL('../../../../../../node_modules/.bin/biome', import.meta.url))
  return execFileSync(biome, ['format', `--stdin-file-path=${path}`], { input: text, encoding: 'utf8' })
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
