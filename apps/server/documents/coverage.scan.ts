// What a test file says that it proves: comment lines `// proves: <item>; <item>` above a test or a group of tests.

export interface Proof {
  items: string[]
  /** The groups that the test stands in and its own name, outermost first. */
  test: string[]
}

const proves = /^\s*\/\/ proves: (.+)$/
const opening = /^(\s*)(?:it|test|describe)(?:\.\w+)*[(<]/

/** Every `proves` line of a test file, with the test below it. Throws where none stands there. */
export function proofsIn(text: string): Proof[] {
  const lines = text.split('\n')
  const proofs: Proof[] = []
  let items: string[] = []
  for (const [index, line] of lines.entries()) {
    const said = proves.exec(line)?.[1]
    if (said !== undefined) {
      items.push(...said.split(';').map((item) => item.trim()))
      continue
    }
    if (items.length === 0 || /^\s*(?:\/\/|\/\*|\*)/.test(line)) continue
    if (!opening.test(line)) throw new Error(`no test stands below "proves: ${items.join('; ')}"`)
    proofs.push({ items, test: [...groupsAround(lines, index), nameOf(lines, index)] })
    items = []
  }
  if (items.length > 0) throw new Error(`no test stands below "proves: ${items.join('; ')}"`)
  return proofs
}

/** The names of the groups that a line stands in: by indentation, which the formatter keeps. */
function groupsAround(lines: readonly string[], index: number): string[] {
  const groups: string[] = []
  let depth = indentation(lines[index] ?? '')
  for (let above = index - 1; above >= 0 && depth > 0; above--) {
    const line = lines[above] ?? ''
    if (line.trim() === '' || indentation(line) >= depth) continue
    depth = indentation(line)
    if (opening.test(line)) groups.unshift(nameOf(lines, above))
  }
  return groups
}

const indentation = (line: string): number => line.length - line.trimStart().length

/** The name of the test that begins at a line: the first text of its last argument list. */
function nameOf(lines: readonly string[], index: number): string {
  const source = lines.slice(index).join('\n')
  const isTable = /^\s*\w+\.(?:each|for|skipIf|runIf)\b/.test(source)
  const from = source.indexOf('(')
  const name = textAt(source, isTable ? endOfArguments(source, from) + 1 : from + 1)
  if (name === null) throw new Error(`the test at line ${index + 1} has no name`)
  return name
}

/** The text that is the first argument from here, its placeholders shown as an ellipsis. */
function textAt(source: string, from: number): string | null {
  const start = /^[\s(]*(['"`])/.exec(source.slice(from))
  if (!start?.[1]) return null
  const first = from + start[0].length
  return source
    .slice(first, endOfText(source, first - 1))
    .replace(/\$\{[^}]*\}/g, '…')
    .replace(/\\(['"`])/g, '$1')
}

/** Where the text that begins with a quotation mark at `from` has its closing one. */
function endOfText(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === source[from]) return at
  }
  return source.length
}

/** Where the argument list that opens at `from` is closed; brackets in texts and comments do not count. */
function endOfArguments(source: string, from: number): number {
  let depth = 0
  for (let at = from; at < source.length; at++) {
    const character = source[at] ?? ''
    if (source.startsWith('//', at)) at = source.indexOf('\n', at)
    else if ('\'"`'.includes(character)) at = endOfText(source, at)
    else if (character === '(') depth++
    else if (character === ')' && --depth === 0) return at
  }
  return source.length
}
