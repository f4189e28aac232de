// `npm run dev`: the server, started again whenever one of its source files changes, and Vite's server for the
// pages, which passes /api on to it. Data is in data/dev; both listen on this machine only. A new migration
// is applied at the next restart.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { serverFlags } from './server-flags.mjs'

const root = join(import.meta.dirname, '..')
const { HTTP_PORT: httpPort = '8080', WEB_PORT: webPort = '5173' } = process.env
const env = { HOST: '127.0.0.1', DATA_DIR: join(root, 'data/dev'), ...process.env }

const children = [
  run(root, ['--watch', '--watch-preserve-output', ...serverFlags, 'apps/server/src/main.ts']),
  run(join(root, 'apps/web'), [
    join(root, 'node_modules/vite/bin/vite.js'),
    ...['--host', '127.0.0.1', '--port', webPort, '--clearScreen', 'false'],
  ]),
]
let isStopping = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(0))
process.on('disconnect', () => void stop(0))
// Node's watcher survives an error of the server: it waits for a file to change.
for (const child of children) child.on('exit', (code) => void stop(code ?? 1))

/** In its own session: a Ctrl-C at the terminal reaches only this process, which ends both in order. */
function run(cwd, argv) {
  return spawn(process.execPath, argv, {
    cwd,
    env: { ...env, API_URL: `http://127.0.0.1:${httpPort}` },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
}

async function stop(exitCode) {
  if (isStopping) return
  isStopping = true
  await Promise.all(children.map(ended))
  process.exit(exitCode)
}

async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await exit
}
