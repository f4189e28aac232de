import type { FastifyRequest } from 'fastify'

/** `Bearer <token>` or the bare token. */
export function tokenOf(request: FastifyRequest): string | null {
  const header = request.headers.authorization?.trim()
  if (!header) return null
  return header.replace(/^bearer(?:\s+|$)/i, '') || null
}
