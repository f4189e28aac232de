/**
 * Imitations of the robots of WeCom, DingTalk and Feishu, with their limits of size and rate, their signatures and their
 * codes; and a receiver that answers what a test wants.
 */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  path: string
  headers: IncomingMessage['headers']
  /** As it came. */
  text: string
  atMs: number
}

export interface Imitation {
  url: string
  /** What was taken, as the people in the chat see it. */
  shown: string[]
  /** Every request. */
  received: Received[]
  /** The answers that refused one, as they were given. */
  refused: string[]
  close(): Promise<void>
}

type Answer = { status?: number; headers?: Record<string, string>; body: string }

export async function imitate(
  path: string,
  answer: (received: Received, shown: string[]) => Answer,
): Promise<Imitation> {
  const received: Received[] = []
  const shown: string[] = []
  const refused: string[] = []
  const server = createServer(async (request, reply) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const one = {
      path: request.url ?? '',
      headers: request.headers,
      text: Buffer.concat(parts).toString('utf8'),
      atMs: Date.now(),
    }
    received.push(one)
    const count = shown.length
    const { status = 200, headers = {}, body } = answer(one, shown)
    if (shown.length === count) refused.push(body)
    reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${path}`,
    shown,
    received,
    refused,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Whether one more comes within the robot's rate: `limit` in any minute, or another span. */
function counting(limit: number, spanMs = 60_000) {
  const atMs: number[] = []
  return (nowMs: number) => {
    while (atMs[0] !== undefined && nowMs - atMs[0] >= spanMs) atMs.shift()
    if (atMs.length >= limit) return false
    atMs.push(nowMs)
    return true
  }
}

const json = (body: object): Answer => ({ body: JSON.stringify(body) })

interface MarkdownBody {
  msgtype?: string
  text?: { content?: string; mentioned_mobile_list?: string[] }
  markdown?: { title?: string; content?: string; text?: string }
}

export function imitateWecom(perMinute = 20): Promise<Imitation> {
  const isWithin = counting(perMinute)
  return imitate('/cgi-bin/webhook/send?key=693a91f6-7xxx', ({ path, text, atMs }, shown) => {
    if (!path.includes('key=693a91f6-7xxx')) return json({ errcode: 93000, errmsg: 'invalid webhook url' })
    const { msgtype, markdown, text: plain } = JSON.parse(text) as MarkdownBody
    if (msgtype === 'text' && plain?.content) {
      if (Buffer.byteLength(plain.content) > 2_048)
        return json({ errcode: 40058, errmsg: 'text.content exceed max length 2048' })
      if (!isWithin(atMs)) return json({ errcode: 45009, errmsg: 'api freq out of limit' })
      shown.push(plain.content)
      return json({ errcode: 0, errmsg: 'ok' })
    }
    if (msgtype !== 'markdown' || !markdown?.content)
      return json({ errcode: 40008, errmsg: 'invalid message type' })
    if (Buffer.byteLength(markdown.content) > 4_096)
      return json({ errcode: 40058, errmsg: 'markdown.content exceed max length 4096' })
    if (!isWithin(atMs)) return json({ errcode: 45009, errmsg: 'api freq out of limit' })
    shown.push(markdown.content)
    return json({ errcode: 0, errmsg: 'ok' })
  })
}

export const dingtalkSecret = 'SECb64f2a1'

/** Whoever sends more than it takes is blocked for ten minutes. */
export function imitateDingtalk(perMinute = 20): Promise<Imitation> {
  const isWithin = counting(perMinute)
  let blockedUntilMs = 0
  return imitate('/robot/send?access_token=566cc69da782ec', ({ path, text, atMs }, shown) => {
    const query = new URL(path, 'http://x').searchParams
    const timestamp = query.get('timestamp') ?? ''
    const sign = createHmac('sha256', dingtalkSecret)
      .update(`${timestamp}\n${dingtalkSecret}`)
      .digest('base64')
    if (sign !== query.get('sign') || Math.abs(Number(timestamp) - atMs) > 3_600_000)
      return json({ errcode: 310000, errmsg: 'sign not match' })
    if (Buffer.byteLength(text) > 20_000) return json({ errcode: 460101, errmsg: 'message too long' })
    if (atMs < blockedUntilMs || !isWithin(atMs)) {
      blockedUntilMs = Math.max(blockedUntilMs, atMs + 600_000)
      return json({ errcode: 130101, errmsg: 'send too fast, exceed 20 times per minute' })
    }
    const { msgtype, markdown } = JSON.parse(text) as MarkdownBody
    if (msgtype !== 'markdown' || !markdown?.title || !markdown.text)
      return json({ errcode: 400105, errmsg: 'invalid message type' })
    shown.push(markdown.text)
    return json({ errcode: 0, errmsg: 'ok' })
  })
}

export const feishuSecret = 'feishu-secret-1'

export function imitateFeishu(perMinute = 100): Promise<Imitation> {
  const isWithin = counting(perMinute)
  const isWithinSecond = counting(5, 1_000)
  return imitate('/open-apis/bot/v2/hook/4a5b-cdef', ({ text, atMs }, shown) => {
    const body = JSON.parse(text) as {
      timestamp?: string
      sign?: string
      msg_type?: string
      card?: { header: { title: { content: string } }; elements: { text: { content: string } }[] }
    }
    const sign = createHmac('sha256', `${body.timestamp}\n${feishuSecret}`).update('').digest('base64')
    if (sign !== body.sign || Math.abs(Number(body.timestamp) * 1_000 - atMs) > 3_600_000)
      return json({
        code: 19021,
        msg: 'sign match fail or timestamp is not within one hour from current time',
      })
    if (Buffer.byteLength(text) > 20_000) return json({ code: 19036, msg: 'request body too large' })
    if (!isWithinSecond(atMs) || !isWithin(atMs)) return json({ code: 11232, msg: 'frequency limited' })
    if (body.msg_type !== 'interactive' || !body.card) return json({ code: 9499, msg: 'Bad Request' })
    shown.push(
      `${body.card.header.title.content}\n${body.card.elements.map((one) => one.text.content).join('\n')}`,
    )
    return json({ code: 0, msg: 'success', data: {} })
  })
}
