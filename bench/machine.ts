// On what a figure was measured: the machine, what else ran on it, the release and the commit.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }

export interface Machine {
  at: string
  commit: string
  version: string
  cores: number
  processor: string
  memoryGb: number
  system: string
  kernel: string
  node: string
  /** Processes that ran or waited, over the last minute, 5 and 15 minutes. */
  load: readonly number[]
}

export function describeMachine(): Machine {
  const git = (...args: string[]) =>
    spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).stdout?.trim() ?? ''
  const isChanged = git('status', '--porcelain') !== ''
  return {
    at: new Date().toISOString(),
    commit: `${git('rev-parse', '--short=8', 'HEAD') || 'unknown'}${isChanged ? ' with changes' : ''}`,
    version: packageJson.version,
    cores: cpus().length,
    processor: processorOf(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: systemName(),
    kernel: release(),
    node: process.version,
    load: currentLoad(),
  }
}

/** By which a figure is judged: with more of it than cores, others had a part of them. */
export const currentLoad = (): number[] => loadavg().map((value) => Math.round(value * 10) / 10)

export const machineText = ({
  at,
  commit,
  cores,
  processor,
  memoryGb,
  system,
  kernel,
  node,
  load,
}: Machine): string =>
  `${at}, commit ${commit}; ${cores} cores (${processor}), ${memoryGb} GB, ${system}, Linux ${kernel}, Node ${node}; ` +
  `load average ${load.join(', ')}`

const processorOf = () => cpus()[0]?.model.replaceAll(/\s+/g, ' ').trim() || 'unknown'

function systemName(): string {
  try {
    return /^PRETTY_NAME="(.*)"$/m.exec(readFileSync(join('/etc', 'os-release'), 'utf8'))?.[1] ?? 'unknown'
  } catch {
    return process.platform
  }
}
