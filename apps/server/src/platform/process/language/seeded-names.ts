// Names of rows with which an installation starts, in the language of the reader, until somebody gives them another one.
import { seedsInEnglish } from '@voltkeep/contract/english/seeds'
import { languageNow } from './speech.ts'

const names = new Map(Object.entries(seedsInEnglish))

export const seededName = (name: string): string =>
  languageNow() === 'en' ? (names.get(name) ?? name) : name
