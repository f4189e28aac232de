// Finds the raw statements of the server in the compiler's syntax tree: templates that are executed where they are
// written or whose type says what their rows are, and what pg's own `query` is given. The other templates are fragments,
// which are read as parts of these.
import { dirname, join, relative } from 'node:path'
import type { Node } from 'typescript/unstable/ast'
import { isCallExpression, isPropertyAccessExpression } from 'typescript/unstable/ast/is'
import { API, type Checker, type Project, type Type, TypeFlags } from 'typescript/unstable/sync'
import { sqlReader } from './sql-text.ts'
import { isFunction, isSql, lineOf, nameOf } from './symbols.ts'

/** What a value may be, as JavaScript sees it. */
export type Kind =
  | 'string'
  | 'number'
  | 'boolean'
  | 'null'
  | 'missing'
  | 'Date'
  | 'Buffer'
  | 'list'
  | 'object'
  | 'any'

export interface Column {
  name: string
  /** As TypeScript writes it: `number | null`. */
  type: string
  kinds: ReadonlySet<Kind>
}

export interface RawStatement {
  /** From `apps/server/src`. */
  file: string
  line: number
  /** The function that it stands in. */
  name: string
  /** Null where it could not be worked out; `trouble` says why. */
  text: string | null
  trouble: string | null
  /** What the code asserts of a row; null where it asserts nothing. */
  columns: readonly Column[] | null
}

interface Sources {
  configFile: string
  /** The folder whose statements are read. */
  folder: string
}

/** The server's alone: the whole repository's files take three times as long to open. */
const server: Sources = {
  configFile: join(import.meta.dirname, 'sources.tsconfig.json'),
  folder: join(import.meta.dirname, '../../src'),
}

export function rawStatements({ configFile, folder }: Sources = server): RawStatement[] {
  const api = new API({ cwd: dirname(configFile) })
  try {
    const project = api.updateSnapshot({ openProject: configFile }).getProject(configFile)
    if (!project) throw new Error(`${configFile} is no project`)
    const files = project.program
      .getSourceFileNames()
      .filter((file) => file.startsWith(`${folder}/`) && !file.endsWith('.test.ts'))
      .sort()
    const read = sqlReader(project, files)
    return files.flatMap((file) => statementsOf(project, file, relative(folder, file), read))
  } finally {
    api.close()
  }
}

function statementsOf(
  project: Project,
  path: string,
  file: string,
  read: (statement: Node) => string,
): RawStatement[] {
  const source = project.program.getSourceFile(path)
  if (!source || !/\bsql\b|\.query\b/.test(source.text)) return []
  const found: RawStatement[] = []
  const visit = (node: Node, name: string) => {
    const inside = (isFunction(node) && nameOf(node)) || name
    const at = isSql(node) ? node : givenToQuery(node)
    if (at) {
      const [asserted] = (isSql(node) || isCallExpression(node) ? node.typeArguments : undefined) ?? []
      const type = asserted && project.checker.getTypeFromTypeNode(asserted)
      const columns = type && isRow(project.checker, type) ? columnsOf(project.checker, type, node) : null
      if (columns || at !== node || isExecuted(node)) {
        const text = attempt(() => read(at))
        found.push({ file, line: lineOf(node), name: inside, columns, ...text })
      }
    }
    node.forEachChild((child) => visit(child, inside))
  }
  visit(source, '')
  return found
}

function attempt(read: () => string): Pick<RawStatement, 'text' | 'trouble'> {
  try {
    return { text: read(), trouble: null }
  } catch (error) {
    return { text: null, trouble: (error as Error).message }
  }
}

/** The text, or the object with one, that a pool or a connection of pg is asked with. */
function givenToQuery(node: Node): Node | undefined {
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return undefined
  return node.expression.name.text === 'query' ? node.arguments[0] : undefined
}

const isExecuted = ({ parent }: Node) => isPropertyAccessExpression(parent) && parent.name.text === 'execute'

/** The type of a row; a fragment's type is that of its value. */
const isRow = (checker: Checker, type: Type) =>
  [...kindsOf(checker, type)].every((kind) => kind === 'object') &&
  checker.getPropertiesOfType(type).length > 0

const columnsOf = (checker: Checker, row: Type, at: Node): Column[] =>
  checker.getPropertiesOfType(row).map((property) => {
    const type = checker.getTypeOfSymbolAtLocation(property, at)
    return { name: property.name, type: checker.typeToString(type), kinds: kindsOf(checker, type) }
  })

function kindsOf(checker: Checker, type: Type): Set<Kind> {
  if (type.isUnionType()) return new Set(type.getTypes().flatMap((one) => [...kindsOf(checker, one)]))
  const constraint = type.flags & TypeFlags.Instantiable ? checker.getBaseConstraintOfType(type) : undefined
  return constraint && constraint !== type ? kindsOf(checker, constraint) : new Set([kindOf(checker, type)])
}

function kindOf(checker: Checker, type: Type): Kind {
  const { flags } = type
  if (flags & TypeFlags.AnyOrUnknown) return 'any'
  if (flags & TypeFlags.Null) return 'null'
  if (flags & TypeFlags.Undefined) return 'missing'
  if (flags & TypeFlags.StringLike) return 'string'
  if (flags & TypeFlags.NumberLike) return 'number'
  if (flags & TypeFlags.BooleanLike) return 'boolean'
  if (checker.isArrayLikeType(type)) return 'list'
  const name = type.getSymbol()?.name
  return name === 'Date' || name === 'Buffer' ? name : 'object'
}
