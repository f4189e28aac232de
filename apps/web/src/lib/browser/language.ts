import { type Language, languageCookie } from '@voltkeep/contract/languages'
import { readCookie, writeCookie } from './cookie.ts'

/** Each in itself, so that whoever looks for a language finds it in the other. */
export const languageNames: Record<Language, string> = { zh: '中文', en: 'English' }

/** Of this page, which was built in it. */
export const pageLanguage: Language = document.documentElement.lang === 'en' ? 'en' : 'zh'

const yearS = 365 * 24 * 60 * 60

/** The language in which the server sends the next page. */
export const nextLanguage = (): Language => (readCookie(languageCookie) === 'en' ? 'en' : 'zh')
export const keepLanguage = (language: Language): void => writeCookie(languageCookie, language, yearS)
