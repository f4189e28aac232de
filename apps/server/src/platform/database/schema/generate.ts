import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCatalog } from './catalog.ts'
import { withFreshSchema } from './fresh.ts'
import { migrationsDir } from './migrate.ts'
import { schemaText } from './schema-text.ts'
import { tableTypes } from './table-types.ts'

// `npm run db:types` writes schema.sql and tables.ts from a freshly migrated database; with --check
// (in `npm test`) it only compares, so that neither can drift from the migrations.
const isCheck = process.argv.includes('--check')
const tablesPath = fileURLToPath(new URL('../tables.ts', import.meta.url))
const catalog = await withFreshSchema(readCatalog)
writeOrCompare(join(migrationsDir, 'schema.sql'), schemaText(catalog))
writeOrCompare(tablesPath, formatted(tablesPath, tableTypes(catalog)))

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
