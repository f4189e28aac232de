import { readdirSync, readFileSync } from 'node:fs'

/** CPU time used so far, ms, by a server's own process and by its embedded database. */
export function cpuMs(serverPid: number): { server: number; database: number } {
  const parents = new Map<number, number>()
  const used = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
        .map(Number)
      parents.set(Number(name), fields[1] ?? 0)
      // Ticks of 10 ms; a postmaster's time includes its ended children.
      used.set(
        Number(name),
        ((fields[11] ?? 0) + (fields[12] ?? 0) + (fields[13] ?? 0) + (fields[14] ?? 0)) * 10,
      )
    } catch {
      // The process has ended.
    }
  }
  const isUnder = (pid: number): boolean => {
    const parent = parents.get(pid)
    return parent !== undefined && (parent === serverPid || isUnder(parent))
  }
  let database = 0
  for (const [pid, ms] of used) if (isUnder(pid)) database += ms
  return { server: used.get(serverPid) ?? 0, database }
}

/** CPU time used so far, ms, by processes with these ids, which may have ended. */
export function cpuOf(pids: readonly number[]): number {
  let ms = 0
  for (const pid of pids) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
        .map(Number)
      ms += ((fields[11] ?? 0) + (fields[12] ?? 0)) * 10
    } catch {
      // It has ended.
    }
  }
  return ms
}

/** Resident set of one process in bytes, without PostgreSQL's processes. */
export function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1_024
}
