// The files of apps/server/migrations, as they are applied.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spoken } from '../../process/sentences.ts'
import { StartupError } from '../../process/startup-error.ts'

export const migrationsDir = fileURLToPath(new URL('../../../../migrations', import.meta.url))

/** A migration that every release can live with that could live with the schema before it. */
export const anySchema = '0000'

export interface Migration {
  name: string
  sql: string
  checksum: string
  /**
   * The oldest schema, by the number of its newest migration, whose release can work with what this migration makes. A
   * file that takes something away says it in a line `-- contract: since 0095`; every other one extends.
   */
  worksFrom: string
  /** `-- online`: its statements run one by one, outside of a transaction, beside the writes of others. */
  isOnline: boolean
}

export const numberOf = (name: string): string => name.slice(0, 4)

/** In order. Throws a StartupError where two have one number. */
export function readMigrations(directory: string): Migration[] {
  const names = readdirSync(directory)
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .sort()
  for (const [index, name] of names.entries()) {
    const before = names[index - 1]
    if (before !== undefined && numberOf(before) === numberOf(name)) {
      throw new StartupError(
        spoken({
          zh: `数据库迁移编号重复：${before} 与 ${name}，请改名其中一个。`,
          en: `The migrations ${before} and ${name} have one number: rename one of them.`,
        }),
      )
    }
  }
  return names.map((name) => {
    // A checkout on Windows may convert line ends; that is no change.
    const sql = readFileSync(join(directory, name), 'utf8').replaceAll('\r\n', '\n')
    return {
      name,
      sql,
      checksum: createHash('sha256').update(sql).digest('hex'),
      worksFrom: /^-- contract: since (\d{4})$/m.exec(sql)?.[1] ?? anySchema,
      isOnline: /^-- online$/m.test(sql),
    }
  })
}

export interface OnlineStatement {
  text: string
  /** `-- repeat` before it: until it finds no more rows. */
  isRepeated: boolean
}

/** The statements of a file that says `-- online`: each ends with a semicolon at the end of a line. */
export function onlineStatements(sql: string): OnlineStatement[] {
  return sql
    .split(/;[ \t]*(?:\n|$)/)
    .map((part) => ({
      text: part.replace(/^[ \t]*--.*/gm, '').trim(),
      isRepeated: /^-- repeat$/m.test(part),
    }))
    .filter(({ text }) => text !== '')
}
