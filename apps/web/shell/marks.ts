const separators: Readonly<Record<string, string>> = { '、': ', ', '；': '; ', '，': ', ', '：': ': ' }

/**
 * The marks with which a source of the console puts texts together, in English: `names.join('、')`, `${name}（${code}）`,
 * `{words.failed}：{message}`. Sentences have theirs in the tables of texts and in the catalogues.
 */
export const marksInEnglish = (code: string): string =>
  code
    .replace(/\.join\('([、；，])'\)/g, (_, mark: string) => `.join('${separators[mark]}')`)
    .replace(/(?<=&& )'、'/g, "', '")
    .replace(/（(?=\$?\{)/g, ' (')
    .replace(/\}）/g, '})')
    .replace(/\}([、；，：])/g, (_, mark: string) => `}${separators[mark]}`)
