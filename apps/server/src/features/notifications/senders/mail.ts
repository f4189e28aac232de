// Mail by a server that the user names. The connection goes to the very address that was looked at.

import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { createTransport } from 'nodemailer'
import { AddressNotAllowed, guardedLookup, type IsAllowed } from '../../../platform/http/outgoing/index.ts'
import { bodyOf, type NoticeMessage, plainText, titleOf } from './message.ts'
import { failureOf, type Send, type SendResult } from './sender.ts'

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
const timeoutMs = 15_000

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
  (server: MailServer, isAllowed: IsAllowed): Send =>
  async ({ address, secret }, message) => {
    try {
      const { host, servername } = await resolved(server.host, isAllowed)
      const transport = createTransport({
        host,
        port: server.port,
        secure: server.isTls,
        ...(server.user !== null && { auth: { user: server.user, pass: secret ?? '' } }),
        tls: { servername },
        connectionTimeout: timeoutMs,
        greetingTimeout: timeoutMs,
        socketTimeout: timeoutMs,
        disableFileAccess: true,
        disableUrlAccess: true,
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
        })
        return { kind: 'delivered', code: '250', message: '邮件服务器已接收' }
      } finally {
        transport.close()
      }
    } catch (error) {
      return resultOf(error)
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

/** 4yz of SMTP is for now, 5yz for good. */
function resultOf(error: unknown): SendResult {
  const { responseCode, code } = error as { responseCode?: unknown; code?: unknown }
  if (typeof responseCode !== 'number') {
    const known = typeof code === 'string' ? mailWords[code] : undefined
    return known === undefined ? failureOf(error) : { kind: 'again', code: String(code), message: known }
  }
  const message = mailWords[String(code)] ?? `邮件服务器返回 ${responseCode}`
  return { kind: responseCode >= 500 ? 'refused' : 'again', code: String(responseCode), message }
}
