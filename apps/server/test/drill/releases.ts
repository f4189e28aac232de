/**
 * Installations of two releases that can run on one database: a checkout of an earlier commit, or, as long as there is no
 * earlier release, this one beside a copy of it that has a further version and further migrations.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { readMigrations } from '../../src/platform/database/schema/migration-files.ts'
import { faultsOf } from '../../src/platform/database/schema/steps.ts'

const here = join(import.meta.dirname, '../../../..')

export interface Releases {
  /** The directories of the installations. */
  before: string
  after: string
  /** As they say it themselves. */
  versions: readonly [before: string, after: string]
  /** In words, for whoever reads the figures. */
  what: string
}

/** What a next release may bring, one kind of migration each (docs/developing.md). */
const furtherMigrations = {
  '9901_of_the_next.sql': `
CREATE TABLE of_the_next (id int PRIMARY KEY, device_id int NOT NULL);
ALTER TABLE device ADD COLUMN of_the_next text NOT NULL DEFAULT '';
ALTER TABLE device_command ADD COLUMN of_the_next int;
`,
  '9902_of_the_next_online.sql': `-- online
CREATE INDEX CONCURRENTLY event_history_of_the_next ON event_history (device_id, value);
CREATE INDEX CONCURRENTLY alarm_history_of_the_next ON alarm_history (device_id, first_value);
-- repeat
UPDATE device SET of_the_next = 'made' WHERE id IN (SELECT id FROM device WHERE of_the_next = '' LIMIT 50);
`,
}
const nextVersion = '99.0.0'

/** The newest tag of a release that is not this one; undefined where there is none, or no git. */
export function previousTag(): string | undefined {
  const { stdout, status } = spawnSync('git', ['tag', '--list', 'v*', '--sort=-version:refname'], {
    cwd: here,
    encoding: 'utf8',
  })
  if (status !== 0) return undefined
  return stdout.split('\n').find((tag) => tag !== '' && tag !== `v${packageJson.version}`)
}

/** `previous`: a commit or a tag, in place of the copy. Below the directory, which the caller removes. */
export function makeReleases(directory: string, previous?: string): Releases {
  if (previous !== undefined) {
    const before = join(directory, 'before')
    mkdirSync(before, { recursive: true })
    const archive = execFileSync('git', ['archive', previous], { cwd: here, maxBuffer: 1_000_000_000 })
    execFileSync('tar', ['-x', '-C', before], { input: archive })
    linkPackages(before)
    const { version } = JSON.parse(readFileSync(join(before, 'package.json'), 'utf8')) as { version: string }
    return {
      before,
      after: here,
      versions: [version, packageJson.version],
      what: `${previous} and this one`,
    }
  }
  const after = join(directory, 'after')
  for (const part of ['apps', 'packages', 'scripts', 'package.json'])
    cpSync(join(here, part), join(after, part), { recursive: true, filter: isOfTheServer })
  linkPackages(after)
  const own = join(after, 'apps/server/package.json')
  writeFileSync(own, JSON.stringify({ ...JSON.parse(readFileSync(own, 'utf8')), version: nextVersion }))
  const migrations = join(after, 'apps/server/migrations')
  for (const [name, sql] of Object.entries(furtherMigrations)) writeFileSync(join(migrations, name), sql)
  const further = readMigrations(migrations).filter(({ name }) => name in furtherMigrations)
  const faults = further.flatMap((migration) => faultsOf(migration, []))
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return {
    before: here,
    after,
    versions: [packageJson.version, nextVersion],
    what: 'this one and a copy with further migrations',
  }
}

const isOfTheServer = (path: string) =>
  !/^apps\/web\/|\/(node_modules|test|dist)(\/|$)/.test(relative(here, path).split(sep).join('/'))

/** The packages of this installation; of the parts of the product its own. */
function linkPackages(directory: string): void {
  for (const part of ['', 'apps/server']) {
    const [from, to] = [join(here, part, 'node_modules'), join(directory, part, 'node_modules')]
    if (!existsSync(from)) continue
    mkdirSync(join(to, '@voltkeep'), { recursive: true })
    for (const name of readdirSync(from))
      if (!name.startsWith('.') && name !== '@voltkeep') symlinkSync(join(from, name), join(to, name))
  }
  const scope = join(directory, 'node_modules/@voltkeep')
  for (const [name, part] of Object.entries({
    contract: 'packages/contract',
    server: 'apps/server',
    simulator: 'apps/simulator',
  }))
    symlinkSync(join(directory, part), join(scope, name))
}
