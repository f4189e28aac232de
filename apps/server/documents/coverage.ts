// docs/coverage.md: every item of the specification with the tests that prove it, from docs/coverage.items.json and
// from what the tests say. `npm run docs:coverage` writes it.

import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import list from '../../../docs/coverage.items.json' with { type: 'json' }
import { reasons } from '../test/additions.ts'
import { callOf, endpoints } from '../test/endpoints.ts'
import { additions as reasonOf } from '../test/proofs.ts'
import { type Proof, proofsIn } from './coverage.scan.ts'

const root = join(import.meta.dirname, '../../..')
const page = join(root, 'docs/coverage.md')

/** Title of a group → item → what the specification says of it. */
export const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = list.items
/** Reason → the calls beyond the specification that there are for it. */
export const additions: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...new Set([...Object.values(reasons), ...Object.values(reasonOf)])].map((reason) => [
    reason,
    Object.keys(reasonOf).flatMap((name) =>
      endpoints
        .filter((one) => one.name === name && reasonOf[name] === reason)
        .map(({ endpoint }) => callOf(endpoint)),
    ),
  ]),
)
/** What the specification calls defined but unused and was left → why. */
const left: Readonly<Record<string, string>> = list.left

/** Every item's id. */
export const items: readonly string[] = Object.values(groups).flatMap(Object.keys)

export interface FileProof extends Proof {
  /** From the root of the repository. */
  path: string
}

/** Every proof of every test, in the order of paths and lines. */
export function proofs(): FileProof[] {
  return globSync(join(root, '{apps,packages}/*/{src,test,documents}/**/*.test.{ts,tsx}'))
    .concat(globSync(join(root, '{e2e/**/*.spec.ts,bench/**/*.test.ts}')))
    .filter((path) => !path.includes('node_modules'))
    .map((path) => relative(root, path).replaceAll('\\', '/'))
    .sort()
    .flatMap((path) => inFile(path))
}

function inFile(path: string): FileProof[] {
  try {
    return proofsIn(readFileSync(join(root, path), 'utf8')).map((proof) => ({ ...proof, path }))
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`)
  }
}

/** What tests say that they prove and the list does not know, with the file that says so. */
export function unknownItems(found: readonly FileProof[]): string[] {
  const known = new Set(items)
  return found.flatMap(({ path, items: said }) =>
    said.filter((item) => !known.has(item)).map((item) => `${path}: ${item}`),
  )
}

/** The items that no test proves. */
export function unproved(found: readonly FileProof[]): string[] {
  const proved = new Set(found.flatMap((proof) => proof.items))
  return items.filter((item) => !proved.has(item))
}

/** The document as it is, and as the tests say it should be. */
export function coverageDocument(): { present: string; wanted: string } {
  return { present: existsSync(page) ? readFileSync(page, 'utf8') : '', wanted: documentOf(proofs()) }
}

function documentOf(found: readonly FileProof[]): string {
  const open = unproved(found)
  return [
    '# The specification and what proves it',
    '',
    'Written by `npm run docs:coverage` from [coverage.items.json](coverage.items.json) and from the comment lines',
    '`// proves: <item>; <item>` above the tests. Calls stand under `/api`.',
    '',
    `${items.length} items, ${items.length - open.length} proved.`,
    ...(open.length === 0 ? [] : ['', '**Without a test:**', '', ...open.map((item) => `- ${item}`)]),
    ...Object.entries(groups).flatMap(([title, group]) => ['', `## ${title}`, '', ...table(group, found)]),
    ...added(),
    ...leftOut(),
    '',
  ].join('\n')
}

function table(group: Readonly<Record<string, string>>, found: readonly FileProof[]): string[] {
  return [
    '| item | what it says | proved by |',
    '|---|---|---|',
    ...Object.entries(group).map(([item, says]) => {
      const tests = found.filter((proof) => proof.items.includes(item)).map(link)
      return `| ${cell(nameOf(item))} | ${cell(says)} | ${tests.join('<br>')} |`
    }),
  ]
}

/** The item without its kind, which the title says. */
const nameOf = (item: string) => item.slice(item.indexOf(' ') + 1)

function link({ path, test }: FileProof): string {
  const file = path.slice(path.lastIndexOf('/') + 1)
  return `[${file}](../${path}): ${cell(test.join(' › '))}`
}

/** Text that ends no cell and begins no markup. */
const cell = (text: string) => text.replaceAll(/[\\|<>*_{}[\]`]/g, (character) => `\\${character}`)

function added(): string[] {
  if (Object.keys(additions).length === 0) return []
  return [
    ...['', '## Calls beside the specification', '', '| calls | why |', '|---|---|'],
    ...Object.entries(additions).map(([reason, calls]) => `| ${calls.map(cell).join('<br>')} | ${reason} |`),
  ]
}

function leftOut(): string[] {
  if (Object.keys(left).length === 0) return []
  return [
    ...['', '## Defined but unused', '', 'What the specification names so, and what became of it.', ''],
    ...['| family | what became of it |', '|---|---|'],
    ...Object.entries(left).map(([family, why]) => `| ${cell(family)} | ${why} |`),
  ]
}

if (import.meta.main) writeFileSync(page, documentOf(proofs()))
