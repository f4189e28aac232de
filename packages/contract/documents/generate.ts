import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { downTopics, upTopics } from '../src/topics/index.ts'
import { asyncApiDocument } from './asyncapi.ts'
import { fieldTable } from './field-table.ts'
import { parameterTable } from './parameter-table.ts'

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
  let result = placed(text, 'parameters', parameterTable())
  for (const topic of [...Object.values(upTopics), ...Object.values(downTopics)]) {
    const name = `${topic.direction}/${topic.name}`
    result = placed(result, `fields of ${name}`, fieldTable(topic), `end of ${name}`)
  }
  return result
}

function placed(text: string, name: string, table: string, endName = `end of ${name}`): string {
  const begin = `<!-- ${name}: npm run docs:protocol -->`
  const from = text.indexOf(begin)
  const to = text.indexOf(`<!-- ${endName} -->`)
  if (from === -1 || to < from) throw new Error(`docs/device-protocol.md has no place for ${name}`)
  return `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`
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
