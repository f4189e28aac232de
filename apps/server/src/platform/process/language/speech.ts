// In which language the server speaks: Chinese, which all that it says is written and kept in, and English, into which
// it is put where it is said. Everybody is spoken to in their own: a call in that of its page, a notice in that of who
// gets it.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Language } from '@voltkeep/contract/languages'
import { inEnglish } from './translation.ts'

const language = new AsyncLocalStorage<Language>()

export const languageNow = (): Language => language.getStore() ?? 'zh'

/** Runs the work with what it says in that language. */
export const speaking = <Result>(spoken: Language, work: () => Result): Result => language.run(spoken, work)

/** What the server says, in the language of who is spoken to. Not for what people have written: it stays as it is. */
export const said = <Text extends string | null | undefined>(text: Text): Text =>
  typeof text === 'string' && languageNow() === 'en' ? (inEnglish(text) as Text) : text
