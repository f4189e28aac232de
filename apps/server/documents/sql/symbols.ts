// What the compiler knows of the nodes of a project: where a name is declared, its type, and where a function is called.
import type {
  ArrowFunction,
  CallExpression,
  FunctionDeclaration,
  FunctionExpression,
  MethodDeclaration,
  Node,
  TaggedTemplateExpression,
} from 'typescript/unstable/ast'
import * as ast from 'typescript/unstable/ast/is'
import { type Symbol as CompilerSymbol, type Project, SymbolFlags } from 'typescript/unstable/sync'

export type FunctionNode = ArrowFunction | FunctionDeclaration | FunctionExpression | MethodDeclaration

export const isFunction = (node: Node): node is FunctionNode =>
  ast.isArrowFunction(node) ||
  ast.isFunctionDeclaration(node) ||
  ast.isFunctionExpression(node) ||
  ast.isMethodDeclaration(node)

export const isSql = (node: Node): node is TaggedTemplateExpression =>
  ast.isTaggedTemplateExpression(node) && node.tag.getText() === 'sql'

/** The node that a function is known by: itself, or the constant that it is the value of. */
const declarationOf = (node: FunctionNode): Node =>
  ast.isVariableDeclaration(node.parent) ? node.parent : node

export function nameOf(node: FunctionNode): string | undefined {
  if (ast.isVariableDeclaration(node.parent)) return node.parent.name.getText()
  return ast.isArrowFunction(node) ? undefined : node.name?.getText()
}

/** Of a property, without quotes. */
export const nameText = (name: Node) => name.getText().replaceAll(/^['"]|['"]$/g, '')

export const lineOf = (node: Node) => node.getSourceFile().text.slice(0, node.getStart()).split('\n').length

/** For a reader: `file.ts:12`. */
export const placeOf = (node: Node) => `${node.getSourceFile().fileName.split('/').at(-1)}:${lineOf(node)}`

/** Each question to the compiler is a message to its process, and so is asked once. */
export function symbolsOf(project: Project, files: readonly string[]) {
  const { checker } = project
  const declarations = new Map<Node, Node | undefined>()
  const types = new Map<Node, string>()
  const calls = callsIn(project, files)

  function declared(at: Node): Node | undefined {
    if (!declarations.has(at)) {
      const symbol = ast.isShorthandPropertyAssignment(at)
        ? checker.getShorthandAssignmentValueSymbol(at)
        : checker.getSymbolAtLocation(at)
      declarations.set(at, symbol && resolved(symbol))
    }
    return declarations.get(at)
  }

  function resolved(symbol: CompilerSymbol): Node | undefined {
    const real = symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return real.valueDeclaration?.resolve(project)
  }

  return {
    /** The declaration of a name. */
    declared,

    /** As TypeScript writes it. */
    shownType(at: Node): string {
      const known = types.get(at)
      if (known !== undefined) return known
      const type = checker.getTypeAtLocation(at)
      const shown = type ? checker.typeToString(type) : ''
      types.set(at, shown)
      return shown
    },

    /** Where a function is called, in the order of the files. */
    callersOf(node: FunctionNode): CallExpression[] {
      const target = declarationOf(node)
      return (calls.get(nameOf(node) ?? '') ?? []).filter(
        ({ expression }) =>
          declared(ast.isPropertyAccessExpression(expression) ? expression.name : expression) === target,
      )
    },
  }
}

/** Name of what is called → the calls. */
function callsIn(project: Project, files: readonly string[]): Map<string, CallExpression[]> {
  const calls = new Map<string, CallExpression[]>()
  const visit = (node: Node) => {
    if (ast.isCallExpression(node)) {
      const { expression } = node
      const name = ast.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText()
      calls.set(name, [...(calls.get(name) ?? []), node])
    }
    node.forEachChild(visit)
  }
  for (const file of files) {
    const source = project.program.getSourceFile(file)
    if (source) visit(source)
  }
  return calls
}
