// Names of rows with which an installation starts, in the language of the reader, until somebody gives them another one.
import { seedsInEnglish } from '@voltkeep/contract/english/seeds'
import { languageNow } from './speech.ts'
import { inEnglish } from './translation.ts'

const names = new Map(Object.entries(seedsInEnglish))
const levels = ' / '

/** Of a place with those above it, `中国 / 广东省 / 深圳市`, each by itself. */
export function seededName(name: string): string {
  if (languageNow() !== 'en') return name
  const found = names.get(name)
  if (found !== undefined || !name.includes(levels)) return found ?? name
  return name
    .split(levels)
    .map((level) => names.get(level) ?? level)
    .join(levels)
}

const eventUnits: Readonly<Record<string, (value: string) => string>> = {
  号门: (value) => `Door ${value}`,
  个: (value) => value,
  分钟: (value) => `${value} min`,
}

/** What a value means, `2号仓、4号仓`, of an event with its unit: each meaning of those that an installation starts with. */
export function seededMeaning(meaning: string): string {
  if (languageNow() !== 'en') return meaning
  const [, value = '', unit = ''] = /^(\d+) ?(\D+)$/.exec(meaning) ?? []
  const ofEvent = eventUnits[unit]
  if (ofEvent) return ofEvent(value)
  return meaning.split('、').map(inEnglish).join(', ')
}
