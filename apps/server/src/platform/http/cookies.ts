import type { FastifyReply, FastifyRequest } from 'fastify'

/** The cookies of a call. The session's token is not among them: the web's script sets that one, and sends it itself. */
export interface Cookies {
  read(name: string): string | undefined
  /** Sets it for calls below `path`: no script reads it, no other site's page sends it. The value needs no quoting. */
  keep(name: string, value: string, options: { path: string; maxAgeSeconds: number }): void
}

export function cookiesOf(request: FastifyRequest, reply: FastifyReply): Cookies {
  return {
    read(name) {
      for (const pair of request.headers.cookie?.split(';') ?? []) {
        const at = pair.indexOf('=')
        if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
      }
      return undefined
    },
    keep(name, value, { path, maxAgeSeconds }) {
      const secure = request.protocol === 'https' ? '; Secure' : ''
      reply.header(
        'set-cookie',
        `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`,
      )
    },
  }
}
