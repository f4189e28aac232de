import { apiKeyPrefix } from '@voltkeep/contract/apiKeys'
import { type Language, languageCookie } from '@voltkeep/contract/languages'
import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'

const isKey = new RegExp(`^(?:bearer\\s+)?${apiKeyPrefix}`, 'i')
const known = new WeakMap<FastifyRequest, Language>()

/**
 * The language of a request: that of the page, by its cookie. What a browser would like by itself (Accept-Language) is
 * not asked: whoever has chosen nothing reads Chinese. An API key is used by no browser, and says so itself.
 */
export function languageOf(request: FastifyRequest): Language {
  const before = known.get(request)
  if (before) return before
  const { cookie = '', 'accept-language': accepted = '', authorization = '' } = request.headers
  const isEnglish =
    parseCookie(cookie)[languageCookie] === 'en' || (/^en\b/i.test(accepted) && isKey.test(authorization))
  const language = isEnglish ? 'en' : 'zh'
  known.set(request, language)
  return language
}
