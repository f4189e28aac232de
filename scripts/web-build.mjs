import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const root = join(import.meta.dirname, '..')
const web = join(root, 'apps/web')
const sources = [
  ...['index.html', 'package.json', 'vite.config.ts', 'src', 'shell', 'public'].map((name) =>
    join(web, name),
  ),
  join(root, 'packages/contract/package.json'),
  join(root, 'packages/contract/src'),
  join(root, 'package-lock.json'),
  import.meta.filename,
]
/** In node_modules, so that a new install causes a new build. */
const stamp = join(root, 'node_modules/.voltkeep/web-sources')

/**
 * Builds apps/web/dist if it is missing or does not match the sources. Compares contents, not times: a checkout sets
 * all file times. Returns whether a build was necessary.
 */
export function buildWeb(node) {
  const wanted = hashOf(sources)
  if (
    existsSync(join(web, 'dist/index.html')) &&
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === wanted
  ) {
    return false
  }
  const { status } = spawnSync(
    node,
    [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'error'],
    {
      cwd: web,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production' },
    },
  )
  if (status !== 0) throw new Error('网页构建失败，原因见上。')
  compressTexts(join(web, 'dist'))
  mkdirSync(join(stamp, '..'), { recursive: true })
  writeFileSync(stamp, wanted)
  return true
}

/** A shorter text fits into one packet anyway. */
const leastBytes = 1_024

/** Beside each text what the server sends of it: at the best quality, as it is done once a build. */
function compressTexts(directory) {
  for (const name of readdirSync(directory, { recursive: true })) {
    if (!/\.(html|js|css|json|svg|txt)$/.test(name)) continue
    const body = readFileSync(join(directory, name))
    if (body.length < leastBytes) continue
    writeFileSync(join(directory, `${name}.br`), brotliCompressSync(body))
    writeFileSync(join(directory, `${name}.gz`), gzipSync(body, { level: 9 }))
  }
}

function hashOf(paths) {
  const hash = createHash('sha256')
  const visit = (path) => {
    if (!existsSync(path)) return
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) visit(join(path, name))
    } else {
      hash
        .update(`${relative(root, path)}\0`)
        .update(readFileSync(path))
        .update('\0')
    }
  }
  for (const path of paths) visit(path)
  return hash.digest('hex')
}

if (process.argv[1] === import.meta.filename) {
  console.log(buildWeb(process.execPath) ? 'built' : 'up to date')
}
