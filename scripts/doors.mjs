// Checks who may import whom: the doors of docs/architecture.md, as rules in .dependency-cruiser.cjs. First each rule
// is shown to fail: a small tree with one planted violation per rule must be refused for exactly those. It also counts
// the files of each folder, as a folder of many has rooms that nobody has named, and compares the roles of files with
// the table of docs/developing.md.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { documentedIn, faultsOf, filesIn } from './file-roles.mjs'

const root = join(import.meta.dirname, '..')
const require = createRequire(import.meta.url)

// dependency-cruiser makes swc parse every file as TypeScript without JSX, and has no other parser under TypeScript
// 7. Patched before it imports swc.
const swc = require('@swc/core')
const { parseFileSync } = swc
swc.parseFileSync = (path, options) => parseFileSync(path, { ...options, tsx: path.endsWith('.tsx') })
const { cruise } = await import('dependency-cruiser')
const { default: extractOptions } = await import('dependency-cruiser/config-utl/extract-depcruise-options')
const options = await extractOptions(join(root, '.dependency-cruiser.cjs'))

const folders = ['apps', 'packages', 'e2e', 'bench']
/** Far fewer mean that files are no longer read, which once passed unnoticed as 0 violations. */
const leastModules = 150

/** Source files that stand in one folder, its rooms and its tests not counted. */
const mostFiles = 18
const countedIn = ['apps/server/src', 'apps/web/src']

