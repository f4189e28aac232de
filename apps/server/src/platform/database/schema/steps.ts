// What a migration may do beside the release before it, which goes on with the same tables (docs/developing.md).
import { type Migration, numberOf, onlineStatements } from './migration-files.ts'

/** A release that is out, and its schema; of the one that is being made it is not known yet. */
export interface Release {
  release: string
  schema?: string
}

interface Rule {
  /** Of a statement in capitals, with single spaces, without comments and texts. */
  breaks: (statement: string, made: ReadonlySet<string>) => boolean
  fault: string
  /** Whether it may be done once no release uses what goes. */
  mayContract: boolean
}

/** The table of a statement is one that the same file has made: nobody uses it yet. */
const isOfNew = (statement: string, made: ReadonlySet<string>) => {
  const table =
    /\b(?:ALTER TABLE(?: IF EXISTS)?(?: ONLY)?|ON(?: ONLY)?|UPDATE|DELETE FROM|TRUNCATE(?: TABLE)?) ([\w.]+)/.exec(
      statement,
    )?.[1]
  return table !== undefined && made.has(table)
}
const altering = /^ALTER TABLE\b/
const inAlterTable = (pattern: RegExp) => (statement: string, made: ReadonlySet<string>) =>
  altering.test(statement) && pattern.test(statement) && !isOfNew(statement, made)

const rules: Rule[] = [
  {
    breaks: (statement) => /^DROP (?!INDEX)/.test(statement),
    fault: 'drops what the release before uses',
    mayContract: true,
  },
  {
    breaks: inAlterTable(/\bDROP (?!CONSTRAINT\b|NOT NULL\b)/),
    fault: 'drops a column, a default or an identity that the release before uses',
    mayContract: true,
  },
  {
    breaks: inAlterTable(/\bDROP NOT NULL\b/),
    fault: 'lets in nulls that the release before does not expect',
    mayContract: true,
  },
  {
    breaks: (statement) => /\bRENAME\b/.test(statement),
    fault: 'renames what the release before uses: add the new name beside it',
    mayContract: true,
  },
  {
    breaks: inAlterTable(/\bALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE\b/),
    fault: 'changes a type, which rewrites the table: add a column beside it',
    mayContract: true,
  },
  {
    breaks: inAlterTable(/\bSET NOT NULL\b/),
    fault: 'refuses rows that the release before writes',
    mayContract: true,
  },
  {
    breaks: inAlterTable(
      /\bADD (?:COLUMN )?(?!CONSTRAINT\b|CHECK\b)\w+ (?:(?!\bDEFAULT\b|\bGENERATED\b|, ADD ).)*\bNOT NULL\b(?!(?:(?!, ADD ).)*\b(?:DEFAULT|GENERATED)\b)/,
    ),
    fault: 'adds a column that the release before cannot fill: give it a default',
    mayContract: true,
  },
  {
    breaks: (statement, made) =>
      inAlterTable(/\bADD (?:CONSTRAINT \w+ )?(?:CHECK|FOREIGN KEY|UNIQUE|PRIMARY KEY|EXCLUDE)\b/)(
        statement,
        made,
      ) && !widens(statement),
    fault: 'adds a constraint that refuses rows of the release before',
    mayContract: true,
  },
  {
    breaks: (statement, made) =>
      inAlterTable(/\bADD (?:CONSTRAINT \w+ )?(?:CHECK|FOREIGN KEY)\b/)(statement, made) &&
      !/\bNOT VALID\b/.test(statement),
    fault:
      'checks all rows while nobody can write: add it NOT VALID, and VALIDATE it in a file that is -- online',
    mayContract: false,
  },
  {
    breaks: (statement, made) => /^(?:DELETE FROM|TRUNCATE)\b/.test(statement) && !isOfNew(statement, made),
    fault: 'deletes rows that the release before reads',
    mayContract: true,
  },
  {
    breaks: (statement, made) => /^UPDATE\b/.test(statement) && !isOfNew(statement, made),
    fault: 'locks all rows that it changes: change them in portions, -- repeat in a file that is -- online',
    mayContract: false,
  },
  {
    breaks: (statement, made) =>
      /^CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)/.test(statement) && !isOfNew(statement, made),
    fault: 'keeps everybody from writing to the table: CREATE INDEX CONCURRENTLY in a file that is -- online',
    mayContract: false,
  },
  {
    breaks: (statement) => /^(?:VACUUM FULL|CLUSTER|REINDEX|LOCK)\b/.test(statement),
    fault: 'keeps everybody from the table',
    mayContract: false,
  },
  {
    breaks: (statement) => /^DO\b/.test(statement),
    fault: 'hides its statements from this check',
    mayContract: true,
  },
]

/** A constraint that takes the place of a narrower one has its name. */
function widens(statement: string): boolean {
  const added = [...statement.matchAll(/\bADD CONSTRAINT (\w+)/g)].map(([, name]) => name)
  return added.length > 0 && added.every((name) => statement.includes(`DROP CONSTRAINT ${name},`))
}

const repeatable = [
  /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY \w+ ON \w+ /,
  /^DROP INDEX CONCURRENTLY IF EXISTS /,
  /^ALTER TABLE \w+ VALIDATE CONSTRAINT \w+$/,
]

/**
 * What the release before could not live with, or what would keep devices from reporting; a line for each. `released` are
 * the schemas of releases that are out.
 */
export function faultsOf(
  { name, sql, worksFrom, isOnline }: Migration,
  released: readonly string[],
): string[] {
  const isContract = worksFrom !== '0000'
  const faults: string[] = []
  if (isContract && (worksFrom >= numberOf(name) || !released.includes(worksFrom)))
    faults.push(`${name}: -- contract: since ${worksFrom} names the schema of no release that is out`)
  if (isOnline && /\$\w*\$/.test(sql)) faults.push(`${name}: -- online takes no quoted bodies`)
  const statements = isOnline
    ? onlineStatements(sql).map(({ text, isRepeated }) => ({ text: plain(text), isRepeated }))
    : plain(sql)
        .split(';')
        .map((text) => ({ text: text.trim(), isRepeated: false }))
        .filter(({ text }) => text !== '')
  const made = new Set<string>()
  for (const { text, isRepeated } of statements) {
    const table = /^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?([\w.]+)/.exec(text)?.[1]
    if (table !== undefined) made.add(table)
    const beginning = text.length > 70 ? `${text.slice(0, 70)}…` : text
    if (
      isOnline &&
      !(isRepeated && /^UPDATE\b/.test(text)) &&
      !repeatable.some((pattern) => pattern.test(text))
    )
      faults.push(
        `${name}: ${beginning}: cannot be done again after a start that was killed, or not beside writes`,
      )
    if (!isOnline && /\bCONCURRENTLY\b/.test(text))
      faults.push(`${name}: ${beginning}: needs a file that is -- online`)
    for (const { breaks, fault, mayContract } of rules) {
      if (isOnline && isRepeated && /^UPDATE\b/.test(text)) continue
      if (breaks(text, made) && !(isContract && mayContract)) faults.push(`${name}: ${beginning}: ${fault}`)
    }
  }
  return faults
}

/** In capitals, with single spaces; without comments, texts and the bodies of functions. */
const plain = (sql: string): string =>
  sql
    .replace(/(\$\w*\$)[\s\S]*?\1/g, "''")
    .replace(/--.*/g, '')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/\s+/g, ' ')
    .trim()
    .toUpperCase()
