// The table of docs/developing.md that says who owns each table of the database, from the values of the
// features and from what their source files name. `npm run docs:tables` writes it.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { features } from '../src/features.ts'
import { platformTables } from '../src/platform/database/platform-tables.ts'
import { type Naming, namingsIn } from './table-names.ts'

const source = join(import.meta.dirname, '../src')
const page = join(import.meta.dirname, '../../../docs/developing.md')
const begin = '<!-- tables: npm run docs:tables -->'
const end = '<!-- end of tables -->'

/** Owner → the tables it owns. */
export const owners: ReadonlyMap<string, readonly string[]> = new Map([
  ['platform', platformTables],
  ...features.map(({ name, tables }) => [name, tables] as const),
])

const ownerOf = new Map(
  [...owners].flatMap(([owner, tables]) => tables.map((table) => [table, owner] as const)),
)

/** The part of the server that a source file belongs to: `platform`, or the folder of a domain part or a feature. */
function partOf(path: string): string | null {
  const [layer, folder] = relative(source, path).split('/')
  if (layer === 'platform') return layer
  return (layer === 'domain' || layer === 'features') && folder !== undefined ? folder : null
}

export interface PartNaming extends Naming {
  part: string
  /** From the server's sources. */
  path: string
}

/** Every naming of a table in the server's sources, tests and generated types left out. */
export function namings(): PartNaming[] {
  const tables = new Set(ownerOf.keys())
  return globSync(join(source, '{platform,domain,features}/**/*.ts')).flatMap((path) => {
    const part = partOf(path)
    if (part === null || path.endsWith('.test.ts') || /database\/(platform-)?tables\.ts$/.test(path))
      return []
    // The door of a feature lists its tables: a declaration, no SQL.
    if (relative(source, path).split('/').length === 3 && path.endsWith('/index.ts')) return []
    return namingsIn(readFileSync(path, 'utf8'), tables).map((naming) => ({
      ...naming,
      part,
      path: relative(source, path),
    }))
  })
}

/** The document as it is, and as the sources say it should be. */
export function tableDocument(): { present: string; wanted: string } {
  const present = readFileSync(page, 'utf8')
  const [from, to] = [present.indexOf(begin), present.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/developing.md has no place for the tables (${begin})`)
  return { present, wanted: `${present.slice(0, from + begin.length)}\n\n${rows()}\n\n${present.slice(to)}` }
}

function rows(): string {
  const all = namings()
  const others = (table: string, isWrite: boolean) => {
    const parts = all.filter((one) => one.table === table && one.isWrite === isWrite).map(({ part }) => part)
    return [...new Set(parts)].filter((part) => part !== ownerOf.get(table)).sort()
  }
  return [
    '| owner | table | also written by | also read by |',
    '|---|---|---|---|',
    ...[...owners].flatMap(([owner, tables]) =>
      [...tables].sort().map((table) => {
        const writers = others(table, true)
        const readers = others(table, false).filter((part) => !writers.includes(part))
        return `| ${owner} | \`${table}\` | ${writers.join(', ')} | ${readers.join(', ')} |`.replaceAll(
          '|  |',
          '| |',
        )
      }),
    ),
  ].join('\n')
}

if (import.meta.main) writeFileSync(page, tableDocument().wanted)
