import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { downTopics, upTopics } from '../src/topics/index.ts'
import { asyncApiDocument } from './asyncapi.ts'
import { fieldTable } from './field-table.ts'

const docs = join(import.meta.dirname, '../../../docs')

/** The generated documents by path: what they are now, and what the contract says they should be. */
export function protocolDocuments(): { path: string; present: string; wanted: string }[] {
  const asyncApi = join(docs, 'asyncapi.json')
  const protocol = join(docs, 'device-protocol.md')
  const text = readFileSync(protocol, 'utf8')
  return [
    {
      path: asyncApi,
      present: textOf(asyncApi),
      wanted: `${JSON.stringify(asyncApiDocument(), null, 2)}\n`,
    },
    { path: protocol, present: text, wanted: withTables(text) },
  ]
}

/** Puts each topic's table between the marks that name it; the words around them are written by hand. */
function withTables(text: string): string {
  let result = text
  for (const topic of [...Object.values(upTopics), ...Object.values(downTopics)]) {
    const name = `${topic.direction}/${topic.name}`
    const begin = `<!-- fields of ${name}: npm run docs:protocol -->`
    const end = `<!-- end of ${name} -->`
    const from = result.indexOf(begin)
    const to = result.indexOf(end)
    if (from === -1 || to < from) throw new Error(`docs/device-protocol.md has no place for ${name}`)
    result = `${result.slice(0, from + begin.length)}\n${fieldTable(topic)}\n${result.slice(to)}`
  }
  return result
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

if (import.meta.main) {
  for (const { path, wanted } of protocolDocuments()) writeFileSync(path, wanted)
}
