// Patterns of topics: `maker/{code}/data`. A part in braces is one level, and `{code}` is the device's own identity.

/** How a device may be called in a topic: its code, or what its maker calls it. */
export interface Named {
  code: string
  protocolIdentity: string | null
}

/** The part that is the device's identity. */
export const identityPart = 'code'

export interface TopicPattern {
  readonly text: string
  /** The named parts of a topic; `foreign` where it names another device; null where it is no such topic. */
  match(levels: readonly string[], device: Named): Readonly<Record<string, string>> | 'foreign' | null
  /** What a topic calls its device; null where it is no such topic, or names none. */
  nameIn(levels: readonly string[]): string | null
}

export const levelsOf = (topic: string): string[] => topic.split('/')

const nameIn = (level: string) => (level.startsWith('{') ? level.slice(1, -1) : null)

export const partNames = (pattern: string): string[] =>
  levelsOf(pattern).flatMap((level) => nameIn(level) ?? [])

export function compilePattern(text: string): TopicPattern {
  const levels = levelsOf(text)
  const names = levels.map(nameIn)
  return {
    text,
    match(given, device) {
      if (given.length !== levels.length) return null
      let isForeign = false
      const parts: Record<string, string> = {}
      for (let at = 0; at < levels.length; at += 1) {
        const level = given[at] as string
        const name = names[at]
        if (name === null || name === undefined) {
          if (level !== levels[at]) return null
          continue
        }
        if (level === '') return null
        if (name === identityPart && !isCalled(device, level)) isForeign = true
        parts[name] = level
      }
      return isForeign ? 'foreign' : parts
    },
    nameIn(given) {
      if (given.length !== levels.length) return null
      const isOne = given.every((level, at) => (names[at] === null ? level === levels[at] : level !== ''))
      return (isOne && given[names.indexOf(identityPart)]) || null
    },
  }
}

/** A topic can be of both patterns, which read two devices out of it: it does not say whose it is. */
export function isUnclear(one: string, other: string): boolean {
  const [levels, others] = [levelsOf(one), levelsOf(other)]
  const place = levels.indexOf(`{${identityPart}}`)
  const otherPlace = others.indexOf(`{${identityPart}}`)
  if (levels.length !== others.length || place < 0 || otherPlace < 0 || place === otherPlace) return false
  return levels.every((level, at) => {
    const another = others[at] as string
    if (nameIn(level) === null && nameIn(another) === null) return level === another
    // A part is never empty.
    return level !== '' && another !== ''
  })
}

export const isCalled = ({ code, protocolIdentity }: Named, name: string): boolean =>
  name === code || name === protocolIdentity

/** As a subscription to the topics of every device. */
export const filterOf = (pattern: string): string =>
  levelsOf(pattern)
    .map((level) => (nameIn(level) === null ? level : '+'))
    .join('/')

/** The topic of a device by a pattern whose only named part is its identity. */
export const topicFor = (pattern: string, { code, protocolIdentity }: Named): string =>
  pattern.replace(`{${identityPart}}`, () => protocolIdentity ?? code)
