// Which tables a source file names: in SQL text, in calls of Kysely's builder, and as a whole string (a name that
// is put into SQL later). Reading text is less than understanding it: a name that is made from parts is not seen.

export interface Naming {
  table: string
  isWrite: boolean
}

const alias = String.raw`(?:\s+(?:AS\s+)?[a-z]\w*)?`
const name = '[a-z]\\w*'
const inSql = new RegExp(
  String.raw`\b(DELETE\s+FROM|FROM|JOIN|INTO|UPDATE|TABLE|TRUNCATE|ANALYZE|VACUUM(?:\s*\([^)]*\))?)\s+(?:ONLY\s+)?` +
    `(${name}${alias}(?:\\s*,\\s*${name}${alias})*)`,
  'g',
)
const writingKeyword = /^(?:DELETE\s+FROM|INTO|UPDATE|TRUNCATE)$/
const inBuilder =
  /(?:\.|\b(?=plainQueries))(selectFrom|insertInto|updateTable|deleteFrom|mergeInto|using|\w*[jJ]oin\w*|plainQueries)\(\s*(\[[^\]]*\]|'[^']*')/g
const writingCall = /^(?:insertInto|updateTable|deleteFrom|mergeInto|plainQueries)$/
const asString = /'([a-z]\w*_\w+)'/g

/** Every naming of one of these tables in a file's text, reads and writes of a table once each. */
export function namingsIn(text: string, tables: ReadonlySet<string>): Naming[] {
  const found = new Map<string, Naming>()
  const add = (table: string | undefined, isWrite: boolean) => {
    if (table !== undefined && tables.has(table)) found.set(`${table} ${isWrite}`, { table, isWrite })
  }
  for (const [, keyword = '', list = ''] of text.matchAll(inSql)) {
    for (const item of list.split(',')) add(item.trim().split(/\s/)[0], writingKeyword.test(keyword))
  }
  for (const [, call = '', list = ''] of text.matchAll(inBuilder)) {
    for (const [, table] of list.matchAll(/'(\w+)/g)) add(table, writingCall.test(call))
  }
  for (const [, table] of text.matchAll(asString)) add(table, false)
  return [...found.values()]
}
