// docs/upgrades.md draws the states of upgrades; `npm run docs:states` writes them from the tables in the code.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stateDiagrams } from './states-diagrams.ts'

const page = join(import.meta.dirname, '../../../docs/upgrades.md')
const begin = '<!-- states: npm run docs:states -->'
const end = '<!-- end of states -->'

/** The document as it is, and as the tables say it should be. */
export function statesDocument(): { present: string; wanted: string } {
  const present = readFileSync(page, 'utf8')
  const [from, to] = [present.indexOf(begin), present.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/upgrades.md has no place for the states (${begin})`)
  return {
    present,
    wanted: `${present.slice(0, from + begin.length)}\n\n${stateDiagrams()}\n\n${present.slice(to)}`,
  }
}

if (import.meta.main) writeFileSync(page, statesDocument().wanted)
