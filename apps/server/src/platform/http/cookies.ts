import { type Language, languageCookie } from '@voltkeep/contract/languages'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The cookies of a call. The session's token is not among them: the web's script sets that one, and sends it itself. */
export interface Cookies {
  read(name: string): string | undefined
  /** Sets it for calls below `path`: no script reads it, no other site's page sends it. */
  keep(name: string, value: string, options: { path: string; maxAgeSeconds: number }): void
  /** Keeps the language of the next page, which the page may read and change. */
  keepLanguage(language: Language): void
}

const yearSeconds = 365 * 24 * 60 * 60

export function cookiesOf(request: FastifyRequest, reply: FastifyReply): Cookies {
  const secure = request.protocol === 'https'
  return {
    read: (name) => parseCookie(request.headers.cookie ?? '')[name],
    keep(name, value, { path, maxAgeSeconds: maxAge }) {
      const options = { path, maxAge, httpOnly: true, sameSite: 'strict', secure } as const
      reply.header('set-cookie', stringifySetCookie({ name, value, ...options }))
    },
    keepLanguage(language) {
      const options = { path: '/', maxAge: yearSeconds, sameSite: 'strict', secure } as const
      reply.header('set-cookie', stringifySetCookie({ name: languageCookie, value: language, ...options }))
    },
  }
}
