/**
 * Whether a topic filter with the wildcards `+` and `#` covers a topic (MQTT 3.1.1, section 4.7). The broker has
 * refused filters with a wildcard in the midst of a level. Walked without splitting: each command asks for each
 * kind of command whether its device has subscribed to it.
 */
export function covers(filter: string, topic: string): boolean {
  let at = 0
  for (let position = 0; position < filter.length; position += 1) {
    const sign = filter[position]
    if (sign === '#') return true
    if (sign === '+') {
      const end = topic.indexOf('/', at)
      at = end < 0 ? topic.length : end
      continue
    }
    // `a/#` covers `a` as well.
    if (at >= topic.length) return sign === '/' && filter[position + 1] === '#'
    if (sign !== topic[at]) return false
    at += 1
  }
  return at === topic.length
}

const mostLevels = 8

/** Whether a topic filter is one that MQTT allows, with no more levels than a topic of a device has. */
export function isFilter(text: string): boolean {
  const levels = text.split('/')
  return (
    text.length > 0 &&
    levels.length <= mostLevels &&
    levels.every((level, at) => {
      if (level === '#') return at === levels.length - 1
      return level === '+' || !/[#+]/.test(level)
    })
  )
}
