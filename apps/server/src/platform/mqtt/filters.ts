/** Whether a topic filter with the wildcards `+` and `#` covers a topic (MQTT 3.1.1, section 4.7). */
export function covers(filter: string, topic: string): boolean {
  const levels = topic.split('/')
  const wanted = filter.split('/')
  for (const [index, level] of wanted.entries()) {
    if (level === '#') return true
    if (index >= levels.length || (level !== '+' && level !== levels[index])) return false
  }
  return wanted.length === levels.length
}
