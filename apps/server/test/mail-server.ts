// An imitation of a mail server, and a reader of what it got.
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface MailServer {
  port: number
  /** As they came. */
  letters: string[]
  /** When, of each. */
  takenAtMs: number[]
  close(): Promise<void>
}

/** Takes every mail, from `ops` with the password `right` alone where somebody signs in; or refuses with `code`. */
export async function startMailServer(answer: { code?: number } = {}): Promise<MailServer> {
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
      answer.code === undefined
        ? done()
        : done(Object.assign(new Error('no such user'), { responseCode: answer.code })),
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
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

export interface ReadMail {
  subject: string
  messageId: string
  text: string
  files: { name: string; content: Buffer }[]
}

/** A mail as nodemailer writes it: a text, and below it files. */
export function readMail(raw: string): ReadMail {
  const { headers, body } = partOf(raw)
  const type = headers.get('content-type') ?? ''
  const boundary = /boundary="([^"]+)"/.exec(type)?.[1]
  const parts = boundary === undefined ? [raw] : body.split(`--${boundary}`).slice(1, -1)
  const [text, ...files] = parts.map((part) => {
    const { headers: own, body: content } = partOf(part.replace(/^\r\n/, ''))
    const name = fileNameOf(own.get('content-disposition') ?? '')
    return { name, content: decoded(content, own.get('content-transfer-encoding') ?? '7bit') }
  })
  return {
    subject: decodeWords(headers.get('subject') ?? ''),
    messageId: headers.get('message-id') ?? '',
    text: text?.content.toString('utf8').replaceAll('\r\n', '\n').trimEnd() ?? '',
    files,
  }
}

function partOf(raw: string): { headers: Map<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(':')
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
  })
  return { headers: new Map(headers), body: raw.slice(end + 4) }
}

/** `filename*0*=utf-8''%E5…; filename*1*=…`, or a plain one. */
function fileNameOf(disposition: string): string {
  const parts = [...disposition.matchAll(/filename(?:\*\d*\*?)?="?([^";]+)"?/g)].map(([, part]) => part ?? '')
  return decodeURIComponent(parts.join('').replace(/^utf-8''/i, ''))
}

function decoded(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64')
  return encoding === 'quoted-printable' ? fromQuoted(body.replace(/=\r\n/g, '')) : Buffer.from(body)
}

const fromQuoted = (text: string): Buffer =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

/** `=?UTF-8?B?…?=` and `=?UTF-8?Q?…?=`, of which a long text has several. */
function decodeWords(text: string): string {
  const words = text.replace(/\?=\s+=\?/g, '?==?').matchAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi)
  const parts = [...words].map(([, kind, word = '']) =>
    kind?.toUpperCase() === 'B' ? Buffer.from(word, 'base64') : fromQuoted(word.replaceAll('_', ' ')),
  )
  return parts.length === 0 ? text : Buffer.concat(parts).toString('utf8')
}
