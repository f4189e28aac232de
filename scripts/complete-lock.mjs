// Some registry mirrors do not carry the platform packages of every operating system. npm then
// leaves those optional packages out of package-lock.json, and `npm ci` refuses the lock as
// incomplete. This writes the missing entries (name, version, os, cpu, libc) back, so that one
// lock serves every platform. Run it after `npm install` has changed the lock.
import { readFileSync, writeFileSync } from 'node:fs'

const path = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(path, 'utf8'))
const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
  'aix',
]
const processors = [
  'arm64',
  'x64',
  'arm',
  'ia32',
  'ppc64',
  'riscv64',
  's390x',
  'loong64',
  'mips64el',
  'wasm32',
]
let added = 0

/** Whether npm would find `name` from the package at `from`. */
function isLocked(from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    const key = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`
    if (lock.packages[key]) return true
    if (at === '') return false
  }
}

for (const [from, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(from, name)) continue
    const words = name.split(/[-/@]/)
    const os = words.find((word) => systems.includes(word))
    const cpu = words.find((word) => processors.includes(word))
    if (!os && !cpu) continue
    const libc = words.some((word) => word.startsWith('musl'))
      ? ['musl']
      : words.some((word) => word.startsWith('gnu'))
        ? ['glibc']
        : undefined
    const isWasm = words.includes('wasm32')
    lock.packages[`node_modules/${name}`] = {
      version: range.replace(/^[^\d]*/, ''),
      cpu: [isWasm ? 'wasm32' : cpu],
      ...(entry.dev ? { dev: true } : {}),
      ...(libc ? { libc } : {}),
      license: 'SEE LICENSE',
      optional: true,
      ...(os ? { os: [os] } : {}),
    }
    added += 1
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`package-lock.json: ${added} platform packages written back`)
