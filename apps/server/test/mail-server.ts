// A mail server that takes letters: for whom and of whom does not matter, unless a test wants a refusal.
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface MailServer {
  port: number
  /** As they came, headers included. */
  letters: string[]
  /** When, of each. */
  takenAtMs: number[]
  close(): Promise<void>
}

/** Signs in `ops` with the password `right`. `code`: what it answers to every receiver. */
export async function startMailServer({ code }: { code?: number } = {}): Promise<MailServer> {
  const letters: string[] = []
  const takenAtMs: number[] = []
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    hideSTARTTLS: true,
    onAuth: ({ username, password }, _, done) =>
      username === 'ops' && password === 'right'
        ? done(null, { user: username })
        : done(new Error('wrong password')),
    onRcptTo: (_, __, done) =>
      code === undefined ? done() : done(Object.assign(new Error('no such user'), { responseCode: code })),
    onData: (stream, _, done) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        letters.push(Buffer.concat(parts).toString('utf8'))
        takenAtMs.push(Date.now())
        done()
      })
    },
  })
  // A sender that is killed leaves its connection.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.server.unref()
  return {
    letters,
    takenAtMs,
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

/** The text of a letter. */
export function bodyOf(letter: string): string {
  const [head = '', ...rest] = letter.split('\r\n\r\n')
  const [, form = ''] = /^content-transfer-encoding: (\S+)/im.exec(head) ?? []
  const body = rest.join('\r\n\r\n')
  if (form.toLowerCase() === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  return form.toLowerCase() === 'quoted-printable'
    ? decoded('Q', body.replace(/=\r\n/g, '')).toString('utf8')
    : body
}

const word = /=\?UTF-8\?([BQ])\?([^?]*)\?=/gi
const wordsInARow = /=\?UTF-8\?[BQ]\?[^?]*\?=(?:\s+=\?UTF-8\?[BQ]\?[^?]*\?=)*/gi

/** The subject of a letter, which mail encodes and folds. */
export function subjectOf(letter: string): string {
  const [, folded = ''] = /^subject: (.*(?:\r\n[ \t].*)*)/im.exec(letter) ?? []
  const line = folded.replace(/\r\n[ \t]/g, ' ')
  return line.replace(wordsInARow, (row) =>
    Buffer.concat([...row.matchAll(word)].map(([, form = '', text = '']) => decoded(form, text))).toString(
      'utf8',
    ),
  )
}

function decoded(form: string, text: string): Buffer {
  if (form.toUpperCase() === 'B') return Buffer.from(text, 'base64')
  const bytes = text
    .replaceAll('_', ' ')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1')
}
