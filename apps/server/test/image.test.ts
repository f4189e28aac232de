// The image, as far as its text tells: there is no Docker where the tests run.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settings } from '../src/platform/process/config.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }
/** By stage, instruction by instruction. */
const stages = read('Dockerfile')
  .replaceAll('\\\n', ' ')
  .split(/^(?=FROM )/m)
  .filter((text) => text.startsWith('FROM '))
  .map((text) => text.split('\n').filter((line) => /^[A-Z]+ /.test(line)))
const [building = [], running = []] = stages
const lastOf = (name: string) =>
  running
    .findLast((line) => line.startsWith(`${name} `))
    ?.slice(name.length + 1)
    .trim()

test('the image runs as a fixed user without rights, whose name PostgreSQL finds, and only its data are written', () => {
  expect(lastOf('USER')).toBe('10001:10001')
  expect(running.join('\n')).toMatch(
    /^RUN .*\bgroupadd --gid 10001 \w+ .*\buseradd --uid 10001 --gid 10001 /m,
  )
  expect(lastOf('VOLUME')).toBe('["/data"]')
  expect(lastOf('ENV')).toBe('DATA_DIR=/data')
  // What comes after it runs as that user.
  const from = running.findIndex((line) => line.startsWith('USER '))
  expect(running.slice(from + 1).filter((line) => /^(RUN|COPY|ADD) /.test(line))).toEqual([])
})

test('signals arrive at the server: no shell stands before it', () => {
  expect(JSON.parse(lastOf('ENTRYPOINT') ?? '')).toEqual(['/opt/voltkeep/bin/voltkeep'])
  expect(read('deploy/voltkeep.sh').trim().split('\n').at(-1)).toMatch(/^exec /)
  expect(lastOf('STOPSIGNAL')).toBe('SIGTERM')
})

test('the health check is a program of the image, and what is copied is made by the first stage', () => {
  const [, check = '[]'] = / CMD (\[.*\])$/.exec(lastOf('HEALTHCHECK') ?? '') ?? []
  const [node, script = ''] = JSON.parse(check) as string[]
  expect(node).toBe('/opt/voltkeep/node/bin/node')
  expect(existsSync(join(root, script.replace('/opt/voltkeep/', '')))).toBe(true)
  const [, made] = /--tree (\S+)$/.exec(building.at(-1) ?? '') ?? []
  expect(running).toContain(`COPY --from=build ${made} /opt/voltkeep`)
  const needed = building.flatMap((line) => /^RUN node_modules\/\.bin\/node (\S+)/.exec(line)?.[1] ?? [])
  expect(needed.map((path) => existsSync(join(root, path)))).toEqual([true])
})

test.each(['deploy/compose.yaml', 'deploy/compose.three.yaml'])(
  '%s runs this release, locked up, with settings that there are',
  (path) => {
    const text = read(path)
    expect(text).toContain(`image: voltkeep:${version}\n`)
    for (const line of [
      'read_only: true',
      'no-new-privileges:true',
      '- ALL',
      'stop_grace_period: 60s',
      '- /tmp',
    ])
      expect(text).toContain(line)
    const [, environment = ''] = /environment:\n((?: {6}.*\n)+)/.exec(text) ?? []
    const names = [...environment.matchAll(/^ {6}([A-Z0-9_]+):/gm)].map(([, name]) => name)
    const known: string[] = Object.values(settings).map(({ name }) => name)
    expect(names.length).toBeGreaterThan(1)
    expect(names.filter((name) => !known.includes(name as string))).toEqual([])
  },
)
