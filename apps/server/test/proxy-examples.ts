import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'

// The proxy configurations of docs/operating.md, for tests that insert their own addresses and run them.

const page = readFileSync(join(import.meta.dirname, '../../../docs/operating.md'), 'utf8')

/** The example in this language that contains the words. */
export function example(language: 'nginx' | 'caddyfile' | 'haproxy' | 'yaml' | 'sh', words: string): string {
  const blocks = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].filter(([, name]) => name === language)
  const found = blocks.map(([, , text = '']) => text).find((text) => text.includes(words))
  if (!found) throw new Error(`no example with ${words}`)
  return found
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

export const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket.destroy() !== undefined))
    socket.on('error', () => resolve(false))
  })
