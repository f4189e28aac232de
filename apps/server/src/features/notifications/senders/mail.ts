// Mail by a server that the user names. The connection goes to the very address that was looked at, and a password over
// TLS alone, but within networks that the installation names.

import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { createTransport } from 'nodemailer'
import { AddressNotAllowed, guardedLookup, type IsAllowed } from '../../../platform/http/outgoing/index.ts'
import { bodyOf, type NoticeMessage, plainText, titleOf } from './message.ts'
import { failureOf, type Send, type SendResult, unanswered } from './sender.ts'

/** A mail server, as a channel's settings have it. */
export interface MailServer {
  host: string
  port: number
  /** TLS from the first byte (port 465); else STARTTLS where the server offers it. */
  isTls: boolean
  user: string | null
  from: string
}

const bodyLimitBytes = 100_000
const connectMs = 15_000
/** Until the mail is handed over: a server that answers a byte at a time gets no further. */
const handOverMs = 30_000
/** With a file of some megabytes. */
const handOverFileMs = 120_000
/** Then a server may check what it has got. RFC 5321 gives it ten minutes; so long no channel is kept for one message. */
export const mailLimitMs = 300_000

const mailWords: Record<string, string> = {
  EAUTH: '登录名或密码不正确',
  EENVELOPE: '邮件服务器不接受收件人或发件人',
  ESOCKET: '连接失败',
  ECONNECTION: '连接失败',
  EDNS: '域名无法解析',
  ETLS: '加密连接失败',
}

/** `target.address` is the receivers, comma-joined; the secret is the password. */
export const mailSender =
  (server: MailServer, { isAllowed, isInside }: { isAllowed: IsAllowed; isInside: IsAllowed }): Send =>
  async ({ address, secret }, message, signal) => {
    const handing = new AbortController()
    const timer = setTimeout(() => handing.abort(), message.letter?.file ? handOverFileMs : handOverMs)
    let isHandedOver = false
    try {
      const { host, servername } = await resolved(server.host, isAllowed)
      const transport = createTransport({
        host,
        port: server.port,
        secure: server.isTls,
        ...(server.user !== null && { auth: { user: server.user, pass: secret ?? '' } }),
        requireTLS: !server.isTls && server.user !== null && !isInside(host),
        tls: { servername },
        connectionTimeout: connectMs,
        greetingTimeout: connectMs,
        socketTimeout: mailLimitMs,
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      transport.use('stream', (mail, done) => {
        mail.message?.processFunc((content) =>
          content.once('end', () => {
            isHandedOver = true
            clearTimeout(timer)
          }),
        )
        done()
      })
      try {
        await transport.sendMail({
          from: server.from,
          to: message.people ? [...message.people] : address.split(','),
          subject: titleOf(message),
          text:
            message.letter?.text ??
            bodyOf(message, plainText, { limitBytes: bodyLimitBytes, separator: '\n' }),
          attachments: attachmentsOf(message),
          // The same in every attempt: a mail system may know a repetition by it.
          messageId: `<${message.id}@voltkeep>`,
          signal: AbortSignal.any([signal, handing.signal]),
        })
        return { kind: 'delivered', code: '250', message: '邮件服务器已接收' }
      } finally {
        transport.close()
      }
    } catch (error) {
      const result = resultOf(error)
      return isHandedOver && result.code === 'TIMEOUT' ? unanswered : result
    } finally {
      clearTimeout(timer)
    }
  }

const attachmentsOf = ({ letter }: NoticeMessage) =>
  letter?.file ? [{ filename: letter.file.name, content: letter.file.content }] : []

async function resolved(host: string, isAllowed: IsAllowed): Promise<{ host: string; servername?: string }> {
  if (isIP(host)) {
    if (!isAllowed(host)) throw new AddressNotAllowed()
    return { host }
  }
  const lookup = promisify(guardedLookup(isAllowed)) as (
    host: string,
    options: { family: 0 },
  ) => Promise<string>
  return { host: await lookup(host, { family: 0 }), servername: host }
}

/** Asked for TLS, the server offers none, or somebody on the way has taken the offer out. */
const unencrypted = {
  code: 'STARTTLS',
  message: '邮件服务器不提供加密（STARTTLS），没有向其发送登录名和密码',
}

/** 4yz of SMTP is for now, 5yz for good. */
function resultOf(error: unknown): SendResult {
  const { responseCode, code, command } = error as {
    responseCode?: unknown
    code?: unknown
    command?: unknown
  }
  if (typeof responseCode !== 'number') {
    const known = typeof code === 'string' ? mailWords[code] : undefined
    return known === undefined ? failureOf(error) : { kind: 'again', code: String(code), message: known }
  }
  if (command === 'STARTTLS') return { kind: responseCode >= 500 ? 'refused' : 'again', ...unencrypted }
  const message = mailWords[String(code)] ?? `邮件服务器返回 ${responseCode}`
  return { kind: responseCode >= 500 ? 'refused' : 'again', code: String(responseCode), message }
}
