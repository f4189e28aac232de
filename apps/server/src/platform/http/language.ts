import { type Language, languageCookie } from '@voltkeep/contract/languages'
import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import { tokenOf } from './turns/index.ts'

const known = new WeakMap<FastifyRequest, Language>()

/**
 * The language of a request: that of the page, by its cookie. What a browser would like by itself (Accept-Language) is
 * not asked: whoever has chosen nothing reads Chinese. An API key is used by no browser, and says so itself.
 */
export function languageOf(request: FastifyRequest): Language {
  const before = known.get(request)
  if (before) return before
  const { cookie = '', 'accept-language': accepted = '' } = request.headers
  const isEnglish =
    parseCookie(cookie)[languageCookie] === 'en' ||
    (/^en\b/i.test(accepted) && tokenOf(request)?.startsWith('vk_') === true)
  const language = isEnglish ? 'en' : 'zh'
  known.set(request, language)
  return language
}
