// `npm run docs:sql` writes apps/server/sql: the text and the result of every raw statement of the server, for review.
// Each is prepared against a freshly migrated database and compared with the row type that the code asserts. With
// --check (in `npm test`) nothing is written, and what differs is refused.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { withFreshSchema } from '../../src/platform/database/schema/fresh.ts'
import { areaOf, type Checked, checkStatements, keyOf } from './check.ts'
import { exceptions } from './exceptions.ts'
import { rawStatements } from './raw-statements.ts'

const isCheck = process.argv.includes('--check')
const target = join(import.meta.dirname, '../../sql')

const { checked, faults } = await withFreshSchema(async (pool) => {
  const client = await pool.connect()
  const result = await checkStatements(client, rawStatements(), exceptions)
  client.release()
  return result
})
const wanted = textsOf(checked)
const present = globSync('**/*.sql', { cwd: target, exclude: (path) => path === 'plans' })
if (isCheck) faults.push(...differences())
else write()
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
const count = checked.filter(({ described }) => described !== null).length
console.log(
  `${checked.length} raw statements, ${count} of them prepared and compared, ${faults.length} faults`,
)

/** Path → text. A file that moves to a room of its folder keeps its path here. */
function textsOf(statements: readonly Checked[]): Map<string, string> {
  const parts = new Map<string, string[]>()
  for (const statement of statements) {
    const path = `${areaOf(statement)}/${basename(statement.file, '.ts')}.sql`
    parts.set(path, [...(parts.get(path) ?? ['-- Written by `npm run docs:sql`.']), shown(statement)])
  }
  return new Map([...parts].map(([path, texts]) => [path, `${texts.join('\n\n')}\n`]))
}

function shown(statement: Checked): string {
  const { name, text, described } = statement
  if (text === null || described === null)
    return `-- ${name}\n-- not shown: ${exceptions.unread[keyOf(statement)] ?? exceptions.misread[keyOf(statement)] ?? 'see the fault'}`
  const result = described.map((one) => `${one.name} ${one.type}${one.isNullable ? ' null' : ''}`)
  return `-- ${name}${result.length > 0 ? `\n-- answers ${result.join(', ')}` : ''}\n${dedented(text)};`
}

/** Without the indentation of the source, so that a statement that is moved has no other text. */
function dedented(text: string): string {
  const [first = '', ...rest] = text.split('\n').filter((line) => line.trim() !== '')
  const depth = Math.min(...rest.map((line) => line.length - line.trimStart().length))
  return [first, ...rest.map((line) => line.slice(depth))].map((line) => line.trimEnd()).join('\n')
}

function differences(): string[] {
  const changed = [...wanted].filter(([path, text]) => !present.includes(path) || read(path) !== text)
  return [
    ...changed.map(
      ([path]) =>
        `apps/server/sql/${path} is not what the code sends: run \`npm run docs:sql\` and review the result`,
    ),
    ...superfluous().map(
      (path) => `apps/server/sql/${path} has no source any more: run \`npm run docs:sql\``,
    ),
  ]
}

function write(): void {
  for (const path of superfluous()) rmSync(join(target, path))
  for (const [path, text] of wanted) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    writeFileSync(join(target, path), text)
  }
}

function superfluous(): string[] {
  return present.filter((path) => !wanted.has(path)).sort()
}

function read(path: string): string {
  return readFileSync(join(target, path), 'utf8')
}