/** Rule → a file that breaks it, and its import. */
const planted = {
  'contract-depends-on-zod-only': ['packages/contract/src/alarms.ts', 'kysely'],
  'platform-knows-no-feature': [
    'apps/server/src/platform/process/clock.ts',
    '../../features/alarms/index.ts',
  ],
  'platform-calls-imports-downward': ['apps/server/src/platform/calls/turns.ts', '../process/log.ts'],
  'platform-process-imports-downward': ['apps/server/src/platform/process/log.ts', '../database/database.ts'],
  'platform-database-imports-downward': [
    'apps/server/src/platform/database/database.ts',
    '../files/kept/index.ts',
  ],
  'platform-files-imports-downward': ['apps/server/src/platform/files/kept/index.ts', '../../http/mount.ts'],
  'platform-devices-imports-downward': [
    'apps/server/src/platform/devices/mqtt/broker.ts',
    '../../http/mount.ts',
  ],
  'platform-http-imports-downward': ['apps/server/src/platform/http/mount.ts', '../feature.ts'],
  'http-rooms-are-entered-by-the-door': ['apps/server/src/platform/http/server.ts', './pages/pages.ts'],
  'http-rooms-meet-at-the-door': [
    'apps/server/src/platform/http/documents/api-documents.ts',
    '../pages/pages.ts',
  ],
  'platform-stands-in-rooms': [
    'apps/server/src/features/alarms/alarms.queries.ts',
    '../../platform/paging.ts',
  ],
  'domain-stands-on-the-platform': [
    'apps/server/src/domain/access/holdings.ts',
    '../../features/alarms/index.ts',
  ],
  'app-reads-the-list-of-features': ['apps/server/src/app.ts', './features/alarms/index.ts'],
  'features-meet-at-the-door': [
    'apps/server/src/features/events/events.service.ts',
    '../alarms/alarms.service.ts',
  ],
  'upgrades-rooms-are-entered-by-the-door': [
    'apps/server/src/features/upgrades/index.ts',
    './stages/stage-moves.ts',
  ],
  'upgrades-gate-imports-downward': [
    'apps/server/src/features/upgrades/gate/gate.queries.ts',
    '../targets/index.ts',
  ],
  'upgrades-targets-imports-downward': [
    'apps/server/src/features/upgrades/targets/targets.queries.ts',
    '../tasks/index.ts',
  ],
  'upgrades-stages-imports-downward': [
    'apps/server/src/features/upgrades/stages/stage-moves.ts',
    '../targets/target-sweep.ts',
  ],
  'upgrades-consent-imports-downward': [
    'apps/server/src/features/upgrades/consent/consent.queries.ts',
    '../upgrades.service.ts',
  ],
  'upgrades-tasks-imports-downward': [
    'apps/server/src/features/upgrades/tasks/tasks.queries.ts',
    '../upgrades.service.ts',
  ],
  'upgrades-automatic-imports-downward': [
    'apps/server/src/features/upgrades/automatic/automatic.queries.ts',
    '../upgrades.service.ts',
  ],
  'parameter-batches-rooms-are-entered-by-the-door': [
    'apps/server/src/features/parameter-batches/index.ts',
    './targets/targets.queries.ts',
  ],
  'parameter-batches-targets-imports-downward': [
    'apps/server/src/features/parameter-batches/targets/targets.queries.ts',
    '../batches.service.ts',
  ],
  'log-extraction-rooms-are-entered-by-the-door': [
    'apps/server/src/features/log-extraction/index.ts',
    './levels/log-levels.service.ts',
  ],
  'log-extraction-levels-imports-downward': [
    'apps/server/src/features/log-extraction/levels/log-levels.service.ts',
    '../log-extraction.queries.ts',
  ],
  'features-stand-on-platform-and-domain': [
    'apps/server/src/features/devices/devices.service.ts',
    '../../app.ts',
  ],
  'routes-only-pass-on': ['apps/server/src/features/events/events.routes.ts', './events.queries.ts'],
  'services-know-no-fastify-and-no-kysely': ['apps/server/src/features/users/users.service.ts', 'kysely'],
  'queries-are-sql-only': ['apps/server/src/features/events/events.queries.ts', './events.rules.service.ts'],
  'web-features-do-not-meet': ['apps/web/src/features/alarms/AlarmPage.tsx', '../devices/DevicePage.tsx'],
  'web-patterns-know-no-feature': ['apps/web/src/ui/Permitted.tsx', '../features/devices/DevicePage.tsx'],
  'web-lib-knows-no-ui': ['apps/web/src/lib/call.ts', '../ui/Tag.tsx'],
  'web-shares-the-contract-only': ['apps/web/src/app/main.tsx', '../../../simulator/src/device.ts'],
  'simulator-is-a-stranger': ['apps/simulator/src/fleet.ts', '../../server/src/app.ts'],
  'server-shares-the-contract-only': ['apps/server/src/main.ts', '../../simulator/src/device.ts'],
  'product-imports-no-test': ['apps/server/src/features.ts', '../test/factories.ts'],
  'no-cycles': ['apps/simulator/src/one.ts', './two.ts'],
  'no-dangling-import': ['apps/server/src/lost.ts', './nowhere.ts'],
}
const bystanders = {
  'apps/server/src/features/alarms/index.ts': '',
  'apps/server/src/features/alarms/alarms.service.ts': '',
  'apps/server/src/features/events/events.rules.service.ts': '',
  'apps/server/src/features/log-extraction/log-extraction.queries.ts': '',
  'apps/server/src/features/parameter-batches/batches.service.ts': '',
  'apps/server/src/features/upgrades/targets/index.ts': '',
  'apps/server/src/features/upgrades/targets/target-sweep.ts': '',
  'apps/server/src/features/upgrades/tasks/index.ts': '',
  'apps/server/src/features/upgrades/upgrades.service.ts': '',
  'apps/server/src/platform/feature.ts': '',
  'apps/server/src/platform/http/pages/pages.ts': '',
  'apps/server/src/platform/paging.ts': '',
  'apps/server/test/factories.ts': '',
  'apps/simulator/src/device.ts': '',
  'apps/simulator/src/two.ts': "import './one.ts'\n",
  'apps/web/src/features/devices/DevicePage.tsx': 'export const page = <div />\n',
  'apps/web/src/ui/Tag.tsx': '',
}

/** Files with the wrong role, and how the line about each goes on. */
const misnamed = {
  'apps/server/src/features/alarms/alarms.doings.ts': 'doings is no documented role',
  'apps/server/src/features/alarms/alarms.doings.db.test.ts': 'doings is no documented role',
  'apps/server/src/features/alarms/alarms.db.ts': 'db is no documented role',
  'apps/server/src/features/events/events.rules.service.ts': 'rules.service is more than one role',
  'docs/developing.md': 'no file has the role states',
}
const wellNamed = [
  'apps/server/src/features/alarms/alarm-rows.ts',
  'apps/server/src/features/alarms/alarms.http.test.ts',
  'apps/server/src/features/alarms/alarms.queries.db.test.ts',
]

