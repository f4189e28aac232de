import { codeSeparator } from '@voltkeep/contract/codes'

const separators = new RegExp(`${codeSeparator}+`)
/** Letters and a digit: a word of Western letters alone, such as a brand, is no code. */
const codeLike = /^(?=.*\d)[A-Za-z0-9]{4,32}$/

/** What a device list is asked for: the codes of devices, or a part of code, name or address. */
export interface DeviceWords {
  code: string[] | undefined
  keyword: string | undefined
}

/** Several codes, as copied from a sheet, are looked up; anything else is searched for. */
export function deviceWordsOf(text: string): DeviceWords {
  const words = [...new Set(text.split(separators).filter(Boolean))]
  if (words.length > 1 && words.every((word) => codeLike.test(word)))
    return { code: words, keyword: undefined }
  return { code: undefined, keyword: text.trim() || undefined }
}

/** The text of a field with these values. */
export const textOfWords = ({ code, keyword }: DeviceWords): string =>
  [...(code ?? []), ...(keyword === undefined ? [] : [keyword])].join(' ')
