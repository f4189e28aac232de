/** In order of precedence: a user agent also names the browsers that its own descends from. */
const browsers: readonly [name: string, pattern: RegExp][] = [
  ['微信', /MicroMessenger\/(\d+)/],
  ['Edge', /Edg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /OPR\/(\d+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /(?:Chrome|CriOS|HeadlessChrome)\/(\d+)/],
  ['Safari', /Version\/(\d+)(?:\.[\d.]*)? (?:Mobile\/\w+ )?Safari/],
]
const systems: readonly [name: string, pattern: RegExp][] = [
  ['HarmonyOS', /HarmonyOS|OpenHarmony/],
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
]

/**
 * Browser and system, `Chrome 128 · Windows`. Where neither is known, the beginning of the user agent; undefined
 * without one.
 */
export function describeAgent(userAgent: string | null): string | undefined {
  if (!userAgent) return undefined
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(userAgent)?.[1]
    if (version === undefined) continue
    const system = systems.find(([, known]) => known.test(userAgent))?.[0]
    return [`${name} ${version}`, system].filter(Boolean).join(' · ')
  }
  return userAgent.split(' ')[0]
}
