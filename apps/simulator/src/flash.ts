// The devices' flash: changes by upgrades and settings are kept in a file beyond the end of this process.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { SavedDevice, VirtualDevice } from './device.ts'

const pauseMs = 5_000

/** Reads the file, if there is one, and keeps it up to date: on request, and each five seconds while `watch` runs. */
export function keepFlash(path: string) {
  let written = readText(path)
  const saved: Record<string, SavedDevice> = written === '' ? {} : JSON.parse(written)

  /** The state of a device that is not simulated this time stays in the file. */
  function write(devices: readonly VirtualDevice[]): void {
    for (const device of devices) {
      const present = device.saved
      if (present) saved[device.code] = present
    }
    const text = JSON.stringify(saved)
    if (text === written || text === '{}') return
    // A process that ends in between leaves the old file whole.
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
    written = text
  }

  return {
    of: (code: string): SavedDevice | undefined => saved[code],
    write,
    watch: (devices: readonly VirtualDevice[]): NodeJS.Timeout =>
      setInterval(() => write(devices), pauseMs).unref(),
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
