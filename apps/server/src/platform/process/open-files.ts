import { readFileSync } from 'node:fs'

/** How many files and sockets this process may have open: Node has raised its limit to the hard one. Null where the
 * system does not say (not Linux). */
export function openFilesLimit(): number | null {
  let limits: string
  try {
    limits = readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return null
  }
  const [, limit = 'unlimited'] = /^Max open files\s+(\S+)/m.exec(limits) ?? []
  return limit === 'unlimited' ? null : Number(limit)
}

/** Where the system does not say. */
const assumedLimit = 20_000
/** Log and data files, files that are sent or taken, connections to a bucket and to an external broker. */
const otherFiles = 200

export interface ConnectionBudget {
  /** Most connections of browsers and of devices that fetch files. */
  http: number
  /** Most connections of devices. */
  devices: number
}

/**
 * Divides the open files, so that no kind of connection can take those that another needs: first the database, then
 * HTTP as asked for but a quarter at most, and the rest for devices, or fewer where fewer are asked for.
 */
export function connectionBudget(
  { http, devices, database }: { http: number; devices: number | undefined; database: number },
  limit: number | null = openFilesLimit(),
): ConnectionBudget {
  const files = limit ?? assumedLimit
  const forHttp = Math.min(http, Math.floor(files / 4))
  const left = Math.max(files - forHttp - database - otherFiles, Math.floor(files / 4))
  return { http: forHttp, devices: Math.min(devices ?? left, left) }
}
