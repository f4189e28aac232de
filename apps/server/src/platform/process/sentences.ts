import { language } from '../../../../../scripts/language.mjs'

/** In both languages of the terminal (decision 38). */
export interface Sentence {
  readonly zh: string
  readonly en: string
}

/** For the terminal and the log, in the language of the machine. The console's pages show `zh`. */
export const spoken = (sentence: Sentence): string => sentence[language]
