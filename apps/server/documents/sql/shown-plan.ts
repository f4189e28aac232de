// A plan as it is committed: without what differs from run to run and from month to month.

/** The lines of EXPLAIN (COSTS OFF). */
export function shownPlan(lines: readonly string[]): string {
  return withoutTwins(lines.map(withoutValues)).join('\n')
}

/** Without values, months of partitions and numbers of aliases. A number of one figure says something: a state, a level. */
function withoutValues(line: string): string {
  return line
    .replaceAll(/'(?:[^']|'')*'::(timestamp with time zone|date|bytea|\w+\[\])/g, "'…'::$1")
    .replaceAll(/_p?\d{4}_?\d{2}(?:_?\d{2})?(?=_|\b)/g, '_…')
    .replaceAll(/\b(\w*[a-z])_\d+\b/g, '$1_n')
    .replaceAll(/(?<![\w.$])\d{2,}(?![\w.])/g, '…')
}

const depthOf = (line: string) => line.length - line.trimStart().length

/** Of the partitions that an Append reads alike, the first. */
function withoutTwins(lines: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] as string
    kept.push(line)
    index += 1
    if (!/^\s*(-> {2})?(Merge )?Append/.test(line)) continue
    const end = endOfNode(lines, index, depthOf(line))
    const inputs = nodesOf(lines.slice(index, end)).map((node) => withoutTwins(node).join('\n'))
    kept.push(...new Set(inputs))
    index = end
  }
  return kept
}

function endOfNode(lines: readonly string[], from: number, depth: number): number {
  const end = lines.findIndex((line, index) => index >= from && depthOf(line) <= depth)
  return end === -1 ? lines.length : end
}

/** The inputs of a node, each with all below it; what is said of the node itself comes first. */
function nodesOf(lines: readonly string[]): string[][] {
  const depth = Math.min(...lines.map(depthOf))
  const nodes: string[][] = []
  for (const line of lines) {
    if (depthOf(line) === depth) nodes.push([line])
    else nodes.at(-1)?.push(line)
  }
  return nodes
}
