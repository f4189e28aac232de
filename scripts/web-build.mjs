// Builds the console in both languages where it is missing or older than its sources, with what the server sends
// compressed beside each text.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

const root = join(import.meta.dirname, '..')
const web = join(root, 'apps/web')
const sources = [
  ...['index.html', 'package.json', 'vite.config.ts', 'src', 'shell', 'public'].map((name) =>
    join(web, name),
  ),
  join(root, 'packages/contract/package.json'),
  join(root, 'packages/contract/src'),
  join(root, 'package-lock.json'),
  join(root, 'scripts/chinese-literals.mjs'),
  import.meta.filename,
]
/** In node_modules, so that a new install causes a new build. */
const stamp = join(root, 'node_modules/.voltkeep/web-sources')

/**
 * Builds apps/web/dist if it is missing or does not match the sources. Compares contents, not times: a checkout sets
 * all file times. Returns whether a build was necessary.
 */
export async function buildWeb(node) {
  const wanted = hashOf(sources)
  if (
    existsSync(join(web, 'dist/index.html')) &&
    existsSync(join(web, 'dist/index.en.html')) &&
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === wanted
  ) {
    return false
  }
  await Promise.all(['zh', 'en'].map((language) => build(node, language)))
  joinEnglish(join(web, 'dist'), join(web, 'dist.en'))
  await compressTexts(join(web, 'dist'))
  mkdirSync(join(stamp, '..'), { recursive: true })
  writeFileSync(stamp, wanted)
  return true
}

async function build(node, language) {
  const [status] = await once(
    spawn(node, [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'error'], {
      cwd: web,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production', WEB_LANGUAGE: language },
    }),
    'exit',
  )
  if (status !== 0) throw new Error('网页构建失败，原因见上。')
}

/** Files are named by their contents: those without a word are the same in both languages and stand there once. */
function joinEnglish(directory, english) {
  for (const name of readdirSync(join(english, 'assets'))) {
    const place = join(directory, 'assets', name)
    if (!existsSync(place)) copyFileSync(join(english, 'assets', name), place)
  }
  copyFileSync(join(english, 'index.html'), join(directory, 'index.en.html'))
  rmSync(english, { recursive: true })
}

/** A shorter text fits into one packet anyway. */
const leastBytes = 1_024
const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/** Beside each text what the server sends of it: at the best quality, as it is done once a build. */
async function compressTexts(directory) {
  await Promise.all(
    readdirSync(directory, { recursive: true }).map(async (name) => {
      if (!/\.(html|js|css|json|svg|txt)$/.test(name)) return
      const body = readFileSync(join(directory, name))
      if (body.length < leastBytes) return
      writeFileSync(join(directory, `${name}.br`), await brotli(body))
      writeFileSync(join(directory, `${name}.gz`), await gzipped(body, { level: 9 }))
    }),
  )
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
  console.log((await buildWeb(process.execPath)) ? 'built' : 'up to date')
}
