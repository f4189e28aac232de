// What of an installation may be given away: a setting as it may be shown, and a text without secrets.
import { settings } from '../../../platform/process/config.ts'
import { isDatabaseAddress, placeOfDatabase } from '../../../platform/process/database-address.ts'

const masked = '***'
/** What is shorter is found in any text. */
const leastSecretLength = 4

const isSecret = (name: string) => /PASSWORD|SECRET|TOKEN|SEAL_KEY|ACCESS_KEY_ID|AUTHORIZATION/.test(name)
const isAddress = (name: string) => name.endsWith('_URL')

/** Where an address leads, without user, password and query; masked where that cannot be told apart for sure. */
function placeOf(text: string): string {
  if (/^postgres(ql)?:/.test(text) && isDatabaseAddress(text)) return `postgresql://${placeOfDatabase(text)}`
  if (!URL.canParse(text)) return masked
  const { protocol, username, host, pathname } = new URL(text)
  // An @ that is not the end of a user is part of a password.
  return text.includes('@') && username === '' ? masked : `${protocol}//${host}${pathname}`
}

/** The settings that were given, each as it may be shown. */
export function shownSettings(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const { name } of Object.values(settings)) {
    const text = env[name]?.trim()
    if (text) shown[name] = isSecret(name) ? masked : isAddress(name) ? placeOf(text) : text
  }
  return shown
}

/** Every secret that the settings name, as it is and as an address writes it. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  const secrets = Object.values(settings).flatMap(({ name }) => {
    const text = env[name]?.trim() ?? ''
    // What stands behind the scheme of a header is one by itself.
    if (isSecret(name)) return [text, ...text.split(/\s+/)]
    if (!isAddress(name)) return []
    const user = /^[a-z0-9+]+:\/\/(.*)@/i.exec(text)?.[1] ?? ''
    const query = /\?([\s\S]*)/.exec(text)?.[1] ?? ''
    const values = query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1))
    return [user.slice(user.indexOf(':') + 1), ...values]
  })
  const forms = secrets.flatMap((text) => {
    const plain = decoded(text)
    return [text, plain, encodeURIComponent(plain), JSON.stringify(plain).slice(1, -1)]
  })
  return [...new Set(forms)]
    .filter((text) => text.length >= leastSecretLength)
    .toSorted((one, other) => other.length - one.length)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What looks like a secret, wherever it stands: a line of PostgreSQL's log, an error that a provider answered. */
const looksSecret: readonly (readonly [RegExp, string])[] = [
  [/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@"']*@/gi, `$1${masked}@`],
  [/\bvk_[A-Za-z0-9_-]{8,}/g, masked],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${masked}`],
  [
    // Of a number nothing is hidden: counts have such names.
    /((?<![a-z])(?:[a-z]+_)?(?:(?:access|secret|api|private)[_-]?key|password|passwd|secret|token|key|authorization|signature|sign)\\?["']?\s*[:=]\s*\\?["']?)(?!\*\*\*|\d+[,}\s])[^\s"'&,;\\}{[\])]+/gi,
    `$1${masked}`,
  ],
  [/\b(SCRAM-SHA-256\$|md5)[0-9A-Za-z+/=:$]{20,}/g, masked],
  // Also one whose end is missing.
  [
    /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[A-Za-z0-9+/=\s\\:,]|-(?!-))*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g,
    masked,
  ],
]

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let cleaned = text
  for (const secret of secrets) cleaned = cleaned.replaceAll(secret, masked)
  for (const [pattern, by] of looksSecret) cleaned = cleaned.replace(pattern, by)
  return cleaned
}
