// The languages of the console, and which of them a user has chosen.
import * as z from 'zod/mini'
import { endpoint, nothing } from './endpoint.ts'

export const languages = ['zh', 'en'] as const
export type Language = (typeof languages)[number]

/** By which the server knows the language of a page and of its calls; without it, Chinese. */
export const languageCookie = 'voltkeep_language'

/** Notices come in it, and a browser in which the user signs in shows the console in it. */
export const saveLanguage = endpoint({
  method: 'POST',
  path: '/user/language',
  access: 'signedIn',
  summary: '设置语言',
  input: z.object({ language: z.enum(languages, { error: '语言只能是 zh、en' }) }),
  reply: nothing(),
})
