// A fleet of simulated devices in a process of its own, and the files that its connections need.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FleetAnswer, FleetOrder } from './fleet-process.ts'

export interface BenchFleet {
  ask(order: FleetOrder): Promise<FleetAnswer>
  end(): void
}

export function forkFleet(environment: NodeJS.ProcessEnv = {}): BenchFleet {
  const child = fork(join(import.meta.dirname, 'fleet-process.ts'), {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  })
  return {
    async ask(order) {
      const answer = once(child, 'message')
      child.send(order)
      const [message] = (await answer) as [FleetAnswer]
      return message
    },
    end: () => void child.kill('SIGKILL'),
  }
}

/** Node raises the soft limit to the hard one at its start; a higher limit needs root. */
export function checkOpenFiles(wantedFiles: number): void {
  let limits: string
  try {
    limits = readFileSync('/proc/self/limits', 'utf8')
  } catch {
    console.log('open files: the limit of this system is not known; raise it with `ulimit -n 65536`')
    return
  }
  const [, soft, hard] = /^Max open files\s+(\d+)\s+(\d+)/m.exec(limits) ?? []
  console.log(`open files: ${soft} (hard limit ${hard})`)
  if (Number(soft) >= wantedFiles) return
  console.error(
    `At most ${soft} files can be open here, ${wantedFiles} are needed. Raise the hard limit ` +
      '(`ulimit -Hn 65536` as root, LimitNOFILE= in systemd) or take fewer devices: --devices.',
  )
  process.exit(1)
}
