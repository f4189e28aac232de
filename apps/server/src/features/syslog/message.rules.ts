// An entry of the operation log as a message of RFC 5424, counted in octets as RFC 5425 sends it.
import { finishSignIn, login, logout } from '@voltkeep/contract'

/** What a message is made of. */
export interface Entry {
  id: string
  at: Date
  userId: number | null
  loginName: string | null
  organizationId: number | null
  address: string
  requestId: string
  call: string
  summary: string
  target: string | null
  code: number
  message: string | null
  changes: unknown
}

export interface Origin {
  host: string
  version: string
  /** Of the structured data: IANA's number of who names its fields. */
  enterpriseNumber: number
}

/** Sign-ins go to "security/authorization", all else to "log audit". */
const facilities = { signIn: 10, operation: 13 } as const
const severities = { warning: 4, notice: 5, informational: 6 } as const
const signIns: ReadonlySet<string> = new Set([login.path, logout.path, finishSignIn.path])

/** What every receiver should take (RFC 5425, 4.3.1). */
const octetsAtMost = 8_192
/** Of one value but the changes, in characters. */
const valueAtMost = 400
const byteOrderMark = '\uFEFF'

/** A line break would be a second line in the receiver's file, which anybody could write who may try a login name. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
const cut = (text: string, most: number) => {
  const characters = [...text]
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text
}
const printable = (text: string, most: number) => text.replaceAll(/[^\x21-\x7e]+/g, '-').slice(0, most) || '-'

/** `"`, `\` and `]` end a value, or its element. */
const parameter = (name: string, value: string) => ` ${name}="${value.replaceAll(/["\\\]]/g, '\\$&')}"`

const octets = (text: string) => Buffer.byteLength(text)

/** With its octet count before it. */
export function frameOf(entry: Entry, origin: Origin): Buffer {
  const text = messageOf(entry, origin)
  return Buffer.from(`${octets(text)} ${text}`)
}

export function messageOf(entry: Entry, { host, version, enterpriseNumber }: Origin): string {
  const isSignIn = signIns.has(entry.call)
  const isDone = entry.code === 200
  const severity = isDone ? (isSignIn ? severities.informational : severities.notice) : severities.warning
  const priority = (isSignIn ? facilities.signIn : facilities.operation) * 8 + severity
  const value = (text: string) => cut(oneLine(text), valueAtMost)
  const fields: [name: string, value: string | null][] = [
    ['id', entry.id],
    ['user', entry.loginName],
    ['userId', entry.userId === null ? null : String(entry.userId)],
    ['organizationId', entry.organizationId === null ? null : String(entry.organizationId)],
    ['address', entry.address],
    ['call', entry.call],
    ['summary', entry.summary],
    ['target', entry.target],
    ['code', String(entry.code)],
    ['message', entry.message],
    ['requestId', entry.requestId],
  ]
  const head = [
    `<${priority}>1`,
    entry.at.toISOString(),
    printable(host, 255),
    'voltkeep',
    '-',
    isSignIn ? 'SIGNIN' : 'OPERATION',
    `[origin software="voltkeep"${parameter('swVersion', value(version).slice(0, 32))}][meta language="zh"]`,
  ].join(' ')
  const own = fields.flatMap(([name, text]) => (text === null ? [] : [parameter(name, value(text))])).join('')
  const result = isDone ? '成功' : `拒绝（${entry.code} ${entry.message ?? ''}）`
  const words = [entry.loginName ?? '（未知用户）', entry.summary, entry.target ?? '', result]
  const said = value(words.filter((word) => word !== '').join(' '))
  const end = `] ${byteOrderMark}${said}`
  const begin = `${head}[voltkeep@${enterpriseNumber}${own}`
  return begin + changesWithin(entry.changes, octetsAtMost - octets(begin) - octets(end)) + end
}

/** As JSON; where that is longer than there is room, its beginning, and a parameter that says so. */
function changesWithin(changes: unknown, room: number): string {
  if (changes === null || changes === undefined) return ''
  const whole = oneLine(JSON.stringify(changes))
  const all = parameter('changes', whole)
  if (octets(all) <= room) return all
  const isCut = parameter('changesCut', 'true')
  const characters = [...whole]
  // Each escape and each character may take several octets: the greatest beginning that fits, by halves.
  let [fits, fails] = [0, characters.length]
  while (fails - fits > 1) {
    const half = (fits + fails) >> 1
    if (octets(parameter('changes', characters.slice(0, half).join(''))) + octets(isCut) <= room) fits = half
    else fails = half
  }
  return parameter('changes', characters.slice(0, fits).join('')) + isCut
}
