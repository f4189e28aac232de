// The load generator in a process of its own, for one run.
import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { LoadOrder, LoadResult } from './ingest-load.ts'

/** `connected`: before the first message, when all devices are there. */
export function runLoad(order: LoadOrder, connected = () => {}): Promise<LoadResult> {
  const child = fork(join(import.meta.dirname, 'ingest-load.ts'))
  child.send(order)
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      if (message === 'connected') connected()
      else resolve(message as LoadResult)
    })
    child.once('exit', (code) => code !== 0 && reject(new Error(`the load generator ended with ${code}`)))
  })
}