await proveThatEachRuleCanFail()
const { violations, totalCruised } = await check(root, folders)
for (const { rule, from, to } of violations) {
  const { comment } = options.ruleSet.forbidden.find(({ name }) => name === rule.name)
  console.error(`${from} -> ${to}\n    ${rule.name}: ${comment}`)
}
for (const [folder, count] of crowdsOf(root)) {
  console.error(`${folder} has ${count} source files, and at most ${mostFiles} stand together: give it rooms`)
  process.exitCode = 1
}
const roles = documentedIn(root)
for (const fault of faultsOf(filesIn(root), roles)) {
  console.error(fault)
  process.exitCode = 1
}
if (totalCruised < leastModules) {
  console.error(`Only ${totalCruised} modules were read: the check would pass without having looked.`)
  process.exitCode = 1
}
if (violations.length > 0) process.exitCode = 1
console.log(
  `${totalCruised} modules, ${violations.length} violations, each of the ${Object.keys(planted).length} rules proved to fail`,
)

async function check(baseDir, paths) {
  const { output } = await cruise(
    paths,
    { ...options, baseDir, outputType: undefined },
    options.enhancedResolveOptions,
  )
  return output.summary
}

/** The folders with more files than stand together well, with their number. */
function crowdsOf(baseDir) {
  const counts = new Map()
  for (const base of countedIn) {
    for (const { name, parentPath } of readdirSync(join(baseDir, base), {
      recursive: true,
      withFileTypes: true,
    })) {
      // A table's English stands beside it, and is no file more to know.
      if (!/\.tsx?$/.test(name) || /\.test\.tsx?$|\.texts\.en\.ts$/.test(name)) continue
      const folder = relative(baseDir, parentPath).split(sep).join('/')
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
  }
  return new Map([...counts].filter(([, count]) => count > mostFiles))
}

async function proveThatEachRuleCanFail() {
  const tree = mkdtempSync(join(tmpdir(), 'voltkeep-doors-'))
  try {
    for (const [path, text] of Object.entries(bystanders)) put(join(tree, path), text)
    for (const [path, imported] of Object.values(planted)) put(join(tree, path), `import '${imported}'\n`)
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
    const { violations } = await check(tree, ['apps', 'packages'])
    for (const { name } of options.ruleSet.forbidden) {
      const [path] = planted[name] ?? []
      if (violations.some(({ rule, from }) => rule.name === name && from === path)) continue
      console.error(`${name}: ${path ? 'does not see its planted violation' : 'has no planted violation'}`)
      process.exitCode = 1
    }
    const full = 'apps/server/src/domain/full'
    for (let n = 0; n < mostFiles; n += 1) put(join(tree, full, `${n}.ts`), '')
    put(join(tree, full, 'one.test.ts'), '')
    const before = crowdsOf(tree).size
    put(join(tree, full, 'more.ts'), '')
    if (before !== 0 || crowdsOf(tree).get(full) !== mostFiles + 1) {
      console.error('a folder with too many files is not seen')
      process.exitCode = 1
    }
    proveThatRolesCanFail(tree)
  } finally {
    rmSync(tree, { recursive: true })
  }
}

function proveThatRolesCanFail(tree) {
  for (const path of [...Object.keys(misnamed), ...wellNamed]) put(join(tree, path), '')
  const table = ['routes', 'service', 'queries', 'states'].map((role) => `| \`${role}\` | |\n`)
  put(
    join(tree, 'docs/developing.md'),
    `\`*.db.test.ts\`, \`*.http.test.ts\`\n\n| role | |\n|---|---|\n${table.join('')}`,
  )
  const faults = faultsOf(filesIn(tree), documentedIn(tree))
  for (const [path, fault] of Object.entries(misnamed)) {
    if (faults.some((line) => line.startsWith(`${path}: ${fault}`))) continue
    console.error(`${path}: it is not seen that ${fault}`)
    process.exitCode = 1
  }
  if (faults.length > Object.keys(misnamed).length) {
    console.error(`Files with a documented role are refused, too:\n${faults.join('\n')}`)
    process.exitCode = 1
  }
}

function put(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
