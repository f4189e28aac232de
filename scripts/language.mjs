/**
 * The language of what is printed for the person at the terminal, by the machine's locale: Chinese, also where the
 * locale names no language, and English for every other one (decision 38).
 */
export function languageOf({ LC_ALL, LC_MESSAGES, LANG }) {
  const [name = ''] = (LC_ALL || LC_MESSAGES || LANG || '').split(/[._@]/)
  return /^($|C$|POSIX$|zh)/i.test(name) ? 'zh' : 'en'
}

export const language = languageOf(process.env)
