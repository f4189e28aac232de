export type Language = 'zh' | 'en'
export function languageOf(environment: {
  LC_ALL?: string | undefined
  LC_MESSAGES?: string | undefined
  LANG?: string | undefined
}): Language
export const language: Language
