// Which of the hosts of a database accepts writes. After a failover it is another one, and connections that were made
// before are not used again: the former one may answer, and refuse every write.
import pg from 'pg'
import { type DatabaseHost, parseDatabaseAddress } from '../../process/database-address.ts'

export interface Hosts {
  /** All of them. */
  readonly address: string
  /** The host that accepts writes; null where there is only one, which is not asked. Throws what the hosts answer. */
  find(): Promise<DatabaseHost | null>
  /** It is not sure any more that it is the same: the next connection looks again. */
  forget(): void
  /** Connections of this generation are not to be used again. */
  lost(generation: number): void
  /** Of the connections that are made now. */
  readonly generation: number
}

/** No host accepts writes at present. The code is that of a write that was refused for it. */
class NoPrimary extends Error {
  readonly code = '25006'

  constructor() {
    super('no host of the database accepts writes')
  }
}

const probeLimitMs = 3_000

export function createHosts(address: string): Hosts {
  const { hosts } = parseDatabaseAddress(address)
  let known: DatabaseHost | undefined
  let looking: Promise<DatabaseHost> | undefined
  let generation = 0

  return {
    address,
    async find() {
      if (hosts.length < 2) return null
      if (known) return known
      looking ??= findPrimary(address).finally(() => {
        looking = undefined
      })
      known = await looking
      return known
    },
    forget() {
      known = undefined
    },
    lost(of) {
      if (of !== generation) return
      generation += 1
      known = undefined
    },
    get generation() {
      return generation
    },
  }
}

/** Asks all hosts at once; the first that accepts writes is it. */
async function findPrimary(address: string): Promise<DatabaseHost> {
  const { hosts, withHost } = parseDatabaseAddress(address)
  try {
    return await Promise.any(
      hosts.map(async (host) => {
        if (await acceptsWrites(withHost(host))) return host
        throw new NoPrimary()
      }),
    )
  } catch (error) {
    const problems = (error as AggregateError).errors as (Error & { code?: string })[]
    // A wrong password, or a database that is not there, can be mended; a host that is away comes back. One that has not
    // answered in time has no code: with no other word of any of them there is no primary.
    const isToBeMended = ({ code }: { code?: string }) => code !== undefined && /^(28|3D)/.test(code)
    throw problems.find(isToBeMended) ?? problems.find(({ code }) => code !== undefined) ?? new NoPrimary()
  }
}

async function acceptsWrites(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: probeLimitMs,
    query_timeout: probeLimitMs,
    application_name: 'voltkeep probe',
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await isPrimary(client)
  } finally {
    // Not awaited: a dead peer never answers.
    client.end().catch(() => undefined)
  }
}

/** What libpq calls target_session_attrs=read-write. */
export const primaryText = `
  SELECT NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off' AS "isPrimary"`

async function isPrimary(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isPrimary: boolean }>(primaryText)
  return rows[0]?.isPrimary === true
}

/** The address with the one host that accepts writes, for a program that connects once. */
export async function primaryAddress(address: string): Promise<string> {
  const { hosts, withHost } = parseDatabaseAddress(address)
  return hosts.length < 2 ? address : withHost(await findPrimary(address))
}
