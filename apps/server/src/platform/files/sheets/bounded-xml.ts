// Reads XML element by element within limits of depth, length and number.
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import sax from 'sax'
import { brokenFile, oddStructure, tooMuchContent } from './unreadable-sheet.ts'

export interface Handlers {
  opened(name: string, attributes: Readonly<Record<string, string>>): void
  text?(piece: string): void
  closed?(name: string): void
}

/** What Excel, WPS and LibreOffice write stays below a tenth of each. */
const depthLimit = 32
const attributeCountLimit = 100
/** Of names and values of one tag's attributes together, in characters. */
const attributesLimit = 64 * 1024
const nameLimit = 1_024
/** Of what the parser gathers before it tells of it: a name, a value, a comment, an instruction. */
const tokenLimit = 64 * 1024

/** Where sax gathers what it has not reported yet. Text is not among them: it is reported in pieces. */
const gathered = [
  'comment',
  'sgmlDecl',
  'procInstName',
  'procInstBody',
  'entity',
  'attribName',
  'attribValue',
] as const
type Gathering = Record<(typeof gathered)[number] | 'tagName' | 'doctype', string> & { flush(): void }

/**
 * Feeds the parser piece by piece, and yields after each so that what was found can be passed on. Names come without
 * their prefix. Memory does not grow with the part: sax keeps every open element and gathers a token until its end,
 * so that 64 MB of `<a>`, from a file of 63 KB, took 2 GB. Throws UnreadableSheet for what no honest file has, and
 * what sax throws for what is no XML.
 */
export async function* elements(
  stream: Readable,
  { opened, text, closed }: Handlers,
  { elementLimit }: { elementLimit: number },
): AsyncGenerator<void> {
  const parser = sax.parser(true, { position: false })
  const gathering = parser as unknown as Gathering
  const plain = (name: string) => name.slice(name.indexOf(':') + 1)
  let depth = 0
  let elementCount = 0
  let attributeCount = 0
  let attributesLength = 0
  parser.onerror = (error) => {
    throw error
  }
  // A DOCTYPE could declare entities: no workbook has one, and they could expand without a limit.
  parser.ondoctype = () => {
    throw brokenFile()
  }
  parser.onopentagstart = ({ name }) => {
    depth += 1
    elementCount += 1
    attributeCount = 0
    attributesLength = 0
    if (depth > depthLimit || name.length > nameLimit) throw oddStructure()
    if (elementCount > elementLimit) throw tooMuchContent()
  }
  parser.onattribute = ({ name, value }) => {
    attributeCount += 1
    attributesLength += name.length + value.length
    if (attributeCount > attributeCountLimit || attributesLength > attributesLimit || name.length > nameLimit)
      throw oddStructure()
  }
  parser.onopentag = ({ name, attributes }) => opened(plain(name), attributes as Record<string, string>)
  if (text) {
    parser.ontext = text
    parser.oncdata = text
  }
  parser.onclosetag = (name) => {
    depth -= 1
    closed?.(plain(name))
  }
  const feed = (piece: string) => {
    parser.write(piece)
    if (gathering.doctype) throw brokenFile()
    if (gathering.tagName.length > nameLimit) throw oddStructure()
    for (const name of gathered) if (gathering[name].length > tokenLimit) throw oddStructure()
    // Otherwise a text of 60 MB would be gathered until its end.
    gathering.flush()
  }
  const decoder = new StringDecoder('utf8')
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      feed(decoder.write(chunk))
      yield
    }
    feed(decoder.end())
    parser.close()
    yield
  } finally {
    stream.destroy()
  }
}
