/** A host of an address, as it stands there: name or IP address, and port. */
export interface DatabaseHost {
  host: string
  port: number
}

const form = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)/i
const usualPort = 5432

/**
 * The address of a database in libpq's form, which may name several hosts: `postgresql://u:p@a:5432,b:5432/name`.
 * `withHost` is the address with one of them in their place.
 */
export function parseDatabaseAddress(address: string): {
  hosts: DatabaseHost[]
  withHost(host: DatabaseHost): string
} {
  const [both = '', start = '', named = ''] = form.exec(address) ?? []
  const end = address.slice(both.length)
  const hosts = named.split(',').map((text) => {
    const [, host = text, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text.trim()) ?? []
    return { host, port: port === undefined ? usualPort : Number(port) }
  })
  return { hosts, withHost: ({ host, port }) => `${start}${host}:${port}${end}` }
}

/** Whether each host of the address makes an address that is one. */
export function isDatabaseAddress(address: string): boolean {
  if (!form.test(address)) return false
  const { hosts, withHost } = parseDatabaseAddress(address)
  if (hosts.length === 1) return URL.canParse(address)
  return hosts.every((host) => host.host !== '' && URL.canParse(withHost(host)))
}

/** Hosts and name, without user and password. */
export function placeOfDatabase(address: string): string {
  const [both = '', , named = ''] = form.exec(address) ?? []
  return `${named}${address.slice(both.length).replace(/[?#][\s\S]*/, '')}`
}
